#pragma once

#include <pelt/core/image.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::render {

enum class ColorMap { viridis, blue_to_red };  ///< perceptually uniform; the colors of Blender's weight display

/// Values at the vertices, shown as colors of a scale. Values are interpolated, not colors, so that every pixel has a
/// color of the scale, on coarse meshes too. A value that is not finite is magenta.
struct Scalars {
    std::span<const float> values;  ///< one per vertex
    ColorMap map = ColorMap::viridis;
    float low = 0, high = 1;  ///< the ends of the scale; values outside get the color of the nearer end
};

/// A bone drawn over the mesh: from a joint to its child. A bone without length is drawn as a joint only.
struct Bone {
    Vec3f from, to;
};

/// The contents of one picture; spans must outlive the call. Triangles with a vertex that is not finite are ignored.
struct Subject {
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;  ///< empty: angle-weighted over vertices of equal position and body
    std::span<const Triangle> triangles;
    std::span<const Vec3f>
        colors;                   ///< linear RGB per vertex, with weak shading so that colors can be read; empty: clay
    std::span<const Bone> bones;  ///< skeleton overlay, visible through the skin; empty: none
    std::optional<Scalars> scalars = {};  ///< instead of `colors`
    std::span<const std::uint32_t> bodies =
        {};  ///< per vertex: normals are not shared between different bodies; empty: one body
};

/// The position of the camera. Angles in degrees: azimuth 0 looks along -z (from the front of a glTF character, which
/// faces +z), positive angles are toward its left side; elevation above the horizon, -90 to 90. The lights rotate with
/// the azimuth.
struct Camera {
    float azimuth = 30, elevation = 15;
    float zoom = 1;               ///< 1: the frame fills the picture with a small margin; 2: twice as large
    float field_of_view = 30;     ///< of the picture's height, below 170; 0: orthographic
    std::optional<Vec3f> target;  ///< the point at the center of the picture; none: the center of the frame
};

/// A view by name (front, side, left, right, back, three-quarter, top) or as AZIMUTH,ELEVATION[,ZOOM]. Throws Error
/// (bad usage) with a list of these forms.
Camera parseCamera(std::string_view text);

/// Bounds shared by pictures that are compared, so that all have the same framing and floor.
struct Frame {
    Vec3f center;
    float radius = 1;
    float floor = 0;  ///< y of the floor
    std::vector<Vec3f>
        hull;  ///< extreme points along fixed directions, which the picture must contain; empty: the sphere
};

/// The bounds of the finite points; if there are none, radius 0, which `unite` ignores and a picture treats as 1.
Frame frameOf(std::span<const Vec3f> positions);
Frame unite(const Frame& a, const Frame& b);

struct Options {
    int width = 1280, height = 960;  ///< 1 to 16384 each
    int samples = 16;                ///< rays per pixel, 1 to 4096
    bool floor = true;               ///< receives shadows, visible only from above
};

/// Smooth shading with ambient occlusion and a floor shadow, by ray casting. Deterministic on any number of threads.
/// Throws Error: bad usage for options out of range, bad input for spans of inconsistent size; cancelled.
Image render(const Subject& subject, const Frame& frame, const Camera& camera, const Options& options,
             const Progress& progress = {});

/// Linear RGB of `t` in 0..1 (clamped; NaN: magenta).
Vec3f mapColor(ColorMap map, float t);

/// The colors of values between `low` and `high`; if these are equal, every value up to them gets the first color.
std::vector<Vec3f> mapColors(ColorMap map, std::span<const float> values, float low, float high);

/// One color per joint, with very different hues for consecutive joints; vertices blend them by weight.
Vec3f jointColor(std::size_t joint);

struct Panel {
    Image image;
    std::string caption;  ///< UTF-8; shortened with an ellipsis if it is too long
};

/// A vertical scale beside the pictures.
struct ColorBar {
    ColorMap map = ColorMap::viridis;
    float low = 0, high = 1;
    std::string label;
};

/// Panels in rows of `columns` (0: nearly square) with captions below, a title above and a color bar at the right.
Image contactSheet(std::span<const Panel> panels, int columns = 0, const std::string& title = {},
                   const std::optional<ColorBar>& bar = {});

}  // namespace pelt::render
