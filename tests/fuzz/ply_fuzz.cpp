// Fuzz target: .ply.
#include <pelt/core/error.h>
#include <pelt/io/mesh_file.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        pelt::io::parsePly(std::as_bytes(std::span(data, size)), "fuzz.ply");
    } catch (const pelt::Error&) {
    }
    return 0;
}
