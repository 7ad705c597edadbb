// Sequences for tests of pelt decompose and pelt lod.
#include "decompose_fixture.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "places.h"

using Json = nlohmann::json;

std::string DecomposeTest::barFrames(const std::string& name, const Words& options) {
    Words words = {"deform", bar(), "--method", "dqs", "--frames", "::6", "-o", path(name)};
    words.insert(words.end(), options.begin(), options.end());
    runWell(words);
    return path(name);
}

std::string DecomposeTest::sheet(const std::string& name, std::size_t frames, std::size_t side, double roll) {
    const std::string folder = path(name);
    std::filesystem::create_directory(folder);
    for (std::size_t f = 0; f < frames; ++f) {
        // Rolled on a cylinder of increasing curvature; the length along the sheet does not change.
        const double bend = roll * 2.5 * double(f) / double(std::max<std::size_t>(frames - 1, 1)) + 1e-9;
        std::string text;
        for (std::size_t i = 0; i < side * side; ++i) {
            const double u = double(i % side) / double(side - 1), v = double(i / side) / double(side - 1);
            text += fmt::format("v {:.7f} {:.7f} {:.7f}\nvt {:.5f} {:.5f}\n", std::sin(bend * u) / bend, v,
                                (1 - std::cos(bend * u)) / bend, u, v);
        }
        for (std::size_t i = 0; i + side < side * side; ++i) {
            if (i % side == side - 1) continue;
            const std::size_t a = i + 1, b = a + 1, c = b + side, d = a + side;
            text += fmt::format("f {0}/{0} {1}/{1} {2}/{2} {3}/{3}\n", a, b, c, d);
        }
        writeBytes(folder + fmt::format("/frame_{:03}.obj", f), text);
    }
    return folder;
}

Json DecomposeTest::decompose(const Words& words, const std::string& output) {
    Words all = {"decompose"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"-o", path(output), "--json"});
    const RunResult result = runWell(all);
    return result.status == 0 ? result.json() : Json();
}

PlayedError playedError(const std::string& glb, const std::vector<Frames>& clips) {
    const GlbFile file(glb);
    EXPECT_EQ(file.json.at("animations").size(), clips.size());
    double sum = 0, most = 0;
    std::size_t count = 0;
    for (std::size_t c = 0; c < clips.size(); ++c) {
        const GlbPlayer player(file, c);
        EXPECT_EQ(player.times().size(), clips[c].size());
        for (std::size_t f = 0; f < clips[c].size(); ++f) {
            EXPECT_NEAR(player.times()[f], double(f) / 30, 1e-6 * double(f + 1));
            const std::vector<GlbPlayer::Point> posed = player.pose(f);
            EXPECT_EQ(posed.size(), clips[c][f].size());
            for (std::size_t v = 0; v < posed.size(); ++v, ++count) {
                const pelt::Vec3f& p = clips[c][f][v];
                const double x = posed[v][0] - p.x, y = posed[v][1] - p.y, z = posed[v][2] - p.z;
                sum += x * x + y * y + z * z;
                most = std::max(most, x * x + y * y + z * z);
            }
        }
    }
    return {std::sqrt(sum / double(count)), std::sqrt(most)};
}

double roughRadius(const std::vector<pelt::Vec3f>& points) {
    double center[3] = {points[0].x, points[0].y, points[0].z}, radius = 0;
    const auto squared = [&](const pelt::Vec3f& p) {
        return std::pow(p.x - center[0], 2) + std::pow(p.y - center[1], 2) + std::pow(p.z - center[2], 2);
    };
    for (int step = 1; step < 5000; ++step) {
        const auto far = std::max_element(points.begin(), points.end(),
                                          [&](const auto& a, const auto& b) { return squared(a) < squared(b); });
        radius = std::sqrt(squared(*far));
        for (int k = 0; k < 3; ++k) center[k] += ((*far)[k] - center[k]) / (step + 1);
    }
    return radius;
}

bool expectValid(const Words& files, const std::string& report) {
    std::string command = std::string("'") + kTestData + "/../../scripts/validate_gltf'";
    for (const std::string& file : files) command += " '" + file + "'";
    const int status = std::system((command + " > '" + report + "' 2> /dev/null").c_str());
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) return false;
    EXPECT_EQ(status, 0);
    std::istringstream lines(readBytes(report));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const Json found = Json::parse(line);
        EXPECT_TRUE(found["errors"].empty() && found["warnings"].empty()) << line;
    }
    EXPECT_EQ(count, files.size());
    return true;
}
