// Colors of values and joints.
#include <algorithm>
#include <numbers>

#include "color_scale.h"
#include "srgb.h"

namespace pelt::render {

namespace {

constexpr Vec3f kNotANumber{1, 0, 1};

/// Viridis (van der Walt and Smith, CC0), every sixteenth entry of the published table and its last, sRGB.
constexpr Vec3f kViridis[] = {
    {0.267004f, 0.004874f, 0.329415f}, {0.282327f, 0.094955f, 0.417331f}, {0.278826f, 0.175490f, 0.483397f},
    {0.258965f, 0.251537f, 0.524736f}, {0.229739f, 0.322361f, 0.545706f}, {0.199430f, 0.387607f, 0.554642f},
    {0.172719f, 0.448791f, 0.557885f}, {0.149039f, 0.508051f, 0.557250f}, {0.127568f, 0.566949f, 0.550556f},
    {0.120638f, 0.625828f, 0.533488f}, {0.157851f, 0.683765f, 0.501686f}, {0.246070f, 0.738910f, 0.452024f},
    {0.369214f, 0.788888f, 0.382914f}, {0.515992f, 0.831158f, 0.294279f}, {0.678489f, 0.863742f, 0.189503f},
    {0.845561f, 0.887322f, 0.099702f}, {0.993248f, 0.906157f, 0.143936f}};

Vec3f decoded(const Vec3f& c) { return {decodeSrgb(c.x), decodeSrgb(c.y), decodeSrgb(c.z)}; }

Vec3f viridis(float t) {
    constexpr int kLast = static_cast<int>(std::size(kViridis)) - 1;
    // Entries 0, 16 … 240 of 256, and 255: the last step is one shorter.
    const float entry = t * 255;
    const int i = std::min(static_cast<int>(entry / 16), kLast - 1);
    const float step = i == kLast - 1 ? 15.0f : 16.0f;
    const float f = (entry - 16 * static_cast<float>(i)) / step;
    return decoded(kViridis[i] * (1 - f) + kViridis[i + 1] * f);
}

/// Blender's weight paint: blue, cyan, green, yellow, red in equal steps of sRGB.
Vec3f blueToRed(float t) {
    constexpr Vec3f kStops[] = {{0, 0, 1}, {0, 1, 1}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
    const int i = std::min(static_cast<int>(t * 4), 3);
    const float f = t * 4 - static_cast<float>(i);
    return decoded(kStops[i] * (1 - f) + kStops[i + 1] * f);
}

/// Ottosson's OKLCH to linear sRGB; hue in turns. Colors out of gamut lose chroma until they fit.
Vec3f fromOklch(float lightness, float chroma, float hue) {
    for (;; chroma *= 0.95f) {
        const float angle = 2 * std::numbers::pi_v<float> * hue;
        const float a = chroma * std::cos(angle), b = chroma * std::sin(angle);
        const float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
        const float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
        const float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
        const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
        const Vec3f rgb(4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3,
                        -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3,
                        -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3);
        const bool fits = std::min({rgb.x, rgb.y, rgb.z}) >= 0 && std::max({rgb.x, rgb.y, rgb.z}) <= 1;
        if (fits || chroma < 1e-3f)
            return {std::clamp(rgb.x, 0.0f, 1.0f), std::clamp(rgb.y, 0.0f, 1.0f), std::clamp(rgb.z, 0.0f, 1.0f)};
    }
}

}  // namespace

Vec3f mapColor(ColorMap map, float t) {
    if (std::isnan(t)) return kNotANumber;
    t = std::clamp(t, 0.0f, 1.0f);
    return map == ColorMap::viridis ? viridis(t) : blueToRed(t);
}

std::vector<Vec3f> mapColors(ColorMap map, std::span<const float> values, float low, float high) {
    std::vector<Vec3f> colors;
    colors.reserve(values.size());
    for (const float v : values) colors.push_back(mapColor(map, scalePosition(v, low, high)));
    return colors;
}

Vec3f jointColor(std::size_t joint) {
    const double turns = 0.08 + 0.6180339887498949 * static_cast<double>(joint % 1000003);
    // Two alternating lightness values distinguish colors whose hues become similar with many joints.
    const float lightness = joint % 2 == 0 ? 0.74f : 0.64f;
    return fromOklch(lightness, 0.135f, static_cast<float>(turns - std::floor(turns)));
}

}  // namespace pelt::render
