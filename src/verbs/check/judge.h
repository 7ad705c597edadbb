#pragma once

#include <pelt/measure/skin_check.h>

#include "good_skin.h"
#include "verbs/run/run.h"

namespace pelt::verbs {

/// What `limits` are measured against.
enum class Engine { any, gltf, three, unity, unreal, godot, mobile };

/// All that judging a character again and again needs; the character may get other weights, but nothing else.
class Judge {
public:
    Judge(const Character& character, const rig::RangeOfMotion& range, Engine engine, std::vector<std::string> problems,
          const Progress& progress);

    measure::SkinCheck check(const Character& character, const Progress& progress) const;
    const measure::SkinPoses& poses() const { return poses_; }
    const GoodSkin& good() const { return good_; }

private:
    measure::SkinPoses poses_;
    GoodSkin good_;
    Engine engine_;
    std::vector<std::string> problems_;
};

/// The moment of a pose: the clip's name ("@range") and seconds.
std::pair<std::string, double> momentOf(const measure::SkinPoses& poses, std::size_t pose);
/// What a finding says, and the command that mends it.
std::string sentenceOf(const Character& character, const measure::Finding& finding);
std::string commandFor(const measure::Finding& finding, const std::string& file);
nlohmann::ordered_json findingJson(const Character& character, const Judge& judge, const measure::Finding& finding,
                                   const std::string& file);

}  // namespace pelt::verbs

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::verbs::Engine>[] = {"any",    "gltf",  "three", "unity",
                                                                             "unreal", "godot", "mobile"};
