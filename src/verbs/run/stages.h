#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pelt::verbs {

/// Time and memory by stage. Stages may alternate (evaluate, write, evaluate …): their seconds are summed. `peak_bytes`
/// is the largest resident size while a stage ran: exact if it is the largest so far, otherwise sampled every 20 ms.
/// Stages that alternate faster share one value.
class Stages {
public:
    Stages() = default;
    ~Stages() { stopWatching(); }
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    /// Measures memory in a separate thread until finish(); otherwise it is measured only between stages.
    void watchMemory();
    /// Ends the current stage and begins or continues the one of that name.
    void enter(std::string_view name);
    void finish();
    nlohmann::ordered_json json() const;
    double totalSeconds() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Stage {
        std::string name;
        double seconds = 0;
        std::uint64_t peak_bytes = 0;
        bool ran_since_measure = false;
    };

    void charge(Clock::time_point now);
    void measureMemory(Clock::time_point now);
    void stopWatching();

    std::vector<Stage> stages_;
    std::size_t running_ = 0;
    bool active_ = false;
    Clock::time_point entered_{}, measured_{};
    std::uint64_t peak_ = 0;  ///< of the process, when it was last measured

    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread watcher_;
    bool stopping_ = false;
};

}  // namespace pelt::verbs
