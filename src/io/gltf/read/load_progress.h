#pragma once

#include <pelt/core/progress.h>

#include <algorithm>
#include <cstdint>

namespace pelt::io::gltf {

/// The progress of loading: a fixed share for the document, the rest by the numbers in its accessors. Keeps a reference
/// to the Progress.
class LoadProgress {
public:
    explicit LoadProgress(const Progress& progress) : progress_(progress) {}

    void documentRead() const { progress_.report("load", kDocument); }
    /// The number of values to decode, as claimed by the document; a wrong claim only affects the progress bar.
    void expect(std::uint64_t numbers) { total_ = numbers; }
    /// Reports that this many more were decoded. Throws Error (cancelled) if the caller canceled.
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
