// Separates clothes, eyes and other parts from the body, and gives each its joint.
#include "pieces.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <numeric>

namespace pelt::bind {
namespace {

constexpr double kFlesh = 0.15;  // fraction of a bone inside a piece that counts as its flesh
constexpr double kMost = 0.6;    // of a bone
constexpr double kSmall = 0.1;   // of the surface
constexpr double kVerySmall = 0.02;
constexpr double kAgreed = 0.7;    // of the votes, for a large piece to follow the surface beneath it
constexpr double kContact = 0.02;  // of the size of a piece: closer than this counts as touching

struct Member {
    std::uint32_t vertex = 0;
    double area = 0;
};

std::vector<double> vertexAreas(const BindSurface& surface) {
    std::vector<double> areas(surface.positions.size(), 0);
    for (const Triangle& t : surface.triangles) {
        const Vec3d& a = surface.positions[t[0]];
        const double area = length(cross(surface.positions[t[1]] - a, surface.positions[t[2]] - a)) / 6;
        if (!std::isfinite(area)) continue;
        for (const std::uint32_t v : t) areas[v] += area;
    }
    return areas;
}

double sizeOf(const BindSurface& surface, const std::vector<Member>& members) {
    geometry::Box box = geometry::Box::none();
    for (const Member& m : members) box.grow(surface.positions[m.vertex]);
    return box.diagonal();
}

/// The joint with the most votes, the lowest index on ties.
std::uint32_t winner(const std::vector<double>& votes) {
    return static_cast<std::uint32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

/// The joint of the corner nearest to the point.
std::uint32_t jointAt(const BindSurface& surface, const geometry::SurfacePlace& place,
                      const std::vector<std::uint32_t>& joints) {
    const Triangle& corners = surface.triangles[place.triangle];
    std::uint32_t best = corners[0];
    for (const std::uint32_t v : corners)
        if (length(surface.positions[v] - place.point) < length(surface.positions[best] - place.point)) best = v;
    return joints[best];
}

/// The surface that a piece lies on votes for its joint, weighted by proximity. If it lies on nothing, its own vertices
/// vote. Nothing if the winner has less than the required share of the votes.
std::optional<std::uint32_t> jointBeneath(const BindSurface& surface, const std::vector<Member>& members,
                                          const std::vector<bool>& hosts, const std::vector<std::uint32_t>& joints,
                                          std::size_t joint_count, double share) {
    const double size = sizeOf(surface, members), touching = kContact * size;
    std::vector<std::optional<geometry::SurfacePlace>> places(members.size());
    parallelFor(members.size(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            places[k] = surface.tree.nearest(surface.positions[members[k].vertex], size, hosts);
    });
    std::vector<double> votes(joint_count, 0), own(joint_count, 0);
    for (std::size_t k = 0; k < members.size(); ++k) {
        const double area = members[k].area + 1e-12 * size * size;
        own[joints[members[k].vertex]] += area;
        if (!places[k]) continue;
        const double apart = places[k]->distance + touching;
        votes[jointAt(surface, *places[k], joints)] += area / (apart * apart);
    }
    const bool sits = std::any_of(votes.begin(), votes.end(), [](double v) { return v > 0; });
    const std::vector<double>& heard = sits ? votes : own;
    const std::uint32_t joint = winner(heard);
    if (heard[joint] < share * std::accumulate(heard.begin(), heard.end(), 0.0)) return std::nullopt;
    return joint;
}

}  // namespace

bool Piece::isRigid() const { return area <= kVerySmall ? most.size() < 2 : area <= kSmall && joints.size() < 2; }

std::vector<Piece> piecesOf(const BindSurface& surface, std::span<const BoneView> bones) {
    std::vector<Piece> pieces(surface.parts.count);
    const std::vector<double> areas = vertexAreas(surface);
    const double total = std::accumulate(areas.begin(), areas.end(), 0.0);
    for (std::size_t v = 0; v < areas.size(); ++v)
        pieces[surface.parts.part[v]].area += total > 0 ? areas[v] / total : 0;
    for (const BoneView& bone : bones) {
        std::vector<std::uint32_t> around;
        for (const auto& parts : bone.parts) around.insert(around.end(), parts.begin(), parts.end());
        std::sort(around.begin(), around.end());
        around.erase(std::unique(around.begin(), around.end()), around.end());
        for (const std::uint32_t part : around) {
            Piece& piece = pieces[part];
            const double share = bone.shareIn(part);
            if (share >= kFlesh && (piece.joints.empty() || piece.joints.back() != bone.segment.joint))
                piece.joints.push_back(bone.segment.joint);
            if (share >= kMost && (piece.most.empty() || piece.most.back() != bone.segment.joint))
                piece.most.push_back(bone.segment.joint);
        }
    }
    return pieces;
}

void settlePieces(const BindSurface& surface, std::span<const Piece> pieces, std::size_t joint_count,
                  std::vector<std::uint32_t>& joints) {
    const std::vector<double> areas = vertexAreas(surface);
    std::vector<std::vector<Member>> members(surface.parts.count);
    for (std::uint32_t v = 0; v < joints.size(); ++v) members[surface.parts.part[v]].push_back({v, areas[v]});
    std::vector<std::uint32_t> riders;
    std::vector<bool> hosts(surface.parts.count, false);
    for (std::uint32_t p = 0; p < surface.parts.count; ++p) {
        const Piece& piece = pieces[p];
        hosts[p] = !piece.rides();
        if (!hosts[p]) riders.push_back(p);
        if (!hosts[p] || !piece.isRigid()) continue;
        std::vector<double> votes(joint_count, 0);
        for (const Member& m : members[p]) votes[joints[m.vertex]] += m.area + 1e-300;
        const std::uint32_t joint = winner(votes);
        for (const Member& m : members[p]) joints[m.vertex] = joint;
    }
    std::stable_sort(riders.begin(), riders.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return pieces[a].area > pieces[b].area; });
    for (const std::uint32_t p : riders) {
        const bool small = pieces[p].isRigid();
        const auto joint = jointBeneath(surface, members[p], hosts, joints, joint_count, small ? 0 : kAgreed);
        if (joint)
            for (const Member& m : members[p]) joints[m.vertex] = *joint;
        hosts[p] = true;
    }
}

}  // namespace pelt::bind
