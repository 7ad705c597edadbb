// Fuzz target: pictures.
#include <pelt/core/error.h>
#include <pelt/io/picture.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        pelt::io::parsePicture(std::as_bytes(std::span(data, size)), "fuzz.png");
    } catch (const pelt::Error&) {
    }
    return 0;
}
