#pragma once

#include <functional>
#include <string_view>

namespace pelt {

/// How long computations report progress and can be canceled. A default-constructed Progress reports nothing and never
/// cancels.
class Progress {
public:
    /// Called with the stage's name and the fraction done, 0 to 1; returns false to cancel. It may be called from a
    /// worker thread, but never from two at once.
    using Callback = std::function<bool(std::string_view stage, double fraction)>;

    Progress() = default;
    explicit Progress(Callback callback) : callback_(std::move(callback)) {}

    /// Reports progress; throws Error (cancelled) if the caller canceled.
    void report(std::string_view stage, double fraction) const;

    /// A Progress for one step of the work: its fractions 0 to 1 are reported as `from` to `to` of `stage`. Keeps
    /// references to this object and the name.
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
