#include "label_cleanup.h"

#include <algorithm>
#include <map>

namespace pelt::fit {
namespace {

constexpr double kIslandShare = 0.2;  // of the joint's largest patch on the same part
constexpr double kRigidShare = 0.8;   // of a part's vertices on one joint
constexpr double kSmallPart = 0.1;    // of all vertices

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

/// The joint that most edges out of the patch lead to, the lowest on ties; the patch's own where there is none.
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

void settleParts(const BindSurface& surface, std::size_t joint_count, std::vector<std::uint32_t>& joints) {
    std::vector<Patch> members(surface.parts.count);
    for (std::uint32_t v = 0; v < joints.size(); ++v) members[surface.parts.part[v]].push_back(v);
    std::vector<std::size_t> counts(joint_count, 0);
    for (const Patch& part : members) {
        if (static_cast<double>(part.size()) > kSmallPart * static_cast<double>(joints.size())) continue;
        std::uint32_t most = joints[part[0]];
        for (const std::uint32_t v : part) {
            const std::size_t count = ++counts[joints[v]];
            if (count > counts[most] || (count == counts[most] && joints[v] < most)) most = joints[v];
        }
        const bool rigid = static_cast<double>(counts[most]) >= kRigidShare * static_cast<double>(part.size());
        for (const std::uint32_t v : part) counts[joints[v]] = 0;
        if (!rigid) continue;
        for (const std::uint32_t v : part) joints[v] = most;
    }
}

}  // namespace

void cleanLabels(const BindSurface& surface, std::size_t joint_count, std::vector<std::uint32_t>& joints) {
    dissolveIslands(surface, joints);
    settleParts(surface, joint_count, joints);
}

}  // namespace pelt::fit
