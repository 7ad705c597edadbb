#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::cli {

/// Where time and memory go. Stages may alternate (evaluate, write, evaluate …): their seconds add up.
/// `peak_bytes` is the largest resident size while a stage ran; stages that alternate faster than the kernel is asked
/// share theirs.
class Stages {
public:
    /// Ends the running stage and begins, or goes on with, the one of that name.
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

    std::vector<Stage> stages_;
    std::size_t running_ = 0;
    bool active_ = false;
    Clock::time_point entered_{}, measured_{};
};

}  // namespace pelt::cli
