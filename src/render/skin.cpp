// The subject of a picture: its smooth surface and colors at a hit.
#include "skin.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/geometry/normals.h>

#include <algorithm>

namespace pelt::render {

namespace {

constexpr Vec3f kNotFinite{1, 0, 1};           // a color that is not finite
constexpr Vec3f kInside{0.80f, 0.64f, 0.58f};  // tint of back faces
constexpr float kFarAway = 1e6f;               // in radii of the frame: beyond this, single precision is not sufficient
constexpr float kOffset = 1e-4f;               // of secondary rays from the surface, in radii of the frame

void checkSizes(const Subject& s) {
    if (!s.normals.empty() && s.normals.size() != s.positions.size())
        throw Error::badInput(fmt::format("render: {} normals for {} vertices", s.normals.size(), s.positions.size()));
    if (!s.colors.empty() && s.colors.size() != s.positions.size())
        throw Error::badInput(fmt::format("render: {} colors for {} vertices", s.colors.size(), s.positions.size()));
    if (!s.bodies.empty() && s.bodies.size() != s.positions.size())
        throw Error::badInput(fmt::format("render: {} bodies for {} vertices", s.bodies.size(), s.positions.size()));
    if (s.scalars && s.scalars->values.size() != s.positions.size())
        throw Error::badInput(
            fmt::format("render: {} values for {} vertices", s.scalars->values.size(), s.positions.size()));
    for (std::size_t t = 0; t < s.triangles.size(); ++t)
        for (const std::uint32_t v : s.triangles[t])
            if (v >= s.positions.size())
                throw Error::badInput(
                    fmt::format("render: triangle {} uses vertex {}, but there are only {}", t, v, s.positions.size()));
}

std::vector<Vec3f> normalizedPositions(const Subject& subject, const Normalization& normalize) {
    std::vector<Vec3f> positions(subject.positions.size());
    std::transform(subject.positions.begin(), subject.positions.end(), positions.begin(), normalize);
    return positions;
}

std::vector<Triangle> usableTriangles(std::span<const Triangle> triangles, const std::vector<Vec3f>& positions) {
    const auto usable = [&](std::uint32_t v) {
        const Vec3f& p = positions[v];
        return isFinite(p) && std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < kFarAway;
    };
    std::vector<Triangle> kept;
    for (const Triangle& t : triangles)
        if (usable(t[0]) && usable(t[1]) && usable(t[2])) kept.push_back(t);
    return kept;
}

RayScene makeScene(const Subject& subject, const Normalization& normalize, const Progress& progress) {
    checkSizes(subject);
    std::vector<Vec3f> positions = normalizedPositions(subject, normalize);
    std::vector<Triangle> triangles = usableTriangles(subject.triangles, positions);
    // The ray caster reads every vertex, so unused ones must be valid too.
    for (Vec3f& p : positions)
        if (!isFinite(p)) p = {};
    return {std::move(positions), std::move(triangles), progress};
}

/// Hanika's remedy for the shadow terminator ("Hacking the Shadow Terminator", Ray Tracing Gems II): lifts the point to
/// the tangent planes of the corners, as a curved surface would be.
Vec3f liftToTangents(const Vec3f& p, const Vec3f corner[3], const Vec3f normal[3], const float weight[3], float sign) {
    Vec3f lifted = p;
    for (int k = 0; k < 3; ++k) {
        const Vec3f n = normal[k] * sign;
        lifted -= n * (weight[k] * std::min(dot(p - corner[k], n), 0.0f));
    }
    return lifted;
}

}  // namespace

Skin::Skin(const Subject& subject, const Normalization& normalize, const Progress& progress)
    : scene_(makeScene(subject, normalize, progress)),
      colors_(subject.colors.begin(), subject.colors.end()),
      scalars_(subject.scalars) {
    if (scalars_) scale_.emplace(scalars_->map);
    if (subject.normals.empty())
        normals_ = geometry::angleWeightedNormals(scene_.positions(), scene_.triangles(),
                                                  geometry::weldByPosition(scene_.positions(), 0, subject.bodies));
    else
        normals_.assign(subject.normals.begin(), subject.normals.end());
    for (Vec3f& n : normals_) n = normalized(n);
    findBounds();
    for (Vec3f& c : colors_)
        for (int k = 0; k < 3; ++k) c[k] = isFinite(c) ? std::clamp(c[k], 0.0f, 1.0f) : kNotFinite[k];
}

void Skin::findBounds() {
    if (scene_.empty()) return;
    geometry::Box box = geometry::Box::none();
    for (const Triangle& t : scene_.triangles())
        for (const std::uint32_t v : t) box.grow(Vec3d(scene_.positions()[v]));
    center_ = Vec3f(box.center());
    for (const Triangle& t : scene_.triangles())
        for (const std::uint32_t v : t) radius_ = std::max(radius_, length(scene_.positions()[v] - center_));
}

Vec3f Skin::colorAt(const Triangle& t, const float (&weight)[3]) const {
    if (scalars_) {
        const std::span<const float> values = scalars_->values;
        const float value = weight[0] * values[t[0]] + weight[1] * values[t[1]] + weight[2] * values[t[2]];
        return scale_->at(scalePosition(value, scalars_->low, scalars_->high));
    }
    if (colors_.empty()) return kClay;
    return colors_[t[0]] * weight[0] + colors_[t[1]] * weight[1] + colors_[t[2]] * weight[2];
}

SkinPoint Skin::at(std::uint32_t triangle, float u, float v, const Vec3f& ray_direction) const {
    const Triangle& t = scene_.triangles()[triangle];
    const float weight[3] = {1 - u - v, u, v};
    Vec3f corner[3], normal[3], position, smooth;
    for (int k = 0; k < 3; ++k) {
        corner[k] = scene_.positions()[t[k]];
        normal[k] = normals_[t[k]];
        position += corner[k] * weight[k];
        smooth += normal[k] * weight[k];
    }
    const Vec3f color = colorAt(t, weight);
    SkinPoint point;
    point.position = position;
    const Vec3f to_eye = -ray_direction;
    const Vec3f flat = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]), to_eye);
    smooth = normalized(smooth, flat);
    // The normals determine which side is outside; the winding is used only if there are none.
    const float agree = dot(flat, smooth) < 0 ? -1.0f : 1.0f;
    const bool inside = dot(flat, to_eye) * agree < 0;
    const float side = inside ? -1.0f : 1.0f;
    point.geometric = flat * (agree * side);
    smooth = smooth * side;
    const float facing = dot(smooth, to_eye);
    if (facing < 0.02f) smooth = normalized(smooth + to_eye * (0.02f - facing), point.geometric);
    point.origin = liftToTangents(position, corner, normal, weight, side) + point.geometric * kOffset;
    point.surface = {smooth, to_eye, inside ? mul(color, kInside) : color};
    return point;
}

}  // namespace pelt::render
