// Fuzz target: glTF, read and written.
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include <cstdint>
#include <cstdlib>

/// A file loads or is refused; what loads can be written, edited and new, and the new document can be read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pelt;
    Character character;
    try {
        character = io::loadGltf(std::as_bytes(std::span(data, size)), "fuzz.glb").character;
    } catch (const Error&) {
        return 0;
    }
    try {
        io::toGlb(character);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) std::abort();
    }
    character.source = nullptr;
    io::loadGltf(io::toGlb(character), "again.glb");
    return 0;
}
