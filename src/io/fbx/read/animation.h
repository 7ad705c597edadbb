#pragma once

#include <array>

#include "curve.h"
#include "nodes.h"

namespace pelt::io::fbx {

/// One of the three animated vectors of a node on one layer: a curve or a fixed value per axis.
struct FbxTrack {
    enum class Blend { base, add, replace };
    Blend blend = Blend::base;
    double weight = 1;
    std::array<FbxCurve, 3> axes;  ///< empty if an axis has none
    Vec3d fixed;
};

/// The tracks of a node, lowest layer first.
struct FbxNodeTracks {
    std::vector<FbxTrack> translation, rotation, scale;
};

struct FbxTake {
    std::string name;
    double start = 0, stop = 0;                   ///< seconds; stop < start if the file has no range
    std::map<std::int64_t, FbxNodeTracks> nodes;  ///< by the model's id
    std::map<std::int64_t, FbxCurve> morphs;      ///< DeformPercent, by the blend shape channel's id
};

std::vector<FbxTake> readTakes(const FbxDocument& document);

/// The side from which a jump is evaluated.
enum class Side { after, before };

Vec3d evaluate(const std::vector<FbxTrack>& tracks, const Vec3d& rest, double t, Side side, bool is_scale);

/// The file's frame rate, clamped between 24 and 120 so that sampling is dense enough.
double frameRate(const FbxDocument& document);

}  // namespace pelt::io::fbx
