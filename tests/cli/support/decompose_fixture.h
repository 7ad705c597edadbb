#pragma once

#include "glb_player.h"
#include "mush_fixture.h"

/// Sequences that are made by `pelt deform` or written by the test, decomposed through the program.
class DecomposeTest : public CliTest {
protected:
    using Json = nlohmann::json;

    /// `pelt deform` of the shared bar, every sixth frame, by a method that no skin reproduces exactly.
    std::string barFrames(const std::string& name = "bar.npy", const Words& options = {});

    /// A folder of .obj: a sheet of `side` x `side` vertices that rolls up, with UVs; its first frame is flat.
    std::string sheet(const std::string& name, std::size_t frames, std::size_t side = 9, double roll = 1);

    /// Runs `decompose`, expects success, and returns its JSON.
    Json decompose(const Words& words, const std::string& output = "out.glb");
};

/// RMS and largest distance between the frames that an independent reader computes from a .glb and the original frames.
struct PlayedError {
    double rms = 0, max = 0;
};
PlayedError playedError(const std::string& glb, const std::vector<Frames>& clips);

/// The radius of a ball around the points, at most a thousandth larger than the smallest [BadoiuClarkson03].
double roughRadius(const std::vector<pelt::Vec3f>& points);

/// The Khronos validator finds no error and no warning. False if it is not installed.
bool expectValid(const Words& files, const std::string& report);
