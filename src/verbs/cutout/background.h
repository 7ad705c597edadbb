#pragma once

#include <pelt/io/picture.h>

#include <array>
#include <optional>
#include <string>

namespace pelt::verbs {

using Color = std::array<std::uint8_t, 3>;

/// "#RRGGBB", or "corner": the color that most corners of the picture have. Throws Error (bad usage) for another text.
Color backgroundColor(const std::string& text, const io::Picture& picture);

/// Makes what has the color of the background transparent, and takes that color out of the half transparent pixels of
/// edges.
void clearBackground(io::Picture& picture, const Color& background);

}  // namespace pelt::verbs
