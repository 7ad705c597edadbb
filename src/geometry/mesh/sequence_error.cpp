// Compares two sequences frame by frame: distances and angles between faces.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/geometry/sequence_error.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pelt::geometry {
namespace {

constexpr std::size_t kErrorBlock = 8192;  ///< vertices whose errors are summed together

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

void checkFaces(std::span<const Triangle> triangles, std::size_t vertices) {
    for (std::size_t f = 0; f < triangles.size(); ++f)
        for (const std::uint32_t v : triangles[f])
            if (v >= vertices)
                throw Error::badInput("face " + std::to_string(f) + " names vertex " + std::to_string(v) + " of " +
                                      std::to_string(vertices));
}

struct RangeError {
    double sum = 0, max = 0;  ///< of squared distances
};

/// Squared distances of one frame: adds them to `vertex_sums` and returns their sum and maximum. The sum is taken range
/// by range, so that it has the same rounding on any number of threads.
RangeError addFrame(std::span<const Vec3f> a, std::span<const Vec3f> b, std::span<double> vertex_sums) {
    std::vector<RangeError> ranges((a.size() + kErrorBlock - 1) / kErrorBlock);
    parallelFor(a.size(), kErrorBlock, [&](std::size_t first, std::size_t last) {
        for (std::size_t start = first; start < last; start += kErrorBlock) {
            RangeError& range = ranges[start / kErrorBlock];
            for (std::size_t v = start; v < std::min(last, start + kErrorBlock); ++v) {
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

/// Counts the angles between the normals of faces: a histogram, so that memory does not grow with the frames. Sums are
/// taken range by range, so that they have the same rounding on any number of threads.
class SequenceComparison::NormalAngles {
public:
    explicit NormalAngles(std::span<const Triangle> triangles)
        : triangles_(triangles), ranges_((triangles.size() + kErrorBlock - 1) / kErrorBlock), counts_(kBins, 0) {}

    void addFrame(std::span<const Vec3f> a, std::span<const Vec3f> b) {
        parallelFor(triangles_.size(), kErrorBlock, [&](std::size_t first, std::size_t last) {
            Range& range = ranges_[first / kErrorBlock];
            range.angles.clear();
            for (std::size_t f = first; f < last; ++f) {
                const Vec3d n = normal(a, triangles_[f]), m = normal(b, triangles_[f]);
                if (dot(n, n) == 0 || dot(m, m) == 0) continue;
                const double angle = std::atan2(length(cross(n, m)), dot(n, m)) * 180 / std::numbers::pi;
                range.angles.push_back(float(angle));
                range.sum += angle;
            }
        });
        for (const Range& range : ranges_)
            for (const float angle : range.angles)
                ++counts_[std::min(static_cast<std::size_t>(angle * kBinsPerDegree), kBins - 1)];
    }

    std::optional<NormalError> result() const {
        const std::uint64_t total = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
        if (total == 0) return {};
        NormalError error;
        for (const Range& range : ranges_) error.mean += range.sum / double(total);
        std::uint64_t below = 0;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            below += counts_[bin];
            if (double(below) < 0.99 * double(total)) continue;
            error.p99 = double(bin + 1) / kBinsPerDegree;
            break;
        }
        return error;
    }

private:
    static constexpr std::size_t kBinsPerDegree = 100, kBins = 180 * kBinsPerDegree;
    struct Range {
        std::vector<float> angles;  ///< of the current frame
        double sum = 0;             ///< of all frames
    };

    static Vec3d normal(std::span<const Vec3f> x, const Triangle& t) {
        const Vec3d origin(x[t[0]]);
        return cross(Vec3d(x[t[1]]) - origin, Vec3d(x[t[2]]) - origin);
    }

    std::span<const Triangle> triangles_;
    std::vector<Range> ranges_;
    std::vector<std::uint64_t> counts_;
};

SequenceComparison::SequenceComparison(std::span<const Vec3f> rest, std::span<const Triangle> triangles)
    : rest_(rest), vertex_sums_(rest.size(), 0.0) {
    checkFaces(triangles, rest.size());
    angles_ = std::make_unique<NormalAngles>(triangles);
}

SequenceComparison::~SequenceComparison() = default;

void SequenceComparison::add(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    const RangeError frame = addFrame(a, b, vertex_sums_);
    const double vertices = double(std::max<std::size_t>(1, rest_.size()));
    frames_.push_back({std::sqrt(frame.sum / vertices), std::sqrt(frame.max)});
    sum_ += frame.sum;
    angles_->addFrame(a, b);
}

SequenceError SequenceComparison::result() const {
    SequenceError error;
    error.frames = frames_;
    error.vertex_rms.resize(rest_.size(), 0.0f);
    if (rest_.empty() || frames_.empty()) return error;
    for (const FrameError& frame : frames_) error.max = std::max(error.max, frame.max);
    error.normals = angles_->result();
    const double count = double(rest_.size()) * double(frames_.size());
    const double radius = smallestEnclosingSphere(rest_).radius;
    error.rms = std::sqrt(sum_ / count);
    error.e_rms = radius > 0 ? 1000 * std::sqrt(sum_ / (3 * count)) / radius : 0;
    for (std::size_t v = 0; v < rest_.size(); ++v)
        error.vertex_rms[v] = static_cast<float>(std::sqrt(vertex_sums_[v] / double(frames_.size())));
    return error;
}

SequenceError compareSequences(MeshSequence& a, MeshSequence& b, std::span<const Vec3f> rest, const Progress& progress,
                               std::span<const Triangle> triangles) {
    checkSizes(a, b, rest);
    SequenceComparison comparison(rest, triangles);
    std::vector<Vec3f> positions_a(rest.size()), positions_b(rest.size());
    for (std::size_t f = 0; f < a.frameCount(); ++f) {
        progress.report("compare", double(f) / double(a.frameCount()));
        a.readFrame(f, positions_a);
        b.readFrame(f, positions_b);
        comparison.add(positions_a, positions_b);
    }
    progress.report("compare", 1);
    return comparison.result();
}

}  // namespace pelt::geometry
