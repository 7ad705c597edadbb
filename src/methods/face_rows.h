#pragma once

#include <pelt/rig/character.h>

namespace pelt::methods {

/// Puts the rows of `given` back into a rigid bind of them, at the vertices that follow joints of a face: groups of at
/// least four small joints beside each other without a chain, whose skin an artist has smoothed. Brows, lids and lips
/// are too small to be found again by smoothing one joint per vertex.
void keepFaceRows(const Character& character, const SkinWeights& given, SkinWeights& bind);

/// Gives the vertices of a tiny piece of the mesh, such as a bead, the mean of their rows: over so short a distance,
/// weights that differ are a shear so strong that no rotation can be read from it, and normals would be anything.
void evenOutTinyPieces(const Mesh& mesh, SkinWeights& bind);

}  // namespace pelt::methods
