#pragma once

#include <span>

namespace pelt::render {

/// DejaVu Sans, a TrueType file.
std::span<const unsigned char> fontData();

}  // namespace pelt::render
