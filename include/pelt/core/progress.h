#pragma once

#include <functional>
#include <string_view>

namespace pelt {

/// How long work talks to its caller. A default-made Progress is silent and never cancels.
class Progress {
public:
    /// Called with the stage's name and the fraction done, 0 to 1; returns false to ask for a stop.
    /// It may be called from a worker thread, but never from two at once.
    using Callback = std::function<bool(std::string_view stage, double fraction)>;

    Progress() = default;
    explicit Progress(Callback callback) : callback_(std::move(callback)) {}

    /// Reports, and throws Error (cancelled) when the caller asked for a stop.
    void report(std::string_view stage, double fraction) const;

    /// For a step of the work: what it reports, 0 to 1, is told as the share `from` to `to` of `stage`. Borrows this
    /// one and the name.
    Progress share(std::string_view stage, double from, double to) const {
        return Progress([this, stage, from, to](std::string_view, double fraction) {
            report(stage, from + fraction * (to - from));
            return true;
        });
    }

private:
    Callback callback_;
};

}  // namespace pelt
