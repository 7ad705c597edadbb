// The table of the settings of Direct Delta Mush, and their values as text.
#include <pelt/rig/ddm_settings.h>

namespace pelt {
namespace {

using S = DdmSettings;

constexpr std::string_view kMapValues = "uniform|radius|ATTRIBUTE";

constexpr OptionRange kFromZero{0};
constexpr OptionRange kSteps{0, kMostIterations};

const DdmField kDdmFields[] = {
    {ranged({"iterations", "P", "Number of smoothing steps (default: 10)"}, kSteps), &S::iterations},
    {ranged({"lambda", "L", "Smoothing of rotations per step (default: from the thickness of the limbs)"}, kFromZero),
     &S::lambda},
    {ranged({"kappa", "K", "Smoothing of translations per step (default: from the thickness of the limbs)"}, kFromZero),
     &S::kappa},
    {ranged({"kappa_iterations", "P", "Number of smoothing steps of translations (default: as many as of rotations)"},
            kSteps),
     &S::kappa_iterations},
    {ranged({"alpha", "A", "How closely translations follow the bones, 0 to below 1 (default: 0.5)"},
            {0, 1, false, true}),
     &S::alpha},
    {{"translations", "bind|file|ATTRIBUTE",
      "The weights that translations follow as far as alpha says: the bind, smoothed by kappa; the file's own weights; "
      "or a scalar vertex attribute, 0 for the bind and 1 for the file's weights (default: bind)"},
     &S::translations},
    {{"laplacian", "uniform|cotangent", "Edge weights of the Laplacian (default: cotangent)"}, &S::laplacian},
    {{"smoothing", "implicit|explicit", "Kind of smoothing step (default: implicit)"}, &S::smoothing},
    {{"lambda_map", kMapValues,
      "Multiplies lambda at each vertex: uniform, radius (distance from the bone), or a scalar vertex attribute such "
      "as _LAMBDA"},
     &S::lambda_map},
    {{"kappa_map", kMapValues, "The same for kappa"}, &S::kappa_map},
    {{"alpha_map", kMapValues, "The same for alpha"}, &S::alpha_map},
    {{"joint_alpha", "JOINT=a", "Alpha of the skin around a joint, such as hips=0.2; may be repeated", true},
     &S::joint_alpha},
    {{"connect_parts", "auto|off", "Smooth disconnected parts that lie side by side together (default: auto)"},
     &S::connect_parts},
    {{"exclude", "PART|MATERIAL", "A part or material that keeps its bind; may be repeated", true}, &S::exclude},
    {{"bind", "rigid|keep", "Start from each vertex's heaviest joint, or keep the weights (default: rigid)"}, &S::bind},
    {ranged({"influences", "K",
             "At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error below "
             "1e-4 of the bounding-box diagonal over the range of motion; otherwise all)"},
            kFromZero),
     &S::influences},
    {ranged({"weld", "TOL", "Treat vertices within this distance as one (default: 0)"}, kFromZero), &S::weld},
    {{"joints", "A,B", "Bind to these joints only, even if they look like controls", true, ',', OptionType::joints},
     &S::joints,
     false},
    {{"exclude_joints", "A,B", "Bind to all joints but these", true, ',', OptionType::joints},
     &S::exclude_joints,
     false},
};

}  // namespace

bool readText(const std::string& text, DdmMap& map) {
    map = {};
    if (text == "uniform")
        map.kind = DdmMap::Kind::uniform;
    else if (text == "radius")
        map.kind = DdmMap::Kind::radius;
    else if (!text.empty())
        map = {DdmMap::Kind::attribute, text};
    return true;
}

std::string textOf(const DdmMap& map) {
    switch (map.kind) {
        case DdmMap::Kind::chosen:
            break;
        case DdmMap::Kind::uniform:
            return "uniform";
        case DdmMap::Kind::radius:
            return "radius";
        case DdmMap::Kind::attribute:
            return map.attribute;
    }
    return {};
}

bool readText(const std::string& text, DdmTranslations& value) {
    value = {};
    if (text == "file")
        value.kind = DdmTranslations::Kind::file;
    else if (text != "bind")
        value = {DdmTranslations::Kind::attribute, text};
    return !text.empty();
}

std::string textOf(const DdmTranslations& value) {
    if (value.kind == DdmTranslations::Kind::attribute) return value.attribute;
    return value.kind == DdmTranslations::Kind::file ? "file" : "bind";
}

bool readText(const std::string& text, JointAlpha& value) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) return false;
    value.joint = text.substr(0, equals);
    return readText(text.substr(equals + 1), value.alpha);
}

std::span<const DdmField> ddmFields() { return kDdmFields; }

}  // namespace pelt
