#pragma once

#include <pelt/core/image.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pelt::io {

/// Writes 8-bit RGB; the same picture gives the same bytes. Throws Error: bad usage for a picture without pixels or
/// larger than 1 GiB, system where the disk says no.
void savePng(const Image& image, const std::filesystem::path& path);

/// What savePng would write, in memory. `name` is how messages call it.
std::vector<std::byte> toPng(const Image& image, const std::string& name);

}  // namespace pelt::io
