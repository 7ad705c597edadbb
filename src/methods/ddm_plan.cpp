// How the parameters of Direct Delta Mush are chosen if the user does not set them.
//
// p implicit steps (I - τ Δ)^-p spread a point by a standard deviation σ = sqrt(2 p τ) along the surface. In the
// discrete operator (I + λ D_λ D_L^-1 L), with A_i the area of vertex i and L the cotangent Laplacian, D_L^-1 L is -(A
// / D_L) Δ, so λ (D_λ)_i = τ_i (D_L)_ii / A_i has the width σ whatever the triangles are. (If all weights are 1, D_L is
// √3 times as large, since cotangents in equilateral triangles are 1/√3.) The width depends on the limb: σ is a fixed
// fraction of the distance of the vertex from its bone, clamped around the median of that bone.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/segments.h>
#include <pelt/geometry/smoothing.h>
#include <pelt/methods/ddm.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "face_rows.h"

namespace pelt::methods {
namespace {

constexpr int kIterations = 10;
constexpr double kRotationWidth = 0.9;      ///< σ of λ, in distances from the bone
constexpr double kTranslationWidth = 0.35;  ///< σ of κ
constexpr double kAlpha = 0.5;
constexpr double kLeastEdges = 0.7;  ///< σ is at least this many edges: the steps of a rigid bind are one edge wide

/// The surface used for smoothing, with the area of each vertex.
struct Surface {
    const geometry::WeldedSurface& welded;
    std::vector<double> area;  ///< per welded vertex
    std::vector<double> most;  ///< per welded vertex, the largest σ that makes a difference in its part
    double factor = 1;         ///< of L over the cotangent Laplacian

    explicit Surface(const geometry::WeldedSurface& surface) : welded(surface) {
        const std::vector<Vec3f>& positions = welded.positions;
        area.assign(positions.size(), 0);
        for (const Triangle& t : welded.triangles) {
            const Vec3d a(positions[t[0]]), b(positions[t[1]]), c(positions[t[2]]);
            const double third = length(cross(b - a, c - a)) / 6;
            for (const std::uint32_t v : t) area[v] += third;
        }
        if (welded.kind == LaplacianKind::uniform) factor = std::numbers::sqrt3;
        limitToParts(positions);
    }

    /// A part smoothed by three times its size is uniform to 1e-8 after p = 10 steps (its slowest mode, half a wave
    /// across it, is divided by (1 + τ π² / size²)^p): more would only lose precision.
    void limitToParts(std::span<const Vec3f> positions) {
        constexpr double kSizes = 3;
        const geometry::ConnectedParts parts = geometry::connectedParts(welded.laplacian.edges);
        std::vector<geometry::Box> boxes(parts.count, geometry::Box::none());
        for (std::size_t v = 0; v < positions.size(); ++v) boxes[parts.part[v]].grow(Vec3d(positions[v]));
        for (std::size_t v = 0; v < positions.size(); ++v) most.push_back(kSizes * boxes[parts.part[v]].diagonal());
    }

    /// λ for a width σ in p steps. A vertex without area (degenerate triangles) moves with its neighbors.
    double strength(std::uint32_t vertex, double sigma, int iterations) const {
        constexpr double kMost = 1e6;
        const std::uint32_t v = welded.weld.welded[vertex];
        const double edge = std::sqrt(2 * area[v] / std::numbers::sqrt3);
        sigma = std::max(std::min(sigma, most[v]), kLeastEdges * edge);
        const double tau = sigma * sigma / (2 * iterations);
        return std::min(tau * welded.laplacian.diagonal[v], kMost * area[v] * factor) /
               std::max(area[v] * factor, 1e-300);
    }
};

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Per vertex, the distance to the segments of the joint it is bound to most.
std::vector<double> boneDistances(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& bind) {
    const auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    std::vector<std::size_t> first(skeleton.joints.size() + 1, 0);  // segments are ordered by joint
    for (const auto& s : segments) ++first[s.joint + 1];
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) first[j + 1] += first[j];
    std::vector<double> distances(mesh.vertexCount());
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const std::uint32_t joint = bind.jointsOf(v)[0];
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t s = first[joint]; s < first[joint + 1]; ++s)
            best = std::min(best, geometry::distanceTo(segments[s], Vec3d(mesh.positions[v])));
        distances[v] = best;
    }
    return distances;
}

/// The same, clamped between 0.5 and 1.5 times the median of the joint: neither a vertex next to the bone nor a wing or
/// skirt far from it tells how thick the limb is.
std::vector<double> limbRadii(const std::vector<double>& distances, const SkinWeights& bind, std::size_t joints) {
    std::vector<std::vector<double>> by_joint(joints);
    for (std::size_t v = 0; v < distances.size(); ++v) by_joint[bind.jointsOf(v)[0]].push_back(distances[v]);
    std::vector<double> usual(joints);
    for (std::size_t j = 0; j < joints; ++j) usual[j] = median(by_joint[j]);
    std::vector<double> radii(distances.size());
    for (std::size_t v = 0; v < distances.size(); ++v) {
        const double u = usual[bind.jointsOf(v)[0]];
        radii[v] = std::clamp(distances[v], 0.5 * u, 1.5 * u);
    }
    return radii;
}

std::vector<double> attributeMap(const Mesh& mesh, const std::string& name) {
    std::string names;
    for (const VertexAttribute& attribute : mesh.attributes) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", attribute.name);
        if (attribute.name != name) continue;
        for (std::size_t v = 0; v < attribute.values.size(); ++v)
            if (!(attribute.values[v] >= 0) || !std::isfinite(attribute.values[v]))
                throw Error::badInput(
                    {"", fmt::format("vertex attribute '{}'", name)},
                    fmt::format("is {} at vertex {}; values must be zero or positive", attribute.values[v], v));
        return {attribute.values.begin(), attribute.values.end()};
    }
    throw Error::badInput({"", fmt::format("vertex attribute '{}'", name)},
                          names.empty() ? "not found; there are no attributes with one number per vertex"
                                        : "not found; there is " + names);
}

struct Planner {
    const Character& character;
    const DdmSettings& settings;
    DdmPlan& plan;
    bool has_weights;  ///< the character has a skin of its own
    std::optional<Surface> surface_cache{};
    std::vector<double> distances{}, radii{};

    const Surface& surface() {
        if (!surface_cache) surface_cache.emplace(*plan.options.surface);
        return *surface_cache;
    }
    const std::vector<double>& boneDistance() {
        if (distances.empty()) distances = boneDistances(character.mesh, character.skeleton, plan.bind);
        return distances;
    }
    const std::vector<double>& limbRadius() {
        if (radii.empty()) radii = limbRadii(boneDistance(), plan.bind, character.skeleton.joints.size());
        return radii;
    }

    std::vector<double> map(const DdmMap& choice) {
        if (choice.kind == DdmMap::Kind::attribute) return attributeMap(character.mesh, choice.attribute);
        if (choice.kind != DdmMap::Kind::radius) return std::vector<double>(character.mesh.vertexCount(), 1.0);
        std::vector<double> values = boneDistance();
        const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
        for (double& x : values) x = most > 0 ? x / most : 1;
        return values;
    }

    std::vector<double> chosen(double width, int iterations) {
        std::vector<double> values(character.mesh.vertexCount());
        for (std::uint32_t v = 0; v < values.size(); ++v)
            values[v] = surface().strength(v, width * limbRadius()[v], std::max(iterations, 1));
        return values;
    }

    std::vector<double> strengths(const std::optional<double>& value, const DdmMap& factors, double width,
                                  int iterations, const char* name) {
        if (value && (!(*value >= 0) || !std::isfinite(*value)))
            throw Error::badUsage(fmt::format("`{}` is {}; it must be zero or a positive number", name, *value));
        if (!value && factors.isChosen()) return chosen(width, iterations);
        std::vector<double> values = map(factors);
        double scale = value.value_or(0);
        if (!value) {
            double sum = 0;
            for (const double x : values) sum += x;
            scale = sum > 0 ? median(chosen(width, iterations)) * double(values.size()) / sum : 0;
        }
        for (double& x : values) x *= scale;
        return values;
    }

    /// w' of Eq. 11.
    void chooseTranslations() {
        using Kind = DdmTranslations::Kind;
        if (settings.translations.kind == Kind::bind) return;
        if (!has_weights) throw Error::badInput("has no skin weights of its own that `translations` could follow");
        deform::DdmOptions& options = plan.options;
        options.translations = plan.original;
        if (settings.translations.kind == Kind::file) return;
        options.translations_share = attributeMap(character.mesh, settings.translations.attribute);
        for (std::size_t v = 0; v < options.translations_share.size(); ++v)
            if (options.translations_share[v] > 1)
                throw Error::badInput(
                    {"", fmt::format("vertex attribute '{}'", settings.translations.attribute)},
                    fmt::format("is {} at vertex {}; for `translations`, values must be from 0 (the bind) to 1 (the "
                                "file's weights)",
                                options.translations_share[v], v));
    }

    /// Explicit steps are stable up to 1: as many of them as the widest smoothing needs.
    void chooseIterations() {
        deform::DdmOptions& options = plan.options;
        options.iterations = settings.iterations.value_or(kIterations);
        if (options.iterations < 0 || options.iterations > kMostIterations)
            throw Error::badUsage(
                fmt::format("`iterations` is {}; it must be 0 to {}", options.iterations, kMostIterations));
        options.kappa_iterations = settings.kappa_iterations;
        if (const int steps = settings.kappa_iterations.value_or(0); steps < 0 || steps > kMostIterations)
            throw Error::badUsage(fmt::format("`kappa_iterations` is {}; it must be 0 to {}", steps, kMostIterations));
        const bool free = !settings.iterations && !settings.lambda;
        if (options.smoothing != geometry::SmoothingKind::explicit_ || !free) return;
        const std::vector<double> wanted = chosen(kRotationWidth, kIterations);
        options.iterations =
            int(std::ceil(kIterations * std::max(*std::max_element(wanted.begin(), wanted.end()), 0.1)));
    }

    /// Explicit steps are stable up to 1: chosen values are clamped to it, larger values from the user are refused.
    void limitExplicit(std::vector<double>& values, bool given, const char* name) const {
        if (plan.options.smoothing != geometry::SmoothingKind::explicit_) return;
        for (std::size_t v = 0; v < values.size(); ++v) {
            if (given && values[v] > 1)
                throw Error::badUsage(
                    fmt::format("`{}` is {} at vertex {}; explicit smoothing is stable up to 1, use "
                                "implicit smoothing for more",
                                name, values[v], v));
            values[v] = std::min(values[v], 1.0);
        }
    }

    void chooseAlpha() {
        const double alpha = settings.alpha.value_or(kAlpha);
        if (!(alpha >= 0 && alpha < 1))
            throw Error::badUsage(fmt::format("`alpha` is {}; it must be at least 0 and below 1", alpha));
        plan.options.alpha = map(settings.alpha_map);
        for (double& x : plan.options.alpha) x *= alpha;
        if (!settings.joint_alpha.empty()) spreadJointAlpha();
    }

    /// Sets a joint's own α on the vertices bound to it, then smooths it as widely as rotations.
    void spreadJointAlpha() {
        std::vector<double>& alpha = plan.options.alpha;
        for (const auto& [name, value] : settings.joint_alpha) {
            const auto joint = rig::findJoint(character.skeleton, name);
            if (!joint) throw Error::badInput(rig::noSuchJoint(character.skeleton, name));
            if (!(value >= 0 && value < 1))
                throw Error::badUsage(
                    fmt::format("`joint_alpha` {}={}: it must be at least 0 and below 1", name, value));
            for (std::size_t v = 0; v < alpha.size(); ++v)
                if (rig::jointName(character.skeleton, plan.bind.jointsOf(v)[0]) == name) alpha[v] = value;
        }
        const Surface& s = surface();
        std::vector<double> welded, strength;
        for (const std::uint32_t v : s.welded.weld.representative) {
            welded.push_back(alpha[v]);
            strength.push_back(s.strength(v, kRotationWidth * limbRadius()[v], kIterations));
        }
        geometry::ImplicitSmoother(s.welded.laplacian, s.welded.positions, 1, strength).smooth(welded, kIterations);
        for (std::size_t v = 0; v < alpha.size(); ++v) alpha[v] = welded[s.welded.weld.welded[v]];
    }

    void exclude() {
        const Mesh& mesh = character.mesh;
        for (const std::string& name : settings.exclude) {
            bool found = false;
            std::string names;
            plan.options.excluded.resize(mesh.vertexCount());
            for (const MeshPart& part : mesh.parts) {
                names += fmt::format("{}{}{}{}", names.empty() ? "" : ", ", part.name,
                                     part.material.empty() ? "" : ", ", part.material);
                if (part.name != name && part.material != name) continue;
                found = true;
                for (std::uint32_t v = 0; v < part.vertex_count; ++v)
                    plan.options.excluded[part.first_vertex + v] = true;
            }
            if (!found)
                throw Error::badInput({"", fmt::format("part or material '{}'", name)},
                                      "not found, so it cannot be excluded; there are " + names);
        }
    }
};

}  // namespace

bind::BindOptions bindOptions(const Skeleton& skeleton, std::span<const std::string> joints,
                              std::span<const std::string> excluded) {
    const auto slots = [&](std::span<const std::string> names) {
        std::vector<std::uint32_t> found;
        for (const std::string& name : names) {
            const auto joint = rig::findJoint(skeleton, name);
            if (!joint) throw Error::badInput(rig::noSuchJoint(skeleton, name));
            found.push_back(static_cast<std::uint32_t>(*joint));
        }
        return found;
    };
    return {slots(joints), slots(excluded)};
}

DdmPlan planDdm(const Character& character, const DdmSettings& settings) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no joints");
    if (!(settings.weld >= 0) || !std::isfinite(settings.weld))
        throw Error::badUsage(fmt::format("`weld` is {}; it must be zero or a positive length", settings.weld));
    DdmPlan plan;
    const DdmPayload* const mush = rig::mushOf(character);
    plan.original = mush ? mush->bind : character.weights;
    plan.bind = settings.bind == DdmBind::keep && !plan.original.empty()
                    ? plan.original
                    : bind::bindRigid(character.mesh, character.skeleton, plan.original,
                                      bindOptions(character.skeleton, settings.joints, settings.exclude_joints));
    const bool has_weights = !plan.original.empty();
    if (!has_weights) plan.original = plan.bind;
    if (settings.bind != DdmBind::keep && settings.joints.empty() && settings.exclude_joints.empty())
        keepFaceRows(character, plan.original, plan.bind);
    if (maxInfluences(plan.bind) > 1) evenOutTinyPieces(character.mesh, plan.bind);
    deform::DdmOptions& options = plan.options;
    options.laplacian = settings.laplacian;
    options.smoothing = settings.smoothing;
    options.connect_parts = settings.connect_parts;
    options.weld_tolerance = settings.weld;
    options.surface = geometry::weldSurface(character.mesh, settings.weld, settings.laplacian);
    if (settings.influences && *settings.influences < 0)
        throw Error::badUsage(fmt::format("`influences` is {}; it must be at least 0", *settings.influences));
    if (settings.influences == 0) options.cutoff = 1e-12;
    options.coarse = settings.influences != 0 && !settings.lambda && !settings.kappa;

    Planner planner{character, settings, plan, has_weights};
    planner.chooseIterations();
    options.lambda =
        planner.strengths(settings.lambda, settings.lambda_map, kRotationWidth, options.iterations, "lambda");
    options.kappa = planner.strengths(settings.kappa, settings.kappa_map, kTranslationWidth,
                                      options.kappa_iterations.value_or(options.iterations), "kappa");
    planner.limitExplicit(options.lambda, settings.lambda.has_value(), "lambda");
    planner.limitExplicit(options.kappa, settings.kappa.has_value(), "kappa");
    planner.chooseAlpha();
    planner.chooseTranslations();
    planner.exclude();
    return plan;
}

}  // namespace pelt::methods
