#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pelt::pipeline {

/// The name of some content: 128 bits of all that was added to it.
class ContentKey {
public:
    /// Sizes count: what is added in two pieces differs from the same bytes in one.
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    template <class T>
    void addValues(std::span<const T> values) {
        add(std::as_bytes(values));
    }
    template <class T>
    void addValue(const T& value) {
        add(std::as_bytes(std::span(&value, 1)));
    }
    std::string hex() const;

private:
    std::uint64_t low_ = 0x9e3779b97f4a7c15u, high_ = 0xc2b2ae3d27d4eb4fu;
};

/// Results of long preparations in a folder, by content: one file each, written whole or not at all. What cannot be
/// read, is damaged or of another program counts as not there; what cannot be written is not kept. Nothing throws.
class PreparationCache {
public:
    /// `program`: name and version of what writes; others' files are not read. At most `limit` bytes are kept: the
    /// files that were not used for the longest time go.
    PreparationCache(std::filesystem::path folder, std::string program, std::uint64_t limit = kLimit);

    std::optional<std::vector<std::byte>> load(const std::string& key) const;
    void store(const std::string& key, std::span<const std::byte> content) const;

    static constexpr std::uint64_t kLimit = std::uint64_t(512) << 20;

private:
    std::filesystem::path fileOf(const std::string& key) const;
    void makeRoom(std::uint64_t size) const;

    std::filesystem::path folder_;
    std::string program_;
    std::uint64_t limit_;
};

/// Where a user's caches lie: $XDG_CACHE_HOME/pelt, else ~/.cache/pelt; nullopt where neither is known.
std::optional<std::filesystem::path> userCacheFolder();

}  // namespace pelt::pipeline
