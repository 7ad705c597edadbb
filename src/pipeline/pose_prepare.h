#pragma once

#include <pelt/pipeline/pose.h>
#include <pelt/pipeline/preparation_cache.h>

#include <functional>

namespace pelt::pipeline {

/// The rig of a character as it stands, with the volume that holds it where the energy asks for one; from the cache (if
/// there is one) where it was prepared before.
pose::PoseRig prepareRig(const Character& standing, const PoseRequest& request, const Progress& progress);

/// Weights that take long to make, likewise; `key` has what they are made of.
SkinWeights keptWeights(const PreparationCache* cache, const ContentKey& key, const std::function<SkinWeights()>& make);

/// The mesh and the joints of a character as part of a key.
void addShape(ContentKey& key, const Character& character);

}  // namespace pelt::pipeline
