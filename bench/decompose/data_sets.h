#pragma once

#include <pelt/core/mesh_sequence.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace pelt::bench {

/// A mesh sequence, its frames in memory.
struct DataSet {
    Mesh rest;
    std::unique_ptr<MeshSequence> frames;
};

std::unique_ptr<MeshSequence> inMemory(MeshSequence& sequence);

/// Where below `folder` the set `name` is: a folder of that name with rest.obj and frames.npy, or with a mesh for each
/// frame; or a sequence NAME.npy, .pc2 or .mdd beside NAME.obj or .ply. Capital letters, underscores and spaces for
/// dashes do not matter.
std::optional<std::filesystem::path> findDataSet(const std::filesystem::path& folder, const std::string& name);

/// Among the meshes of a folder, one whose name has "rest" or "reference" is the rest pose; else the first frame is.
DataSet loadDataSet(const std::filesystem::path& found);

}  // namespace pelt::bench
