// Keeps prepared rigs by a hash of what they were made from: in memory, or in files with that name.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/scramble.h>
#include <pelt/io/atomic_file.h>
#include <pelt/verbs/preparation_cache.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pelt::verbs {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[] = "pelt preparation 2\n";
constexpr char kExtension[] = ".prepared";

/// The header before the content: format, program, key, length, and a hash to detect damage.
std::string headerOf(const std::string& program, const std::string& key, std::span<const std::byte> content) {
    ContentKey check;
    check.add(content);
    return fmt::format("{}{}\n{}\n{}\n{}\n", kMagic, program, key, content.size(), check.hex());
}

}  // namespace

void ContentKey::add(std::span<const std::byte> bytes) {
    const auto take = [&](std::uint64_t word) {
        low_ = mixedBits(low_ ^ word) + high_;
        high_ = mixedBits(high_ + word * kScrambleStep) ^ low_;
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

std::string ContentKey::hex() const { return fmt::format("{:016x}{:016x}", mixedBits(low_), mixedBits(high_)); }

std::optional<std::vector<std::byte>> PreparationShelf::load(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

void PreparationShelf::store(const std::string& key, std::span<const std::byte> content) const {
    if (!keeps_) return;
    const std::lock_guard lock(mutex_);
    kept_[key].assign(content.begin(), content.end());
}

/// For each result its key, the number of its bytes (64 bits) and the bytes; then the hash of all that.
std::vector<std::byte> PreparationShelf::toBytes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::byte> all;
    const auto add = [&](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
    for (const auto& [key, content] : kept_) {
        const std::uint64_t size = content.size();
        add(std::as_bytes(std::span(key)));
        add(std::as_bytes(std::span(&size, 1)));
        add(content);
    }
    ContentKey check;
    check.add(all);
    const std::string hash = check.hex();
    add(std::as_bytes(std::span(hash)));
    return all;
}

void PreparationShelf::take(std::span<const std::byte> bytes) {
    constexpr std::size_t kKey = 32;
    const auto text = [](std::span<const std::byte> of) {
        return std::string(reinterpret_cast<const char*>(of.data()), of.size());
    };
    ContentKey check;
    if (bytes.size() >= kKey) check.add(bytes.first(bytes.size() - kKey));
    if (bytes.size() < kKey || text(bytes.last(kKey)) != check.hex())
        throw Error::badInput("these bytes are not what was prepared for a pose, or they are damaged");
    std::map<std::string, std::vector<std::byte>> taken;
    for (auto rest = bytes.first(bytes.size() - kKey); rest.size() >= kKey + 8;) {
        std::uint64_t size = 0;
        std::memcpy(&size, rest.data() + kKey, 8);
        const auto content = rest.subspan(kKey + 8).first(std::min<std::uint64_t>(size, rest.size() - kKey - 8));
        taken[text(rest.first(kKey))].assign(content.begin(), content.end());
        rest = rest.subspan(kKey + 8 + content.size());
    }
    const std::lock_guard lock(mutex_);
    kept_ = std::move(taken);
}

PreparationCache::PreparationCache(fs::path folder, std::string program, std::uint64_t limit)
    : folder_(std::move(folder)), program_(std::move(program)), limit_(limit) {}

fs::path PreparationCache::fileOf(const std::string& key) const { return folder_ / (key + kExtension); }

std::optional<std::vector<std::byte>> PreparationCache::load(const std::string& key) const {
    try {
        const std::vector<std::byte> all = io::readFile(fileOf(key), limit_);
        // The length of the header depends on that of the content, which is the rest of the file.
        for (std::size_t digits = 1; digits <= 20; ++digits) {
            const std::size_t length = headerOf(program_, key, {}).size() - 1 + digits;
            if (length > all.size() || fmt::formatted_size("{}", all.size() - length) != digits) continue;
            const auto content = std::span(all).subspan(length);
            const std::string header = headerOf(program_, key, content);
            if (header.size() != length || std::memcmp(header.data(), all.data(), length) != 0) return {};
            std::error_code none;
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

}  // namespace pelt::verbs
