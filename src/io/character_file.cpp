#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include "gltf/container.h"
#include "gltf/write_new.h"

namespace pelt::io {

void saveCharacter(const Character& character, const std::filesystem::path& path) {
    gltf::writeDocument(gltf::makeDocument(character), path);
}

std::vector<std::byte> toGlb(const Character& character) { return gltf::toGlb(gltf::makeDocument(character)); }

}  // namespace pelt::io
