// Fuzz target: packed rigs.
#include <pelt/core/aligned_bytes.h>

#include <cstring>

#include "runtime/try_rig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pelt::runtime;
    pelt::AlignedBytes file(size);
    if (size > 0) std::memcpy(file.data(), data, size);
    const std::vector<pelt::Affine3f> bones(4);
    trySkin(file, bones);
    for (const RigKind kind : kKinds) {
        tryRig(kind, findRig(file, kind), bones);
        tryRig(kind, file, bones);
    }
    return 0;
}
