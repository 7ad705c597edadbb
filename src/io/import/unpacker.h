#pragma once

#include <memory>

#include "io/gltf/compressed/unpack.h"

namespace pelt::io {

/// Decompresses mesh data in a sandboxed process (`pelt-import --unpack`): if a malicious file exploits a fault in a
/// compression library, it can only end that process. The process is started when first needed and ended with this
/// object.
class Unpacker {
public:
    Unpacker();
    ~Unpacker();
    Unpacker(Unpacker&&) noexcept;
    Unpacker& operator=(Unpacker&&) noexcept;

    /// An answer of more than `most_bytes` is treated as a crash. Throws Error (system) if the process cannot be found
    /// or started, or ends at once.
    gltf::UnpackAnswer unpack(const gltf::UnpackRequest& request, std::uint64_t most_bytes);

private:
    class Process;
    std::unique_ptr<Process> process_;
};

}  // namespace pelt::io
