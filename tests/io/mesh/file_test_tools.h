#pragma once

#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/mesh.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace pelt::test {

/// A fresh folder that goes away with the object.
class TempFolder {
public:
    TempFolder() {
        static int serial = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("pelt_files_" + std::to_string(::getpid()) + "_" + std::to_string(serial++));
        std::filesystem::create_directories(path_);
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    bool isEmpty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

inline std::vector<std::byte> bytesOf(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline void writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    io::AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

/// The message of the Error (bad input) that `call` must throw; one line.
inline std::string badInput(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return {};
}

inline ErrorCode errorCode(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "no error was thrown";
    return ErrorCode::bad_input;
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

/// Loads or throws bad input; anything else is a failure.
inline void expectLoadsOrBadInput(const std::function<void()>& load) {
    try {
        load();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
}

/// Cuts the file at every byte, then makes `count` copies with a few bytes changed; each goes to `load`.
inline void truncateAndMutate(std::span<const std::byte> file, int count,
                              const std::function<void(std::span<const std::byte>)>& load) {
    for (std::size_t size = 0; size < file.size(); ++size) {
        // A copy of that very size, so that reading beyond it is seen by the sanitizer.
        const std::vector<std::byte> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
        expectLoadsOrBadInput([&] { load(cut); });
    }
    std::mt19937 random(7);
    for (int i = 0; i < count; ++i) {
        std::vector<std::byte> changed(file.begin(), file.end());
        for (unsigned k = 0, n = 1 + random() % 4; k < n; ++k)
            changed[random() % changed.size()] =
                static_cast<std::byte>(random() % 3 ? random() % 256 : '0' + random() % 10);
        expectLoadsOrBadInput([&] { load(changed); });
    }
}

/// For formats that store their length: no truncated file may be accepted.
inline void expectEveryCutIsRefused(std::span<const std::byte> file,
                                    const std::function<void(std::span<const std::byte>)>& load) {
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_FALSE(badInput([&] { load(file.first(size)); }).empty()) << "cut at byte " << size;
}

inline bool sameBits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline void expectSameBits(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        for (int k = 0; k < 3; ++k) ASSERT_TRUE(sameBits(a[i][k], b[i][k])) << i << ": " << a[i][k] << " " << b[i][k];
}

/// Any finite float, all exponents alike, subnormals and both zeros included.
inline float anyFloat(std::mt19937& random) {
    for (;;) {
        const std::uint32_t bits = random() % 16 == 0 ? random() & 0x807fffffu : static_cast<std::uint32_t>(random());
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (random() % 32 == 0) return random() % 2 ? 0.0f : -0.0f;
        if (std::isfinite(value)) return value;
    }
}

inline std::vector<Vec3f> anyPoints(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Vec3f> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back({anyFloat(random), anyFloat(random), anyFloat(random)});
    return points;
}

/// A bumpy grid of n × n vertices with unit normals and UVs, in two parts of one row band each.
inline Mesh gridMesh(std::uint32_t n) {
    Mesh mesh;
    std::mt19937 random(n);
    std::normal_distribution<float> noise;
    for (std::uint32_t i = 0; i < n * n; ++i) {
        mesh.positions.push_back({float(i % n), float(i / n), noise(random)});
        mesh.normals.push_back(normalized(Vec3f(noise(random), noise(random), noise(random)), Vec3f(0, 0, 1)));
        mesh.uvs.push_back({noise(random), noise(random)});
    }
    const std::uint32_t half = n / 2;
    for (std::uint32_t y = 0; y + 1 < n; ++y) {
        if (y + 1 == half) continue;
        for (std::uint32_t x = 0; x + 1 < n; ++x) {
            const std::uint32_t a = y * n + x;
            mesh.triangles.push_back({a, a + 1, a + n + 1});
            mesh.triangles.push_back({a, a + n + 1, a + n});
        }
    }
    const std::uint32_t cut = (half - 1) * (n - 1) * 2, count = static_cast<std::uint32_t>(mesh.triangles.size());
    mesh.parts.push_back({"left sleeve", "wool", 0, half * n, 0, cut, 0});
    mesh.parts.push_back({"right", "", half * n, n * n - half * n, cut, count - cut, 0});
    return mesh;
}

}  // namespace pelt::test
