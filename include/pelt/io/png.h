#pragma once

#include <pelt/core/image.h>

#include <filesystem>

namespace pelt::io {

/// Writes 8-bit RGB; the same picture gives the same bytes. Throws Error: bad usage for a picture without pixels or
/// larger than 1 GiB, system where the disk says no.
void savePng(const Image& image, const std::filesystem::path& path);

}  // namespace pelt::io
