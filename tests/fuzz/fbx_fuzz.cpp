// Fuzz target: binary FBX, read, and written again.
#include "fbx_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // The magic that everything else is refused without.
    std::string file("Kaydara FBX Binary  \0\x1a\0", 23);
    file.append(reinterpret_cast<const char*>(data), size);
    return readFbxAndWrite(file);
}
