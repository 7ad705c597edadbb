#pragma once

#include <memory>

#include "gltf/unpack.h"

namespace pelt::io {

/// Unpacks compressed mesh data in a process of its own (`pelt-import --unpack`), which can do nothing but compute: a
/// fault of a compression library that a file provokes ends that process and gets at nothing. The process is started
/// when it is first needed and ended with this object.
class Unpacker {
public:
    Unpacker();
    ~Unpacker();
    Unpacker(Unpacker&&) noexcept;
    Unpacker& operator=(Unpacker&&) noexcept;

    /// An answer of more than `most_bytes` is taken for a crash. Throws Error (system) where the process cannot be
    /// found or started.
    gltf::UnpackAnswer unpack(const gltf::UnpackRequest& request, std::uint64_t most_bytes);

private:
    class Process;
    std::unique_ptr<Process> process_;
};

}  // namespace pelt::io
