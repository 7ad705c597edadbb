// Characters for tests of pelt mush and what follows it.
#include "mush_fixture.h"

#include <pelt/io/sequence_file.h>

#include <algorithm>

using pelt::Vec3f;

std::string MushTest::sample(const std::string& name, const std::string& resolution) {
    const std::string file = path(name + resolution + ".glb");
    if (!std::filesystem::exists(file))
        std::filesystem::copy_file(
            madeOnce(name + resolution + ".glb", {"sample", name, "--resolution", resolution, "--skin", "smooth"}),
            file);
    return file;
}

std::string MushTest::mush(const std::string& input, const std::string& output, const Words& options) const {
    Words words = {"mush", input, "-o", path(output)};
    words.insert(words.end(), options.begin(), options.end());
    runWell(words);
    return path(output);
}

Frames MushTest::deform(const std::string& input, const std::string& method, const Words& options) {
    Words words = {"deform", input, "--method", method, "-o", path("frames.npy")};
    if (std::none_of(options.begin(), options.end(),
                     [](const std::string& o) { return o == "--frames" || o == "--fps"; }))
        words.insert(words.end(), {"--frames", "::10"});
    words.insert(words.end(), options.begin(), options.end());
    runWell(words);
    return readFrames(path("frames.npy"));
}

Frames readFrames(const std::string& npy) {
    const auto sequence = pelt::io::openSequence(npy);
    Frames frames(sequence->frameCount(), std::vector<Vec3f>(sequence->vertexCount()));
    for (std::size_t f = 0; f < frames.size(); ++f) sequence->readFrame(f, frames[f]);
    return frames;
}

double farthest(const Frames& a, const Frames& b) { return farthest(a, b, 0, a.at(0).size()); }

double farthest(const Frames& a, const Frames& b, std::size_t first, std::size_t count) {
    EXPECT_EQ(a.size(), b.size());
    Vec3f low = a.at(0).at(0), high = low;
    for (const Vec3f& p : a[0]) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    double most = 0;
    for (std::size_t f = 0; f < std::min(a.size(), b.size()); ++f)
        for (std::size_t v = first; v < first + count; ++v)
            most = std::max<double>(most, length(a[f].at(v) - b[f].at(v)));
    return most / length(high - low);
}
