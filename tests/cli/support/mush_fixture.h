#pragma once

#include <pelt/core/vec.h>

#include "glb_file.h"
#include "program.h"

using Words = std::vector<std::string>;
using Frames = std::vector<std::vector<pelt::Vec3f>>;

/// Characters written by `pelt sample`, mushed and deformed through the program.
class MushTest : public CliTest {
protected:
    /// A small smooth-skinned sample, written once into the test's folder.
    std::string sample(const std::string& name, const std::string& resolution = "300");

    std::string mush(const std::string& input, const std::string& output, const Words& options = {}) const;

    /// The frames of `pelt deform`; every tenth of the clip unless the options say otherwise.
    Frames deform(const std::string& input, const std::string& method, const Words& options = {});
};

Frames readFrames(const std::string& npy);

/// The largest distance of any vertex of any frame, in units of the bounding box diagonal of A's first frame.
double farthest(const Frames& a, const Frames& b);
/// The same over the vertices first .. first + count.
double farthest(const Frames& a, const Frames& b, std::size_t first, std::size_t count);
