#pragma once

#include <pelt/io/import.h>
#include <pelt/rig/character.h>

#include <filesystem>
#include <string>
#include <vector>

/// Frames that a test file's truth holds, or that a character shows; F x V points.
using Frames = std::vector<std::vector<pelt::Vec3f>>;

std::filesystem::path importData(const std::string& name);

/// What Blender shows: NAME.truth.npy.
Frames readTruth(const std::string& name);

/// The character's clip skinned linearly, written out plainly: morphs, then sum of w M v. Frame f at f / fps.
Frames skinLinearly(const pelt::Character& character, std::size_t frames, double fps);
std::vector<pelt::Vec3f> skinLinearlyAt(const pelt::Character& character, const pelt::Clip* clip, double t);

/// The largest distance over all frames, each vertex compared with the truth's vertex that is nearest in frame 0.
double distanceToTruth(const Frames& shown, const Frames& truth);

/// A folder of its own, removed at the end.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::filesystem::path write(const std::string& name, const std::string& bytes) const;

private:
    std::filesystem::path path_;
};

std::string readBytes(const std::filesystem::path& path);

/// The message of the bad-input Error that importing throws; empty where it throws none. Any other Error fails the
/// test.
std::string importFault(const std::filesystem::path& path, const pelt::io::ImportOptions& options = {});
