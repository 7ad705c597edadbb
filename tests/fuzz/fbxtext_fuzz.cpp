// Fuzz target: FBX as text, read, and written again.
#include "fbx_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return readFbxAndWrite("; FBX\n" + std::string(reinterpret_cast<const char*>(data), size));
}
