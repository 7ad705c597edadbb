#pragma once

#include <pelt/core/progress.h>
#include <pelt/io/picture.h>
#include <pelt/rig/character.h>

#include <optional>

namespace pelt::verbs {

/// A layer of a cutout.
struct CutoutPicture {
    std::string name;  ///< in messages, and without folder and extension as the name of its mesh and material
    io::Picture picture;
};

struct CutoutRequest {
    std::size_t triangles = 1000;  ///< about so many in all layers together
    /// What is not the figure, in pictures without transparency: "#RRGGBB", or "corner" for the color of the corners.
    std::optional<std::string> background;
    double depth = 0.02;  ///< the distance between layers
};

struct CutoutResult {
    Character character;  ///< without joints; a mesh for each layer, a part of it for each island
    std::size_t triangles = 0, parts = 0;
    double smallest_angle = 0;  ///< of all triangles, in degrees
};

/// Pictures as a flat textured mesh, 1 unit high, in the plane of x and y: it stands on y = 0, its middle is at x = 0.
/// Several pictures of one size are layers, from the back to the front: each is `depth` nearer to the viewer, who looks
/// along -z. Throws Error: bad input for a picture without an outline or of another size than the first, bad usage for
/// options outside their range.
CutoutResult cutout(std::span<const CutoutPicture> pictures, const CutoutRequest& request,
                    const Progress& progress = {});

}  // namespace pelt::verbs
