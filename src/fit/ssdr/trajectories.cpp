#include "trajectories.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <cmath>

namespace pelt::fit::ssdr {
namespace {

/// Frames that are read before they are written vertex by vertex: long enough to fill cache lines.
constexpr std::size_t kFramesAtOnce = 16;
constexpr std::size_t kVertexGrain = 1024;

Vec3d meanOf(std::span<const Vec3f> points) {
    Vec3d sum;
    for (const Vec3f& p : points) sum += Vec3d(p);
    return sum / double(points.size());
}

void checkSizes(const MeshSequence& frames, std::span<const Vec3f> rest) {
    if (frames.frameCount() == 0) throw Error::badInput("the sequence has no frames");
    if (frames.vertexCount() == 0) throw Error::badInput("the sequence has no vertices");
    if (frames.vertexCount() != rest.size())
        throw Error::badInput(fmt::format("the frames have {} vertices, the rest pose has {}; they must be the same",
                                          frames.vertexCount(), rest.size()));
    for (std::size_t v = 0; v < rest.size(); ++v)
        if (!isFinite(rest[v])) throw Error::badInput(fmt::format("rest pose, vertex {} is not finite", v));
}

}  // namespace

double Trajectories::eRms(double squared_error) const {
    return 1000 * std::sqrt(std::max(squared_error, 0.0) / (3.0 * double(vertices) * double(frames)));
}

Trajectories readTrajectories(MeshSequence& frames, std::span<const Vec3f> rest, const Progress& progress) {
    checkSizes(frames, rest);
    Trajectories data;
    data.vertices = rest.size();
    data.frames = frames.frameCount();
    const geometry::Sphere ball = geometry::smallestEnclosingSphere(rest);
    data.rest_center = ball.center;
    data.radius = ball.radius > 0 ? ball.radius : 1;
    for (const Vec3f& p : rest) data.rest.push_back((Vec3d(p) - data.rest_center) / data.radius);

    data.values.resize(data.vertices * data.dimensions());
    std::vector<Vec3f> read(std::min(kFramesAtOnce, data.frames) * data.vertices);
    for (std::size_t begin = 0; begin < data.frames; begin += kFramesAtOnce) {
        progress.report("read", double(begin) / double(data.frames));
        const std::size_t count = std::min(kFramesAtOnce, data.frames - begin);
        for (std::size_t f = 0; f < count; ++f) {
            const std::span<Vec3f> frame(read.data() + f * data.vertices, data.vertices);
            frames.readFrame(begin + f, frame);
            for (std::size_t v = 0; v < frame.size(); ++v)
                if (!isFinite(frame[v]))
                    throw Error::badInput(fmt::format("frame {}, vertex {} is not finite", begin + f, v));
            data.frame_center.push_back(meanOf(frame));
        }
        parallelFor(data.vertices, kVertexGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) {
                float* out = data.values.data() + v * data.dimensions() + 3 * begin;
                for (std::size_t f = 0; f < count; ++f) {
                    const Vec3d x = (Vec3d(read[f * data.vertices + v]) - data.frame_center[begin + f]) / data.radius;
                    *out++ = float(x.x), *out++ = float(x.y), *out++ = float(x.z);
                }
            }
        });
    }
    data.squared.resize(data.vertices);
    parallelFor(data.vertices, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            for (std::size_t d = 0; d < data.dimensions(); ++d)
                data.squared[v] += double(data.of(v)[d]) * double(data.of(v)[d]);
    });
    return data;
}

std::vector<std::uint32_t> nearestAtRest(const Trajectories& data, std::uint32_t center, std::size_t count) {
    std::vector<std::pair<double, std::uint32_t>> near(data.vertices);
    for (std::uint32_t v = 0; v < data.vertices; ++v) {
        const Vec3d d = data.rest[v] - data.rest[center];
        near[v] = {v == center ? -1.0 : dot(d, d), v};
    }
    count = std::min(count, near.size());
    std::partial_sort(near.begin(), near.begin() + std::ptrdiff_t(count), near.end());
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(near[i].second);
    return found;
}

}  // namespace pelt::fit::ssdr
