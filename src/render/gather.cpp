// Casts the rays of a pixel and gathers what they hit.
#include "gather.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "sampling.h"

namespace pelt::render {

namespace {

constexpr int kSkinOcclusionRays = 2, kFloorOcclusionRays = 1;  // a sample
constexpr float kOcclusionReach = 0.55f;                        // of ambient occlusion, in radii of the frame
constexpr float kFloorReach = 0.40f;
constexpr float kKeySize = 0.12f;      // radius of the key light's disc at distance 1
constexpr float kFloorBounce = 0.45f;  // brightness of the floor as seen from the skin above it, relative to the dome
constexpr float kFloorOffset = 1e-4f;
constexpr float kFilterWidth = 0.95f;  // half width of the pixel filter (a tent), in pixels

enum class Hit { none, skin, floor };

/// Up to 16 samples of one pixel that are processed together.
struct Batch {
    int first = 0, count = 0;
    alignas(64) int valid[kLanes];
    alignas(64) RTCRayHit16 rays;
    Hit hit[kLanes];
    SkinPoint point[kLanes];  // the floor fills in position, origin and both normals
    bool reached[kLanes];     // for the floor: attenuated by the skin's shadow or occlusion
    float visible[kLanes];

    Vec3f direction(int k) const { return {rays.ray.dir_x[k], rays.ray.dir_y[k], rays.ray.dir_z[k]}; }
    Vec3f origin(int k) const { return {rays.ray.org_x[k], rays.ray.org_y[k], rays.ray.org_z[k]}; }
};

/// Packets start as zeros: on some processors Embree checks the lanes that are not valid, too.
void setRay(RTCRay16& ray, int k, const Vec3f& origin, const Vec3f& direction, float reach) {
    ray.org_x[k] = origin.x;
    ray.org_y[k] = origin.y;
    ray.org_z[k] = origin.z;
    ray.dir_x[k] = direction.x;
    ray.dir_y[k] = direction.y;
    ray.dir_z[k] = direction.z;
    ray.tnear[k] = 0;
    ray.tfar[k] = reach;
    ray.time[k] = 0;
    ray.mask[k] = ~0u;
    ray.id[k] = static_cast<unsigned>(k);
    ray.flags[k] = 0;
}

float tent(float u) { return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u); }

Vec2f onDisc(const Vec2f& p) {
    const float r = std::sqrt(p.x), a = 2 * std::numbers::pi_v<float> * p.y;
    return {r * std::cos(a), r * std::sin(a)};
}

/// A cosine-distributed direction around `n`.
Vec3f cosineDirection(const Vec3f& n, const Vec2f& p) {
    const Vec2f d = onDisc(p);
    const Vec3f side = normalized(cross(n, std::abs(n.x) < 0.6f ? Vec3f(1, 0, 0) : Vec3f(0, 1, 0)));
    const Vec3f up = cross(n, side);
    return side * d.x + up * d.y + n * std::sqrt(std::max(0.0f, 1 - p.x));
}

/// The floor is a disc around the subject.
float floorFade(const Vec3f& p) {
    const float r = std::sqrt(p.x * p.x + p.z * p.z);
    const float t = std::clamp((r - 1.2f) / 2.6f, 0.0f, 1.0f);
    return 1 - t * t * (3 - 2 * t);
}

/// Whether the skin's bounding sphere can shadow a point of the floor or occlude it.
bool isReached(const Gatherer& g, const Vec3f& p) {
    const Vec3f to_skin = g.skin.center() - p;
    const float along = dot(to_skin, g.studio.key), distance = length(to_skin);
    const float off = std::sqrt(std::max(distance * distance - along * along, 0.0f));
    const float radius = g.skin.radius() + std::max(along, 0.0f) * kKeySize * 1.1f;
    return (along > -g.skin.radius() && off < radius) || distance < g.skin.radius() + kFloorReach;
}

void castEyeRays(const Gatherer& g, int x, int y, std::uint32_t seed, Batch& batch) {
    const SobolSet set(g.samples, seed);
    for (int k = 0; k < kLanes; ++k) {
        batch.valid[k] = k < batch.count ? -1 : 0;
        batch.hit[k] = Hit::none;
        batch.rays.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
        batch.rays.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        const Vec2f p = set[batch.first + k];
        const float px = (static_cast<float>(x) + 0.5f + kFilterWidth * tent(p.x)) / static_cast<float>(g.width);
        const float py = (static_cast<float>(y) + 0.5f + kFilterWidth * tent(p.y)) / static_cast<float>(g.height);
        setRay(batch.rays.ray, k, g.view.origin(2 * px - 1, 1 - 2 * py), g.view.direction(2 * px - 1, 1 - 2 * py),
               std::numeric_limits<float>::infinity());
    }
}

/// Rays that hit no skin may hit the floor.
void findFloor(const Gatherer& g, Batch& batch, int k) {
    const Vec3f o = batch.origin(k), d = batch.direction(k);
    if (!g.has_floor || !(d.y < 0) || !(o.y > g.floor)) return;
    SkinPoint& point = batch.point[k];
    point.position = o + d * ((g.floor - o.y) / d.y);
    if (!(floorFade(point.position) > 0)) return;
    batch.hit[k] = Hit::floor;
    batch.reached[k] = isReached(g, point.position);
    point.origin = point.position + Vec3f(0, kFloorOffset, 0);
    point.geometric = point.surface.normal = {0, 1, 0};
}

void findPoints(const Gatherer& g, Batch& batch) {
    for (int k = 0; k < batch.count; ++k) {
        if (batch.rays.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID) {
            findFloor(g, batch, k);
            continue;
        }
        batch.hit[k] = Hit::skin;
        batch.point[k] =
            g.skin.at(batch.rays.hit.primID[k], batch.rays.hit.u[k], batch.rays.hit.v[k], batch.direction(k));
    }
}

/// Sets `visible` of every lane to 1 if nothing is between its point and the key light.
void castShadows(const Gatherer& g, std::uint32_t seed, Batch& batch) {
    const SobolSet set(g.samples, seed);
    alignas(64) RTCRay16 rays{};
    alignas(64) int valid[kLanes];
    for (int k = 0; k < kLanes; ++k) {
        valid[k] = batch.hit[k] == Hit::skin || (batch.hit[k] == Hit::floor && batch.reached[k]) ? -1 : 0;
        batch.visible[k] = 1;
        if (!valid[k]) continue;
        const Vec2f p = onDisc(set[batch.first + k]);
        const Vec3f to_light = normalized(g.studio.key + (g.studio.key_side * p.x + g.studio.key_up * p.y) * kKeySize);
        if (dot(to_light, batch.point[k].surface.normal) <= 0) {
            valid[k] = 0;
            batch.visible[k] = 0;
            continue;
        }
        setRay(rays, k, batch.point[k].origin, to_light, std::numeric_limits<float>::infinity());
    }
    g.skin.scene().occlude(valid, rays);
    for (int k = 0; k < kLanes; ++k)
        if (valid[k] && rays.tfar[k] < 0) batch.visible[k] = 0;
}

/// Adds the visibility of one direction of the dome to `visible`, in round `round` of `rounds` per sample. A random
/// reach makes the influence of an occluder fall off linearly with its distance.
void castDome(const Gatherer& g, std::uint32_t seed, int round, int rounds, Batch& batch) {
    const SobolSet set(g.samples * rounds, seed);
    alignas(64) RTCRay16 rays{};
    alignas(64) int valid[kLanes];
    float open[kLanes];
    for (int k = 0; k < kLanes; ++k) {
        valid[k] = batch.hit[k] == Hit::skin || (batch.hit[k] == Hit::floor && batch.reached[k]) ? -1 : 0;
        open[k] = 1;
        if (!valid[k]) continue;
        const SkinPoint& point = batch.point[k];
        const int index = (batch.first + k) * rounds + round;
        Vec3f d = cosineDirection(point.surface.normal, set[index]);
        const float under = dot(d, point.geometric);
        if (under < 0) d -= point.geometric * (2 * under);
        const float u = unitFloat(hashPair(seed + 7, static_cast<std::uint32_t>(index)));
        float reach = (batch.hit[k] == Hit::skin ? kOcclusionReach : kFloorReach) * u;
        if (batch.hit[k] == Hit::skin && g.has_floor && d.y < 0) {
            const float to_floor = std::max(point.origin.y - g.floor, 0.0f) / -d.y;
            if (to_floor < reach) {
                reach = to_floor;
                open[k] = kFloorBounce;
            }
        }
        setRay(rays, k, point.origin, d, reach);
    }
    g.skin.scene().occlude(valid, rays);
    for (int k = 0; k < kLanes; ++k) batch.visible[k] += valid[k] && rays.tfar[k] < 0 ? 0 : open[k];
}

/// Weighted means of the visibilities, as the layers need them.
struct Sums {
    float skin_dome = 0, skin_open = 0, skin_key = 0, skin_light = 0;
    float floor = 0, floor_open = 0, floor_light = 0;
    int skin_count = 0;
};

void addSamples(const Gatherer& g, const Batch& batch, const float* light, const float* open, PixelLayers& out,
                Sums& sums) {
    for (int k = 0; k < batch.count; ++k) {
        const SkinPoint& point = batch.point[k];
        if (batch.hit[k] == Hit::floor) {
            const float fade = floorFade(point.position);
            sums.floor += fade;
            sums.floor_open += fade * open[k];
            sums.floor_light += fade * light[k];
        } else if (batch.hit[k] == Hit::skin) {
            const Radiance r = shade(g.studio, point.surface);
            out.dome += r.dome;
            out.key += r.key;
            out.rest += r.rest;
            out.normal += point.surface.normal;
            out.position += point.position;
            const float dome = luminance(r.dome) + 1e-6f, key = luminance(r.key) + 1e-6f;
            sums.skin_dome += dome;
            sums.skin_open += dome * open[k];
            sums.skin_key += key;
            sums.skin_light += key * light[k];
            ++sums.skin_count;
        }
    }
}

void addBones(const Gatherer& g, Batch& batch, PixelLayers& out) {
    for (int k = 0; k < kLanes; ++k) {
        batch.rays.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
        batch.rays.ray.tfar[k] = std::numeric_limits<float>::infinity();
    }
    g.bones.scene.intersect(batch.valid, batch.rays);
    for (int k = 0; k < batch.count; ++k) {
        if (batch.rays.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID) continue;
        const Vec3f eye = -batch.direction(k);
        const std::int32_t joint = g.bones.joint[batch.rays.hit.primID[k]];
        Vec3f n(batch.rays.hit.Ng_x[k], batch.rays.hit.Ng_y[k], batch.rays.hit.Ng_z[k]);
        if (joint >= 0) n = batch.origin(k) - eye * batch.rays.ray.tfar[k] - g.bones.centers[joint];
        n = normalized(n, eye);
        if (dot(n, eye) < 0) n = -n;
        out.bones += boneColor(g.studio, n, eye, joint >= 0);
        out.bone_coverage += 1;
    }
}

void divide(PixelLayers& out, const Sums& sums, int samples) {
    const float scale = 1 / static_cast<float>(samples);
    out.coverage = static_cast<float>(sums.skin_count) * scale;
    if (sums.skin_count > 0) {
        out.normal = normalized(out.normal);
        out.position = out.position / static_cast<float>(sums.skin_count);
        out.openness = sums.skin_open / sums.skin_dome;
        out.light = sums.skin_light / sums.skin_key;
    }
    out.dome *= scale;
    out.key *= scale;
    out.rest *= scale;
    out.floor = sums.floor * scale;
    if (sums.floor > 0) {
        out.floor_openness = sums.floor_open / sums.floor;
        out.floor_light = sums.floor_light / sums.floor;
    }
    out.bones *= scale;
    out.bone_coverage *= scale;
}

/// Casts the shadow and dome rays of a batch and adds the results.
void gatherBatch(const Gatherer& g, std::uint32_t seed, Batch& batch, PixelLayers& out, Sums& sums) {
    bool any_skin = false, any = false;
    for (int k = 0; k < batch.count; ++k) {
        any_skin = any_skin || batch.hit[k] == Hit::skin;
        any = any || any_skin || (batch.hit[k] == Hit::floor && batch.reached[k]);
    }
    float light[kLanes], open[kLanes];
    std::fill_n(open, kLanes, 1.0f);
    std::fill_n(light, kLanes, 1.0f);
    if (any) {
        castShadows(g, hashPair(seed, 1), batch);
        std::copy_n(batch.visible, kLanes, light);
        const int rounds = any_skin ? kSkinOcclusionRays : kFloorOcclusionRays;
        std::fill_n(batch.visible, kLanes, 0.0f);
        for (int round = 0; round < rounds; ++round) castDome(g, hashPair(seed, 2), round, rounds, batch);
        for (int k = 0; k < kLanes; ++k) open[k] = batch.visible[k] / static_cast<float>(rounds);
    }
    addSamples(g, batch, light, open, out, sums);
}

}  // namespace

PixelLayers Gatherer::pixel(int x, int y) const {
    const std::uint32_t seed = hashPair(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    PixelLayers out;
    Sums sums;
    Batch batch;
    for (batch.first = 0; batch.first < samples; batch.first += kLanes) {
        batch.count = std::min(kLanes, samples - batch.first);
        castEyeRays(*this, x, y, seed, batch);
        if (!skin.scene().empty()) skin.scene().intersect(batch.valid, batch.rays);
        findPoints(*this, batch);
        gatherBatch(*this, seed, batch, out, sums);
        if (!bones.scene.empty()) addBones(*this, batch, out);
    }
    divide(out, sums, samples);
    return out;
}

}  // namespace pelt::render
