// Measures time and memory of the stages of a verb.
#include "verbs/run/stages.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <system_error>

namespace pelt::verbs {
namespace {

constexpr std::chrono::milliseconds kMeasureInterval{20};

struct ResidentSize {
    std::uint64_t now = 0, peak = 0;
};

/// The peak of the process since its start. The kernel could reset it, but the parent process may read it too
/// (ru_maxrss).
ResidentSize residentSize() {
    ResidentSize size;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> status(std::fopen("/proc/self/status", "re"), std::fclose);
    for (char line[256]; status && std::fgets(line, sizeof line, status.get());) {
        unsigned long long kib = 0;
        if (std::sscanf(line, "VmHWM: %llu kB", &kib) == 1) size.peak = kib * 1024;
        if (std::sscanf(line, "VmRSS: %llu kB", &kib) == 1) size.now = kib * 1024;
    }
    if (size.peak > 0) return size;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    size.now = size.peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return size;
}

}  // namespace

void Stages::charge(Clock::time_point now) {
    if (active_) stages_[running_].seconds += std::chrono::duration<double>(now - entered_).count();
}

void Stages::measureMemory(Clock::time_point now) {
    const ResidentSize size = residentSize();
    const std::uint64_t reached = size.peak > peak_ ? size.peak : size.now;
    peak_ = std::max(peak_, size.peak);
    for (Stage& stage : stages_) {
        if (stage.ran_since_measure) stage.peak_bytes = std::max(stage.peak_bytes, reached);
        stage.ran_since_measure = false;
    }
    if (active_) stages_[running_].ran_since_measure = true;
    measured_ = now;
}

void Stages::watchMemory() {
    try {
        watcher_ = std::thread([this] {
            std::unique_lock lock(mutex_);
            while (!wake_.wait_for(lock, kMeasureInterval, [this] { return stopping_; })) measureMemory(Clock::now());
        });
    } catch (const std::system_error&) {  // no thread available: measured only between stages
    }
}

void Stages::stopWatching() {
    if (!watcher_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    watcher_.join();
}

void Stages::enter(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    charge(now);
    const auto known =
        std::find_if(stages_.begin(), stages_.end(), [&](const Stage& stage) { return stage.name == name; });
    const bool is_new = known == stages_.end();
    if (is_new || now - measured_ > kMeasureInterval)
        measureMemory(now);  // while the last stage is still the running one
    running_ = static_cast<std::size_t>(known - stages_.begin());
    if (is_new) stages_.push_back({std::string(name), 0, 0, false});
    stages_[running_].ran_since_measure = true;
    active_ = true;
    entered_ = now;
}

void Stages::finish() {
    stopWatching();
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    charge(now);
    measureMemory(now);
    active_ = false;
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

}  // namespace pelt::verbs
