#pragma once

#include <pelt/rig/clip.h>

namespace pelt::io::fbx {

/// Keys of one property for FBX: up to three numbers per key, linear between keys or constant.
struct Keys {
    std::vector<double> times;                ///< seconds
    std::vector<std::vector<double>> values;  ///< per component, one per key
    bool constant = false;
};

/// Translations, scales and morph weights: the keys of the file; a spline is sampled.
Keys plainKeys(const Channel& channel);

/// Rotations as Euler angles in degrees, X first; with keys in between where straight lines between the angles would
/// leave the rotation's way.
Keys eulerKeys(const Channel& channel);

/// R = Rz · Ry · Rx in degrees, each within half a turn of `near`.
Vec3d eulerAngles(const Quatd& rotation, const Vec3d& near);

}  // namespace pelt::io::fbx
