#pragma once

#include "bind/skeleton/bone_view.h"

namespace pelt::bind {

/// The relation of a connected part of the mesh to the skeleton.
struct Piece {
    double area = 0;                    ///< as a share of the whole surface
    std::vector<std::uint32_t> joints;  ///< joints whose bones it encloses, ascending

    std::vector<std::uint32_t> most;  ///< those of them with most of a bone inside

    /// No bone is inside: it is attached to another piece.
    bool rides() const { return joints.empty(); }
    /// Whether it moves rigidly: small, and not the flesh of several joints. A very small piece bends only if most of
    /// two bones is inside: a finger does, a ball in an elbow does not.
    bool isRigid() const;
};

/// One entry per part of the surface.
std::vector<Piece> piecesOf(const BindSurface& surface, std::span<const BoneView> bones);

/// Assigns small pieces to one joint as a whole: pieces without a bone to the joint of the surface they lie on, larger
/// ones first; and pieces with the bones of a single joint to that joint. `joints`: per welded vertex.
void settlePieces(const BindSurface& surface, std::span<const Piece> pieces, std::size_t joint_count,
                  std::vector<std::uint32_t>& joints);

}  // namespace pelt::bind
