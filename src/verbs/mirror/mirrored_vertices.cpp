// Finds where a vertex lies on the other side, and its mirrored row of weights.
#include "mirrored_vertices.h"

#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/normals.h>
#include <pelt/geometry/ray_tree.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace pelt::verbs {
namespace {

// Of the bounding-box diagonal:
constexpr double kMiddle = 5e-4;      ///< vertices this close to the plane are on it
constexpr double kSamePlace = 2e-4;   ///< a vertex this close to the mirrored position is the counterpart
constexpr double kNearEnough = 0.03;  ///< a surface farther away is no counterpart
constexpr double kFacing = 0.3;       ///< cosine: the surface must face the mirrored direction
constexpr double kSameSize = 1.5;     ///< ratio: pieces of two sides that differ by more are no twins
constexpr std::uint32_t kNoPiece = ~0u;

/// Finds vertices by position.
class VertexGrid {
public:
    VertexGrid(std::span<const Vec3f> positions, double reach) : positions_(positions), reach_(reach) {
        for (std::uint32_t v = 0; v < positions.size(); ++v) cells_[cellOf(Vec3d(positions[v]))].push_back(v);
    }

    template <class Act>
    void forNear(const Vec3d& place, const Act& act) const {
        const Cell middle = cellOf(place);
        for (int n = 0; n < 27; ++n) {
            const auto found = cells_.find({middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1});
            if (found == cells_.end()) continue;
            for (const std::uint32_t v : found->second)
                if (const double apart = length(Vec3d(positions_[v]) - place); apart <= reach_) act(v, apart);
        }
    }

private:
    using Cell = std::array<std::int64_t, 3>;
    Cell cellOf(const Vec3d& p) const {
        return {std::llround(p.x / (2 * reach_)), std::llround(p.y / (2 * reach_)), std::llround(p.z / (2 * reach_))};
    }

    std::span<const Vec3f> positions_;
    double reach_;
    std::map<Cell, std::vector<std::uint32_t>> cells_;
};

std::vector<std::uint32_t> partsOf(const Mesh& mesh) {
    std::vector<std::uint32_t> parts(mesh.vertexCount(), 0);
    for (std::uint32_t p = 0; p < mesh.parts.size(); ++p)
        std::fill_n(parts.begin() + mesh.parts[p].first_vertex, mesh.parts[p].vertex_count, p);
    return parts;
}

/// The connected pieces of the welded mesh.
struct MeshPieces {
    std::vector<std::uint32_t> of;  ///< per vertex
    std::vector<geometry::Box> boxes;
    std::vector<char> rigid;      ///< per piece: all of its vertices have the same weights
    std::vector<char> on_source;  ///< per piece: some of it is on the side that is copied

    MeshPieces(const Mesh& mesh, const SkinWeights& weights) {
        const geometry::Weld weld = geometry::weldByPosition(mesh);
        const std::vector<Triangle> triangles = geometry::weldedTriangles(mesh.triangles, weld);
        const auto parts = geometry::connectedParts(geometry::vertexAdjacency(triangles, weld.count()));
        for (const std::uint32_t point : weld.welded) of.push_back(parts.part[point]);
        boxes.assign(parts.count, geometry::Box::none());
        rigid.assign(parts.count, 1);
        on_source.assign(parts.count, 0);
        std::vector<std::uint32_t> first(parts.count, kNoPiece);
        for (std::uint32_t v = 0; v < of.size(); ++v) {
            boxes[of[v]].grow(Vec3d(mesh.positions[v]));
            if (first[of[v]] == kNoPiece) first[of[v]] = v;
            if (!sameRow(weights, v, first[of[v]])) rigid[of[v]] = 0;
        }
    }

    static bool sameRow(const SkinWeights& weights, std::size_t a, std::size_t b) {
        return std::ranges::equal(weights.jointsOf(a), weights.jointsOf(b)) &&
               std::ranges::equal(weights.weightsOf(a), weights.weightsOf(b));
    }
    bool alike(std::uint32_t a, std::uint32_t b) const {
        const double one = boxes[a].diagonal(), other = boxes[b].diagonal();
        return one <= kSameSize * other && other <= kSameSize * one;
    }
};

class SourceFinder {
public:
    SourceFinder(const Mesh& mesh, const rig::MirrorPlane& plane, bool from_positive, const SkinWeights& weights,
                 const std::vector<std::uint32_t>& twins)
        : mesh_(mesh),
          plane_(plane),
          sign_(from_positive ? 1 : -1),
          weights_(weights),
          twins_(twins),
          size_(std::max(geometry::boundingDiagonal(mesh.positions), 1e-30)),
          part_of_(partsOf(mesh)),
          pieces_(mesh, weights),
          normals_(geometry::angleWeightedNormals(mesh.positions, mesh.triangles, geometry::weldByPosition(mesh))),
          grid_(mesh.positions, kSamePlace * size_),
          positions_(mesh.positions.begin(), mesh.positions.end()),
          triangles_(sourceTriangles()),
          tree_(positions_, triangles_, tags_) {
        findTwins();
    }

    MirrorSource find(std::uint32_t v) const {
        const double side = sideOf(v);
        if (side > kMiddle * size_) return {MirrorSource::kept, {v, v, v}};
        if (side >= -kMiddle * size_) return {MirrorSource::middle, {v, v, v}};
        if (const std::uint32_t twin = counterpart(v); twin != v) return {MirrorSource::copied, {twin, twin, twin}};
        const auto place = nearestPlace(v);
        if (!place) return {MirrorSource::unmatched, {v, v, v}};
        return {MirrorSource::interpolated, triangles_[place->triangle], place->shares};
    }

private:
    double sideOf(std::uint32_t v) const { return sign_ * plane_.distance(Vec3d(mesh_.positions[v])); }

    /// The triangles of the side that is copied.
    std::vector<Triangle> sourceTriangles() {
        std::vector<Triangle> kept;
        for (const Triangle& t : mesh_.triangles) {
            if (!std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return sideOf(v) >= -kMiddle * size_; }))
                continue;
            kept.push_back(t);
            tags_.push_back(pieces_.of[t[0]]);
            pieces_.on_source[pieces_.of[t[0]]] = 1;
        }
        return kept;
    }

    /// Per piece, the piece from which it takes its weights: itself if it reaches across the plane; otherwise the one
    /// of like size that lies where most of it is mirrored to. None: a quiver on one shoulder.
    void findTwins() {
        constexpr std::size_t kSamples = 64;  // vertices of a piece
        const std::size_t count = pieces_.boxes.size();
        std::vector<std::vector<std::uint32_t>> samples(count);
        for (std::uint32_t v = 0; v < pieces_.of.size(); ++v)
            if (auto& some = samples[pieces_.of[v]]; some.size() < kSamples) some.push_back(v);
        std::vector<bool> candidates(tree_.tagCount());
        for (std::uint32_t piece = 0; piece < count; ++piece) {
            twin_piece_.push_back(pieces_.on_source[piece] ? piece : kNoPiece);
            if (pieces_.on_source[piece] || tree_.empty()) continue;
            for (std::uint32_t p = 0; p < candidates.size(); ++p) candidates[p] = pieces_.alike(p, piece);
            std::map<std::uint32_t, std::size_t> votes;
            for (const std::uint32_t v : samples[piece])
                if (const auto place = tree_.nearest(plane_.across(positions_[v]), kNearEnough * size_, candidates))
                    ++votes[tags_[place->triangle]];
            for (const auto& [other, found] : votes)
                if (2 * found > samples[piece].size()) twin_piece_[piece] = other;
        }
    }

    Vec3d mirroredNormal(std::uint32_t v) const {
        Vec3d normal(normals_[v]);
        normal[plane_.axis] = -normal[plane_.axis];
        return normal;
    }

    /// The vertex of its twin at the mirrored position; `v` itself if there is none. At seams and where layers touch
    /// there are several: one that fits already, then one that faces the same way, of the same part, the nearest.
    std::uint32_t counterpart(std::uint32_t v) const {
        std::uint32_t best = v;
        std::tuple<bool, bool, bool, double, std::uint32_t> best_rank;
        const std::uint32_t twin = twin_piece_[pieces_.of[v]];
        grid_.forNear(plane_.across(Vec3d(mesh_.positions[v])), [&](std::uint32_t u, double apart) {
            if (sideOf(u) < -kMiddle * size_ || u == v) return;
            if (twin != kNoPiece && pieces_.of[u] != twin) return;
            const std::tuple rank(!isMirroredRow(weights_, v, u, twins_),
                                  dot(mirroredNormal(v), Vec3d(normals_[u])) < kFacing, part_of_[u] != part_of_[v],
                                  apart, u);
            if (best == v || rank < best_rank) best = u, best_rank = rank;
        });
        return best;
    }

    std::optional<geometry::SurfacePlace> nearestPlace(std::uint32_t v) const {
        if (tree_.empty()) return {};
        const Vec3d place = plane_.across(Vec3d(mesh_.positions[v])), normal = mirroredNormal(v);
        const std::uint32_t piece = pieces_.of[v], twin = twin_piece_[piece];
        if (twin == kNoPiece) {
            if (pieces_.rigid[piece]) return {};
            if (auto found = tree_.nearestFacing(place, kNearEnough * size_, {normal, kFacing})) return found;
            return tree_.nearest(place, kNearEnough * size_);
        }
        // Another piece beside it, such as a quiver on a shoulder, moves as it does and not as this one.
        std::vector<bool> own(tree_.tagCount(), false);
        if (twin < own.size()) own[twin] = true;
        return tree_.nearest(place, kNearEnough * size_, own);
    }

    const Mesh& mesh_;
    rig::MirrorPlane plane_;
    double sign_;
    const SkinWeights& weights_;
    const std::vector<std::uint32_t>& twins_;
    double size_;
    std::vector<std::uint32_t> part_of_;
    MeshPieces pieces_;
    std::vector<std::uint32_t> twin_piece_;
    std::vector<Vec3f> normals_;
    VertexGrid grid_;
    std::vector<Vec3d> positions_;
    std::vector<std::uint32_t> tags_;
    std::vector<Triangle> triangles_;
    geometry::RayTree tree_;
};

/// The sum of rows with shares, on the joints of the other side; as many joints as the longest of them has.
void appendMirrored(const SkinWeights& from, const MirrorSource& source, const std::vector<std::uint32_t>& twins,
                    SkinWeights& to) {
    std::map<std::uint32_t, double> sums;
    std::size_t most = 0;
    for (std::size_t corner = 0; corner < 3; ++corner) {
        if (source.shares[corner] == 0) continue;
        const std::uint32_t v = source.vertices[corner];
        most = std::max(most, from.influenceCount(v));
        for (std::size_t i = 0; i < from.influenceCount(v); ++i)
            sums[twins[from.jointsOf(v)[i]]] += source.shares[corner] * double(from.weightsOf(v)[i]);
    }
    std::vector<std::pair<std::uint32_t, double>> row(sums.begin(), sums.end());
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    row.resize(std::min(row.size(), most));
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (const auto& [joint, weight] : row) joints.push_back(joint), values.push_back(float(weight));
    appendVertex(to, joints, values);
}

/// The mean of a row and its mirror image, on at most `most` joints: the lightest pairs are left out. Where only one
/// joint is allowed, it is `middle`, the nearest one above that belongs to both sides.
void appendSymmetric(const SkinWeights& from, std::size_t v, const std::vector<std::uint32_t>& twins, std::size_t most,
                     std::uint32_t middle, SkinWeights& to) {
    std::map<std::uint32_t, double> sums;
    for (std::size_t i = 0; i < from.influenceCount(v); ++i) {
        sums[from.jointsOf(v)[i]] += 0.5 * double(from.weightsOf(v)[i]);
        sums[twins[from.jointsOf(v)[i]]] += 0.5 * double(from.weightsOf(v)[i]);
    }
    while (sums.size() > most && most > 1) {
        const auto lightest = std::min_element(sums.begin(), sums.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
        const std::uint32_t joint = lightest->first;
        sums.erase(joint);
        sums.erase(twins[joint]);
    }
    if (sums.empty() || (most == 1 && sums.size() > 1)) sums = {{middle, 1.0}};
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (const auto& [joint, weight] : sums) joints.push_back(joint), values.push_back(float(weight));
    appendVertex(to, joints, values);
}

void appendCopy(const SkinWeights& from, std::size_t v, SkinWeights& to) {
    to.joints.insert(to.joints.end(), from.jointsOf(v).begin(), from.jointsOf(v).end());
    to.weights.insert(to.weights.end(), from.weightsOf(v).begin(), from.weightsOf(v).end());
    to.endRow(to.joints.size());
}

}  // namespace

bool isMirroredRow(const SkinWeights& weights, std::size_t a, std::size_t b, const std::vector<std::uint32_t>& twins) {
    if (weights.influenceCount(a) != weights.influenceCount(b)) return false;
    for (std::size_t i = 0; i < weights.influenceCount(a); ++i) {
        bool found = false;
        for (std::size_t k = 0; k < weights.influenceCount(b) && !found; ++k)
            found = twins[weights.jointsOf(b)[k]] == weights.jointsOf(a)[i] &&
                    weights.weightsOf(b)[k] == weights.weightsOf(a)[i];
        if (!found) return false;
    }
    return true;
}

std::vector<MirrorSource> findMirrorSources(const Mesh& mesh, const rig::MirrorPlane& plane, bool from_positive,
                                            const SkinWeights& weights, const std::vector<std::uint32_t>& twins,
                                            const Progress& progress) {
    progress.report("mirror", 0);
    const SourceFinder finder(mesh, plane, from_positive, weights, twins);
    std::vector<MirrorSource> sources(mesh.vertexCount());
    constexpr std::size_t kAtOnce = 16384;
    for (std::size_t first = 0; first < sources.size(); first += kAtOnce) {
        progress.report("mirror", double(first) / double(sources.size()));
        parallelFor(std::min(kAtOnce, sources.size() - first), kSolveGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = first + begin; v < first + end; ++v) sources[v] = finder.find(std::uint32_t(v));
        });
    }
    return sources;
}

SkinWeights mirroredRows(const SkinWeights& weights, const std::vector<MirrorSource>& sources,
                         const std::vector<std::uint32_t>& twins, const std::vector<std::uint32_t>& middles) {
    const std::size_t most = maxInfluences(weights);
    // Vertices on the plane first: the other side may get its weights from them.
    SkinWeights settled, rows;
    for (std::size_t v = 0; v < sources.size(); ++v) {
        if (sources[v].kind == MirrorSource::middle && weights.influenceCount(v) > 0 &&
            !isMirroredRow(weights, v, v, twins))
            appendSymmetric(weights, v, twins, most, middles[weights.jointsOf(v).front()], settled);
        else
            appendCopy(weights, v, settled);
    }
    settled = withoutSmall(settled, &weights);
    for (std::size_t v = 0; v < sources.size(); ++v) {
        const MirrorSource& source = sources[v];
        const bool taken = source.kind == MirrorSource::interpolated || source.kind == MirrorSource::copied;
        SkinWeights pair;
        appendCopy(settled, v, pair);
        if (taken) appendCopy(settled, source.vertices[0], pair);
        const bool fits = !taken || (source.kind == MirrorSource::copied && isMirroredRow(pair, 0, 1, twins));
        if (fits) {
            appendCopy(settled, v, rows);
            continue;
        }
        SkinWeights row;
        appendMirrored(settled, source, twins, row);
        appendCopy(source.kind == MirrorSource::copied ? row : withoutSmall(row), 0, rows);
    }
    return rows;
}

}  // namespace pelt::verbs
