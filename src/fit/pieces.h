#pragma once

#include "bone_view.h"

namespace pelt::fit {

/// What a connected part of the mesh is to the skeleton.
struct Piece {
    double area = 0;                    ///< as a share of the whole surface
    std::vector<std::uint32_t> joints;  ///< whose bones it wraps round, ascending: what it is the flesh of

    std::vector<std::uint32_t> most;  ///< those of them with most of a bone inside

    /// Nothing of the skeleton is inside: it sits on something else.
    bool rides() const { return joints.empty(); }
    /// Whether it moves as one: small, and not the flesh of several joints. What is very small needs most of two bones
    /// inside to bend: a finger does, a ball in an elbow does not.
    bool isRigid() const;
};

/// One for each part of the surface.
std::vector<Piece> piecesOf(const BindSurface& surface, std::span<const BoneView> bones);

/// Puts small pieces on one joint as a whole: those that ride, on the joint of what they sit on, larger ones first; and
/// those that are the flesh of one joint alone. `joints`: per welded vertex.
void settlePieces(const BindSurface& surface, std::span<const Piece> pieces, std::size_t joint_count,
                  std::vector<std::uint32_t>& joints);

}  // namespace pelt::fit
