#pragma once

#include <pelt/core/image.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pelt::render {

/// A bone drawn over the mesh: from a joint to its child.
struct Bone {
    Vec3f from, to;
};

/// What one picture shows; spans must outlive the call.
struct Subject {
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;  ///< empty: computed
    std::span<const Triangle> triangles;
    std::span<const Vec3f> colors;  ///< linear RGB per vertex; empty: clay
    std::span<const Bone> bones;    ///< skeleton overlay, seen through the skin; empty: none
};

/// Looks at the subject's bounding sphere. Angles in degrees: azimuth 0 looks along -z (from the front of a glTF
/// character, which faces +z), positive to its left side; elevation above the horizon.
struct Camera {
    float azimuth = 30, elevation = 15;
    float zoom = 1;            ///< 1: the bounding sphere fills the picture
    float field_of_view = 30;  ///< vertical; 0: orthographic
    std::optional<Vec3f> target;
};

/// Bounds shared by pictures that are compared, so that all have the same framing and floor.
struct Frame {
    Vec3f center;
    float radius = 1;
    float floor = 0;  ///< y of the floor
};

Frame frameOf(std::span<const Vec3f> positions);
Frame unite(const Frame& a, const Frame& b);

struct Options {
    int width = 1280, height = 960;
    int samples = 16;  ///< rays a pixel
    bool floor = true;
};

/// Smooth shading with ambient occlusion and a floor shadow, by ray casting. Deterministic on any number of threads.
Image render(const Subject& subject, const Frame& frame, const Camera& camera, const Options& options,
             const Progress& progress = {});

enum class ColorMap { viridis, blue_to_red };  ///< perceptually even; Blender's weight colours

/// Linear RGB of `t` in 0..1 (clamped; not finite: magenta).
Vec3f mapColor(ColorMap map, float t);
std::vector<Vec3f> mapColors(ColorMap map, std::span<const float> values, float low, float high);

/// One colour per joint, neighbours in number far apart in hue; vertices blend them by weight.
Vec3f jointColor(std::size_t joint);

struct Panel {
    Image image;
    std::string caption;
};

/// A vertical scale beside the pictures.
struct ColorBar {
    ColorMap map = ColorMap::viridis;
    float low = 0, high = 1;
    std::string label;
};

/// Panels in rows of `columns` (0: nearly square) with captions below, a title above and a colour bar at the right.
Image contactSheet(std::span<const Panel> panels, int columns = 0, const std::string& title = {},
                   const std::optional<ColorBar>& bar = {});

}  // namespace pelt::render
