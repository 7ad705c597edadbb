#pragma once

#include <pelt/render/render.h>

#include <optional>
#include <string>
#include <vector>

namespace pelt::draw {

/// One panel of a picture.
struct Shot {
    std::vector<Vec3f> positions, normals, colors;  ///< normals and colors may be empty
    std::vector<float> values;                      ///< shown on the scale of the sheet's color bar; may be empty
    std::span<const Triangle> triangles;
    std::vector<std::uint32_t> bodies;  ///< of the vertices, as geometry::bodiesOf gives them
    std::vector<render::Bone> bones;
    render::Camera camera;
    std::string caption;
};

struct SheetLayout {
    std::optional<PictureSize> size;  ///< of the whole picture; none: a size that suits the number of panels
    int columns = 0;                  ///< 0: nearly square
    std::string title;
    std::optional<render::ColorBar> bar;
};

/// Renders the shots and lays them out; shots with equal vertex counts share their framing. One shot without a color
/// bar is the picture itself, without caption or title. Throws Error (bad usage) if the size leaves no room for panels.
Image drawSheet(std::span<const Shot> shots, const SheetLayout& layout, const Progress& progress);

}  // namespace pelt::draw
