// Fuzz target: .mesh.
#include <pelt/core/error.h>
#include <pelt/io/tet_file.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        pelt::io::parseMedit(std::as_bytes(std::span(data, size)), "fuzz.mesh");
    } catch (const pelt::Error&) {
    }
    return 0;
}
