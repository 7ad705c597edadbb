// Finds the part of a character that its handles can move.
#include "pose_part.h"

#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/weld.h>

#include <algorithm>

namespace pelt::verbs {
namespace {

/// Relative to the larger of two groups: groups nearer than this may share tets of a volume.
constexpr double kClear = 0.05;

struct GroupBox {
    Vec3d low, high;
    bool empty = true;

    void add(const Vec3d& p) {
        for (int a = 0; a < 3; ++a) {
            low[a] = empty ? p[a] : std::min(low[a], p[a]);
            high[a] = empty ? p[a] : std::max(high[a], p[a]);
        }
        empty = false;
    }
    double size() const { return empty ? 0 : length(high - low); }
    bool near(const GroupBox& other) const {
        if (empty || other.empty) return false;
        const double distance = kClear * std::max(size(), other.size());
        for (int a = 0; a < 3; ++a)
            if (low[a] - distance > other.high[a] || other.low[a] - distance > high[a]) return false;
        return true;
    }
};

/// Adds groups near moved ones, transitively.
void addNeighbors(const JointGroups& groups, std::span<const Vec3f> positions, std::vector<char>& moved) {
    std::vector<GroupBox> boxes(groups.count);
    for (std::size_t v = 0; v < positions.size(); ++v) boxes[groups.of_vertex[v]].add(Vec3d(positions[v]));
    std::vector<std::size_t> open;
    for (std::size_t g = 0; g < moved.size(); ++g)
        if (moved[g]) open.push_back(g);
    while (!open.empty()) {
        const std::size_t from = open.back();
        open.pop_back();
        for (std::size_t g = 0; g < moved.size(); ++g) {
            if (moved[g] || !boxes[g].near(boxes[from])) continue;
            moved[g] = 1;
            open.push_back(g);
        }
    }
}

/// Parts, vertices and triangles of the groups that move, in their order.
void takeMesh(const Mesh& whole, const JointGroups& groups, std::span<const char> moved, PosePart& part) {
    std::vector<std::uint32_t> place(whole.vertexCount(), 0);
    for (std::uint32_t v = 0; v < whole.vertexCount(); ++v) {
        if (!moved[groups.of_vertex[v]]) continue;
        place[v] = std::uint32_t(part.vertices.size());
        part.vertices.push_back(v);
        part.mesh.positions.push_back(whole.positions[v]);
    }
    std::vector<std::uint32_t> taken;  // triangles of the whole mesh
    for (std::uint32_t i = 0; i < whole.triangles.size(); ++i) {
        const Triangle& t = whole.triangles[i];
        if (!moved[groups.of_vertex[t[0]]]) continue;
        taken.push_back(i);
        part.mesh.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
    }
    const auto cut = [](std::span<const std::uint32_t> kept, std::uint32_t& first, std::uint32_t& count) {
        const auto from = std::lower_bound(kept.begin(), kept.end(), first);
        const auto to = std::lower_bound(from, kept.end(), first + count);
        first = std::uint32_t(from - kept.begin());
        count = std::uint32_t(to - from);
    };
    for (const MeshPart& from : whole.parts) {
        MeshPart made = from;
        cut(part.vertices, made.first_vertex, made.vertex_count);
        cut(taken, made.first_triangle, made.triangle_count);
        if (made.vertex_count > 0) part.mesh.parts.push_back(std::move(made));
    }
}

void takeWeights(const SkinWeights& whole, PosePart& part) {
    SkinWeights& made = part.weights;  // copied unchanged: appendVertex would normalize them again
    for (const std::uint32_t v : part.vertices) {
        for (const std::uint32_t j : whole.jointsOf(v)) made.joints.push_back(std::uint32_t(part.joint_place[j]));
        made.weights.insert(made.weights.end(), whole.weightsOf(v).begin(), whole.weightsOf(v).end());
        made.offsets.push_back(std::uint32_t(made.joints.size()));
    }
}

bool hasArea(const Mesh& mesh) {
    return std::any_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) {
        const Vec3d a(mesh.positions[t[0]]), b(mesh.positions[t[1]]), c(mesh.positions[t[2]]);
        return length(cross(b - a, c - a)) > 0;
    });
}

}  // namespace

JointGroups groupJoints(const Character& character, bool by_skeleton) {
    const std::size_t joints = character.skeleton.joints.size();
    const geometry::Weld weld = geometry::weldByPosition(character.mesh);
    const auto triangles = geometry::weldedTriangles(character.mesh.triangles, weld);
    const geometry::ConnectedParts pieces =
        geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    const auto pieceOf = [&](std::size_t v) { return std::uint32_t(joints + pieces.part[weld.welded[v]]); };
    // Joints and pieces as one graph, an edge for each weight.
    std::vector<Triangle> edges;
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v)
        for (const std::uint32_t j : character.weights.jointsOf(v)) edges.push_back({j, pieceOf(v), pieceOf(v)});
    if (by_skeleton) {
        const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
        for (std::uint32_t j = 0; j < joints; ++j)
            if (parents[j] >= 0) edges.push_back({j, std::uint32_t(parents[j]), std::uint32_t(parents[j])});
    }
    const geometry::ConnectedParts found =
        geometry::connectedParts(geometry::vertexAdjacency(edges, joints + pieces.count));
    JointGroups groups{{found.part.begin(), found.part.begin() + std::ptrdiff_t(joints)}, {}, found.count};
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) groups.of_vertex.push_back(found.part[pieceOf(v)]);
    return groups;
}

std::optional<PosePart> movedPart(const Character& character, const PoseStart& start, const HandlePlan& plan,
                                  pose::Energy energy) {
    const JointGroups groups = groupJoints(character, true);
    std::vector<char> moved(groups.count, 0);
    for (const pose::Constraint& c : plan.constraints) {
        if (c.kind != pose::ConstraintKind::vertices) moved[groups.of_joint[c.handle]] = 1;
        for (const std::uint32_t v : c.vertices) moved[groups.of_vertex[v]] = 1;
    }
    if (energy == pose::Energy::tets) addNeighbors(groups, start.mesh.positions, moved);
    if (std::find(moved.begin(), moved.end(), 0) == moved.end()) return {};

    PosePart part;
    part.joint_place.assign(groups.of_joint.size(), -1);
    for (std::uint32_t j = 0; j < groups.of_joint.size(); ++j) {
        if (!moved[groups.of_joint[j]]) continue;
        part.joint_place[j] = std::int32_t(part.joints.size());
        part.joints.push_back(j);
    }
    takeMesh(start.mesh, groups, moved, part);
    if (!hasArea(part.mesh)) return {};  // a joint that moves almost nothing: there is no shape to preserve
    takeWeights(character.weights, part);
    return part;
}

std::vector<pose::Constraint> constraintsOn(const PosePart* part, std::span<const pose::Constraint> constraints) {
    std::vector<pose::Constraint> on(constraints.begin(), constraints.end());
    if (!part) return on;
    for (pose::Constraint& c : on) {
        if (c.kind != pose::ConstraintKind::vertices) c.handle = std::uint32_t(part->joint_place[c.handle]);
        for (std::uint32_t& v : c.vertices)
            v = std::uint32_t(std::lower_bound(part->vertices.begin(), part->vertices.end(), v) -
                              part->vertices.begin());
    }
    return on;
}

}  // namespace pelt::verbs
