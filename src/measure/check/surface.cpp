// A character as the detectors of flaws see it.
#include "surface.h"

#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

namespace pelt::measure {
namespace {

constexpr double kMirrorTolerance = 0.002;  // of the diagonal
constexpr double kSymmetricShare = 0.7;     // of the points must have a counterpart

void addTo(Row& row, std::uint32_t joint, float weight) {
    for (Share& share : row)
        if (share.joint == joint) {
            share.weight += weight;
            return;
        }
    row.push_back({joint, weight});
}

void sortRow(Row& row) {
    std::sort(row.begin(), row.end(), [](const Share& a, const Share& b) { return a.joint < b.joint; });
}

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

/// From the space of the character to that in which most of it is modeled.
Affine3d modeledSpace(const Character& character) {
    if (character.from_file.empty()) return {};
    std::vector<std::size_t> vertices(character.from_file.size(), 0);
    for (const MeshPart& part : character.mesh.parts)
        if (part.instance < vertices.size()) vertices[part.instance] += part.vertex_count;
    return inverse(
        character.from_file[std::size_t(std::max_element(vertices.begin(), vertices.end()) - vertices.begin())]);
}

void makeMirror(CheckSurface& s) {
    s.twins.assign(s.places.size(), kNone);
    const Affine3d modeled = modeledSpace(*s.character);
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

double rowDistance(const Row& a, const Row& b) {
    double sum = 0;
    std::size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        if (k == b.size() || (i < a.size() && a[i].joint < b[k].joint))
            sum += double(a[i++].weight);
        else if (i == a.size() || b[k].joint < a[i].joint)
            sum += double(b[k++].weight);
        else
            sum += std::abs(double(a[i++].weight) - double(b[k++].weight));
    }
    return sum / 2;
}

float weightIn(const Row& row, std::uint32_t joint) {
    for (const Share& share : row)
        if (share.joint == joint) return share.weight;
    return 0;
}

std::uint32_t heaviest(const Row& row) {
    std::uint32_t best = kNone;
    float most = 0;
    for (const Share& share : row)
        if (share.weight > most) most = share.weight, best = share.joint;
    return best;
}

void sharpen(Row& row, float power) {
    double sum = 0;
    for (Share& share : row) sum += double(share.weight = std::pow(share.weight, power));
    for (Share& share : row) share.weight = float(double(share.weight) / sum);
}

Row meanRow(std::span<const Row* const> rows) {
    Row mean;
    for (const Row* row : rows)
        for (const Share& share : *row) addTo(mean, share.joint, share.weight / float(rows.size()));
    sortRow(mean);
    return mean;
}

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
    return 1000;
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

Row twinRow(const CheckSurface& surface, const Row& row) {
    Row made;
    for (const Share& share : row) {
        if (surface.twins[share.joint] == kNone) return {};
        addTo(made, surface.twins[share.joint], share.weight);
    }
    sortRow(made);
    return made;
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

std::vector<Row> filledRows(const CheckSurface& surface, std::span<const std::uint32_t> points,
                            const std::vector<bool>& unknown) {
    constexpr int kSweeps = 40;
    std::unordered_map<std::uint32_t, std::size_t> at;
    for (std::size_t i = 0; i < points.size(); ++i) at[points[i]] = i;
    std::vector<Row> rows(points.size());
    // Outside in: each ring begins with the mean of the rows that are known beside it; then sweeps smooth them.
    std::vector<const Row*> beside;
    const auto meanAround = [&](std::size_t i) {
        beside.clear();
        for (const std::uint32_t q : surface.around.of(points[i])) {
            const auto found = at.find(q);
            if (found != at.end()) {
                if (!rows[found->second].empty()) beside.push_back(&rows[found->second]);
            } else if (!unknown[q]) {
                beside.push_back(&surface.rows[q]);
            }
        }
        return beside.empty() ? Row() : meanRow(beside);
    };
    for (bool any = true; any;) {
        any = false;
        std::vector<std::pair<std::size_t, Row>> ring;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (rows[i].empty())
                if (Row row = meanAround(i); !row.empty()) ring.emplace_back(i, std::move(row));
        for (auto& [i, row] : ring) rows[i] = std::move(row), any = true;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep)
        for (std::size_t i = 0; i < points.size(); ++i)
            if (!rows[i].empty()) rows[i] = meanAround(i);
    return rows;
}

std::vector<Row> smoothedRows(const CheckSurface& surface, std::span<const std::uint32_t> points, int sweeps) {
    std::unordered_map<std::uint32_t, std::size_t> at;
    for (std::size_t i = 0; i < points.size(); ++i) at[points[i]] = i;
    std::vector<Row> rows = rowsOf(surface, points), next(points.size());
    std::vector<const Row*> beside;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            beside.assign(1, &rows[i]);
            for (const std::uint32_t q : surface.around.of(points[i])) {
                const auto found = at.find(q);
                beside.push_back(found != at.end() ? &rows[found->second] : &surface.rows[q]);
            }
            next[i] = meanRow(beside);
        }
        rows.swap(next);
    }
    return rows;
}

std::vector<std::uint32_t> ringsAround(const CheckSurface& surface, std::span<const std::uint32_t> points, int rings,
                                       const std::vector<bool>& without) {
    std::vector<bool> inside(surface.count(), false);
    std::vector<std::uint32_t> made(points.begin(), points.end());
    for (const std::uint32_t p : points) inside[p] = true;
    std::size_t first = 0;
    for (int ring = 0; ring < rings; ++ring) {
        const std::size_t last = made.size();
        for (; first < last; ++first)
            for (const std::uint32_t q : surface.around.of(made[first]))
                if (!inside[q] && !without[q]) inside[q] = true, made.push_back(q);
    }
    std::sort(made.begin(), made.end());
    return made;
}

Motion::Motion(const CheckSurface& surface, const SkinPoses& poses) : surface_(&surface) {
    for (std::size_t p = 0; p < poses.count(); ++p) {
        const SkinPose at = poses.pose(p);
        std::vector<Affine3f> bones;
        for (const auto& entry : surface.joints.entries) bones.push_back(at.bones[entry.first_slot]);
        bones_.push_back(std::move(bones));
        index_.push_back(p);
    }
}

void Motion::measure(std::span<const std::uint32_t> points, std::span<const Row> now, std::span<const Row> healthy,
                     Finding& finding) const {
    constexpr std::size_t kMost = 200;
    const std::size_t step = std::max<std::size_t>(1, points.size() / kMost);
    double most = 0;
    for (std::size_t pose = 0; pose < bones_.size(); ++pose) {
        double sum = 0;
        std::size_t measured = 0;
        for (std::size_t i = 0; i < points.size(); i += step) {
            if (now[i].empty() || healthy[i].empty()) continue;
            const Vec3f x = Vec3f(surface_->points[points[i]]);
            Vec3f d{0, 0, 0};
            for (const Share& share : now[i]) d += (bones_[pose][share.joint] * x) * share.weight;
            for (const Share& share : healthy[i]) d += (bones_[pose][share.joint] * x) * -share.weight;
            sum += double(dot(d, d));
            ++measured;
        }
        const double mean = measured > 0 ? std::sqrt(sum / double(measured)) : 0;
        if (mean > most) {
            most = mean;
            finding.pose = index_[pose];
        }
    }
    finding.moved = most / surface_->diagonal;
}

}  // namespace pelt::measure
