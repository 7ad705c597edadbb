#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "deform/reference.h"

namespace pelt::deform {

/// Numbers that are the same with every standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 88172645463325252u) {}
    double unit() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }
    double between(double low, double high) { return low + (high - low) * unit(); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(unit() * static_cast<double>(n)); }
    Vec3d direction() {
        Vec3d v;
        do v = {between(-1, 1), between(-1, 1), between(-1, 1)};
        while (dot(v, v) < 0.01 || dot(v, v) > 1);
        return normalized(v);
    }

private:
    std::uint64_t state_;
};

enum class Bones { identity, gentle, wild, stretched, mirrored };

inline Affine3f makeBone(Random& random, Bones kind, const Vec3d& center) {
    if (kind == Bones::identity) return {};
    const double angle = kind == Bones::wild ? std::numbers::pi : 0.7;
    const Mat3d r = toMatrix(axisAngle(random.direction(), random.between(-angle, angle)));
    Mat3d a = r;
    if (kind == Bones::stretched || kind == Bones::mirrored) {
        const Mat3d axes = toMatrix(axisAngle(random.direction(), random.between(-3, 3)));
        const double sign = kind == Bones::mirrored ? -1 : 1;
        const Mat3d scale{{{1.7 * sign, 0, 0}, {0, 1.3, 0}, {0, 0, 0.6}}};
        a = r * axes * scale * transposed(axes);
    }
    const Vec3d t{random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)};
    return Affine3f(Affine3d(a, center - a * center + t));
}

/// A cloud of vertices in [-1, 1]³ with unit normals, on `joints` joints.
struct SkinCase {
    Mesh mesh;
    SkinWeights weights;
    std::vector<Vec3d> centers;
    std::vector<Affine3f> bones;

    double diagonal() const { return 2 * std::numbers::sqrt3; }
};

inline SkinCase makeCase(std::size_t vertices, std::size_t joints, std::size_t influences, Bones kind,
                         std::uint64_t seed = 1) {
    Random random(seed);
    SkinCase c;
    for (std::size_t v = 0; v < vertices; ++v) {
        c.mesh.positions.push_back(
            {float(random.between(-1, 1)), float(random.between(-1, 1)), float(random.between(-1, 1))});
        c.mesh.normals.emplace_back(random.direction());
        std::vector<std::uint32_t> named;
        std::vector<float> values;
        while (named.size() < std::min(influences, joints)) {
            const auto joint = static_cast<std::uint32_t>(random.below(joints));
            if (std::find(named.begin(), named.end(), joint) != named.end()) continue;
            named.push_back(joint);
            values.push_back(float(random.between(0.05, 1)));
        }
        appendVertex(c.weights, named, values);
    }
    for (std::size_t j = 0; j < joints; ++j) {
        c.centers.push_back({random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)});
        c.bones.push_back(makeBone(random, kind, c.centers.back()));
    }
    return c;
}

struct Posed {
    std::vector<Vec3f> positions, normals;
    friend bool operator==(const Posed&, const Posed&) = default;
};

struct PosedDouble {
    std::vector<Vec3d> positions, normals;
};

template <class To, class From>
std::vector<To> castAll(const std::vector<From>& from) {
    std::vector<To> to;
    to.reserve(from.size());
    for (const From& f : from) to.push_back(To(f));
    return to;
}

enum class Method { lbs, dqs };

inline std::string nameOf(Method method) { return method == Method::lbs ? "lbs" : "dqs"; }

/// One method, prepared for a case, behind one call.
class Skinner {
public:
    Skinner(Method method, const SkinCase& c) : method_(method), count_(c.mesh.vertexCount()) {
        if (method == Method::lbs) {
            lbs_.emplace(prepareLbs(c.mesh, c.weights));
            lbs_pose_.emplace(*lbs_);
            lbs_pose_->set(c.bones);
        } else {
            dqs_.emplace(prepareDqs(c.mesh, c.weights, c.centers));
            dqs_pose_.emplace(*dqs_);
            dqs_pose_->set(c.bones);
        }
    }

    void evaluate(const RestShape& rest, std::size_t first, std::size_t count, const Output& out) const {
        if (method_ == Method::lbs)
            deform::evaluate(*lbs_, *lbs_pose_, rest, first, count, out);
        else
            deform::evaluate(*dqs_, *dqs_pose_, rest, first, count, out);
    }

    Posed all(const RestShape& rest = {}) const {
        Posed posed{std::vector<Vec3f>(count_), std::vector<Vec3f>(count_)};
        evaluate(rest, 0, count_, {posed.positions, posed.normals});
        return posed;
    }

private:
    Method method_;
    std::size_t count_;
    std::optional<LbsRig> lbs_;
    std::optional<DqsRig> dqs_;
    std::optional<LbsPose> lbs_pose_;
    std::optional<DqsPose> dqs_pose_;
};

inline PosedDouble referenceOf(Method method, const SkinCase& c, const std::vector<Affine3d>& bones) {
    const auto positions = castAll<Vec3d>(c.mesh.positions), normals = castAll<Vec3d>(c.mesh.normals);
    PosedDouble posed{positions, normals};
    const reference::Shape<double> rest{positions, normals};
    const reference::Result<double> out{posed.positions, posed.normals};
    if (method == Method::lbs)
        reference::lbs<double>(rest, c.weights, bones, out);
    else
        reference::dqs<double>(rest, c.weights, c.centers, bones, out);
    return posed;
}

inline PosedDouble referenceOf(Method method, const SkinCase& c) {
    return referenceOf(method, c, castAll<Affine3d>(c.bones));
}

/// The largest distance; NaN counts as infinitely far.
template <class A, class B>
double farthest(const std::vector<A>& a, const std::vector<B>& b) {
    double largest = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double d = length(Vec3d(a[i]) - Vec3d(b[i]));
        largest = std::isfinite(d) ? std::max(largest, d) : 1e300;
    }
    return largest;
}

/// Equal as bytes, so that even 0 and -0 differ.
inline bool sameBits(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

}  // namespace pelt::deform
