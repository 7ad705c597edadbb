#pragma once

#include <pelt/core/mesh_sequence.h>

#include <bit>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"

namespace pelt::io {

/// How a file without topology lays out its F frames of V vertices.
struct FrameLayout {
    std::uint64_t offset = 0;  ///< of the first value
    std::uint64_t frames = 0, vertices = 0;
    bool is_double = false;  ///< else float
    std::endian order = std::endian::little;
    bool is_fortran = false;  ///< the frame index varies fastest, the coordinate slowest
    double frame_seconds = 1.0 / 30.0;
};

/// Throws Error (bad input) if the layout is empty or does not fit in the file; the message names `format` and the
/// number of frames that fit.
void checkLayout(const FrameLayout& layout, const ByteSource& source, std::string_view format);

/// Frames read from `source` one at a time. A mesh must have as many vertices.
std::unique_ptr<MeshSequence> makeFrameReader(std::unique_ptr<ByteSource> source, const FrameLayout& layout,
                                              std::optional<Mesh> mesh);

/// Each reads a whole file; throws Error (bad input).
std::unique_ptr<MeshSequence> openNpy(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh);
std::unique_ptr<MeshSequence> openPc2(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh);
std::unique_ptr<MeshSequence> openMdd(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh);

/// One mesh file per frame (at least one), in the order given. Without a mesh, the first file provides the faces.
std::unique_ptr<MeshSequence> openMeshFiles(std::vector<std::filesystem::path> files, std::optional<Mesh> mesh);

/// The .obj or .ply files of a folder in natural order. Throws Error (bad input) if there are none or both kinds.
std::vector<std::filesystem::path> meshFilesInFolder(const std::filesystem::path& folder);
/// The files that a pattern (`*`, `?`, `[…]`) matches, in natural order; all must be .obj or .ply.
std::vector<std::filesystem::path> meshFilesMatching(const std::string& pattern);

/// Digits compare as numbers: frame2 before frame10.
bool naturalLess(std::string_view a, std::string_view b);

/// Throws Error (bad input) that names both vertex counts if a mesh does not match.
void checkVertexCount(const std::optional<Mesh>& mesh, std::uint64_t vertices, const std::string& name);
/// Throws Error (bad usage) if the frame does not exist or the span has the wrong size.
void checkFrameRequest(const MeshSequence& sequence, std::size_t frame, std::size_t room);

}  // namespace pelt::io
