// What a browser has no processes for: reading FBX and Collada, and unpacking compressed meshes.
#include <pelt/core/error.h>
#include <pelt/io/import.h>

#include "import/unpacker.h"

namespace pelt::io {

Character importCharacter(const std::filesystem::path& path, const ImportOptions&, const Progress&) {
    throw Error::badInput({path.string()}, "is not glTF; convert it with the program pelt, or export a .glb");
}

class Unpacker::Process {};

Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;

gltf::UnpackAnswer Unpacker::unpack(const gltf::UnpackRequest& request, std::uint64_t) {
    const bool draco = request.kind == gltf::UnpackRequest::Kind::draco;
    throw Error::badInput(std::string("is compressed by ") + (draco ? "Draco" : "meshoptimizer") +
                          ", which this build does not read; decompress it first, as with glTF-Transform's NodeIO");
}

}  // namespace pelt::io
