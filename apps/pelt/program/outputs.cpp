// Checks of what a verb will write, before any work.
#include "program/outputs.h"

#include <fmt/format.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/sequence_file.h>
#include <pelt/verbs/files.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "program/streams.h"

namespace pelt::program {
namespace {

namespace fs = std::filesystem;
using verbs::Kind;

struct KindInfo {
    std::vector<std::string> extensions;  ///< "" is a folder
    const char* advice;
};

KindInfo infoOf(Kind kind) {
    switch (kind) {
        case Kind::sequence:
            return {{".npy", ".pc2", ".mdd", ".glb", ""},
                    ".npy, .pc2, .mdd, .glb, or a name without extension for a folder of .obj"};
        case Kind::poses:
            return {{".npy", ".pc2", ".mdd", ".glb", ".obj", ".ply", ""},
                    ".npy, .pc2, .mdd, .glb, a single frame as .obj or .ply, or a name without extension for a folder "
                    "of .obj"};
        case Kind::numbers:
            return {{".npy"}, ".npy"};
        case Kind::rig:
            return {{".peltrig"}, ".peltrig"};
        case Kind::picture:
            return {{".png"}, ".png"};
        case Kind::folder:
            return {{""}, "the name of a folder"};
        default:
            return {{".glb", ".gltf", ".fbx", ".vrm"}, ".glb, .gltf, .fbx or, for avatars, .vrm"};
    }
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

void checkKept(const fs::path& output, bool folder, const std::vector<fs::path>& inputs) {
    std::vector<fs::path> written{output};
    if (io::extensionOf(output) == ".gltf") written.push_back(fs::path(output).replace_extension(".bin"));
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
    if (isInside(fs::current_path(fault), output))
        throw Error::badUsage({output.string()},
                              "the folder is replaced as a whole, and you are in it; name a new folder");
    if (!fs::is_directory(output, fault))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(ENOTDIR)));
    if (const auto other = io::findForeign(output))
        throw Error::badUsage({output.string()},
                              fmt::format("the folder contains {}, which is not a frame; choose a new folder",
                                          other->filename().string()));
}

/// A folder that is written into: what it has stays, but for files of the same names.
bool isFolder(const fs::path& output, std::span<const Kind> kinds) {
    std::error_code fault;
    return std::find(kinds.begin(), kinds.end(), Kind::folder) != kinds.end() && fs::is_directory(output, fault);
}

Kind kindOf(const fs::path& output, std::span<const Kind> kinds) {
    if (isFolder(output, kinds)) return Kind::folder;
    const std::string extension = output.has_filename() ? io::extensionOf(output) : "";
    std::string advice;
    for (const Kind kind : kinds) {
        const KindInfo info = infoOf(kind);
        const bool fits = std::find(info.extensions.begin(), info.extensions.end(), extension) != info.extensions.end();
        if (fits && !output.empty()) return kind;
        advice += (advice.empty() ? "" : "; or ") + std::string(info.advice);
    }
    std::error_code fault;
    const bool folder = fs::is_directory(output, fault);
    throw Error::badUsage(
        {output.string()},
        fmt::format("{}; write {}", folder ? "is a folder" : "this extension cannot be written", advice));
}

}  // namespace

void checkInputsAreKept(const fs::path& output, const std::vector<fs::path>& inputs) {
    checkKept(output, false, inputs);
}

Kind checkOutput(const fs::path& output, std::span<const Kind> kinds, const std::vector<fs::path>& inputs) {
    if (isStandardStream(output)) return kinds.front();  // streams are checked by checkStreams
    const Kind kind = kindOf(output, kinds);
    const bool folder = kind == Kind::folder || io::extensionOf(output).empty() || !output.has_filename();
    const fs::path target = output.has_filename() ? output : output.parent_path();
    std::error_code fault;
    if (kind != Kind::folder) checkKept(target, folder, inputs);
    if (folder && kind != Kind::folder) checkFolder(target);
    if (kind == Kind::folder && fs::exists(target, fault) && !fs::is_directory(target, fault))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(ENOTDIR)));

    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::is_directory(parent, fault))
        throw Error::system({output.string()},
                            fmt::format("the folder {} does not exist; make it first", parent.string()));
    if (!folder && fs::is_directory(target, fault))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(EISDIR)));
    if (::access(parent.c_str(), W_OK) != 0 || !io::mayReplace(target))
        throw Error::system({output.string()}, fmt::format("cannot write: {}", std::strerror(errno)));
    return kind;
}

}  // namespace pelt::program
