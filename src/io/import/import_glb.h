#pragma once

#include <pelt/io/import.h>

namespace pelt::io {

/// A file that the importer turned into a .glb, and what it repaired.
struct Imported {
    std::vector<std::byte> glb;
    std::vector<std::string> warnings;
};
Imported importGlb(const std::filesystem::path& path, const ImportOptions& options, const Progress& progress);

/// The character of such a .glb. `path` is the file it was made from, near which its pictures are.
Loaded loadImported(Imported imported, const std::filesystem::path& path, const LoadOptions& options,
                    const Progress& progress);

}  // namespace pelt::io
