// Fuzz target: .pc2.
#include <pelt/core/error.h>

#include "io/sequence/sequence_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto bytes = std::as_bytes(std::span(data, size));
        const auto sequence = pelt::io::openPc2(pelt::io::openMemory(bytes, "fuzz.pc2"), {});
        std::vector<pelt::Vec3f> frame(sequence->vertexCount());
        for (std::size_t f = 0; f < sequence->frameCount(); ++f) sequence->readFrame(f, frame);
    } catch (const pelt::Error&) {
    }
    return 0;
}
