// Tables of options.
#include <gtest/gtest.h>
#include <pelt/rig/ddm_settings.h>

#include <set>

namespace pelt {
namespace {

DdmSettings settingsWith(const OptionValues& options) {
    DdmSettings settings;
    setOptions(settings, ddmFields(), options);
    return settings;
}

std::string refusal(const OptionValues& options) {
    try {
        settingsWith(options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_usage);
        return error.what();
    }
    return "";
}

TEST(Options, AreSetFromText) {
    const DdmSettings settings = settingsWith({{"iterations", {"7"}},
                                               {"lambda", {"+1.5e1"}},
                                               {"laplacian", {"uniform"}},
                                               {"smoothing", {"explicit"}},
                                               {"bind", {"keep"}},
                                               {"kappa_map", {"radius"}},
                                               {"kappa_iterations", {"4"}},
                                               {"translations", {"file"}},
                                               {"alpha_map", {"_PAINT"}},
                                               {"joint_alpha", {"a=b=0.25", "hips=0"}},
                                               {"connect_parts", {"off"}},
                                               {"joints", {"a,b", "c"}},
                                               {"exclude", {"a,b"}},
                                               {"weld", {"0.5"}}});
    DdmSettings expected;
    expected.iterations = 7;
    expected.lambda = 15;
    expected.laplacian = LaplacianKind::uniform;
    expected.smoothing = SmoothingKind::explicit_;
    expected.bind = DdmBind::keep;
    expected.kappa_map.kind = DdmMap::Kind::radius;
    expected.kappa_iterations = 4;
    expected.translations.kind = DdmTranslations::Kind::file;
    expected.alpha_map = {DdmMap::Kind::attribute, "_PAINT"};
    expected.joint_alpha = {{"a=b", 0.25}, {"hips", 0}};
    expected.connect_parts = false;
    expected.joints = {"a", "b", "c"};
    expected.exclude = {"a,b"};
    expected.weld = 0.5f;
    EXPECT_EQ(settings, expected);
}

TEST(Options, OfAnotherTableAreLeftAlone) {
    DdmSettings settings;
    EXPECT_FALSE(setOptions(settings, ddmFields(), {{"sigma", {"0.2"}}}));
    EXPECT_TRUE(setOptions(settings, ddmFields(), {{"sigma", {"0.2"}}, {"alpha", {"0.2"}}}));
    EXPECT_EQ(settings.alpha, 0.2);
}

TEST(Options, AListThatIsGivenReplacesTheOneThatWasThere) {
    DdmSettings settings;
    settings.exclude = {"eyes"};
    setOptions(settings, ddmFields(), {{"exclude", {"hat", "shoes"}}});
    EXPECT_EQ(settings.exclude, (std::vector<std::string>{"hat", "shoes"}));
}

TEST(Options, TextThatIsNoValueIsRefusedWithWhatTheOptionTakes) {
    EXPECT_EQ(refusal({{"laplacian", {"graph"}}}), "`laplacian` is 'graph'; it takes uniform, cotangent");
    EXPECT_EQ(refusal({{"joint_alpha", {"hips=0.1", "=0.5"}}}), "`joint_alpha` is '=0.5'; it takes JOINT=a");
    for (const std::string text : {"", "1.5", "x", "1 ", "99999999999"})
        EXPECT_NE(refusal({{"iterations", {text}}}), "") << text;
    for (const std::string text : {"", "1,5", "0.5x", " 1"}) EXPECT_NE(refusal({{"alpha", {text}}}), "") << text;
}

TEST(Options, EachHasANameOfItsOwnThatEveryInterfaceCanSpell) {
    std::set<std::string_view> names;
    for (const DdmField& field : ddmFields()) {
        EXPECT_TRUE(names.insert(field.info.name).second) << field.info.name;
        EXPECT_EQ(field.info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
        EXPECT_FALSE(field.info.values.empty() || field.info.summary.empty()) << field.info.name;
    }
}

}  // namespace
}  // namespace pelt
