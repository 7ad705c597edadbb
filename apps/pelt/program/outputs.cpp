#include "outputs.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/pipeline/files.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "documents.h"
#include "streams.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

struct KindInfo {
    std::vector<std::string> extensions;  ///< "" is a folder
    const char* advice;
};

KindInfo infoOf(OutputKind kind) {
    switch (kind) {
        case OutputKind::character:
            return {{".glb", ".gltf"}, "write .glb or .gltf"};
        case OutputKind::sequence:
            return {{".npy", ".pc2", ".mdd", ".glb", ""},
                    "write .npy, .pc2, .mdd, .glb, or a name without extension for a folder of .obj"};
        case OutputKind::poses:
            return {{".npy", ".pc2", ".mdd", ".glb", ".obj", ".ply", ""},
                    "write .npy, .pc2, .mdd, .glb, a single frame as .obj or .ply, or a name without extension for a "
                    "folder of .obj"};
        case OutputKind::numbers:
            return {{".npy"}, "write .npy"};
        case OutputKind::rig:
            return {{".peltrig"}, "write .peltrig"};
        case OutputKind::picture:
            break;
    }
    return {{".png"}, "write .png"};
}

bool same(const fs::path& a, const fs::path& b) {
    std::error_code fault;
    return fs::equivalent(a, b, fault) && !fault;
}

bool isInside(const fs::path& file, const fs::path& folder) {
    std::error_code fault;
    for (fs::path p = fs::absolute(file, fault).lexically_normal(); p.has_relative_path(); p = p.parent_path())
        if (same(p, folder)) return true;
    return false;
}

void checkInputsAreKept(const fs::path& output, bool folder, const std::vector<fs::path>& inputs) {
    std::vector<fs::path> written{output};
    if (pipeline::extensionOf(output) == ".gltf") written.push_back(fs::path(output).replace_extension(".bin"));
    for (const fs::path& input : inputs) {
        std::vector<fs::path> read{input};
        for (fs::path& file : io::referredFiles(input)) read.push_back(std::move(file));
        for (const fs::path& file : read)
            for (const fs::path& target : written)
                if (same(file, target) || (folder && isInside(file, target)))
                    throw Error::badUsage(
                        {target.string()},
                        fmt::format("writing it would change the input {}; choose another output", file.string()));
    }
}

/// A sequence folder is replaced as a whole, so it may contain nothing but frames of an earlier run.
void checkFolder(const fs::path& output) {
    std::error_code fault;
    if (!fs::exists(output, fault)) return;
    if (!fs::is_directory(output, fault))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(ENOTDIR)));
    if (const auto other = io::findForeign(output))
        throw Error::badUsage({output.string()},
                              fmt::format("the folder contains {}, which is not a frame; choose a new folder",
                                          other->filename().string()));
}

}  // namespace

void checkOutput(const fs::path& output, OutputKind kind, const std::vector<fs::path>& inputs) {
    if (isStandardStream(output) || isInMemory(output)) return;  // streams are checked by checkStreams
    const KindInfo info = infoOf(kind);
    const std::string extension = output.has_filename() ? pipeline::extensionOf(output) : "";
    if (output.empty() || std::find(info.extensions.begin(), info.extensions.end(), extension) == info.extensions.end())
        throw Error::badUsage({output.string()}, fmt::format("this extension cannot be written; {}", info.advice));
    const bool folder = extension.empty();
    const fs::path target = output.has_filename() ? output : output.parent_path();
    checkInputsAreKept(target, folder, inputs);
    if (folder) checkFolder(target);

    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code fault;
    if (!fs::is_directory(parent, fault))
        throw Error::system({output.string()},
                            fmt::format("the folder {} does not exist; make it first", parent.string()));
    if (!folder && fs::is_directory(target, fault))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(EISDIR)));
    if (::access(parent.c_str(), W_OK) != 0)
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(errno)));
}

}  // namespace pelt::cli
