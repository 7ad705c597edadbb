// Weight inpainting: R. Abdrashitov, K. Raichstat, J. Monsen, D. Hill, "Robust Skin Weights Transfer via Weight
// Inpainting", SIGGRAPH Asia 2023 Technical Communications [Abdrashitov23].
//
// Differences from the paper: if the nearest point faces another way, a point that faces the same way and is not much
// farther is used (a sleeve beside the body copies from the arm); the lining of a cloth, which faces the skin, copies
// from it; small loose pieces keep their shape; parts side by side are connected; a part that agrees nowhere starts
// from the tenth of it that is nearest to the skin.

#include <fmt/format.h>
#include <pelt/bind/transfer.h>
#include <pelt/core/error.h>
#include <pelt/geometry/connect_parts.h>

#include <algorithm>
#include <cmath>

#include "correspondence.h"
#include "inpaint.h"
#include "loose_pieces.h"

namespace pelt::bind {
namespace {

using namespace transfer;

constexpr double kAnchored = 0.1;  ///< share of a region that agrees nowhere from which its weights spread

void checkTransfer(const Mesh& from, const SkinWeights& weights, const Mesh& to, const TransferOptions& options) {
    if (weights.vertexCount() != from.vertexCount())
        throw Error::badInput(
            fmt::format("has weights for {} of {} vertices", weights.vertexCount(), from.vertexCount()));
    for (std::size_t v = 0; v < weights.vertexCount(); ++v)
        if (weights.influenceCount(v) == 0) throw Error::badInput(fmt::format("vertex {} has no weight", v));
    if (from.triangles.empty()) throw Error::badInput("has no faces to copy weights from");
    if (to.positions.empty()) throw Error::badInput("there is no mesh to copy weights to");
    if (!(options.distance > 0) || !std::isfinite(options.distance))
        throw Error::badUsage("`distance` must be above 0");
    if (!(options.angle > 0) || options.angle > 180) throw Error::badUsage("`angle` must be above 0 and at most 180");
}

SkinWeights ofRepresentatives(const SkinWeights& weights, const geometry::Weld& weld) {
    SkinWeights rows;
    for (const std::uint32_t v : weld.representative) appendVertex(rows, weights.jointsOf(v), weights.weightsOf(v));
    return rows;
}

SkinWeights ofAllCopies(const SkinWeights& rows, const geometry::Weld& weld) {
    SkinWeights weights;
    for (const std::uint32_t v : weld.welded) appendVertex(weights, rows.jointsOf(v), rows.weightsOf(v));
    return weights;
}

class Transfer {
public:
    Transfer(const BindSurface& from, const SkinWeights& rows, const BindSurface& to) : from_{from, rows}, to_(to) {}

    void run(const TransferOptions& options, const Progress& progress) {
        matches_ = options.fill ? matchSurfaces(from_.surface, to_, options.distance * from_.surface.diagonal,
                                                options.angle, progress)
                                : nearestPlaces(from_.surface, to_, progress);
        origin_.assign(matches_.size(), TransferOrigin::copied);
        const SkinWeights nearest = copied();
        rows_ = nearest;
        if (!options.fill) return;
        if (std::none_of(matches_.begin(), matches_.end(), [](const Match& m) { return m.agrees; })) refuse(options);
        const std::vector<bool> rigid = rigidPieces(from_.surface, to_, matches_);
        rigid_pieces = std::size_t(std::count(rigid.begin(), rigid.end(), true));
        for (std::size_t v = 0; v < matches_.size(); ++v)
            origin_[v] = rigid[to_.parts.part[v]] ? TransferOrigin::rigid
                         : matches_[v].agrees     ? TransferOrigin::copied
                                                  : TransferOrigin::filled;
        fill(nearest, progress);
        if (rigid_pieces > 0) rows_ = settleRigidPieces(from_, {to_, rows_}, matches_, rigid);
    }

    const SkinWeights& rows() const { return rows_; }
    const std::vector<TransferOrigin>& origin() const { return origin_; }
    std::size_t rigid_pieces = 0;

private:
    [[noreturn]] void refuse(const TransferOptions& options) const {
        double least = HUGE_VAL;
        for (const Match& m : matches_) least = std::min(least, m.distance / from_.surface.diagonal);
        throw Error::badInput(
            fmt::format("no vertex agrees with the skin: the nearest is {:.3g} of its diagonal away (`distance` allows "
                        "{:.3g}); both "
                        "meshes must lie on each other, in the same unit and pose",
                        least, options.distance));
    }

    /// Every vertex the weights of its match.
    SkinWeights copied() const {
        SkinWeights rows;
        RowSum row;
        for (const Match& match : matches_) {
            from_.addAt(match.place, 1, row);
            row.appendTo(rows);
        }
        return rows;
    }

    void fill(const SkinWeights& nearest, const Progress& progress) {
        std::vector<std::uint32_t> labels(matches_.size());
        for (std::size_t v = 0; v < labels.size(); ++v)
            labels[v] = origin_[v] == TransferOrigin::rigid ? geometry::kNoLabel : nearest.jointsOf(v).front();
        const FillGraph graph = fillGraph(to_, labels);
        std::vector<bool> known(matches_.size());
        for (std::size_t v = 0; v < known.size(); ++v) known[v] = origin_[v] != TransferOrigin::filled;
        anchorRegions(graph.regions, known);
        SkinWeights given;
        RowSum row;
        for (std::size_t v = 0; v < known.size(); ++v) {
            if (known[v]) row.add(nearest, v, 1);
            row.appendTo(given);
        }
        rows_ = inpaint(to_, graph, given, progress);
    }

    /// A region without a known vertex starts from those nearest to the skin.
    void anchorRegions(const geometry::ConnectedParts& regions, std::vector<bool>& known) const {
        std::vector<std::vector<std::uint32_t>> lost(regions.count);
        std::vector<bool> has(regions.count);
        for (std::size_t v = 0; v < known.size(); ++v) has[regions.part[v]] = has[regions.part[v]] || known[v];
        for (std::uint32_t v = 0; v < known.size(); ++v)
            if (!has[regions.part[v]]) lost[regions.part[v]].push_back(v);
        for (std::vector<std::uint32_t>& vertices : lost) {
            const auto count = std::size_t(std::ceil(kAnchored * double(vertices.size())));
            std::stable_sort(vertices.begin(), vertices.end(), [&](std::uint32_t a, std::uint32_t b) {
                return matches_[a].distance < matches_[b].distance;
            });
            for (std::size_t i = 0; i < count; ++i) known[vertices[i]] = true;
        }
    }

    WeightedSurface from_;
    const BindSurface& to_;
    std::vector<Match> matches_;
    std::vector<TransferOrigin> origin_;  ///< per welded vertex
    SkinWeights rows_;                    ///< per welded vertex
};

}  // namespace

std::size_t TransferredWeights::count(TransferOrigin which) const {
    return std::size_t(std::count(origin.begin(), origin.end(), which));
}

TransferredWeights transferWeights(const Mesh& from, const SkinWeights& from_weights, const Mesh& to,
                                   const TransferOptions& options, const Progress& progress) {
    checkTransfer(from, from_weights, to, options);
    progress.report("match", 0);
    const BindSurface source = bindSurface(from), target = bindSurface(to);
    const SkinWeights source_rows = ofRepresentatives(from_weights, source.weld);
    Transfer transfer(source, source_rows, target);
    transfer.run(options, progress);
    TransferredWeights result;
    const std::size_t most = options.influences > 0 ? options.influences : maxInfluences(from_weights);
    result.weights = withoutSmall(keepHeaviest(ofAllCopies(transfer.rows(), target.weld), most));
    result.rigid_pieces = transfer.rigid_pieces;
    for (const std::uint32_t v : target.weld.welded) result.origin.push_back(transfer.origin()[v]);
    return result;
}

}  // namespace pelt::bind
