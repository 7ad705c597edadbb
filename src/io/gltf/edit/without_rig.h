#pragma once

#include "io/gltf/document/source.h"

namespace pelt::io::gltf {

/// The document with its meshes alone, each on a node of its own: no joints, skins or animations. Props are placed by
/// their nodes at rest.
Document withoutRig(const GltfSource& source);

}  // namespace pelt::io::gltf
