// Which vertices of a rigid bind keep an artist's weights: those of faces with joints.
#include "face_rows.h"

#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/weld.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace pelt::methods {
namespace {

constexpr double kSmall = 0.03;    ///< of the diagonal: the spread of the skin of a joint of a face
constexpr double kSmooth = 0.5;    ///< share of its vertices that follow other joints too
constexpr std::size_t kGroup = 4;  ///< joints of a face
constexpr double kTiny = 0.015;    ///< of the diagonal: the size of beads and earrings
constexpr float kOwn = 0.05F;      ///< weight from which a vertex counts as one of the joint's

struct JointSkin {
    double weight = 0, squares = 0;
    Vec3d sum;
    std::size_t vertices = 0, shared = 0;

    /// The mean distance of its skin from the middle of it.
    double spread() const {
        const Vec3d middle = sum * (1 / weight);
        return std::sqrt(std::max(0.0, squares / weight - dot(middle, middle)));
    }
    bool isSmall(double diagonal) const {
        return weight > 0 && spread()<kSmall * diagonal&& double(shared)> kSmooth * double(vertices);
    }
};

std::vector<JointSkin> skinOfJoints(const Character& character, const SkinWeights& weights) {
    std::vector<JointSkin> skins(character.skeleton.joints.size());
    for (std::size_t v = 0; v < weights.vertexCount(); ++v)
        for (std::size_t i = 0; i < weights.influenceCount(v); ++i) {
            const double w = double(weights.weightsOf(v)[i]);
            const Vec3d p(character.mesh.positions[v]);
            JointSkin& skin = skins[weights.jointsOf(v)[i]];
            skin.weight += w;
            skin.sum += p * w;
            skin.squares += dot(p, p) * w;
            if (weights.weightsOf(v)[i] < kOwn) continue;
            ++skin.vertices;
            skin.shared += weights.weightsOf(v)[i] < 1 - kOwn;
        }
    return skins;
}

/// Small joints without skinned joints below them that have enough others beside them, and joints among these whose
/// skinned children are all such joints (a jaw below a head with brows).
std::vector<bool> faceJoints(const Character& character, const SkinWeights& weights) {
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
    const std::vector<JointSkin> skins = skinOfJoints(character, weights);
    const double diagonal = geometry::boundingDiagonal(character.mesh.positions);
    std::vector<bool> leaf(parents.size(), true), face(parents.size(), false);
    for (std::size_t j = 0; j < parents.size(); ++j)
        for (std::int32_t p = parents[j]; skins[j].weight > 0 && p >= 0; p = parents[std::size_t(p)])
            leaf[std::size_t(p)] = false;
    // A group hangs on one joint, or on joints that hang on it.
    std::vector<std::size_t> near(parents.size(), 0);  // per joint: small leaves at most two joints below it
    const auto isLeaf = [&](std::size_t j) { return leaf[j] && parents[j] >= 0 && skins[j].isSmall(diagonal); };
    for (std::size_t j = 0; j < parents.size(); ++j) {
        if (!isLeaf(j)) continue;
        const auto parent = std::size_t(parents[j]);
        ++near[parent];
        if (parents[parent] >= 0) ++near[std::size_t(parents[parent])];
    }
    for (std::size_t j = 0; j < parents.size(); ++j) {
        if (!isLeaf(j)) continue;
        const auto parent = std::size_t(parents[j]);
        const bool above = parents[parent] >= 0 && near[std::size_t(parents[parent])] >= kGroup &&
                           near[std::size_t(parents[parent])] > near[parent];
        face[j] = near[parent] >= kGroup || above;
        if (face[j] && above) face[parent] = skins[parent].spread() < 2 * kSmall * diagonal;
    }
    return face;
}

void appendRow(const SkinWeights& from, std::size_t v, SkinWeights& to) {
    to.joints.insert(to.joints.end(), from.jointsOf(v).begin(), from.jointsOf(v).end());
    to.weights.insert(to.weights.end(), from.weightsOf(v).begin(), from.weightsOf(v).end());
    to.endRow(to.joints.size());
}

/// Per vertex the connected piece that it belongs to, and per piece its box.
struct Pieces {
    std::vector<std::uint32_t> of;
    std::vector<geometry::Box> boxes;

    explicit Pieces(const Mesh& mesh) {
        const geometry::Weld weld = geometry::weldByPosition(mesh);
        const auto parts = geometry::connectedParts(
            geometry::vertexAdjacency(geometry::weldedTriangles(mesh.triangles, weld), weld.count()));
        boxes.assign(parts.count, geometry::Box::none());
        for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
            of.push_back(parts.part[weld.welded[v]]);
            boxes[of.back()].grow(Vec3d(mesh.positions[v]));
        }
    }
};

}  // namespace

void evenOutTinyPieces(const Mesh& mesh, SkinWeights& bind) {
    const Pieces pieces(mesh);
    const double diagonal = geometry::boundingDiagonal(mesh.positions);
    std::map<std::uint32_t, std::map<std::uint32_t, double>> sums;  // per tiny piece and joint
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
        if (pieces.boxes[pieces.of[v]].diagonal() < kTiny * diagonal)
            for (std::size_t i = 0; i < bind.influenceCount(v); ++i)
                sums[pieces.of[v]][bind.jointsOf(v)[i]] += double(bind.weightsOf(v)[i]);
    if (sums.empty()) return;
    std::map<std::uint32_t, std::pair<std::vector<std::uint32_t>, std::vector<float>>> means;
    for (const auto& [piece, joints] : sums)
        for (const auto& [joint, weight] : joints) {
            means[piece].first.push_back(joint);
            means[piece].second.push_back(float(weight));
        }
    SkinWeights rows;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const auto mean = means.find(pieces.of[v]);
        if (mean == means.end())
            appendRow(bind, v, rows);
        else
            appendVertex(rows, mean->second.first, mean->second.second);
    }
    bind = std::move(rows);
}

void keepFaceRows(const Character& character, const SkinWeights& given, SkinWeights& bind) {
    const std::vector<bool> face = faceJoints(character, given);
    if (std::none_of(face.begin(), face.end(), [](bool f) { return f; })) return;
    SkinWeights rows;
    for (std::size_t v = 0; v < given.vertexCount(); ++v) {
        const auto joints = given.jointsOf(v);
        const bool keeps = std::any_of(joints.begin(), joints.end(), [&](std::uint32_t j) { return face[j]; });
        appendRow(keeps ? given : bind, v, rows);
    }
    bind = std::move(rows);
}

}  // namespace pelt::methods
