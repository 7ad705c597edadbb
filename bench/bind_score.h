#pragma once

// The agreement of a bind with an artist's weights.
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/weld.h>
#include <pelt/rig/character.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace pelt::bench {

/// By pair of joints: whether some clip moves them relative to each other anywhere in the mesh's bounding box.
class MovedApart {
public:
    explicit MovedApart(const Character& character)
        : count_(character.skeleton.joints.size()), apart_(count_ * count_, false) {
        constexpr int kMoments = 8;  // a clip
        for (std::size_t a = 0; a < count_; ++a)
            for (std::size_t b = 0; b < count_; ++b)
                apart_[a * count_ + b] = character.clips.empty() && !sameNode(character, a, b);
        const auto corners = cornersOf(character.mesh);
        for (const Clip& clip : character.clips)
            for (int s = 0; s <= kMoments; ++s)
                compare(
                    rig::skinMatricesDouble(character.skeleton, &clip, clip.first_key + clip.seconds() * s / kMoments),
                    corners);
    }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return apart_[a * count_ + b]; }

private:
    static bool sameNode(const Character& character, std::size_t a, std::size_t b) {
        return character.skeleton.joints[a].node == character.skeleton.joints[b].node;
    }

    static std::array<Vec3d, 8> cornersOf(const Mesh& mesh) {
        Vec3d low(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = -low;
        for (const Vec3f& p : mesh.positions)
            for (int k = 0; k < 3; ++k) {
                low[k] = std::min<double>(low[k], p[k]);
                high[k] = std::max<double>(high[k], p[k]);
            }
        std::array<Vec3d, 8> corners;
        for (std::size_t c = 0; c < 8; ++c)
            corners[c] = {c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z};
        return corners;
    }

    void compare(const std::vector<Affine3d>& bones, const std::array<Vec3d, 8>& corners) {
        constexpr double kApart = 2e-3;  // of the diagonal
        double stretch = 0;
        for (const Affine3d& m : bones) stretch = std::max(stretch, std::cbrt(std::abs(determinant(m.linear()))));
        const double tolerance = kApart * stretch * length(corners[7] - corners[0]);
        for (std::size_t a = 0; a < count_; ++a)
            for (std::size_t b = 0; b < a; ++b)
                for (std::size_t c = 0; c < 8 && !apart_[a * count_ + b]; ++c)
                    apart_[a * count_ + b] = apart_[b * count_ + a] =
                        length(bones[a] * corners[c] - bones[b] * corners[c]) > tolerance;
    }

    std::size_t count_;
    std::vector<bool> apart_;
};

struct BindScore {
    double share = 0;     ///< of the vertices: on one of the artist's two heaviest joints
    double heaviest = 0;  ///< on the heaviest itself
    double alike = 0;     ///< the same, if joints that no clip moves apart count as one
    std::size_t pieces = 0;
    std::size_t small_whole = 0;  ///< pieces under 2 % of the surface that the artist kept on one joint
    std::size_t small_split = 0;  ///< those of them that are not on one joint
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> confused;  ///< artist's and bound joint, vertices
};

/// The artist's two heaviest joints, and those as heavy as the second.
inline std::vector<std::uint32_t> heaviestTwo(const SkinWeights& artist, std::size_t v) {
    const auto joints = artist.jointsOf(v);
    const auto weights = artist.weightsOf(v);
    std::vector<std::uint32_t> two;
    for (std::size_t k = 0; k < joints.size() && (k < 2 || weights[k] == weights[1]); ++k) two.push_back(joints[k]);
    return two;
}

inline void scorePieces(const Character& character, const std::vector<std::uint32_t>& bound, BindScore& score) {
    constexpr double kSmall = 0.02;  // of the surface
    const geometry::Weld weld = geometry::weldByPosition(character.mesh.positions);
    const auto triangles = geometry::weldedTriangles(character.mesh.triangles, weld);
    const auto parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
    std::vector<double> area(parts.count, 0);
    double total = 0;
    for (const Triangle& t : triangles) {
        const auto at = [&](std::size_t k) { return Vec3d(character.mesh.positions[weld.representative[t[k]]]); };
        const double a = length(cross(at(1) - at(0), at(2) - at(0)));
        area[parts.part[t[0]]] += a;
        total += a;
    }
    std::vector<std::vector<std::uint32_t>> ours(parts.count), theirs(parts.count);
    for (std::size_t v = 0; v < bound.size(); ++v) {
        const std::uint32_t p = parts.part[weld.welded[v]];
        ours[p].push_back(character.skeleton.joints[bound[v]].node);
        if (character.weights.influenceCount(v) > 0)
            theirs[p].push_back(character.skeleton.joints[character.weights.jointsOf(v)[0]].node);
    }
    const auto whole = [](const auto& nodes) {
        return std::all_of(nodes.begin(), nodes.end(), [&](auto n) { return n == nodes[0]; });
    };
    score.pieces = parts.count;
    for (std::size_t p = 0; p < parts.count; ++p) {
        if (area[p] >= kSmall * total || theirs[p].empty() || !whole(theirs[p])) continue;
        ++score.small_whole;
        score.small_split += !whole(ours[p]);
    }
}

/// `bound`: one joint per vertex. `character` has the artist's weights.
inline BindScore scoreBind(const Character& character, const std::vector<std::uint32_t>& bound) {
    BindScore score;
    const MovedApart apart(character);
    std::size_t right = 0, heaviest = 0, alike = 0;
    for (std::size_t v = 0; v < bound.size(); ++v) {
        const auto two = heaviestTwo(character.weights, v);
        const bool same = std::any_of(two.begin(), two.end(), [&](auto j) {  // two skins may bind one node
            return character.skeleton.joints[j].node == character.skeleton.joints[bound[v]].node;
        });
        right += same;
        heaviest += !two.empty() && character.skeleton.joints[two[0]].node == character.skeleton.joints[bound[v]].node;
        alike += same || std::any_of(two.begin(), two.end(), [&](auto j) { return !apart(j, bound[v]); });
        if (!same && !two.empty()) ++score.confused[{two[0], bound[v]}];
    }
    score.share = static_cast<double>(right) / static_cast<double>(bound.size());
    score.heaviest = static_cast<double>(heaviest) / static_cast<double>(bound.size());
    score.alike = static_cast<double>(alike) / static_cast<double>(bound.size());
    scorePieces(character, bound, score);
    return score;
}

}  // namespace pelt::bench
