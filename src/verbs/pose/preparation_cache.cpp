#include <fmt/format.h>
#include <pelt/io/atomic_file.h>
#include <pelt/pipeline/preparation_cache.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace pelt::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[] = "pelt preparation 2\n";
constexpr char kExtension[] = ".prepared";

std::uint64_t mixed(std::uint64_t x) {  // the finalizer of SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// The header before the content: format, program, key, length, and a hash to detect damage.
std::string headerOf(const std::string& program, const std::string& key, std::span<const std::byte> content) {
    ContentKey check;
    check.add(content);
    return fmt::format("{}{}\n{}\n{}\n{}\n", kMagic, program, key, content.size(), check.hex());
}

}  // namespace

void ContentKey::add(std::span<const std::byte> bytes) {
    const auto take = [&](std::uint64_t word) {
        low_ = mixed(low_ ^ word) + high_;
        high_ = mixed(high_ + word * 0x9e3779b97f4a7c15u) ^ low_;
    };
    take(bytes.size());
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        take(word);
    }
    if (at == bytes.size()) return;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at);
    take(word);
}

std::string ContentKey::hex() const { return fmt::format("{:016x}{:016x}", mixed(low_), mixed(high_)); }

PreparationCache::PreparationCache(fs::path folder, std::string program, std::uint64_t limit)
    : folder_(std::move(folder)), program_(std::move(program)), limit_(limit) {}

fs::path PreparationCache::fileOf(const std::string& key) const { return folder_ / (key + kExtension); }

std::optional<std::vector<std::byte>> PreparationCache::load(const std::string& key) const {
    try {
        std::error_code none;
        const std::uint64_t size = fs::file_size(fileOf(key), none);
        if (none || size > limit_) return {};
        std::ifstream file(fileOf(key), std::ios::binary);
        std::vector<std::byte> all(static_cast<std::size_t>(size));
        file.read(reinterpret_cast<char*>(all.data()), std::streamsize(all.size()));
        if (!file) return {};
        // The length of the header depends on that of the content, which is the rest of the file.
        for (std::size_t digits = 1; digits <= 20; ++digits) {
            const std::size_t length = headerOf(program_, key, {}).size() - 1 + digits;
            if (length > all.size() || fmt::formatted_size("{}", all.size() - length) != digits) continue;
            const auto content = std::span(all).subspan(length);
            const std::string header = headerOf(program_, key, content);
            if (header.size() != length || std::memcmp(header.data(), all.data(), length) != 0) return {};
            fs::last_write_time(fileOf(key), fs::file_time_type::clock::now(), none);
            return std::vector<std::byte>(content.begin(), content.end());
        }
    } catch (const std::exception&) {  // out of memory, no permission: treated as missing
    }
    return {};
}

void PreparationCache::store(const std::string& key, std::span<const std::byte> content) const {
    try {
        const std::string header = headerOf(program_, key, content);
        if (header.size() + content.size() > limit_) return;
        fs::create_directories(folder_);
        makeRoom(header.size() + content.size());
        io::AtomicFile file(fileOf(key));
        file.write(header);
        file.write(content);
        file.commit();
    } catch (const std::exception&) {  // a cache that cannot be written is not used
    }
}

void PreparationCache::makeRoom(std::uint64_t size) const {
    struct Kept {
        fs::file_time_type used;
        fs::path path;
        std::uint64_t size;
    };
    std::vector<Kept> kept;
    std::uint64_t sum = size;
    const auto now = fs::file_time_type::clock::now();
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        std::error_code none;
        const std::string extension = entry.path().extension().string();
        const bool stale = extension == ".tmp" && now - entry.last_write_time(none) > std::chrono::hours(1);
        if (stale) fs::remove(entry.path(), none);  // of a run that was killed
        if (extension != kExtension || !entry.is_regular_file(none)) continue;
        kept.push_back({entry.last_write_time(none), entry.path(), entry.file_size(none)});
        sum += kept.back().size;
    }
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
    for (const Kept& oldest : kept) {
        if (sum <= limit_) break;
        std::error_code none;
        fs::remove(oldest.path, none);
        sum -= oldest.size;
    }
}

std::optional<fs::path> userCacheFolder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && fs::path(cache).is_absolute()) return fs::path(cache) / "pelt";
    const char* home = std::getenv("HOME");
    if (home && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "pelt";
    return {};
}

}  // namespace pelt::pipeline
