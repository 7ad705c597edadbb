#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pelt::verbs {

/// A 128-bit hash of everything that was added to it.
class ContentKey {
public:
    /// Sizes are hashed too: bytes added in two pieces give a different hash than the same bytes in one.
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

/// Keeps the results of long preparations by the hash of their inputs.
class PreparationStore {
public:
    virtual ~PreparationStore() = default;
    virtual std::optional<std::vector<std::byte>> load(const std::string& key) const = 0;
    virtual void store(const std::string& key, std::span<const std::byte> content) const = 0;
};

/// Results in memory, to hand them to another process that runs the same program.
class PreparationShelf final : public PreparationStore {
public:
    /// `keeps`: what is stored; otherwise only what take() was given is there.
    explicit PreparationShelf(bool keeps = true) : keeps_(keeps) {}

    std::optional<std::vector<std::byte>> load(const std::string& key) const override;
    void store(const std::string& key, std::span<const std::byte> content) const override;

    std::vector<std::byte> toBytes() const;
    /// In place of what there is. Throws Error (bad input) for bytes that toBytes() did not make.
    void take(std::span<const std::byte> bytes);

private:
    bool keeps_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::vector<std::byte>> kept_;
};

/// A cache for the results of long preparations: a folder with one file per result, named by the hash of the inputs.
/// Files are written completely or not at all. A file that cannot be read, is damaged or was written by another program
/// is ignored, and so are write errors. Nothing throws.
class PreparationCache final : public PreparationStore {
public:
    /// `program`: name and version of the writing program; files of others are not read. At most `limit` bytes are
    /// kept: the least recently used files are removed.
    PreparationCache(std::filesystem::path folder, std::string program, std::uint64_t limit = kLimit);

    std::optional<std::vector<std::byte>> load(const std::string& key) const override;
    void store(const std::string& key, std::span<const std::byte> content) const override;

    static constexpr std::uint64_t kLimit = std::uint64_t(512) << 20;

private:
    std::filesystem::path fileOf(const std::string& key) const;
    void makeRoom(std::uint64_t size) const;

    std::filesystem::path folder_;
    std::string program_;
    std::uint64_t limit_;
};

/// The folder of the user's cache: $XDG_CACHE_HOME/pelt, otherwise ~/.cache/pelt; nullopt if neither is known.
std::optional<std::filesystem::path> userCacheFolder();

}  // namespace pelt::verbs
