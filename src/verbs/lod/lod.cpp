// Makes levels of detail that deform like the character.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/lod_weights.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/simplify.h>
#include <pelt/geometry/submesh.h>
#include <pelt/io/character_file.h>
#include <pelt/methods/ddm.h>
#include <pelt/methods/sampling.h>

#include <algorithm>
#include <cmath>

#include "lod_reach.h"
#include "lod_surface.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kPosesSeen = 8;   ///< by the simplification, besides the rest pose
constexpr std::size_t kMorphsSeen = 8;  ///< morph targets, each fully on

void checkRatios(const LodOptions& options) {
    if (options.ratios.empty()) throw Error::badUsage("`ratios` is empty");
    double above = 1;
    for (const double ratio : options.ratios) {
        if (!(ratio > 0) || !(ratio < above))
            throw Error::badUsage(
                fmt::format("`ratios` must descend from below 1 to above 0, but {} follows {}", ratio, above));
        above = ratio;
    }
}

/// The shapes that the simplification sees, per welded point.
std::vector<std::vector<Vec3d>> shapesOf(const Character& character, const LodPoses& poses,
                                         const geometry::Weld& weld) {
    std::vector<std::vector<Vec3d>> shapes;
    const auto add = [&](const std::vector<Vec3f>& positions) {
        std::vector<Vec3d>& shape = shapes.emplace_back();
        for (const std::uint32_t v : weld.representative) shape.emplace_back(positions[v]);
    };
    const std::size_t seen = std::min(kPosesSeen, poses.count() - 1);
    add(character.mesh.positions);
    for (std::size_t k = 0; k < seen; ++k) add(poses.positions(character, 1 + k * (poses.count() - 1) / seen));
    for (std::size_t m = 0; m < std::min(kMorphsSeen, character.mesh.morphs.size()); ++m) {
        std::vector<Vec3f> shape = character.mesh.positions;
        const MorphTarget& morph = character.mesh.morphs[m];
        for (std::size_t i = 0; i < morph.vertices.size(); ++i) shape[morph.vertices[i]] += morph.position_offsets[i];
        add(shape);
    }
    return shapes;
}

/// Parts whose faces all have no area keep them.
void keepWholeParts(const Mesh& mesh, std::vector<Triangle>& triangles) {
    std::vector<bool> has(mesh.parts.size(), false);
    const auto part_of = [&](std::uint32_t vertex) {
        const auto next = std::upper_bound(mesh.parts.begin(), mesh.parts.end(), vertex,
                                           [](std::uint32_t v, const MeshPart& part) { return v < part.first_vertex; });
        return std::size_t(next - mesh.parts.begin()) - 1;
    };
    for (const Triangle& t : triangles)
        if (!has.empty()) has[part_of(t[0])] = true;
    for (std::size_t p = 0; p < has.size(); ++p) {
        if (has[p]) continue;
        const auto first = mesh.triangles.begin() + mesh.parts[p].first_triangle;
        triangles.insert(triangles.end(), first, first + mesh.parts[p].triangle_count);
    }
}

using LevelTriangles = std::vector<std::vector<Triangle>>;

LevelTriangles simplified(const Mesh& mesh, const geometry::Weld& weld, std::vector<std::vector<Vec3d>> shapes,
                          const LodOptions& options, const Progress& progress) {
    if (mesh.triangles.empty()) return LevelTriangles(options.ratios.size());
    std::vector<std::size_t> targets;
    for (const double ratio : options.ratios)
        targets.push_back(std::size_t(std::llround(ratio * double(mesh.triangles.size()))));
    LevelTriangles levels =
        geometry::simplify({mesh.triangles, weld.welded, std::move(shapes), geometry::seamSides(mesh, weld.welded),
                            mesh.uvs, mesh.normals, lodReach(mesh, weld)},
                           targets, progress);
    for (std::vector<Triangle>& level : levels) keepWholeParts(mesh, level);
    return levels;
}

SkinWeights rowsOf(const SkinWeights& weights, std::span<const std::uint32_t> vertices) {
    SkinWeights rows;
    for (const std::uint32_t v : vertices) appendVertex(rows, weights.jointsOf(v), weights.weightsOf(v));
    return rows;
}

Character withLevel(const Character& character, std::span<const Triangle> triangles,
                    std::span<const Triangle> prop_triangles) {
    if (character.source) return io::withTriangles(character, triangles, prop_triangles);
    Character level = character;
    level.mesh = geometry::submesh(character.mesh, triangles);
    if (!character.props.mesh.parts.empty()) level.props.mesh = geometry::submesh(character.props.mesh, prop_triangles);
    level.ddm = nullptr;
    return level;
}

class LodMaker {
public:
    LodMaker(const Character& character, const LodOptions& options, const Progress& progress)
        : character_(character),
          options_(options),
          poses_(character, progress),
          normals_(methods::restNormals(character.mesh)),
          radius_(geometry::smallestEnclosingSphere(character.mesh.positions).radius) {
        for (std::size_t p = 0; p < poses_.count(); ++p) posed_.push_back(poses_.positions(character, p));
    }

    LevelTriangles triangles(const Progress& progress) const {
        const geometry::Weld weld = geometry::weldByPosition(character_.mesh);
        return simplified(character_.mesh, weld, shapesOf(character_, poses_, weld), options_, progress);
    }

    LodLevel level(double ratio, std::span<const Triangle> triangles, std::span<const Triangle> prop_triangles,
                   const Progress& progress) const {
        LodLevel made;
        made.ratio = ratio;
        made.character = withLevel(character_, triangles, prop_triangles);
        made.character.clips = character_.clips;
        const std::vector<std::uint32_t> kept = geometry::keptVertices(character_.mesh, triangles);
        const LodSurface surface = placeOnLod(character_.mesh, normals_, made.character.mesh, kept);
        if (surface.triangles.empty())
            throw Error::badInput("has no triangle with three different corners; there is nothing to simplify");
        made.character.ddm = nullptr;  // made for all vertices
        if (rig::mushOf(character_))
            mushAgain(kept, made, progress);
        else if (!character_.weights.empty())
            solveWeights(kept, surface, made);
        made.rest = error(made.character, surface, 0, 1);
        made.range = poses_.count() > 1 ? error(made.character, surface, 1, poses_.count()) : made.rest;
        return made;
    }

private:
    void mushAgain(std::span<const std::uint32_t> kept, LodLevel& made, const Progress& progress) const {
        const DdmPayload& was = *character_.ddm;
        Character& level = made.character;
        level.weights = rowsOf(was.bind.empty() ? character_.weights : was.bind, kept);
        try {
            methods::mushCharacter(level, was.settings, {was.variant, was.encoding}, progress);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_usage) throw;
            throw Error::badInput(  // the settings are those of the file
                fmt::format("its payload cannot be made again: {}; run pelt mush again", error.sentence()));
        }
        made.resolved = true;
    }

    /// Solves for new weights, and keeps those of the remaining vertices if they are better.
    void solveWeights(std::span<const std::uint32_t> kept, const LodSurface& surface, LodLevel& made) const {
        const std::size_t most = options_.influences > 0 ? options_.influences : maxInfluences(character_.weights);
        Character& level = made.character;
        const SkinWeights own = keepHeaviest(rowsOf(character_.weights, kept), most);
        const SkinWeights points = fit::solveLodWeights(surface.places, surface.triangles, character_.weights,
                                                        rowsOf(own, surface.weld.representative), most);
        level.weights = own;
        const double before = error(level, surface, 1, poses_.count()).rms;
        level.weights = rowsOf(points, surface.weld.welded);
        made.resolved = error(level, surface, 1, poses_.count()).rms < before;
        if (!made.resolved) level.weights = own;
    }

    LodError error(const Character& level, const LodSurface& surface, std::size_t first, std::size_t last) const {
        double sum = 0, most = 0;
        for (std::size_t p = first; p < last; ++p) {
            const std::vector<Vec3f> coarse = poses_.positions(level, p);
            for (std::size_t v = 0; v < posed_[p].size(); ++v) {
                const geometry::SurfacePlace& place = surface.places[v];
                Vec3d at;
                for (std::size_t k = 0; k < 3; ++k)
                    at += Vec3d(coarse[surface.weld.representative[surface.triangles[place.triangle][k]]]) *
                          place.shares[k];
                const Vec3d apart = at - Vec3d(posed_[p][v]);
                sum += dot(apart, apart);
                most = std::max(most, length(apart));
            }
        }
        LodError result;
        const double samples = double(std::max<std::size_t>((last - first) * posed_[0].size(), 1));
        result.rms = std::sqrt(sum / samples);
        result.max = most;
        result.e_rms = radius_ > 0 ? 1000 * std::sqrt(sum / (3 * samples)) / radius_ : 0;
        return result;
    }

    const Character& character_;
    const LodOptions& options_;
    LodPoses poses_;
    std::vector<Vec3f> normals_;
    double radius_;
    std::vector<std::vector<Vec3f>> posed_;  ///< the original, per pose
};

LevelTriangles simplifiedProps(const Character& character, const LodOptions& options) {
    const Mesh& props = character.props.mesh;
    if (props.triangles.empty()) return LevelTriangles(options.ratios.size());
    // Each part in its own space: parts never weld with each other.
    Mesh apart = props;
    for (std::size_t p = 0; p < apart.parts.size(); ++p) apart.parts[p].body = std::uint32_t(p);
    const geometry::Weld weld = geometry::weldByPosition(apart);
    std::vector<Vec3d> rest;
    for (const std::uint32_t v : weld.representative) rest.emplace_back(props.positions[v]);
    return simplified(props, weld, {std::move(rest)}, options, {});
}

}  // namespace

std::vector<LodLevel> makeLods(const Character& character, const LodOptions& options, const Progress& progress) {
    checkRatios(options);
    if (character.mesh.triangles.empty()) throw Error::badInput("has no faces to simplify");
    const LodMaker maker(character, options, progress);
    const LevelTriangles levels = maker.triangles(progress), props = simplifiedProps(character, options);
    std::vector<LodLevel> made;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const double count = double(levels.size());
        made.push_back(maker.level(options.ratios[l], levels[l], props[l],
                                   progress.share("weights", double(l) / count, double(l + 1) / count)));
        progress.report("weights", double(l + 1) / count);
    }
    return made;
}

}  // namespace pelt::verbs
