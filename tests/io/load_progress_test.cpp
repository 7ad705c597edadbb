// Progress while files are loaded.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/import.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <set>

#include "places.h"

namespace pelt::io {
namespace {

/// Records progress reports; cancels when `stop_at` is reached.
struct Told {
    std::vector<double> fractions;
    std::set<std::string> stages;
    double stop_at = 2;

    Progress progress() {
        return Progress([this](std::string_view stage, double fraction) {
            stages.emplace(stage);
            fractions.push_back(fraction);
            return fraction < stop_at;
        });
    }
    /// How many different fractions there were between the two, without them.
    std::size_t between(double low, double high) const {
        std::set<double> different;
        for (const double f : fractions)
            if (f > low && f < high) different.insert(f);
        return different.size();
    }
    void expectAWholeRise() const {
        ASSERT_FALSE(fractions.empty());
        EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
        EXPECT_EQ(fractions.front(), 0);
        EXPECT_EQ(fractions.back(), 1);
    }
};

std::vector<std::byte> arm() { return toGlb(scenes::find("arm")->make(2000)); }

std::filesystem::path fbx() { return std::filesystem::path(kTestData) / "import/smooth_bar.fbx"; }

TEST(LoadProgress, AGltfTellsRisingFractionsFromStartToEnd) {
    Told told;
    loadGltf(arm(), "arm", {}, {}, told.progress());
    told.expectAWholeRise();
    EXPECT_GE(told.between(0, 1), 6u);  // the document, positions, normals, faces, weights, channels
    EXPECT_EQ(told.stages, (std::set<std::string>{"load"}));
}

TEST(LoadProgress, AnImportTellsWhatItsHelperDoes) {
    Told told;
    const Loaded loaded = importCharacter(fbx(), {}, told.progress());
    told.expectAWholeRise();
    EXPECT_GE(told.between(0, 0.9), 3u);  // the helper's own
    EXPECT_EQ(told.stages, (std::set<std::string>{"import"}));
    for (const std::string& warning : loaded.warnings) EXPECT_EQ(warning.find("progress"), std::string::npos);
    Told same;
    loadCharacter(fbx(), {}, same.progress());
    same.expectAWholeRise();
}

TEST(LoadProgress, StopsWhereItIsAskedTo) {
    Told told;
    told.stop_at = 0.5;
    try {
        loadGltf(arm(), "arm", {}, {}, told.progress());
        ADD_FAILURE() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    EXPECT_LT(told.fractions.back(), 1);
}

}  // namespace
}  // namespace pelt::io
