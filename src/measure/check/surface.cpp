// A character as the detectors of flaws see it.
#include "surface.h"

#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/rig/rest_space.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

namespace pelt::measure {
namespace {

constexpr std::size_t kSamples = 256;       // points that distances are taken over
constexpr double kMirrorTolerance = 0.002;  // of the diagonal
constexpr double kSymmetricShare = 0.7;     // of the points must have a counterpart

void makeRows(CheckSurface& s, const SkinWeights& weights) {
    s.vertex_rows.resize(weights.vertexCount());
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i)
            addTo(s.vertex_rows[v], std::uint32_t(s.joints.of_slot[weights.jointsOf(v)[i]]), weights.weightsOf(v)[i]);
        sortRow(s.vertex_rows[v]);
    }
    s.rows.resize(s.count());
    s.home.resize(s.count());
    std::vector<const Row*> own;
    for (std::size_t p = 0; p < s.count(); ++p) {
        own.clear();
        for (const std::uint32_t v : s.copies[p]) own.push_back(&s.vertex_rows[v]);
        s.rows[p] = own.size() == 1 ? *own[0] : meanRow(own);
        s.home[p] = heaviest(s.rows[p]);
    }
}

void makeBones(CheckSurface& s, const Skeleton& skeleton) {
    const std::vector<Vec3d> slots = rig::jointRestPositions(skeleton);
    for (const auto& entry : s.joints.entries) {
        s.places.push_back(slots[entry.first_slot]);
        s.parents.push_back(entry.parent);
    }
    s.bones.resize(s.places.size());
    for (const geometry::BoneSegment& bone : geometry::boneSegments(s.places, s.parents))
        s.bones[bone.joint].push_back(bone);
}

/// Points by cells of a grid, to look up mirrored places.
class PointGrid {
public:
    PointGrid(const std::vector<Vec3d>& points, double cell) : points_(points), cell_(cell) {
        for (std::uint32_t p = 0; p < points.size(); ++p) cells_[key(cellOf(points[p]), 0, 0, 0)].push_back(p);
    }
    std::uint32_t nearest(const Vec3d& at, double reach) const {
        std::uint32_t best = kNone;
        double least = reach;
        const auto cell = cellOf(at);
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dz = -1; dz <= 1; ++dz)
                    if (const auto found = cells_.find(key(cell, dx, dy, dz)); found != cells_.end())
                        for (const std::uint32_t p : found->second)
                            if (const double d = length(points_[p] - at); d < least) least = d, best = p;
        return best;
    }

private:
    struct Cell {
        std::int64_t x, y, z;
    };
    Cell cellOf(const Vec3d& p) const {
        return {std::int64_t(std::floor(p.x / cell_)), std::int64_t(std::floor(p.y / cell_)),
                std::int64_t(std::floor(p.z / cell_))};
    }
    static std::uint64_t key(const Cell& c, int dx, int dy, int dz) {
        return std::uint64_t(c.x + dx) * 73856093u ^ std::uint64_t(c.y + dy) * 19349663u ^
               std::uint64_t(c.z + dz) * 83492791u;
    }
    const std::vector<Vec3d>& points_;
    double cell_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

void makeMirror(CheckSurface& s) {
    s.twins.assign(s.places.size(), kNone);
    const Affine3d modeled = rig::toModeledSpace(*s.character);
    std::vector<Vec3d> points(s.count());
    std::vector<Vec3f> rounded(s.count());
    for (std::size_t p = 0; p < s.count(); ++p) rounded[p] = Vec3f(points[p] = modeled * s.points[p]);
    std::vector<Vec3d> places = rig::jointRestPositions(s.character->skeleton);
    for (Vec3d& place : places) place = modeled * place;
    const double size = geometry::boundingDiagonal(rounded);
    rig::JointMirror mirror;
    try {
        mirror = rig::findJointMirror(s.character->skeleton, places, std::nullopt, size);
    } catch (const Error&) {
        return;  // no plane of symmetry
    }
    if (mirror.pairs == 0) return;
    for (std::size_t j = 0; j < s.twins.size(); ++j)
        if (const auto twin = mirror.twins[s.joints.entries[j].first_slot]; twin != rig::JointMirror::kNoTwin)
            s.twins[j] = std::uint32_t(s.joints.of_slot[twin]);
    const double reach = kMirrorTolerance * size;
    const PointGrid grid(points, reach);
    s.mirrored.resize(s.count());
    std::size_t found = 0;
    for (std::size_t p = 0; p < s.count(); ++p) {
        s.mirrored[p] = grid.nearest(mirror.plane.across(points[p]), reach);
        found += s.mirrored[p] != kNone;
    }
    if (double(found) < kSymmetricShare * double(s.count())) s.mirrored.clear();
}

}  // namespace

double CheckSurface::boneDistance(std::uint32_t joint, const Vec3d& p) const {
    double least = length(p - places[joint]);
    for (const geometry::BoneSegment& bone : bones[joint]) least = std::min(least, geometry::distanceTo(bone, p));
    return least;
}

int CheckSurface::hops(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> up;
    for (std::int32_t j = std::int32_t(a); j >= 0; j = parents[std::size_t(j)]) up.push_back(std::uint32_t(j));
    int steps = 0;
    for (std::int32_t j = std::int32_t(b); j >= 0; j = parents[std::size_t(j)], ++steps)
        if (const auto found = std::find(up.begin(), up.end(), std::uint32_t(j)); found != up.end())
            return steps + int(found - up.begin());
    return kNoWay;
}

bool CheckSurface::isRoot(std::uint32_t joint) const {
    if (parents[joint] >= 0) return false;
    std::size_t below = 0;
    for (std::uint32_t j = 0; j < parents.size(); ++j) below += isAbove(joint, j);
    return 2 * below > parents.size();
}

bool CheckSurface::isAbove(std::uint32_t above, std::uint32_t joint) const {
    for (std::int32_t j = std::int32_t(joint); j >= 0; j = parents[std::size_t(j)])
        if (std::uint32_t(j) == above) return true;
    return false;
}

std::vector<std::uint32_t> CheckSurface::verticesOf(std::span<const std::uint32_t> chosen) const {
    std::vector<std::uint32_t> vertices;
    for (const std::uint32_t p : chosen) vertices.insert(vertices.end(), copies[p].begin(), copies[p].end());
    std::sort(vertices.begin(), vertices.end());
    return vertices;
}

std::int32_t CheckSurface::partOf(std::uint32_t point) const {
    const std::uint32_t v = weld.representative[point];
    for (std::size_t i = 0; i < character->mesh.parts.size(); ++i) {
        const MeshPart& part = character->mesh.parts[i];
        if (v >= part.first_vertex && v < part.first_vertex + part.vertex_count) return std::int32_t(i);
    }
    return -1;
}

CheckSurface makeCheckSurface(const Character& character) {
    CheckSurface s;
    s.character = &character;
    s.weld = geometry::weldByPosition(character.mesh);
    s.triangles = geometry::weldedTriangles(character.mesh.triangles, s.weld);
    s.around = geometry::vertexAdjacency(s.triangles, s.weld.count());
    for (const std::uint32_t v : s.weld.representative) s.points.push_back(Vec3d(character.mesh.positions[v]));
    s.copies.resize(s.count());
    for (std::uint32_t v = 0; v < s.weld.welded.size(); ++v) s.copies[s.weld.welded[v]].push_back(v);
    const geometry::ConnectedParts parts = geometry::connectedParts(s.around);
    s.piece = parts.part;
    s.pieces.resize(parts.count);
    for (std::uint32_t p = 0; p < s.count(); ++p) s.pieces[s.piece[p]].push_back(p);
    s.diagonal = std::max(geometry::boundingDiagonal(character.mesh.positions), 1e-12);
    double sum = 0;
    for (std::uint32_t p = 0; p < s.count(); ++p)
        for (const std::uint32_t q : s.around.of(p)) sum += length(s.points[p] - s.points[q]);
    s.mean_edge = s.around.neighbors.empty() ? 0 : sum / double(s.around.neighbors.size());
    s.joints = rig::listJoints(character.skeleton);
    makeRows(s, character.weights);
    makeBones(s, character.skeleton);
    makeMirror(s);
    return s;
}

std::vector<std::uint32_t> thinned(const std::vector<std::uint32_t>& points) {
    std::vector<std::uint32_t> some;
    const std::size_t step = std::max<std::size_t>(1, points.size() / kSamples);
    for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
    return some;
}

std::vector<std::vector<std::uint32_t>> groupsOf(const CheckSurface& surface, const std::vector<bool>& marked) {
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<bool> seen(surface.count(), false);
    for (std::uint32_t start = 0; start < surface.count(); ++start) {
        if (!marked[start] || seen[start]) continue;
        std::vector<std::uint32_t> group{start};
        seen[start] = true;
        for (std::size_t i = 0; i < group.size(); ++i)
            for (const std::uint32_t q : surface.around.of(group[i]))
                if (marked[q] && !seen[q]) seen[q] = true, group.push_back(q);
        std::sort(group.begin(), group.end());
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace pelt::measure
