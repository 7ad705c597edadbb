// Reading how far joints bend and twist.
#include "verbs/run/joint_limits.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace pelt::verbs {
namespace {

using LimitsJson = nlohmann::ordered_json;

[[noreturn]] void refuseLimits(const std::filesystem::path& path, const std::string& what) {
    throw Error::badInput(
        {path.string()},
        fmt::format("{}; write {{\"default\": {{\"bend\": 90, \"twist\": 60}}, \"joints\": {{\"NAME\": {{\"bend\": "
                    "[0, 140]}}}}}}",
                    what));
}

void readAngles(const std::filesystem::path& path, const LimitsJson& value, const std::string& where, double out[2]) {
    const bool pair = value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
    if (!value.is_number() && !pair) refuseLimits(path, where + " is neither a number nor a pair of them");
    out[0] = pair ? value[0].get<double>() : -std::abs(value.get<double>());
    out[1] = pair ? value[1].get<double>() : std::abs(value.get<double>());
    if (!(out[0] <= out[1] && out[0] >= -360 && out[1] <= 360))
        refuseLimits(path, where + " is not a range of degrees from -360 to 360");
}

void readLimits(const std::filesystem::path& path, const LimitsJson& object, const std::string& where,
                rig::RangeOfMotion::Limits& limits) {
    if (!object.is_object()) refuseLimits(path, where + " is not an object");
    for (const auto& [key, value] : object.items()) {
        if (key != "bend" && key != "twist")
            refuseLimits(path, fmt::format("{} has '{}', which is neither bend nor twist", where, key));
        readAngles(path, value, fmt::format("{} of {}", key, where), key == "bend" ? limits.bend : limits.twist);
    }
}

}  // namespace

rig::RangeOfMotion readJointLimits(const LimitsJson& document, const std::filesystem::path& path,
                                   const Skeleton& skeleton) {
    if (!document.is_object()) refuseLimits(path, "is not a JSON object");
    rig::RangeOfMotion range;
    for (const auto& [key, value] : document.items()) {
        if (key != "default" && key != "joints") refuseLimits(path, fmt::format("'{}' is unknown", key));
        if (key == "default") readLimits(path, value, "default", range.limits);
        if (key == "joints" && !value.is_object()) refuseLimits(path, "joints is not an object");
    }
    if (!document.contains("joints")) return range;
    range.joints.assign(skeleton.joints.size(), range.limits);
    for (const auto& [name, limits] : document["joints"].items()) {
        bool found = false;
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            if (rig::jointName(skeleton, j) != name) continue;
            readLimits(path, limits, fmt::format("joint '{}'", name), range.joints[j]);
            found = true;
        }
        if (!found) throw Error::badInput({path.string()}, rig::noSuchJoint(skeleton, name));
    }
    return range;
}

}  // namespace pelt::verbs
