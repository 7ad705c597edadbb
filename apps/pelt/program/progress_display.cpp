// Shows progress on standard error: a bar on a terminal, an occasional line elsewhere.
#include "program/progress_display.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "program/terminal.h"

namespace pelt::program {
namespace {

constexpr double kWorthShowing = 1.0;  ///< estimated seconds that a stage must take to be shown
constexpr double kEarliest = 0.4;      ///< seconds before an estimate is used
constexpr std::chrono::milliseconds kRedraw{100};

int terminalColumns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration(double seconds) {
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

double secondsLeft(double seconds, double fraction) { return seconds * (1 - fraction) / fraction; }

std::string repeated(std::string_view text, int count) {
    std::string line;
    for (int i = 0; i < count; ++i) line += text;
    return line;
}

}  // namespace

void ProgressDisplay::start() {
    terminal_ = isTerminal(STDERR_FILENO);
    color_ = wantsColor(STDERR_FILENO);
    utf8_ = speaksUtf8();
    stage_began_ = Clock::now();
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread available: the work continues without display
    }
}

void ProgressDisplay::update(std::string_view stage, double fraction) {
    const std::lock_guard lock(mutex_);
    if (stage_ != stage) {
        stage_ = stage;
        stage_began_ = Clock::now();
        next_line_ = {};
    }
    fraction_ = fraction;
}

void ProgressDisplay::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
    if (drawn_ && terminal_) writeStderr("\r\x1b[2K");
}

void ProgressDisplay::run() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kRedraw, [this] { return stopping_; })) draw(Clock::now());
}

void ProgressDisplay::draw(Clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now - stage_began_).count();
    const double expected = fraction_ > 0 ? seconds / fraction_ : seconds;
    if (stage_.empty() || seconds < kEarliest || expected < kWorthShowing) return;
    if (terminal_) {
        writeStderr("\r\x1b[2K" + barLine(seconds));
    } else if (now >= next_line_) {
        if (seconds < kWorthShowing) return;
        writeStderr(plainLine(seconds));
        // The interval between lines grows with the time.
        next_line_ = now + std::chrono::milliseconds(static_cast<int>(1000 * std::clamp(seconds / 4, 1.0, 60.0)));
    }
    drawn_ = true;
}

std::string ProgressDisplay::barLine(double seconds) const {
    if (fraction_ < 0) return fmt::format("{:<10} {}", oneLine(stage_), duration(seconds));
    const double fraction = std::clamp(fraction_, 0.0, 1.0);
    const int width = std::clamp(terminalColumns() - 40, 8, 40);
    const int full = static_cast<int>(fraction * width);
    const std::string bar = repeated(utf8_ ? "█" : "#", full), rest = repeated(utf8_ ? "░" : "-", width - full);
    const std::string left = fraction > 0 ? duration(secondsLeft(seconds, fraction)) + " left" : "";
    return color_ ? fmt::format("{:<10} \x1b[36m{}\x1b[2m{}\x1b[0m {:3.0f} %  {}", oneLine(stage_), bar, rest,
                                100 * fraction, left)
                  : fmt::format("{:<10} {}{} {:3.0f} %  {}", oneLine(stage_), bar, rest, 100 * fraction, left);
}

std::string ProgressDisplay::plainLine(double seconds) const {
    // No estimate before the first progress.
    if (fraction_ <= 0) return fmt::format("pelt: {}, {} so far\n", oneLine(stage_), duration(seconds));
    const double fraction = std::min(fraction_, 1.0);
    return fmt::format("pelt: {} {:.0f} %, {} left\n", oneLine(stage_), 100 * fraction,
                       duration(secondsLeft(seconds, fraction)));
}

}  // namespace pelt::program
