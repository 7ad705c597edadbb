// What a page has no processes or files for: the importer of foreign files, unpacking compressed meshes, and tets and
// sequences by the name of a file. Frames come as arrays.
#include <pelt/core/error.h>
#include <pelt/io/import.h>
#include <pelt/io/sequence_file.h>
#include <pelt/io/tet_file.h>

#include <cstring>

#include "io/fbx/fbx.h"
#include "io/import/import_glb.h"
#include "io/import/unpacker.h"

namespace pelt::io {
namespace {

[[noreturn]] void throwNoFile(const std::filesystem::path& path) {
    throw Error::badInput({path.string()}, "cannot be read: there are no files here; pass what it holds as arrays");
}

}  // namespace

Loaded importCharacter(const std::filesystem::path& path, const ImportOptions&, const Progress&) { throwNoFile(path); }
Imported importGlb(const std::filesystem::path& path, const ImportOptions&, const Progress&) { throwNoFile(path); }
TetMesh loadTets(const std::filesystem::path& path) { throwNoFile(path); }
std::unique_ptr<MeshSequence> openSequence(const std::filesystem::path& path, std::optional<Mesh>) {
    throwNoFile(path);
}
std::unique_ptr<SequenceWriter> createSequence(const std::filesystem::path& path, const SequenceInfo&) {
    throwNoFile(path);
}
std::unique_ptr<SequenceWriter> streamNpy(const SequenceInfo&, std::function<void(std::span<const std::byte>)>) {
    throwNoFile("-");
}
std::optional<std::filesystem::path> findForeign(const std::filesystem::path&) { return std::nullopt; }

// FBX would take the module over its size.
bool fbx::isFbx(std::span<const std::byte> bytes) {
    constexpr std::string_view kMagic = "Kaydara FBX Binary";
    return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}
gltf::Document fbx::readDocument(std::span<const std::byte>, bool, std::vector<std::string>&, const Progress&) {
    throw Error::badInput("it is FBX, which a page does not read; open it with pelt studio, which converts it");
}
std::vector<std::byte> fbx::write(const Character&, const gltf::GltfSource&, bool, std::vector<std::string>&) {
    throw Error::badInput("a page does not write FBX; save a .glb, and pelt clean makes an .fbx of it");
}
void fbx::findPictures(gltf::Document&, const std::string&, std::vector<std::string>&) {}

class Unpacker::Process {};

Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;

gltf::UnpackAnswer Unpacker::unpack(const gltf::UnpackRequest& request, std::uint64_t) {
    const bool draco = request.kind == gltf::UnpackRequest::Kind::draco;
    throw Error::badInput(std::string("is compressed by ") + (draco ? "Draco" : "meshoptimizer") +
                          ", which this build does not read; decompress it first, for instance with glTF-Transform");
}

}  // namespace pelt::io
