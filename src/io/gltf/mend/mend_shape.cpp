// Repairs positions that are not finite, from their neighbors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mend.h"

namespace pelt::io::gltf {
namespace {

struct PositionSum {
    double x[3] = {0, 0, 0};
    double count = 0;

    void add(const float* p) {
        for (int c = 0; c < 3; ++c) x[c] += p[c];
        count += 1;
    }
    void put(float* p) const {
        for (int c = 0; c < 3; ++c) p[c] = static_cast<float>(x[c] / count);
    }
};

bool isFinitePoint(const float* p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

}  // namespace

void walkRings(std::span<const Triangle> triangles, std::vector<char>& known,
               const std::function<void(std::uint32_t, std::span<const std::uint32_t>)>& take) {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> around;  // of the unknown vertices
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (!known[t[i]] && t[i] != t[j]) around[t[i]].push_back(t[j]);
    std::vector<std::uint32_t> ring;
    for (auto& [v, neighbors] : around) {
        std::sort(neighbors.begin(), neighbors.end());
        neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
        if (std::any_of(neighbors.begin(), neighbors.end(), [&](std::uint32_t n) { return known[n] != 0; }))
            ring.push_back(v);
    }
    while (!ring.empty()) {
        std::sort(ring.begin(), ring.end());
        ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
        std::vector<std::uint32_t> next, before;
        for (const std::uint32_t v : ring) {
            before.clear();
            for (const std::uint32_t n : around.at(v)) (known[n] ? before : next).push_back(n);
            take(v, before);
        }
        for (const std::uint32_t v : ring) known[v] = 1;
        std::erase_if(next, [&](std::uint32_t v) { return known[v] != 0; });
        ring = std::move(next);
    }
}

std::size_t mendPositions(const JsonRef& who, std::vector<float>& positions, std::span<const Triangle> triangles) {
    const std::size_t count = positions.size() / 3;
    std::vector<std::uint32_t> lost;
    PositionSum all;
    for (std::uint32_t v = 0; v < count; ++v) {
        if (isFinitePoint(positions.data() + 3 * v))
            all.add(positions.data() + 3 * v);
        else
            lost.push_back(v);
    }
    if (lost.empty()) return 0;
    if (2 * lost.size() > count)
        who.fail(fmt::format("vertex {} and others ({} of {}) are not finite; re-export the file", lost.front(),
                             lost.size(), count));
    std::vector<char> known(count, 1);
    for (const std::uint32_t v : lost) known[v] = 0;
    walkRings(triangles, known, [&](std::uint32_t v, std::span<const std::uint32_t> neighbors) {
        PositionSum sum;
        for (const std::uint32_t n : neighbors) sum.add(positions.data() + 3 * n);
        sum.put(positions.data() + 3 * v);
    });
    for (const std::uint32_t v : lost)
        if (!known[v]) all.put(positions.data() + 3 * v);
    return lost.size();
}

}  // namespace pelt::io::gltf
