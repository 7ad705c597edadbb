#pragma once

#include <pelt/geometry/weld.h>

#include "frames.h"
#include "surface_smoother.h"

namespace pelt::deform {

/// Arrays of one entry per welded vertex are in the order of the weld.
struct DeltaMushRig::Packed {
    geometry::Weld weld;
    std::vector<Vec3f> positions, normals;  ///< of the mesh, per vertex
    SkinWeights weights;                    ///< per welded vertex
    std::size_t joint_count = 0;            ///< one more than the highest joint in use
    Vec3d middle;                           ///< of the rest shape
    std::vector<Vec3d> rest;                ///< u − middle, per welded vertex
    std::vector<Vec3d> smooth_rest;         ///< ũ − middle
    VertexCorners corners;                  ///< for tangent frames
    DeltaMushFrames frames = DeltaMushFrames::procrustes;
    std::unique_ptr<const SurfaceSmoother> smoother;
};

/// u ↦ rotation (u − from) + to
struct DeltaMushFrame {
    Mat3f rotation;
    Vec3f from, to;
};

/// Positions are relative to the center of the skinned shape, for the precision of products.
struct DeltaMushPose::Data {
    std::shared_ptr<const DeltaMushRig::Packed> rig;
    std::vector<Affine3d> bones;
    std::vector<Vec3d> posed;            ///< v, then v − its middle; per welded vertex
    std::vector<Vec3d> smoothed;         ///< ṽ − the middle of v
    std::vector<double> columns;         ///< v and, for Procrustes frames, v uᵀ by rows: 3 or 12 channels
    std::vector<double> scratch;         ///< explicit smoothing alternates with it
    std::vector<DeltaMushFrame> frames;  ///< per welded vertex
};

/// Columns of three channels from vectors, and back.
void storeColumns(std::span<const Vec3d> vectors, std::span<double> columns);
void loadColumns(std::span<const double> columns, std::span<Vec3d> vectors);

}  // namespace pelt::deform
