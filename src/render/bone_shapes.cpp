// The shapes that bones and joints are drawn as.
#include <algorithm>
#include <numbers>

#include "skin.h"

namespace pelt::render {

namespace {

struct Triangles {
    std::vector<Vec3f> positions;
    std::vector<Triangle> triangles;
    std::vector<std::int32_t> joint;
    std::vector<Vec3f> centers;

    void add(const Vec3f& a, const Vec3f& b, const Vec3f& c, std::int32_t of_joint) {
        const auto first = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), {a, b, c});
        triangles.push_back({first, first + 1, first + 2});
        joint.push_back(of_joint);
    }
};

/// A long octahedron, widest near its root.
void addOctahedron(Triangles& out, const Vec3f& from, const Vec3f& to) {
    const Vec3f axis = to - from;
    const float size = length(axis);
    const float radius = std::min(0.11f * size, 0.032f);
    const Vec3f along = axis / size;
    const Vec3f side = normalized(cross(along, std::abs(along.y) < 0.9f ? Vec3f(0, 1, 0) : Vec3f(1, 0, 0)));
    const Vec3f up = cross(side, along);
    const Vec3f waist = from + axis * 0.16f;
    const Vec3f ring[4] = {waist + side * radius, waist + up * radius, waist - side * radius, waist - up * radius};
    for (int k = 0; k < 4; ++k) {
        out.add(from, ring[k], ring[(k + 1) % 4], -1);
        out.add(to, ring[k], ring[(k + 1) % 4], -1);
    }
}

/// A sphere of 24 by 14 facets.
void addBall(Triangles& out, const Vec3f& center, float radius) {
    constexpr int kTurns = 24, kRings = 14;
    const auto joint = static_cast<std::int32_t>(out.centers.size());
    out.centers.push_back(center);
    const auto point = [&](int ring, int turn) {
        const float a = std::numbers::pi_v<float> * static_cast<float>(ring) / kRings;
        const float b = 2 * std::numbers::pi_v<float> * static_cast<float>(turn) / kTurns;
        return center + Vec3f(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)) * radius;
    };
    for (int ring = 0; ring < kRings; ++ring)
        for (int turn = 0; turn < kTurns; ++turn) {
            out.add(point(ring, turn), point(ring + 1, turn), point(ring + 1, turn + 1), joint);
            if (ring > 0 && ring + 1 < kRings)
                out.add(point(ring, turn), point(ring + 1, turn + 1), point(ring, turn + 1), joint);
        }
}

bool isUsable(const Vec3f& p) { return isFinite(p) && length(p) < 1e4f; }

/// Joints are as large as the longest bone that starts or ends there allows: small in a finger, larger in a hip.
float jointRadius(float bone) { return std::clamp(0.085f * bone, 0.0075f, 0.022f); }

Triangles makeShapes(std::span<const Bone> bones, const Normalization& normalize) {
    Triangles out;
    std::vector<std::pair<Vec3f, float>> joints;
    const auto join = [&](const Vec3f& p, float radius) {
        for (auto& [center, size] : joints)
            if (length(center - p) < 1e-5f) {
                size = std::max(size, radius);
                return;
            }
        joints.emplace_back(p, radius);
    };
    for (const Bone& bone : bones) {
        const Vec3f from = normalize(bone.from), to = normalize(bone.to);
        if (!isUsable(from) || !isUsable(to)) continue;
        const float size = length(to - from);
        if (size > 1e-5f) addOctahedron(out, from, to);
        join(from, jointRadius(size));
        join(to, jointRadius(size));
    }
    for (const auto& [center, radius] : joints) addBall(out, center, radius);
    return out;
}

}  // namespace

BoneShapes makeBoneShapes(std::span<const Bone> bones, const Normalization& normalize, const Progress& progress) {
    Triangles shapes = makeShapes(bones, normalize);
    return {std::move(shapes.joint), std::move(shapes.centers),
            RayScene(std::move(shapes.positions), std::move(shapes.triangles), progress)};
}

}  // namespace pelt::render
