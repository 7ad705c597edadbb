// Finds the vertices of a tet mesh that a joint or bone holds.
#include "handle_places.h"

#include <algorithm>
#include <cmath>

namespace pelt::bind::bbw {
namespace {

constexpr double kTie = 1e-5;  // of the edge

struct Nearest {
    double distance = HUGE_VAL;
    std::uint32_t vertex = 0;
};

Nearest nearestOf(std::span<const Vec3d> vertices, const Vec3d& point) {
    Nearest best;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
        const Vec3d way = vertices[v] - point;
        const double squared = dot(way, way);
        if (squared < best.distance) best = {squared, v};
    }
    best.distance = std::sqrt(best.distance);
    return best;
}

void holdTies(std::span<const Vec3d> vertices, const Vec3d& point, double distance, std::vector<std::uint32_t>& held) {
    for (std::uint32_t v = 0; v < vertices.size(); ++v)
        if (length(vertices[v] - point) <= distance) held.push_back(v);
}

}  // namespace

void holdSegment(std::span<const Vec3d> vertices, double edge, double reach, const BiharmonicHandle::Segment& segment,
                 std::vector<std::uint32_t>& held) {
    constexpr double kMostSamples = 1000;
    const Vec3d way = segment.end - segment.start;
    const double wanted = edge > 0 ? 2 * length(way) / edge : 0;
    const int steps = int(std::clamp(std::ceil(wanted), 1.0, kMostSamples));
    const std::size_t before = held.size();
    double least = HUGE_VAL;
    Vec3d closest = segment.start;
    for (int k = 0; k <= steps; ++k) {
        const Vec3d sample = segment.start + way * (double(k) / steps);
        const double distance = nearestOf(vertices, sample).distance;
        if (distance <= reach) holdTies(vertices, sample, distance + kTie * edge, held);
        if (distance < least) {
            least = distance;
            closest = sample;
        }
    }
    if (held.size() == before) holdTies(vertices, closest, least + kTie * edge, held);
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
}

std::uint32_t nearestVertex(std::span<const Vec3d> vertices, const Vec3d& point) {
    return nearestOf(vertices, point).vertex;
}

double meanEdge(std::span<const Vec3d> vertices, const geometry::Adjacency& edges) {
    double sum = 0;
    for (std::size_t v = 0; v < vertices.size(); ++v)
        for (const std::uint32_t n : edges.of(v)) sum += length(vertices[v] - vertices[n]);
    return edges.neighbors.empty() ? 0 : sum / double(edges.neighbors.size());
}

}  // namespace pelt::bind::bbw
