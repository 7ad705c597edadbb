#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>

namespace pelt::bind {

struct TransferOptions {
    double distance = 0.05;      ///< how far a vertex may be from the skin that it copies, of that skin's diagonal
    double angle = 30;           ///< degrees: how much its normal may differ
    std::size_t influences = 0;  ///< maximal number of joints per vertex; 0: as many as the given skin has
    bool fill = true;            ///< false: every vertex copies its nearest point, as other programs do; for comparison
};

/// How a vertex got its weights.
enum class TransferOrigin : std::uint8_t {
    filled,  ///< the smoothest weights between those that were copied
    rigid,   ///< part of a piece that moves as a whole
    copied,  ///< from the nearest point of the skin
};

struct TransferredWeights {
    SkinWeights weights;                 ///< one row per vertex of the mesh
    std::vector<TransferOrigin> origin;  ///< per vertex
    std::size_t rigid_pieces = 0;

    std::size_t count(TransferOrigin which) const;
};

/// Gives a mesh the skin of another one that lies beside it: a body's to its clothes or hair, to another topology or
/// to a level of detail, by weight inpainting [Abdrashitov23]. A vertex copies the weights of the nearest point of the
/// skin if distance and normal agree. The others get the smoothest weights between them, along the surface and from one
/// part to the next. Small loose pieces that do not lie in the skin itself (buttons, buckles), and pieces inside the
/// body, move as a whole: all their vertices have the weights of the surface they lie on.
///
/// Both meshes are in the same space. Copies of a vertex at seams get equal weights. Joints are those of
/// `from_weights`. The result has the same bytes on any number of threads. Throws Error: bad input for weights that do
/// not match their mesh, a mesh without faces to copy from, or meshes so far apart that no vertex is within `distance`;
/// bad usage for options outside their range; cancelled if `progress` requests it.
TransferredWeights transferWeights(const Mesh& from, const SkinWeights& from_weights, const Mesh& to,
                                   const TransferOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::bind
