// Distances over the surface, by Dijkstra's method with a limit.
#include "reach.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <array>
#include <queue>

namespace pelt::bind {
namespace {

constexpr double kLinked = 0.01;  // of the diagonal: parts closer than this are linked

struct PartLink {
    std::uint32_t from, to;
    float length;
};

/// Per vertex, the nearest corner of another part close by.
std::vector<PartLink> linksBetweenParts(const BindSurface& surface) {
    const std::size_t count = surface.positions.size();
    std::vector<PartLink> nearest(count, PartLink{0, 0, -1});
    if (surface.parts.count < 2) return {};
    parallelFor(count, 256, [&](std::size_t first, std::size_t last) {
        std::vector<bool> allowed(surface.parts.count, true);
        for (std::size_t v = first; v < last; ++v) {
            if (!isFinite(surface.positions[v])) continue;
            const std::uint32_t part = surface.parts.part[v];
            allowed[part] = false;
            const auto place = surface.tree.nearest(surface.positions[v], kLinked * surface.diagonal, allowed);
            allowed[part] = true;
            if (!place) continue;
            const Triangle& corners = surface.triangles[place->triangle];
            const auto k = static_cast<std::size_t>(std::max_element(place->shares.begin(), place->shares.end()) -
                                                    place->shares.begin());
            nearest[v] = {static_cast<std::uint32_t>(v), corners[k],
                          static_cast<float>(length(surface.positions[corners[k]] - surface.positions[v]))};
        }
    });
    std::erase_if(nearest, [](const PartLink& link) { return link.length < 0; });
    return nearest;
}

}  // namespace

ReachGraph reachGraph(const BindSurface& surface) {
    const std::size_t count = surface.positions.size();
    std::vector<PartLink> links = linksBetweenParts(surface);
    const std::size_t one_way = links.size();
    for (std::size_t k = 0; k < one_way; ++k) links.push_back({links[k].to, links[k].from, links[k].length});
    std::stable_sort(links.begin(), links.end(), [](const PartLink& a, const PartLink& b) { return a.from < b.from; });
    ReachGraph graph;
    std::size_t next = 0;
    for (std::uint32_t v = 0; v < count; ++v) {
        for (const std::uint32_t n : surface.adjacency.of(v)) {
            graph.to.push_back(n);
            graph.lengths.push_back(static_cast<float>(length(surface.positions[n] - surface.positions[v])));
        }
        for (; next < links.size() && links[next].from == v; ++next) {
            graph.to.push_back(links[next].to);
            graph.lengths.push_back(links[next].length);
        }
        graph.endRow(graph.to.size());
    }
    return graph;
}

Reached ShortestPaths::from(std::span<const std::uint32_t> vertices, std::span<const float> distances, float limit,
                            const std::vector<bool>& allowed) {
    using Entry = std::pair<float, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::vector<std::uint32_t> touched;
    const auto offer = [&](std::uint32_t v, float distance) {
        if (!(distance <= limit) || state_[v] == 2 || (state_[v] == 1 && distances_[v] <= distance)) return;
        if (!allowed.empty() && !allowed[v]) return;
        if (state_[v] == 0) touched.push_back(v);
        state_[v] = 1;
        distances_[v] = distance;
        open.emplace(distance, v);
    };
    for (std::size_t k = 0; k < vertices.size(); ++k) offer(vertices[k], distances[k]);
    while (!open.empty()) {
        const auto [distance, v] = open.top();
        open.pop();
        if (state_[v] == 2) continue;
        state_[v] = 2;
        const auto to = graph_.rowOf(graph_.to, v);
        const auto lengths = graph_.rowOf(graph_.lengths, v);
        for (std::size_t k = 0; k < to.size(); ++k) offer(to[k], distance + lengths[k]);
    }
    Reached reached;
    std::sort(touched.begin(), touched.end());
    for (const std::uint32_t v : touched) {
        reached.vertices.push_back(v);
        reached.distances.push_back(distances_[v]);
        state_[v] = 0;
    }
    return reached;
}

}  // namespace pelt::bind
