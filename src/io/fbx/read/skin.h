#pragma once

#include "rig.h"

namespace pelt::io::fbx {

/// A joint of a skin.
struct FbxCluster {
    std::size_t model = 0;         ///< of the rig
    Affine3d transform;            ///< the mesh's space to the joint's, at bind
    std::optional<Affine3d> link;  ///< the joint's space to the scene's, at bind
    std::vector<std::int32_t> points;
    std::vector<float> weights;
};

/// The clusters of the geometry's skin in the file's order; those without a joint are left out.
std::vector<FbxCluster> readClusters(const FbxDocument& document, const FbxObject& geometry, const FbxRig& rig);

/// One target shape of a blend shape channel; a channel with in-between shapes has several.
struct FbxShape {
    std::string name;
    const FbxObject* channel = nullptr;
    const FbxObject* geometry = nullptr;        ///< the offsets
    double percent = 0;                         ///< the channel's value at rest
    double previous = 0, full = 100, next = 0;  ///< percents of this shape and its neighbors; next = 0 for the last

    /// The weight of this shape at channel value `percent`: rises from the previous shape to this one and falls to the
    /// next.
    double weightAt(double percent) const;
};

std::vector<FbxShape> readShapes(const FbxDocument& document, const FbxObject& geometry);

/// The offsets of a shape: those of points beyond `point_count` and what is not finite are left out.
struct ShapeOffsets {
    std::vector<std::uint32_t> points;
    std::vector<Vec3f> positions, normals;  ///< one per point; no normals if the file has none
};
ShapeOffsets readOffsets(const FbxObject& shape, std::size_t point_count);

}  // namespace pelt::io::fbx
