#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>

#include <memory>
#include <optional>

namespace pelt::geometry {

struct FrameError {
    double rms = 0;  ///< sqrt(sum |d|^2 / V)
    double max = 0;
};

/// Angles between the face normals of two sequences, in degrees, over all faces and frames.
struct NormalError {
    double mean = 0;
    double p99 = 0;  ///< 99th percentile, to a hundredth of a degree
};

/// The difference between two sequences, in the file's units; e_rms is [LeDeng12]'s: the rest pose scaled into the unit
/// sphere, then 1000 sqrt(sum |d|^2 / (3 V F)); 0 for a rest pose that is a single point.
struct SequenceError {
    double rms = 0, max = 0, e_rms = 0;
    std::vector<FrameError> frames;
    std::vector<float> vertex_rms;       ///< per vertex over all frames
    std::optional<NormalError> normals;  ///< if faces were given and some have an area in both
};

/// A comparison that frames are added to.
class SequenceComparison {
public:
    /// `rest` determines the number of vertices V and the scale of e_rms; `triangles`, if any, are the faces whose
    /// normals are compared. Both must outlive this object. Throws Error (bad input) for a face with a missing vertex.
    explicit SequenceComparison(std::span<const Vec3f> rest, std::span<const Triangle> triangles = {});
    ~SequenceComparison();

    /// Adds a frame of each sequence, with V vertices.
    void add(std::span<const Vec3f> a, std::span<const Vec3f> b);
    SequenceError result() const;

private:
    class NormalAngles;
    std::span<const Vec3f> rest_;
    std::vector<FrameError> frames_;
    std::vector<double> vertex_sums_;  ///< of squared distances
    double sum_ = 0;
    std::unique_ptr<NormalAngles> angles_;
};

/// Reads both frame by frame; `rest` and `triangles` as above. Throws Error (bad input) for different sizes or a face
/// with a missing vertex.
SequenceError compareSequences(MeshSequence& a, MeshSequence& b, std::span<const Vec3f> rest,
                               const Progress& progress = {}, std::span<const Triangle> triangles = {});

}  // namespace pelt::geometry
