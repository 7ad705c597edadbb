#pragma once

#include <pelt/core/image.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pelt::io {

/// Writes 8-bit RGB; the same image gives the same bytes. Throws Error: bad usage for a picture without pixels or
/// larger than 1 GiB, system if the disk is full or not writable.
void savePng(const Image& image, const std::filesystem::path& path);

/// The bytes that savePng would write. `name` is used in messages.
std::vector<std::byte> toPng(const Image& image, const std::string& name);

}  // namespace pelt::io
