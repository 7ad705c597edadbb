#pragma once

#include <pelt/core/progress.h>
#include <pelt/io/character_file.h>

#include <cstdint>
#include <filesystem>

namespace pelt::io {

struct ImportOptions {
    std::filesystem::path importer;                       ///< the helper program; empty: findImporter()
    double timeout_seconds = 120;                         ///< wall-clock time; then the helper is terminated
    std::uint64_t memory_bytes = std::uint64_t(4) << 30;  ///< address space of the helper
};

/// Reads .fbx and .dae in a sandboxed child process, `pelt-import`, so that a fault in the import library ends only
/// that process and can do no harm. The character is in meters, y up, and has a glTF document as its source.
/// Its warnings say what the importer repaired too. Throws Error: bad input for a file that cannot be read, crashes
/// the importer or exceeds the limits; system if the helper cannot be found or started; cancelled. Progress is reported
/// for the stage "import".
Loaded importCharacter(const std::filesystem::path& path, const ImportOptions& options = {},
                       const Progress& progress = {});

/// Finds the helper program: $PELT_IMPORTER, otherwise `pelt-import` beside the running executable, in ../libexec/pelt
/// relative to it, beside the shared library that this code is in, or where it was built or installed. Throws Error
/// (system) if there is none.
std::filesystem::path findImporter();

/// Used by the helper program. Before it reads untrusted files, it permanently gives up all rights except computing and
/// using files that are already open: it cannot open, change or remove files, use the network, start programs, signal
/// other processes or gain privileges. Refused system calls fail with a permission error. Returns false, and changes
/// nothing, if the system has no such filter or if a sanitizer needs the refused calls.
bool enterSandbox();

/// Answers requests to decompress mesh data (Draco, meshopt) received on the descriptor until its other end is closed.
/// Returns false for an invalid request.
bool serveUnpacking(int descriptor);

}  // namespace pelt::io
