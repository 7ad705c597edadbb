// Finds the mirror image of joints and vertices, and makes the joints of vertices symmetric.
#include "bind_mirror.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pelt::bind {
namespace {

constexpr double kJointTolerance = 2e-3, kVertexTolerance = 2e-4;  // of the diagonal
constexpr double kPaired = 0.8;                                    // of the joints: a sword may hang on one side only

struct Plane {
    int axis = 0;
    double place = 0;

    Vec3d across(Vec3d p) const {
        p[axis] = 2 * place - p[axis];
        return p;
    }
};

using Twins = std::vector<std::uint32_t>;

/// Pairs the joints in order, parents first: the twin of a joint is at the mirrored position and is a child of its
/// parent's twin.
Twins pairJoints(std::span<const Vec3d> positions, std::span<const std::int32_t> parents, const Plane& plane,
                 double tolerance) {
    constexpr std::uint32_t kNone = BindMirror::kNoTwin;
    Twins twins(positions.size(), kNone);
    const auto parentsFit = [&](std::uint32_t j, std::uint32_t k) {
        const std::int32_t a = parents[j], b = parents[k];
        return a < 0 ? b < 0 : b >= 0 && twins[static_cast<std::size_t>(a)] == static_cast<std::uint32_t>(b);
    };
    const auto find = [&](std::uint32_t j) {
        const Vec3d place = plane.across(positions[j]);
        std::uint32_t best = kNone;
        double nearest = tolerance;
        for (std::uint32_t k = 0; k < positions.size(); ++k) {
            if (twins[k] != kNone || !parentsFit(j, k)) continue;
            // If several are at the same place: the joint itself on the plane, the first elsewhere.
            const double apart =
                k == j ? std::max(0.0, length(positions[k] - place) - 1e-6 * tolerance) : length(positions[k] - place);
            if (apart < nearest || (apart == nearest && k == j)) {
                nearest = apart;
                best = k;
            }
        }
        return best;
    };
    std::vector<std::uint32_t> order;
    std::vector<std::vector<std::uint32_t>> children(positions.size());
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
        if (parents[j] < 0)
            order.push_back(j);
        else
            children[static_cast<std::size_t>(parents[j])].push_back(j);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::uint32_t j = order[k];
        order.insert(order.end(), children[j].begin(), children[j].end());
        if (twins[j] != kNone) continue;
        const std::uint32_t twin = find(j);
        if (twin == kNone) continue;
        twins[j] = twin;
        twins[twin] = j;
    }
    return twins;
}

/// Whether enough joints have a twin, some of them on the other side.
bool isMirror(const Twins& twins) {
    std::size_t paired = 0;
    bool apart = false;
    for (std::uint32_t j = 0; j < twins.size(); ++j) {
        paired += twins[j] != BindMirror::kNoTwin;
        apart |= twins[j] != BindMirror::kNoTwin && twins[j] != j;
    }
    return apart && static_cast<double>(paired) >= kPaired * static_cast<double>(twins.size());
}

Twins pairVertices(std::span<const Vec3d> positions, const Plane& plane, double tolerance) {
    std::map<std::array<std::int64_t, 3>, std::vector<std::uint32_t>> cells;
    const auto cellOf = [&](const Vec3d& p) {
        std::array<std::int64_t, 3> cell;
        for (int k = 0; k < 3; ++k) cell[static_cast<std::size_t>(k)] = std::llround(p[k] / (2 * tolerance));
        return cell;
    };
    for (std::uint32_t v = 0; v < positions.size(); ++v)
        if (isFinite(positions[v])) cells[cellOf(positions[v])].push_back(v);
    const auto nearest = [&](const Vec3d& place) {
        const auto middle = cellOf(place);
        std::uint32_t best = BindMirror::kNoTwin;
        double apart = tolerance;
        for (int n = 0; n < 27; ++n) {
            const auto found = cells.find({middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1});
            if (found == cells.end()) continue;
            for (const std::uint32_t v : found->second) {
                const double distance = length(positions[v] - place);
                if (distance > apart || (distance == apart && v > best)) continue;
                apart = distance;
                best = v;
            }
        }
        return best;
    };
    Twins twins(positions.size(), BindMirror::kNoTwin);
    for (std::uint32_t v = 0; v < positions.size(); ++v)
        if (isFinite(positions[v])) twins[v] = nearest(plane.across(positions[v]));
    Twins mutual = twins;
    for (std::uint32_t v = 0; v < twins.size(); ++v)
        if (twins[v] != BindMirror::kNoTwin && twins[twins[v]] != v) mutual[v] = BindMirror::kNoTwin;
    return mutual;
}

bool isAbove(std::span<const std::int32_t> parents, std::uint32_t ancestor, std::uint32_t joint) {
    for (auto j = static_cast<std::int32_t>(joint); j >= 0; j = parents[static_cast<std::size_t>(j)])
        if (j == static_cast<std::int32_t>(ancestor)) return true;
    return false;
}

}  // namespace

BindMirror findMirror(const Skeleton& skeleton, const BindSurface& surface) {
    const std::vector<Vec3d> positions = rig::jointRestPositions(skeleton);
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    constexpr std::size_t kMostJoints = 4096;  // all pairs are compared
    if (positions.size() < 2 || positions.size() > kMostJoints) return {};
    const geometry::Box box = geometry::boundingBox(positions);
    for (int axis = 0; axis < 3; ++axis) {
        for (const double place : {0.0, box.center()[axis], positions[0][axis]}) {
            const Plane plane{axis, place};
            Twins twins = pairJoints(positions, parents, plane, kJointTolerance * surface.diagonal);
            if (!isMirror(twins)) continue;
            return {std::move(twins), pairVertices(surface.positions, plane, kVertexTolerance * surface.diagonal)};
        }
    }
    return {};
}

void makeSymmetric(const BindMirror& mirror, std::span<const std::int32_t> parents, const std::vector<bool>& carries,
                   std::vector<std::uint32_t>& joints) {
    constexpr std::uint32_t kNone = BindMirror::kNoTwin;
    for (std::uint32_t v = 0; v < joints.size(); ++v) {
        const std::uint32_t other = mirror.vertices[v], twin = mirror.joints[joints[v]];
        if (other == kNone || other < v || twin == kNone || twin == joints[other]) continue;
        if (other == v) {  // up to the common ancestor of both sides
            auto j = static_cast<std::int32_t>(joints[v]);
            while (j >= 0 && !(mirror.joints[static_cast<std::size_t>(j)] == static_cast<std::uint32_t>(j) &&
                               carries[static_cast<std::size_t>(j)]))
                j = parents[static_cast<std::size_t>(j)];
            if (j >= 0) joints[v] = static_cast<std::uint32_t>(j);
            continue;
        }
        const std::uint32_t mine = joints[v], theirs = mirror.joints[joints[other]];
        if (theirs == kNone) continue;
        const bool keep = isAbove(parents, mine, theirs) || (!isAbove(parents, theirs, mine) && mine < theirs);
        joints[v] = keep ? mine : theirs;
        joints[other] = mirror.joints[joints[v]];
    }
}

}  // namespace pelt::bind
