// Fuzz target: .obj.
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        pelt::io::parseObj(std::as_bytes(std::span(data, size)), "fuzz.obj");
    } catch (const pelt::Error&) {
    }
    return 0;
}
