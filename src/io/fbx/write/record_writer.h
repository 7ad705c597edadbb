#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pelt::io::fbx {

/// A text with the class of an object, as the names of objects are in binary files: "hip\0\1Model".
struct ObjectName {
    std::string_view name, kind;
};

/// Writes the records of a binary FBX file of version 7.4.
class RecordWriter {
public:
    RecordWriter();

    /// A record; its values come before its children.
    template <class... Values>
    void begin(std::string_view name, const Values&... values) {
        open(name);
        (add(values), ...);
    }
    void end();
    /// A record without children.
    template <class... Values>
    void leaf(std::string_view name, const Values&... values) {
        begin(name, values...);
        end();
    }
    /// An entry of Properties70.
    template <class... Values>
    void property(std::string_view name, std::string_view type, std::string_view label, std::string_view flags,
                  const Values&... values) {
        leaf("P", name, type, label, flags, values...);
    }

    /// The finished file. Throws Error (bad input) if it exceeds the format's limit of 4 GiB.
    std::vector<std::byte> finish();

private:
    struct Open {
        std::size_t at, values_at;
        std::uint32_t count = 0;
        bool has_children = false, always_closed = false;
    };

    void open(std::string_view name);
    void closeValues();
    void add(std::int32_t value) { put('I', value); }
    void add(std::int64_t value) { put('L', value); }
    void add(double value) { put('D', value); }
    void add(bool value) { put('C', static_cast<std::uint8_t>(value)); }
    void add(std::string_view text) { addText('S', text); }
    void add(const char* text) { addText('S', text); }
    void add(const ObjectName& name);
    void add(std::span<const std::byte> raw);
    void add(std::span<const double> values) { addArray('d', values); }
    void add(std::span<const float> values) { addArray('f', values); }
    void add(std::span<const std::int32_t> values) { addArray('i', values); }
    void add(std::span<const std::int64_t> values) { addArray('l', values); }
    template <class T>
    void add(const std::vector<T>& values) {
        add(std::span<const T>(values));
    }
    void addText(char type, std::string_view text);
    template <class T>
    void addArray(char type, std::span<const T> values);
    template <class T>
    void put(char type, T value);
    template <class T>
    void raw(T value);
    void bytes(const void* data, std::size_t size);
    void patch(std::size_t at, std::size_t value);

    std::vector<std::byte> out_;
    std::vector<Open> open_;
};

}  // namespace pelt::io::fbx
