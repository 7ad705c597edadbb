#pragma once

#include <pelt/core/image.h>

#include <filesystem>

namespace pelt::io {

void savePng(const Image& image, const std::filesystem::path& path);

}  // namespace pelt::io
