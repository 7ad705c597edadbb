#include "stages.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace pelt::cli {
namespace {

constexpr std::chrono::milliseconds kMeasureInterval{20};

/// The largest resident size since resetPeak(), or since the start where the kernel does not let us reset it.
std::uint64_t peakBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        unsigned long long kib = 0;
        if (std::sscanf(line.c_str(), "VmHWM: %llu kB", &kib) == 1) return kib * 1024;
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void resetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

void Stages::charge(Clock::time_point now) {
    if (active_) stages_[running_].seconds += std::chrono::duration<double>(now - entered_).count();
}

void Stages::measureMemory(Clock::time_point now) {
    const std::uint64_t peak = peakBytes();
    for (Stage& stage : stages_) {
        if (stage.ran_since_measure) stage.peak_bytes = std::max(stage.peak_bytes, peak);
        stage.ran_since_measure = false;
    }
    resetPeak();
    measured_ = now;
}

void Stages::enter(std::string_view name) {
    const Clock::time_point now = Clock::now();
    charge(now);
    const auto known =
        std::find_if(stages_.begin(), stages_.end(), [&](const Stage& stage) { return stage.name == name; });
    const bool is_new = known == stages_.end();
    running_ = static_cast<std::size_t>(known - stages_.begin());
    if (is_new || now - measured_ > kMeasureInterval) measureMemory(now);
    if (is_new) stages_.push_back({std::string(name), 0, 0, false});
    stages_[running_].ran_since_measure = true;
    active_ = true;
    entered_ = now;
}

void Stages::finish() {
    const Clock::time_point now = Clock::now();
    charge(now);
    active_ = false;
    measureMemory(now);
}

nlohmann::ordered_json Stages::json() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Stage& stage : stages_)
        list.push_back({{"name", stage.name}, {"seconds", stage.seconds}, {"peak_bytes", stage.peak_bytes}});
    return list;
}

double Stages::totalSeconds() const {
    double sum = 0;
    for (const Stage& stage : stages_) sum += stage.seconds;
    return sum;
}

}  // namespace pelt::cli
