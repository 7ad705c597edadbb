// The rigid bind of the biped: one connected patch of skin for every joint.
#include "biped_bind.h"

#include <pelt/core/parallel.h>
#include <pelt/geometry/adjacency.h>

#include <algorithm>

#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

/// Numbers the patches of equal joints; `largest` has the number of the largest patch of every joint.
std::vector<std::uint32_t> patches(const geometry::Adjacency& adjacency, const std::vector<std::size_t>& joint,
                                   std::vector<std::uint32_t>& largest) {
    std::vector<std::uint32_t> patch(joint.size(), kNone), stack;
    std::vector<std::size_t> best(bipedJoints().size(), 0);
    largest.assign(best.size(), kNone);
    std::uint32_t count = 0;
    for (std::uint32_t seed = 0; seed < joint.size(); ++seed) {
        if (patch[seed] != kNone) continue;
        std::size_t size = 0;
        patch[seed] = count;
        for (stack = {seed}; !stack.empty(); ++size) {
            const std::uint32_t v = stack.back();
            stack.pop_back();
            for (const std::uint32_t n : adjacency.of(v)) {
                if (patch[n] != kNone || joint[n] != joint[v]) continue;
                patch[n] = count;
                stack.push_back(n);
            }
        }
        if (size > best[joint[seed]]) best[joint[seed]] = size, largest[joint[seed]] = count;
        ++count;
    }
    return patch;
}

/// Assigns islands to the joints around them, one ring of vertices at a time.
void dissolveIslands(const geometry::Adjacency& adjacency, std::size_t positive_count,
                     std::vector<std::size_t>& joint) {
    std::vector<std::uint32_t> largest;
    const std::vector<std::uint32_t> patch = patches(adjacency, joint, largest);
    std::vector<std::uint32_t> open;
    std::vector<std::uint8_t> settled(joint.size());
    for (std::uint32_t v = 0; v < joint.size(); ++v) {
        settled[v] = patch[v] == largest[joint[v]];
        if (!settled[v]) open.push_back(v);
    }
    for (bool progress = true; progress && !open.empty();) {
        progress = false;
        std::vector<std::uint32_t> left, done;
        for (const std::uint32_t v : open) {
            std::size_t owner = kNone;
            for (const std::uint32_t n : adjacency.of(v)) {
                const bool allowed = v < positive_count || mirroredJoint(joint[n]) == joint[n];
                if (settled[n] && allowed) owner = std::min(owner, joint[n]);
            }
            if (owner != kNone) joint[v] = owner;
            (owner != kNone ? done : left).push_back(v);
        }
        for (const std::uint32_t v : done) settled[v] = 1;
        progress = !done.empty();
        open = left;
    }
}

}  // namespace

std::vector<std::size_t> bindToShape(const BipedShape& shape, const ImplicitMesh& skin) {
    const std::size_t half = skin.positive_count, middle = half + skin.plane_count;
    std::vector<std::size_t> joint(middle);
    parallelFor(middle, 512, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) joint[v] = shape.joint(skin.positions[v]);
    });
    std::vector<Triangle> left;
    for (const Triangle& t : skin.triangles)
        if (std::max({t[0], t[1], t[2]}) < middle) left.push_back(t);
    dissolveIslands(geometry::vertexAdjacency(left, middle), half, joint);
    for (std::size_t v = 0; v < half; ++v) joint.push_back(mirroredJoint(joint[v]));
    return joint;
}

}  // namespace pelt::scenes
