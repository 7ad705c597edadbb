#pragma once

#include <pelt/core/progress.h>
#include <pelt/rig/character.h>

#include <cstdint>
#include <filesystem>

namespace pelt::io {

struct ImportOptions {
    std::filesystem::path importer;                       ///< the helper program; empty: findImporter()
    double timeout_seconds = 120;                         ///< wall clock; the helper is ended when it takes longer
    std::uint64_t memory_bytes = std::uint64_t(4) << 30;  ///< address space the helper may use
};

/// Reads .fbx and .dae in a child process, `pelt-import`, so that a fault of the import library ends that process and
/// not this one, and gets at nothing. The character is in metres, Y up, and carries a glTF document as its source. What
/// the importer mended is in Character::warnings. Throws Error: bad input for a file that cannot be read, makes the
/// importer crash or takes longer than the limits allow; system where the helper cannot be found or started; cancelled.
/// `progress` is told rising fractions of the stage "import".
Character importCharacter(const std::filesystem::path& path, const ImportOptions& options = {},
                          const Progress& progress = {});

/// The helper program: $PELT_IMPORTER, else `pelt-import` beside the running executable, else in ../libexec/pelt
/// from there, else where it was built or installed. Throws Error (system) where none is there.
std::filesystem::path findImporter();

/// What the helper program is made of. It reads what strangers made, so before it does it takes from itself, for good,
/// everything but computing with memory and the files that are open: it can open, change and remove no file, reach no
/// network, start no program, send signals to nobody else and gain no rights. What is refused fails as if it were not
/// permitted. False where the system has no such filter, or a sanitizer needs what it refuses: nothing is changed then.
bool enterSandbox();

/// Answers requests to unpack mesh data (Draco, meshopt) that come by the descriptor until its other end is closed.
/// False where what comes is no request.
bool serveUnpacking(int descriptor);

}  // namespace pelt::io
