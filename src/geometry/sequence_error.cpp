#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/sequence_error.h>

#include <algorithm>

namespace pelt::geometry {
namespace {

constexpr std::size_t kGrain = 8192;

void checkSizes(const MeshSequence& a, const MeshSequence& b, std::span<const Vec3f> rest) {
    const auto differ = [](const std::string& what, std::size_t x, std::size_t y) {
        return Error::badInput("the sequences cannot be compared: " + std::to_string(x) + " and " + std::to_string(y) +
                               " " + what);
    };
    if (a.vertexCount() != b.vertexCount()) throw differ("vertices", a.vertexCount(), b.vertexCount());
    if (a.frameCount() != b.frameCount()) throw differ("frames", a.frameCount(), b.frameCount());
    if (rest.size() != a.vertexCount()) {
        throw Error::badInput("the rest pose has " + std::to_string(rest.size()) + " vertices, the sequences have " +
                              std::to_string(a.vertexCount()));
    }
}

struct RangeError {
    double sum = 0, max = 0;  ///< of squared distances
};

/// Squared distances of one frame: adds them to `vertex_sums` and gives their sum and largest. The sum is taken
/// range by range, so that it has the same rounding on any number of threads.
RangeError addFrame(std::span<const Vec3f> a, std::span<const Vec3f> b, std::span<double> vertex_sums) {
    std::vector<RangeError> ranges((a.size() + kGrain - 1) / kGrain);
    parallelFor(a.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t start = first; start < last; start += kGrain) {
            RangeError& range = ranges[start / kGrain];
            for (std::size_t v = start; v < std::min(last, start + kGrain); ++v) {
                const Vec3d d = Vec3d(a[v]) - Vec3d(b[v]);
                const double squared = dot(d, d);
                vertex_sums[v] += squared;
                range.sum += squared;
                range.max = std::max(range.max, squared);
            }
        }
    });
    RangeError total;
    for (const RangeError& range : ranges) total = {total.sum + range.sum, std::max(total.max, range.max)};
    return total;
}

}  // namespace

SequenceError compareSequences(MeshSequence& a, MeshSequence& b, std::span<const Vec3f> rest,
                               const Progress& progress) {
    checkSizes(a, b, rest);
    const std::size_t vertices = a.vertexCount(), frames = a.frameCount();
    SequenceError error;
    error.vertex_rms.resize(vertices, 0.0f);
    if (vertices == 0 || frames == 0) {
        error.frames.resize(frames);
        return error;
    }

    std::vector<Vec3f> positions_a(vertices), positions_b(vertices);
    std::vector<double> vertex_sums(vertices, 0.0);
    double sum = 0;
    for (std::size_t f = 0; f < frames; ++f) {
        progress.report("compare", double(f) / double(frames));
        a.readFrame(f, positions_a);
        b.readFrame(f, positions_b);
        const RangeError frame = addFrame(positions_a, positions_b, vertex_sums);
        error.frames.push_back({std::sqrt(frame.sum / double(vertices)), std::sqrt(frame.max)});
        error.max = std::max(error.max, error.frames.back().max);
        sum += frame.sum;
    }
    progress.report("compare", 1);

    const double count = double(vertices) * double(frames);
    const double radius = smallestEnclosingSphere(rest).radius;
    error.rms = std::sqrt(sum / count);
    error.e_rms = radius > 0 ? 1000 * std::sqrt(sum / (3 * count)) / radius : 0;
    for (std::size_t v = 0; v < vertices; ++v) {
        error.vertex_rms[v] = static_cast<float>(std::sqrt(vertex_sums[v] / double(frames)));
    }
    return error;
}

}  // namespace pelt::geometry
