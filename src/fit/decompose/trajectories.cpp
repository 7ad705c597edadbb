// Reads all frames of a sequence and stores them vertex by vertex.
#include "trajectories.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace pelt::fit::ssdr {
namespace {

/// Frames read before they are stored vertex by vertex: enough to fill cache lines.
constexpr std::size_t kFramesAtOnce = 16;

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

/// A hash of the positions of a vertex at rest and in all frames (FNV-1a over words; 0 and -0 are equal).
std::uint64_t hashOf(const Trajectories& data, std::size_t vertex) {
    std::uint64_t hash = 14695981039346656037ULL;
    const auto add = [&](auto bits) { hash = (hash ^ bits) * 1099511628211ULL; };
    for (int a = 0; a < 3; ++a) add(std::bit_cast<std::uint64_t>(data.rest[vertex][a] + 0.0));
    for (std::size_t d = 0; d < data.dimensions(); ++d) add(std::bit_cast<std::uint32_t>(data.of(vertex)[d] + 0.0f));
    return hash;
}

}  // namespace

double Trajectories::eRms(double squared_error) const {
    const double points = mass.empty() ? double(vertices) : std::accumulate(mass.begin(), mass.end(), 0.0);
    return 1000 * std::sqrt(std::max(squared_error, 0.0) / (3.0 * points * double(frames)));
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

geometry::Weld weldTrajectories(Trajectories& data, const std::function<bool(std::uint32_t, std::uint32_t)>& alike) {
    std::vector<std::uint64_t> hashes(data.vertices);
    parallelFor(data.vertices, kVertexGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) hashes[v] = hashOf(data, v);
    });
    geometry::Weld weld;
    std::unordered_multimap<std::uint64_t, std::uint32_t> seen;  // welded vertices
    for (std::uint32_t v = 0; v < data.vertices; ++v) {
        const auto [first, last] = seen.equal_range(hashes[v]);
        const auto found = std::find_if(first, last, [&](const auto& entry) {
            const std::uint32_t other = weld.representative[entry.second];
            return data.rest[other] == data.rest[v] && alike(other, v) &&
                   std::equal(data.of(v), data.of(v) + data.dimensions(), data.of(other));
        });
        weld.welded.push_back(found == last ? std::uint32_t(weld.count()) : found->second);
        if (found != last) continue;
        seen.emplace(hashes[v], std::uint32_t(weld.count()));
        weld.representative.push_back(v);
    }
    data.mass.assign(weld.count(), 0.0);
    for (const std::uint32_t w : weld.welded) data.mass[w] += 1;
    for (std::size_t w = 0; w < weld.count(); ++w) {
        const std::size_t v = weld.representative[w];
        data.rest[w] = data.rest[v];
        data.squared[w] = data.squared[v];
        if (v != w)
            std::copy_n(data.of(v), data.dimensions(), data.values.begin() + std::ptrdiff_t(w * data.dimensions()));
    }
    data.vertices = weld.count();
    data.rest.resize(data.vertices);
    data.squared.resize(data.vertices);
    data.values.resize(data.vertices * data.dimensions());
    return weld;
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
