#include "ddm_options.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>

namespace pelt::cli {
namespace {

std::pair<std::string, double> parseJointAlpha(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    try {
        std::size_t used = 0;
        const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
        const double value = std::stod(number, &used);
        if (used == number.size() && equals > 0) return {text.substr(0, equals), value};
    } catch (const std::exception&) {
    }
    throw Error::badUsage(fmt::format("--joint-alpha '{}': write JOINT=a, such as hips=0.2", text));
}

}  // namespace

void DdmFlags::addTo(CLI::App& verb, bool with_influences) {
    const auto flag = [&](CLI::Option* option, const char* type, std::function<void(DdmSettings&)> set) {
        option->type_name(type)->group("Direct Delta Mush");
        flags_.emplace_back(option, std::move(set));
    };
    flag(verb.add_option("--iterations", iterations_, "Smoothing steps p (default: 10)"), "P",
         [this](DdmSettings& s) { s.iterations = iterations_; });
    flag(verb.add_option("--lambda", lambda_,
                         "Smoothing of rotations, a step (default: from the thickness of the limbs)"),
         "L", [this](DdmSettings& s) { s.lambda = lambda_; });
    flag(verb.add_option("--kappa", kappa_, "Smoothing of translations, a step (default: likewise)"), "K",
         [this](DdmSettings& s) { s.kappa = kappa_; });
    flag(verb.add_option("--alpha", alpha_, "How much translations follow the bones, 0 to below 1 (default: 0.5)"), "A",
         [this](DdmSettings& s) { s.alpha = alpha_; });
    flag(verb.add_option("--laplacian", values_.laplacian, "Weights of the edges (default: cotangent)")
             ->check(CLI::IsMember({"uniform", "cotangent"})),
         "uniform|cotangent", [this](DdmSettings& s) { s.laplacian = values_.laplacian; });
    flag(verb.add_option("--smoothing", values_.smoothing, "Kind of step (default: implicit)")
             ->check(CLI::IsMember({"implicit", "explicit"})),
         "implicit|explicit", [this](DdmSettings& s) { s.smoothing = values_.smoothing; });
    flag(verb.add_option("--bind", bind_,
                         "Start from each vertex's heaviest joint, or keep the weights (default: rigid)")
             ->check(CLI::IsMember({"rigid", "keep"})),
         "rigid|keep", [this](DdmSettings& s) { s.keep_bind = bind_ == "keep"; });
    flag(verb.add_option("--lambda-map", values_.lambda_map,
                         "Multiplies lambda per vertex: uniform, radius (distance from the bone), or a scalar vertex "
                         "attribute such as _LAMBDA"),
         "uniform|radius|ATTRIBUTE", [this](DdmSettings& s) { s.lambda_map = values_.lambda_map; });
    flag(verb.add_option("--kappa-map", values_.kappa_map, "The same for kappa"), "uniform|radius|ATTRIBUTE",
         [this](DdmSettings& s) { s.kappa_map = values_.kappa_map; });
    flag(verb.add_option("--alpha-map", values_.alpha_map, "The same for alpha"), "uniform|radius|ATTRIBUTE",
         [this](DdmSettings& s) { s.alpha_map = values_.alpha_map; });
    flag(
        verb.add_option("--joint-alpha", joint_alpha_, "Alpha of the skin around a joint, such as hips=0.2; may repeat")
            ->allow_extra_args(false),
        "JOINT=a", [this](DdmSettings& s) {
            s.joint_alpha.clear();
            for (const std::string& text : joint_alpha_) s.joint_alpha.push_back(parseJointAlpha(text));
        });
    flag(verb.add_option("--connect-parts", connect_parts_,
                         "Tie disconnected parts together where they lie side by side (default: auto)")
             ->check(CLI::IsMember({"auto", "off"})),
         "auto|off", [this](DdmSettings& s) { s.connect_parts = connect_parts_ == "auto"; });
    flag(verb.add_option("--exclude", values_.exclude, "A part or material that keeps its bind; may repeat")
             ->allow_extra_args(false),
         "PART|MATERIAL", [this](DdmSettings& s) { s.exclude = values_.exclude; });
    flag(verb.add_option("--joints", values_.joints, "Bind to these joints alone, also where they look like controls")
             ->delimiter(',')
             ->allow_extra_args(false),
         "A,B", [this](DdmSettings& s) { s.joints = values_.joints; });
    flag(verb.add_option("--exclude-joints", values_.exclude_joints, "Bind to none of these joints")
             ->delimiter(',')
             ->allow_extra_args(false),
         "A,B", [this](DdmSettings& s) { s.exclude_joints = values_.exclude_joints; });
    if (!with_influences) return;
    flag(verb.add_option("--influences", influences_,
                         "At most K joints a vertex, 0 for all (default: mush takes the fewest that keep the error "
                         "under 1e-4 of the diagonal over the range of motion; deform all)"),
         "K", [this](DdmSettings& s) { s.influences = influences_; });
}

void DdmFlags::apply(DdmSettings& settings) const {
    for (const auto& [option, set] : flags_)
        if (option->count() > 0) set(settings);
}

bool DdmFlags::given() const {
    return std::any_of(flags_.begin(), flags_.end(), [](const auto& f) { return f.first->count() > 0; });
}

}  // namespace pelt::cli
