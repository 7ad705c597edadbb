#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace pelt::program {

/// Shows progress on standard error: on a terminal a bar with the stage's name, percent and time left, elsewhere an
/// occasional line. Nothing for work that takes less than about a second. A separate thread draws, so that reporting is
/// cheap.
class ProgressDisplay {
public:
    ProgressDisplay() = default;
    ~ProgressDisplay() { stop(); }
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    void start();
    /// `fraction` 0 to 1; negative if unknown.
    void update(std::string_view stage, double fraction);
    /// Clears the bar; nothing is drawn afterwards.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    void run();
    void draw(Clock::time_point now);
    std::string barLine(double seconds) const;
    std::string plainLine(double seconds) const;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
    bool stopping_ = false;
    bool terminal_ = false, color_ = false, utf8_ = false;
    bool drawn_ = false;
    std::string stage_;
    double fraction_ = -1;
    Clock::time_point stage_began_{}, next_line_{};
};

}  // namespace pelt::program
