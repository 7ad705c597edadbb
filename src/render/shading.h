#pragma once

// The studio: lights, clay, background and tone curve. All in normalized space and linear light.

#include "view.h"

namespace pelt::render {

/// The lights. `key` casts shadows; the dome is attenuated by ambient occlusion; the others are weak.
struct Studio {
    Vec3f key, key_side, key_up;  ///< direction to the light and its disc's axes
    Vec3f fill, rim;              ///< directions to the lights
    Vec3f key_color, fill_color, rim_color, sky_color, ground_color;
    float gloss = 0;            ///< strength of the highlight
    float occlusion_depth = 1;  ///< fraction of the dome's light that occlusion removes
    float shadow_depth = 1;     ///< fraction of the key light that a shadow removes
};

/// Lights rotate with the camera about the vertical axis. Data colors get flatter light than clay, so that shaded
/// colors can still be read from the scale.
Studio makeStudio(const View& view, bool colors_are_data);

constexpr Vec3f kClay{0.44f, 0.375f, 0.325f};

/// A point of the skin that the camera sees.
struct Surface {
    Vec3f normal;  ///< shading normal, towards the eye
    Vec3f to_eye;
    Vec3f albedo;
};

/// The light from a point, by what attenuates it: occlusion for `dome`, shadows for `key`, nothing for `rest`.
struct Radiance {
    Vec3f dome, key, rest;
};

Radiance shade(const Studio& studio, const Surface& surface);

/// The flat facets of the skeleton overlay, for a normal towards the eye.
Vec3f boneColor(const Studio& studio, const Vec3f& normal, const Vec3f& to_eye, bool joint);
constexpr float kBoneOpacity = 0.86f;

/// The seamless paper behind the subject; picture coordinates -1..1.
Vec3f background(float x, float y);

/// The factor by which the floor darkens the background for given visibilities of the light and the dome (both 0..1).
Vec3f floorTint(float light, float openness);

/// Rolls off the highlights and encodes to sRGB, 0..255, not yet rounded.
Vec3f displayColor(const Vec3f& linear);

inline Vec3f mul(const Vec3f& a, const Vec3f& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a * (1 - t) + b * t; }
inline float luminance(const Vec3f& c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

}  // namespace pelt::render
