// The shape of the biped: its limbs blended into one implicit surface.
#include "biped_shape.h"

#include <algorithm>
#include <cmath>

#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

constexpr double kFar = 1e3;
constexpr double kFull = 0.015;      // up to this scale thin parts have their full number of edges
constexpr double kCoarsest = 0.030;  // longer edges would lose the shape

Vec3d flipped(const Vec3d& p) { return {-p.x, p.y, p.z}; }

double boxDistance(const Vec3d& p, const Vec3d& low, const Vec3d& high) {
    const double x = std::max({low.x - p.x, p.x - high.x, 0.0});
    const double y = std::max({low.y - p.y, p.y - high.y, 0.0});
    const double z = std::max({low.z - p.z, p.z - high.z, 0.0});
    return std::sqrt(x * x + y * y + z * z);
}

double segmentDistance(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
    const Vec3d d = b - a;
    const double t = std::clamp(dot(p - a, d) / std::max(dot(d, d), 1e-12), 0.0, 1.0);
    return length(p - a - d * t);
}

/// The joint of a chain whose section contains `p`: each section starts at the plane through the joint that bisects the
/// angle between its bone and the previous one.
std::size_t alongChain(const std::vector<std::size_t>& chain, const Vec3d& p) {
    const std::vector<BipedJoint>& joints = bipedJoints();
    std::size_t owner = chain.front();
    for (std::size_t i = 1; i < chain.size(); ++i) {
        const BipedJoint &before = joints[chain[i - 1]], &here = joints[chain[i]];
        const Vec3d direction = normalized(here.position - before.position) + normalized(here.tail - here.position);
        if (dot(p - here.position, direction) > 0) owner = chain[i];
    }
    return owner;
}

}  // namespace

BipedShape::BipedShape() {
    const std::size_t middle = addGroup(0.0, {torso(), neckAndHead()});
    const std::size_t left_leg = leg(), left_arm = arm();
    addGroup(0.0, {middle, left_leg, addMirrored(left_leg), left_arm, addMirrored(left_arm)});
    sizings();
}

std::size_t BipedShape::addSolid(std::unique_ptr<Solid> solid, double blend, const std::vector<const char*>& joints) {
    Node node;
    node.solid = solid.get();
    node.blend = blend;
    node.low = solid->low();
    node.high = solid->high();
    for (const char* name : joints) node.chain.push_back(bipedJoint(name));
    solids_.push_back(std::move(solid));
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

std::size_t BipedShape::addCarving(std::unique_ptr<Solid> solid, double blend) {
    const std::size_t node = addSolid(std::move(solid), blend, {});
    nodes_[node].carve = true;
    return node;
}

std::size_t BipedShape::addGroup(double blend, const std::vector<std::size_t>& children) {
    Node node;
    node.blend = blend;
    node.children = children;
    node.low = Vec3d(kFar, kFar, kFar);
    node.high = -node.low;
    for (const std::size_t c : children) {
        for (int k = 0; k < 3 && !nodes_[c].carve; ++k) {
            node.low[k] = std::min(node.low[k], nodes_[c].low[k]);
            node.high[k] = std::max(node.high[k], nodes_[c].high[k]);
        }
    }
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

std::size_t BipedShape::addMirrored(std::size_t original) {
    Node node = nodes_[original];
    node.low = flipped(nodes_[original].high);
    node.high = flipped(nodes_[original].low);
    node.low.y = nodes_[original].low.y, node.low.z = nodes_[original].low.z;
    node.high.y = nodes_[original].high.y, node.high.z = nodes_[original].high.z;
    node.mirrored = true;
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

double BipedShape::value(const Vec3d& p) const { return nodeValue(nodes_.size() - 1, p); }

double BipedShape::nodeValue(std::size_t index, const Vec3d& point) const {
    const Node& node = nodes_[index];
    const Vec3d p = node.mirrored ? flipped(point) : point;
    if (node.solid) return node.solid->distance(p);
    double d = kFar;
    for (const std::size_t c : node.children) {
        const Node& child = nodes_[c];
        // A child farther away than its blend radius has no effect; with a margin, since distances are only of first
        // order.
        const double box = boxDistance(p, child.low, child.high);
        if (child.carve ? box > 1.5 * child.blend : d < kFar && 0.7 * box > d + child.blend) continue;
        const double v = nodeValue(c, p);
        d = child.carve ? -smoothMin(-d, v, child.blend) : d < kFar ? smoothMin(d, v, child.blend) : v;
    }
    return d;
}

void BipedShape::findOwner(std::size_t index, const Vec3d& point, bool middle, Owner& owner) const {
    const Node& node = nodes_[index];
    const Vec3d p = node.mirrored ? flipped(point) : point;
    if (node.mirrored || node.carve) return;  // only called with x >= 0
    if (!node.solid) {
        for (const std::size_t c : node.children) findOwner(c, p, middle, owner);
        return;
    }
    const std::size_t joint = alongChain(node.chain, p);
    if (middle && mirroredJoint(joint) != joint) return;
    const double d = node.solid->distance(p);
    if (d < owner.distance) owner = {d, joint};
}

std::size_t BipedShape::joint(const Vec3d& p) const {
    Owner owner{kFar, 0};
    const bool left = p.x >= 0;
    findOwner(nodes_.size() - 1, left ? p : flipped(p), p.x == 0, owner);
    return left ? owner.joint : mirroredJoint(owner.joint);
}

double BipedShape::edgeLength(const Vec3d& point, double scale) const {
    constexpr double kGrading = 0.3;  // growth of the edge length per distance
    scale = std::min(scale, kCoarsest);
    const double slack = std::clamp(scale / kFull, 1.0, 1.6);  // with few vertices, fewer edges around thin parts
    const Vec3d p{std::abs(point.x), point.y, point.z};
    double h = scale;
    for (const Sizing& s : sizings_) {
        const double here = std::min(s.density * scale, s.most * slack);
        const double range = s.reach + (h - here) / kGrading;  // farther away it has no effect
        const Vec3d to_middle = p - (s.a + s.b) * 0.5;
        const double bound = range + 0.5 * s.span;
        if (range <= 0 || dot(to_middle, to_middle) > bound * bound) continue;
        h = std::min(h, here + kGrading * std::max(segmentDistance(p, s.a, s.b) - s.reach, 0.0));
    }
    return h;
}

}  // namespace pelt::scenes
