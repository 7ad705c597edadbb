// Joints between the bones of a decomposition, as in
// [SchaeferYuksel07] Schaefer, Yuksel: "Example-Based Skeleton Extraction", SGP 2007.
//
// g the middle of the region shared by a and b, c = g + x the joint between them.
//
// The joint minimizes, averaged over the frames, |(R_a − R_b) c + (T_a − T_b)|² + λ |c − g|². The paper does not
// specify the strength λ of this regularization. Here it is derived: the joint lies about ρ from g, and the motions
// agree on a point only up to the residual σ that remains without regularization, so λ = σ²/ρ². Motions with an exact
// joint give it exactly; two bones that hardly rotate relative to each other, where noise would move the joint far
// away, keep g. Along the axis of a hinge every point is equally good, and the regularization selects the one closest
// to g.
#include <pelt/core/parallel.h>
#include <pelt/fit/bone_skeleton.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>

#include "decomposition_check.h"

namespace pelt::fit {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// The smallest λ: a mean squared rotation of this (radians²) counts as none.
constexpr double kLeastPull = 1e-10;
/// ρ is at least this fraction of the rest pose's radius: one shared vertex does not determine a joint.
constexpr double kLeastSpread = 0.05;
/// Errors that differ by less than this fraction of the radius count as equal; then the better boundary decides.
constexpr double kEqualError = 1e-3;
/// The cost of a unit of distance between bones that share nothing, relative to a unit of error.
constexpr double kGapCost = 0.05;

Vector3d toEigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

/// The boundary between two bones.
struct Boundary {
    double shared = 0;  ///< Σ_i min(w_ia, w_ib)
    Vec3d middle;       ///< g
    double spread = 0;  ///< ρ
};

struct Candidate {
    std::uint32_t a = 0, b = 0;
    Boundary boundary;
    double gap = 0;  ///< distance between the bones if they share no vertex
    Vec3d center;
    double error = 0;
    double cost = 0;  ///< minimized by the spanning tree
};

/// The vertices of a bone.
struct BoneShape {
    double weight = 0;  ///< Σ_i w_ij
    Vec3d middle;
    std::vector<std::uint32_t> vertices;  ///< whose heaviest bone it is
};

std::vector<BoneShape> boneShapes(const Decomposition& d) {
    std::vector<BoneShape> shapes(d.bones);
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        const auto bones = d.weights.jointsOf(v);
        for (std::size_t k = 0; k < bones.size(); ++k) {
            const double w = d.weights.weightsOf(v)[k];
            shapes[bones[k]].weight += w;
            shapes[bones[k]].middle += Vec3d(d.rest[v]) * w;
        }
        if (!bones.empty()) shapes[bones[0]].vertices.push_back(static_cast<std::uint32_t>(v));
    }
    for (BoneShape& shape : shapes) {
        if (shape.weight > 0) shape.middle = shape.middle / shape.weight;
    }
    return shapes;
}

/// Calls `visit(pair, vertex, min of the two weights)` for every two bones that share the vertex; pairs are a * bones +
/// b with a < b.
template <class Visit>
void forSharedVertices(const Decomposition& d, const Visit& visit) {
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        const auto bones = d.weights.jointsOf(v);
        const auto weights = d.weights.weightsOf(v);
        for (std::size_t k = 0; k < bones.size(); ++k) {
            for (std::size_t l = k + 1; l < bones.size(); ++l) {
                const std::size_t a = std::min(bones[k], bones[l]), b = std::max(bones[k], bones[l]);
                visit(a * d.bones + b, Vec3d(d.rest[v]), double(std::min(weights[k], weights[l])));
            }
        }
    }
}

/// Every two bones that share vertices, in ascending order.
std::vector<Candidate> touchingPairs(const Decomposition& d) {
    std::vector<Boundary> boundaries(d.bones * d.bones);
    forSharedVertices(d, [&](std::size_t pair, const Vec3d& p, double w) {
        boundaries[pair].shared += w;
        boundaries[pair].middle += p * w;
    });
    for (Boundary& boundary : boundaries) {
        if (boundary.shared > 0) boundary.middle = boundary.middle / boundary.shared;
    }
    forSharedVertices(d, [&](std::size_t pair, const Vec3d& p, double w) {
        const Vec3d offset = p - boundaries[pair].middle;
        boundaries[pair].spread += w * dot(offset, offset);
    });

    std::vector<Candidate> pairs;
    for (std::size_t pair = 0; pair < boundaries.size(); ++pair) {
        Boundary& boundary = boundaries[pair];
        if (!(boundary.shared > 0)) continue;
        boundary.spread = std::sqrt(boundary.spread / boundary.shared);
        Candidate candidate;
        candidate.a = static_cast<std::uint32_t>(pair / d.bones);
        candidate.b = static_cast<std::uint32_t>(pair % d.bones);
        candidate.boundary = boundary;
        pairs.push_back(candidate);
    }
    return pairs;
}

/// The position of the bone's own vertex nearest to a point; its middle if it is no vertex's heaviest bone.
Vec3d nearestVertex(const Decomposition& d, const BoneShape& shape, const Vec3d& point) {
    Vec3d nearest = shape.middle;
    double best = std::numeric_limits<double>::infinity();
    for (const std::uint32_t v : shape.vertices) {
        const Vec3d p(d.rest[v]);
        const double distance = dot(p - point, p - point);
        if (distance < best) best = distance, nearest = p;
    }
    return nearest;
}

/// Two bones that share nothing, and the point between them.
Candidate acrossGap(const Decomposition& d, const std::vector<BoneShape>& shapes, std::uint32_t a, std::uint32_t b) {
    const Vec3d near_a = nearestVertex(d, shapes[a], shapes[b].middle);
    const Vec3d near_b = nearestVertex(d, shapes[b], near_a);
    Candidate pair;
    pair.a = a;
    pair.b = b;
    pair.boundary.middle = (near_a + near_b) * 0.5;
    pair.gap = length(near_b - near_a);
    pair.boundary.spread = pair.gap / 2;
    return pair;
}

/// RMS distance, over the frames, between the images of a point under two bones.
double rmsApart(const Decomposition& d, std::size_t a, std::size_t b, const Vec3d& point) {
    double sum = 0;
    for (std::size_t t = 0; t < d.frames; ++t) {
        const Vec3d apart = d.pose(t)[a] * point - d.pose(t)[b] * point;
        sum += dot(apart, apart);
    }
    return d.frames ? std::sqrt(sum / static_cast<double>(d.frames)) : 0;
}

/// Computes center and error of a pair.
void fitCenter(const Decomposition& d, double radius, Candidate& pair) {
    const Vec3d middle = pair.boundary.middle;
    pair.center = middle;
    if (d.frames == 0) return;
    Matrix3d normal = Matrix3d::Zero();  // mean of (R_a − R_b)ᵀ (R_a − R_b)
    Vector3d right = Vector3d::Zero();   // mean of −(R_a − R_b)ᵀ (M_a g − M_b g)
    double constant = 0;                 // mean of |M_a g − M_b g|²
    for (std::size_t t = 0; t < d.frames; ++t) {
        const Affine3d &a = d.pose(t)[pair.a], &b = d.pose(t)[pair.b];
        const Mat3d turn = a.linear() + b.linear() * -1.0;
        Matrix3d difference;
        for (int column = 0; column < 3; ++column) difference.col(column) = toEigen(turn.col[column]);
        const Vector3d apart = toEigen(a * middle - b * middle);
        normal += difference.transpose() * difference;
        right -= difference.transpose() * apart;
        constant += apart.squaredNorm();
    }
    const double frames = static_cast<double>(d.frames);
    normal /= frames, right /= frames, constant /= frames;

    const auto solve = [&](double pull) -> Vector3d {
        return (normal + pull * Matrix3d::Identity()).ldlt().solve(right);
    };
    const auto squaredError = [&](const Vector3d& x) {
        return std::max(0.0, constant - 2 * right.dot(x) + x.dot(normal * x));
    };
    const double spread = std::max(pair.boundary.spread, kLeastSpread * radius);
    const double residual = squaredError(solve(kLeastPull));
    const Vector3d x = solve(kLeastPull + (spread > 0 ? residual / (spread * spread) : 0));
    pair.center = middle + Vec3d(x[0], x[1], x[2]);

    pair.error = rmsApart(d, pair.a, pair.b, pair.center);  // the form above cancels small values
}

void fitCenters(const Decomposition& d, double radius, std::vector<Candidate>& pairs) {
    parallelFor(pairs.size(), 4, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) fitCenter(d, radius, pairs[i]);
    });
}

/// A boundary of few vertices is unreliable. Its error is weighted by the square root of how much less the two bones
/// share than each shares with its closest neighbor: two thighs that touch are both children of the pelvis.
void weighTouching(std::size_t bones, double radius, std::vector<Candidate>& pairs) {
    std::vector<double> most(bones, 0.0);
    for (const Candidate& pair : pairs) {
        for (const std::uint32_t bone : {pair.a, pair.b}) most[bone] = std::max(most[bone], pair.boundary.shared);
    }
    for (Candidate& pair : pairs) {
        const double share = pair.boundary.shared / std::min(most[pair.a], most[pair.b]);
        pair.cost = std::hypot(pair.error, kEqualError * radius) / std::sqrt(share);
    }
}

/// The bones linked so far, as a forest with a label per tree.
class LinkedSets {
public:
    explicit LinkedSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t find(std::uint32_t bone) {
        while (parent_[bone] != bone) bone = parent_[bone] = parent_[parent_[bone]];
        return bone;
    }
    bool join(std::uint32_t a, std::uint32_t b) {
        a = find(a), b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<std::uint32_t> parent_;
};

/// Kruskal: adds pairs that join two trees by increasing cost; equal costs in the order of the bones.
void growTree(std::vector<Candidate>& pairs, LinkedSets& linked, std::vector<Candidate>& tree) {
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; });
    for (const Candidate& pair : pairs) {
        if (linked.join(pair.a, pair.b)) tree.push_back(pair);
    }
}

std::vector<Candidate> pairsAcrossGaps(const Decomposition& d, const std::vector<BoneShape>& shapes, double radius,
                                       LinkedSets& linked) {
    std::vector<Candidate> pairs;
    for (std::uint32_t a = 0; a < d.bones; ++a) {
        for (std::uint32_t b = a + 1; b < d.bones; ++b) {
            if (shapes[a].weight > 0 && shapes[b].weight > 0 && linked.find(a) != linked.find(b)) {
                pairs.push_back(acrossGap(d, shapes, a, b));
            }
        }
    }
    fitCenters(d, radius, pairs);
    for (Candidate& pair : pairs) {
        pair.cost = std::hypot(std::hypot(pair.error, kEqualError * radius), kGapCost * pair.gap);
    }
    return pairs;
}

/// Converts the tree's pairs into parents, starting from the root.
void hangOn(std::uint32_t root, const std::vector<Candidate>& tree, std::vector<BoneLink>& links) {
    std::vector<std::vector<std::uint32_t>> pairs_of(links.size());
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
        pairs_of[tree[i].a].push_back(i);
        pairs_of[tree[i].b].push_back(i);
    }
    std::vector<std::uint32_t> reached{root};
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const std::uint32_t bone = reached[next];
        for (const std::uint32_t i : pairs_of[bone]) {
            const std::uint32_t child = tree[i].a == bone ? tree[i].b : tree[i].a;
            if (static_cast<std::int32_t>(child) == links[bone].parent) continue;
            links[child] = {static_cast<std::int32_t>(bone), tree[i].center, tree[i].error};
            reached.push_back(child);
        }
    }
}

}  // namespace

std::vector<BoneLink> linkBones(const Decomposition& decomposition) {
    checkDecomposition(decomposition);
    const Decomposition& d = decomposition;
    std::vector<BoneLink> links(d.bones);
    if (d.bones == 0) return links;
    const std::vector<BoneShape> shapes = boneShapes(d);
    const double radius = geometry::smallestEnclosingSphere(d.rest).radius;

    LinkedSets linked(d.bones);
    std::vector<Candidate> tree;
    std::vector<Candidate> touching = touchingPairs(d);
    fitCenters(d, radius, touching);
    weighTouching(d.bones, radius, touching);
    growTree(touching, linked, tree);
    std::vector<Candidate> apart = pairsAcrossGaps(d, shapes, radius, linked);
    growTree(apart, linked, tree);

    const auto heavier = [](const BoneShape& x, const BoneShape& y) { return x.weight < y.weight; };
    const auto root =
        static_cast<std::uint32_t>(std::max_element(shapes.begin(), shapes.end(), heavier) - shapes.begin());
    links[root].center = shapes[root].middle;
    hangOn(root, tree, links);
    for (std::uint32_t bone = 0; bone < d.bones; ++bone) {
        if (bone == root || shapes[bone].weight > 0) continue;
        const Vec3d center = links[root].center;
        links[bone] = {static_cast<std::int32_t>(root), center, rmsApart(d, root, bone, center)};
    }
    return links;
}

std::vector<geometry::Sphere> boneSpheres(const Decomposition& decomposition) {
    checkDecomposition(decomposition);
    std::vector<geometry::Sphere> spheres;
    std::vector<Vec3f> positions;
    for (const BoneShape& shape : boneShapes(decomposition)) {
        positions.clear();
        for (const std::uint32_t v : shape.vertices) positions.push_back(decomposition.rest[v]);
        spheres.push_back(geometry::smallestEnclosingSphere(positions));
    }
    return spheres;
}

}  // namespace pelt::fit
