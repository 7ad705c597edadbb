#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>

namespace pelt::geometry {

struct FrameError {
    double rms = 0;  ///< sqrt(sum |d|^2 / V)
    double max = 0;
};

/// How far two sequences are apart, in the file's units; e_rms is [LeDeng12]'s: the rest pose scaled into the unit
/// sphere, then 1000 sqrt(sum |d|^2 / (3 V F)); 0 for a rest pose that is a single point.
struct SequenceError {
    double rms = 0, max = 0, e_rms = 0;
    std::vector<FrameError> frames;
    std::vector<float> vertex_rms;  ///< per vertex over all frames
};

/// Reads both frame by frame. `rest` gives the scale of e_rms (V long). Throws Error (bad input) for different sizes.
SequenceError compareSequences(MeshSequence& a, MeshSequence& b, std::span<const Vec3f> rest,
                               const Progress& progress = {});

}  // namespace pelt::geometry
