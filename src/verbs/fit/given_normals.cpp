#include "given_normals.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pelt::verbs {
namespace {

constexpr float kFar = 0.5f;     ///< from length 1: no normal, or that of a vertex that has none
constexpr float kClose = 0.01f;  ///< what 8 bits and rounding leave

}  // namespace

void checkNormals(Run& run, MeshSequence& normals) {
    std::vector<Vec3f> frame(normals.vertexCount());
    float off = 0;
    for (std::size_t e = 0; e < normals.frameCount(); ++e) {
        normals.hasNormals() ? normals.readNormals(e, frame) : normals.readFrame(e, frame);
        std::size_t far = 0, first = 0;
        for (std::size_t v = 0; v < frame.size(); ++v) {
            const float apart = std::abs(length(frame[v]) - 1);
            if (apart <= kFar)
                off = std::max(off, apart);
            else if (far++ == 0)
                first = v;
        }
        if (far > frame.size() / 100)
            throw Error::badInput(
                {run.nameOf("normals"), fmt::format("frame {}", e)},
                fmt::format("{} of {} vectors are far from length 1 (vertex {}: {:.3g}), so that they are no normals; "
                            "give unit normals, not positions",
                            far, frame.size(), first, length(frame[first])));
    }
    if (off > kClose)
        run.warn(run.nameOf("normals"),
                 fmt::format("lengths of normals are up to {:.0f} % off 1; they are normalized", 100 * double(off)));
}

}  // namespace pelt::verbs
