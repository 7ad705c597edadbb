// The table of verbs as JSON: what every surface is made of.
#include <gtest/gtest.h>
#include <pelt/rig/ddm_settings.h>
#include <pelt/verbs/verb.h>

#include <nlohmann/json.hpp>
#include <set>

namespace pelt::verbs {
namespace {

using Json = nlohmann::json;

const Json& table() {
    static const Json verbs = Json::parse(tableJson(all())).at("verbs");
    return verbs;
}

const Json& optionOf(const std::string& verb, const std::string& name) {
    for (const Json& row : table())
        if (row.at("name") == verb)
            for (const Json& option : row.at("options"))
                if (option.at("name") == name) return option;
    throw std::out_of_range(verb + " " + name);
}

TEST(Table, EveryRowHasEveryKey) {
    const std::set<std::string> types = {"number", "integer", "flag",   "choice", "text",
                                         "file",   "joint",   "joints", "clip"};
    ASSERT_EQ(table().size(), all().size());
    for (const Json& verb : table()) {
        for (const char* key : {"name", "summary", "example", "where", "browser", "inputs", "outputs", "options"})
            ASSERT_TRUE(verb.contains(key)) << verb.at("name") << " " << key;
        std::set<std::string> names;
        for (const Json& option : verb.at("options")) {
            const std::string name = verb.at("name").get<std::string>() + " " + option.at("name").get<std::string>();
            for (const char* key : {"default", "min", "max", "choices", "unit"})
                EXPECT_TRUE(option.contains(key)) << name;
            EXPECT_TRUE(names.insert(option.at("name")).second) << name << " is there twice";
            EXPECT_TRUE(types.contains(option.at("type"))) << name;
            EXPECT_FALSE(option.at("help").get<std::string>().empty()) << name;
            EXPECT_FALSE(option.at("group").get<std::string>().empty()) << name;
            EXPECT_EQ(option.at("type") == "choice", option.at("choices").is_array()) << name;
        }
    }
}

TEST(Table, NumbersHaveRangesThatTheirDefaultsAreIn) {
    for (const Json& verb : table())
        for (const Json& option : verb.at("options")) {
            const std::string name = verb.at("name").get<std::string>() + " " + option.at("name").get<std::string>();
            const bool is_number = option.at("type") == "number" || option.at("type") == "integer";
            const Json &least = option.at("min"), &most = option.at("max"), &value = option.at("default");
            EXPECT_TRUE(is_number || (least.is_null() && most.is_null())) << name;
            if (!is_number || value.is_null()) continue;
            EXPECT_TRUE(least.is_null() || value >= least) << name;
            EXPECT_TRUE(most.is_null() || value <= most) << name;
        }
    EXPECT_EQ(optionOf("mush", "alpha").at("min"), 0);
    EXPECT_EQ(optionOf("mush", "alpha").at("max"), 1);
    EXPECT_EQ(optionOf("mush", "alpha").at("below_max"), true);
    EXPECT_EQ(optionOf("mush", "iterations").at("max"), kMostIterations);
    EXPECT_EQ(optionOf("bake", "virtual").at("default"), nullptr) << "0 is not in its range: it stands for none";
}

}  // namespace
}  // namespace pelt::verbs
