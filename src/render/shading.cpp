// The lights, and the color of a lit point.
#include "shading.h"

#include <algorithm>
#include <numbers>

#include "srgb.h"

namespace pelt::render {

namespace {

/// A direction by its angle from the camera's azimuth (positive: to the right of the picture) and above the horizon.
Vec3f lightDirection(const View& view, float turn, float elevation) {
    const float degree = std::numbers::pi_v<float> / 180;
    const Vec3f right = view.right, front = cross(right, Vec3f(0, 1, 0));
    const float flat = std::cos(elevation * degree);
    return right * (std::sin(turn * degree) * flat) + front * (std::cos(turn * degree) * flat) +
           Vec3f(0, std::sin(elevation * degree), 0);
}

float smoothstep(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// Linear to `knee`, then a curve of the same slope that reaches 1 at infinity.
float rollOff(float x) {
    constexpr float knee = 0.72f, room = 1 - knee;
    return x <= knee ? x : 1 - room * room / (x - knee + room);
}

}  // namespace

Studio makeStudio(const View& view, bool colors_are_data) {
    Studio studio;
    studio.key = lightDirection(view, -50, 46);
    studio.key_side = normalized(cross(Vec3f(0, 1, 0), studio.key), Vec3f(1, 0, 0));
    studio.key_up = cross(studio.key, studio.key_side);
    studio.fill = lightDirection(view, 62, 12);
    studio.rim = lightDirection(view, 150, 38);
    if (colors_are_data) {
        studio.key_color = {0.42f, 0.42f, 0.41f};
        studio.fill_color = {0.06f, 0.06f, 0.065f};
        studio.rim_color = {0.05f, 0.05f, 0.05f};
        studio.sky_color = {0.66f, 0.66f, 0.67f};
        studio.ground_color = {0.54f, 0.54f, 0.53f};
        studio.gloss = 0.02f;
        studio.occlusion_depth = 0.6f;
        studio.shadow_depth = 0.75f;
    } else {
        studio.key_color = {1.42f, 1.33f, 1.20f};
        studio.fill_color = {0.10f, 0.13f, 0.17f};
        studio.rim_color = {0.50f, 0.55f, 0.62f};
        studio.sky_color = {0.40f, 0.44f, 0.51f};
        studio.ground_color = {0.30f, 0.28f, 0.27f};
        studio.gloss = 0.055f;
    }
    return studio;
}

Radiance shade(const Studio& studio, const Surface& surface) {
    const Vec3f& n = surface.normal;
    const Vec3f& eye = surface.to_eye;
    const float grazing = std::pow(1 - std::clamp(dot(n, eye), 0.0f, 1.0f), 3.0f);

    Radiance out;
    out.dome = mul(surface.albedo, mix(studio.ground_color, studio.sky_color, 0.5f + 0.5f * n.y));
    const float key = std::max(dot(n, studio.key), 0.0f);
    const Vec3f half = normalized(studio.key + eye, n);
    const float highlight = std::pow(std::max(dot(n, half), 0.0f), 28.0f) * key;
    const float sheen = studio.gloss * (1 + 4 * grazing);
    out.key = mul(studio.key_color, surface.albedo * key + Vec3f(1, 1, 1) * (sheen * highlight * 3.2f));
    const float fill = std::max(0.5f + 0.5f * dot(n, studio.fill), 0.0f);
    const float rim = std::max(dot(n, studio.rim) + 0.25f, 0.0f) * grazing;
    out.rest = mul(surface.albedo, studio.fill_color * (fill * fill)) + studio.rim_color * rim;
    return out;
}

Vec3f boneColor(const Studio& studio, const Vec3f& normal, const Vec3f& to_eye, bool joint) {
    constexpr Vec3f kBone{0.030f, 0.125f, 0.260f}, kJoint{0.95f, 0.96f, 0.98f}, kRim{0.012f, 0.045f, 0.100f};
    const float facing = std::clamp(dot(normal, to_eye), 0.0f, 1.0f);
    const float light = 0.60f + 0.65f * std::max(dot(normal, studio.key), 0.0f);
    // A dark rim lifts the joints off light and dark skin alike.
    return joint ? mix(kRim, kJoint * std::min(light, 1.0f), smoothstep(0.50f, 0.66f, facing))
                 : kBone * (light * (0.6f + 0.4f * facing));
}

Vec3f background(float x, float y) {
    const float r = std::sqrt(x * x * 0.85f + (y - 0.08f) * (y - 0.08f) * 0.8f);
    const float fall = smoothstep(0.15f, 1.55f, r);
    return mix(Vec3f(0.855f, 0.860f, 0.870f), Vec3f(0.600f, 0.610f, 0.628f), fall);
}

Vec3f floorTint(float light, float openness) {
    const Vec3f shadow = mix(Vec3f(0.58f, 0.59f, 0.62f), Vec3f(1, 1, 1), light);
    const Vec3f contact = mix(Vec3f(0.16f, 0.155f, 0.16f), Vec3f(1, 1, 1), openness);
    return mul(shadow, contact);
}

Vec3f displayColor(const Vec3f& linear) {
    Vec3f out;
    for (int k = 0; k < 3; ++k) out[k] = 255 * encodeSrgb(rollOff(std::isfinite(linear[k]) ? linear[k] : 0.0f));
    return out;
}

}  // namespace pelt::render
