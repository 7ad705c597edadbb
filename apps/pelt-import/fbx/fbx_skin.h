#pragma once

#include <set>

#include "fbx_rig.h"
#include "mesh_builder.h"

namespace pelt::importer {

/// A joint of a skin, with both matrices of the bind pose.
struct FbxCluster {
    const FbxObject* model = nullptr;
    Affine3d transform;  ///< the mesh's space to the joint's
    Affine3d link;       ///< the joint's space to the scene's
    BonePoints points;
};

/// The clusters of the geometry's skin in the file's order; those without a joint are left out.
std::vector<FbxCluster> readClusters(const FbxDocument& document, const FbxObject& geometry, const FbxRig& rig);

/// One target shape of a blend shape channel; a channel with in-between shapes has several.
struct FbxShape {
    std::string name;
    const FbxObject* channel = nullptr;
    double percent = 0;                         ///< the channel's value at rest
    double previous = 0, full = 100, next = 0;  ///< percents of this shape and its neighbors; next = 0 for the last

    /// The weight of this shape at channel value `percent`: rises from the previous shape to this one and falls to the
    /// next.
    double weightAt(double percent) const;
};

/// In the order of the import library.
std::vector<FbxShape> readShapes(const FbxDocument& document, const FbxObject& geometry);

/// Per mesh of the library and vertex, its control point; empty lists if the two do not match.
std::vector<std::vector<std::uint32_t>> controlPoints(const FbxObject& geometry,
                                                      const std::vector<const aiMesh*>& meshes);

}  // namespace pelt::importer
