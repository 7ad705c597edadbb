#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::importer {

/// One value of an FBX element. Arrays of a binary file are decompressed when needed.
struct FbxValue {
    char type = 0;  ///< 'L' integer, 'D' real, 'S' text, 'R' raw bytes, or the array codes f d l i b
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text;
    std::span<const std::byte> packed;
    std::uint32_t count = 0, encoding = 0;
};

/// FBX is a tree of named elements with values; both its binary and text forms are read into this. Texts and packed
/// arrays point into the file's bytes.
struct FbxElement {
    std::string_view name;
    std::vector<FbxValue> values;
    std::vector<double> numbers;  ///< the numbers of a text file's array ("a: 1,2,3")
    std::vector<FbxElement> children;

    const FbxElement* find(std::string_view child) const;
    std::int64_t integer(std::size_t index, std::int64_t fallback = 0) const;
    double real(std::size_t index, double fallback = 0) const;
    std::string_view text(std::size_t index) const;
    /// The array of the element, empty if there is none. Throws Error (bad input) for damaged compressed data.
    std::vector<double> array() const;
};

struct FbxTree {
    FbxElement root;
    std::uint32_t version = 0;
    bool is_text = false;
};

/// Throws Error (bad input) with the byte at which the file is damaged.
FbxTree parseFbx(std::span<const std::byte> bytes);

FbxTree parseBinaryFbx(std::span<const std::byte> bytes);
FbxTree parseTextFbx(std::string_view text);
bool isBinaryFbx(std::span<const std::byte> bytes);

inline constexpr int kDeepestFbxElement = 64;

}  // namespace pelt::importer
