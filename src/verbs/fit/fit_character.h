#pragma once

#include <pelt/verbs/fit.h>

namespace pelt::verbs {

/// Gives the character its convex weights and dress pose. Normals and tangents are rotated as those of the fit, so
/// that hard edges stay hard.
void setFittedSkin(Character& character, const FitResult& made);

/// The affine weights as a payload.
std::shared_ptr<const DdmPayload> signedSkin(const Character& character, const FitResult& made);

/// Inserts a clip with one key per pose, sampled from `clip`, before the others; these get keys for the driven joints.
void keyPoses(Character& character, std::size_t clip, std::vector<double> times);

}  // namespace pelt::verbs
