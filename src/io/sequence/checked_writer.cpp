// Checks the frames that are given to any writer of sequences.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>

#include "sequence_writers.h"

namespace pelt::io {

CheckedWriter::CheckedWriter(std::filesystem::path path, const SequenceInfo& info)
    : path_(std::move(path)), info_(info) {
    if (info.frames == 0 || info.vertices == 0)
        throw Error::badUsage({path_.string()},
                              fmt::format("a sequence of {} frames of {} vertices; there must be at least one of each",
                                          info.frames, info.vertices));
    if (!(info.frame_seconds > 0) || !std::isfinite(info.frame_seconds))
        throw Error::badUsage({path_.string()},
                              fmt::format("a sequence with {} seconds per frame", info.frame_seconds));
    if (info.mesh && info.mesh->vertexCount() != info.vertices)
        throw Error::badInput({path_.string()}, fmt::format("frames of {} vertices, but the mesh with the faces has {}",
                                                            info.vertices, info.mesh->vertexCount()));
}

void CheckedWriter::write(std::span<const Vec3f> positions) {
    if (positions.size() != info_.vertices || written_ == info_.frames)
        throw Error::badUsage({path_.string()},
                              fmt::format("frame {} of {} vertices, where {} frames of {} were announced", written_,
                                          positions.size(), info_.frames, info_.vertices));
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!isFinite(positions[v]))
            throw Error::badInput({path_.string()},
                                  fmt::format("not written: frame {}, vertex {} is not finite", written_, v));
    writeFrame(written_, positions);
    ++written_;
}

void CheckedWriter::finish() {
    if (finished_ || written_ != info_.frames)
        throw Error::badUsage({path_.string()}, fmt::format("finished {} after {} of {} frames",
                                                            finished_ ? "twice," : "early,", written_, info_.frames));
    commit();
    finished_ = true;
}

}  // namespace pelt::io
