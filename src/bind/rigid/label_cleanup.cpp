// Removes small islands of a joint on the surface.
#include "label_cleanup.h"

#include <algorithm>
#include <map>

namespace pelt::bind {
namespace {

constexpr double kIslandShare = 0.2;  // of the joint's largest patch on the same part

using Patch = std::vector<std::uint32_t>;  // connected vertices on one joint

std::vector<Patch> patchesOf(const geometry::Adjacency& adjacency, const std::vector<std::uint32_t>& joints) {
    std::vector<Patch> patches;
    std::vector<bool> seen(joints.size(), false);
    for (std::uint32_t v = 0; v < joints.size(); ++v) {
        if (seen[v]) continue;
        Patch patch{v};
        seen[v] = true;
        for (std::size_t k = 0; k < patch.size(); ++k) {
            for (const std::uint32_t n : adjacency.of(patch[k])) {
                if (seen[n] || joints[n] != joints[v]) continue;
                seen[n] = true;
                patch.push_back(n);
            }
        }
        patches.push_back(std::move(patch));
    }
    return patches;
}

/// The joint that most edges out of the patch lead to, the lowest on ties; the patch's own if there is none.
std::uint32_t surrounding(const Patch& patch, const geometry::Adjacency& adjacency,
                          const std::vector<std::uint32_t>& joints) {
    std::map<std::uint32_t, std::size_t> edges;
    for (const std::uint32_t v : patch)
        for (const std::uint32_t n : adjacency.of(v))
            if (joints[n] != joints[v]) ++edges[joints[n]];
    const auto most =
        std::max_element(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == edges.end() ? joints[patch[0]] : most->first;
}

void dissolveIslands(const BindSurface& surface, std::vector<std::uint32_t>& joints) {
    const std::vector<Patch> patches = patchesOf(surface.adjacency, joints);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> largest;  // by part and joint
    for (const Patch& patch : patches) {
        std::size_t& size = largest[{surface.parts.part[patch[0]], joints[patch[0]]}];
        size = std::max(size, patch.size());
    }
    std::vector<std::uint32_t> cleaned = joints;
    for (const Patch& patch : patches) {
        const std::size_t main = largest[{surface.parts.part[patch[0]], joints[patch[0]]}];
        if (static_cast<double>(patch.size()) >= kIslandShare * static_cast<double>(main)) continue;
        const std::uint32_t joint = surrounding(patch, surface.adjacency, joints);
        for (const std::uint32_t v : patch) cleaned[v] = joint;
    }
    joints = std::move(cleaned);
}

}  // namespace

void cleanLabels(const BindSurface& surface, std::vector<std::uint32_t>& joints) { dissolveIslands(surface, joints); }

}  // namespace pelt::bind
