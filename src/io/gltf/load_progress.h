#pragma once

#include <pelt/core/progress.h>

#include <algorithm>
#include <cstdint>

namespace pelt::io::gltf {

/// How far loading is: a share for the document as such, the rest by the numbers that its accessors hold. Keeps a
/// reference to what it tells.
class LoadProgress {
public:
    explicit LoadProgress(const Progress& progress) : progress_(progress) {}

    void documentRead() const { progress_.report("load", kDocument); }
    /// How many numbers there are to decode, as the document claims; a wrong claim makes the bar wrong, nothing else.
    void expect(std::uint64_t numbers) { total_ = numbers; }
    /// So many more were decoded. Throws Error (cancelled) when the caller asked for a stop.
    void decoded(std::uint64_t numbers) {
        done_ = std::min(done_ + numbers, total_);
        const double share = total_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(total_);
        progress_.report("load", kDocument + (1 - kDocument) * share);
    }
    void finished() const { progress_.report("load", 1); }

private:
    static constexpr double kDocument = 0.25;

    const Progress& progress_;
    std::uint64_t total_ = 0, done_ = 0;
};

}  // namespace pelt::io::gltf
