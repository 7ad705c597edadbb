#pragma once

namespace pelt::measure {

/// How far a skin is from another one over some poses.
struct SkinError {
    double rms = 0, max = 0, e_rms = 0;  ///< as in geometry::SequenceError
    double normals = 0;                  ///< degrees, RMS angle between the triangles' normals
};

}  // namespace pelt::measure
