// Runs items on this machine, as many at a time as cores and memory allow.
#include "batch/run/run.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <list>
#include <map>
#include <memory>

#include "batch/plan/arguments.h"
#include "batch/run/child.h"
#include "batch/run/outcome.h"
#include "program/signals.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{50};  ///< how often cancellation and time limits are looked at
constexpr double kGrace = 2;                    ///< seconds from the request to end to the end by force
constexpr double kLookElsewhere = 0.3;          ///< seconds between two tries to claim an item of another process
constexpr int kLookAhead = 256;                 ///< items that are passed over for want of memory
constexpr double kCancelGrace = 0.4;            ///< within the patience of installSignals()

struct Running {
    std::size_t item;
    Claim claim;
    ItemKey key;
    int attempts = 0;
    std::uint64_t bytes = 0;  ///< that it is expected to need
    bool stopping = false, killed = false;
    std::unique_ptr<Child> child;
};

/// The state of one run.
class Runner {
public:
    Runner(const Plan& plan, const State& state, const RunOptions& options, const Listener& listener)
        : plan_(plan),
          state_(state),
          options_(options),
          listener_(listener),
          open_(plan.items.size()),
          followers_(plan.items.size()) {
        results_.records.resize(plan.items.size());
        results_.done_before.assign(plan.items.size(), false);
        for (std::size_t i = 0; i < plan.items.size(); ++i) {
            open_[i] = plan.needs[i].size();
            for (const std::size_t need : plan.needs[i]) followers_[need].push_back(i);
        }
    }

    Results run() {
        for (const std::size_t i : plan_.order)
            if (open_[i] == 0) ready_.push_back(i);
        while (!ready_.empty() || !elsewhere_.empty() || !running_.empty()) {
            if (program::cancelRequested()) cancel();
            begin();
            lookElsewhere();
            if (running_.empty() && !ready_.empty()) continue;
            if (const pid_t pid = watch_.next(kLook); pid >= 0) end(pid);
            stopLate();
        }
        return std::move(results_);
    }

private:
    std::uint64_t expectedBytes(std::size_t i) const {
        if (options_.item_bytes > 0) return options_.item_bytes;
        if (const auto known = measured_.find(plan_.items[i].id); known != measured_.end()) return known->second;
        const auto verb = largest_.find(plan_.items[i].argv[0]);
        return verb == largest_.end() ? 0 : verb->second;
    }

    /// Starts items as long as there is room; those that need no work end at once.
    void begin() {
        int passed = 0;
        for (auto it = ready_.begin(); it != ready_.end() && running_.size() < std::size_t(options_.jobs);) {
            const std::size_t i = *it;
            if (!running_.empty() && used_ + expectedBytes(i) > options_.bytes) {
                if (++passed > kLookAhead) break;
                ++it;  // a smaller one may fit
                continue;
            }
            it = ready_.erase(it);
            take(i);
        }
    }

    void take(std::size_t i) {
        const Item& item = plan_.items[i];
        if (std::string why = whySkipped(plan_, i, results_); !why.empty())
            return finish(i, skippedRecord(item, why), false);
        if (item.context) {
            if (auto known = findResult(plan_, i, state_, options_.run)) finish(i, std::move(*known), true);
            return;
        }
        if (reuse(i)) return;
        std::optional<Claim> claim = state_.claim(item.id);
        if (!claim) {
            elsewhere_.push_back(i);
            return;
        }
        if (takeOver(i, state_.read(item.id))) return;  // another process may have done it just now
        Running running{i, std::move(*claim), std::move(key_), item.tried, expectedBytes(i), false, false, nullptr};
        start(running);
        running_.push_back(std::move(running));
    }

    /// True if the state has the result. Otherwise the key is left for who runs the item.
    bool reuse(std::size_t i) {
        const Item& item = plan_.items[i];
        std::optional<Record> record = state_.read(item.id);
        key_ = keyOf(item, plan_.folder, record);
        if (record && record->peak_bytes > 0) measured_[item.id] = record->peak_bytes;
        return takeOver(i, std::move(record));
    }

    bool takeOver(std::size_t i, std::optional<Record> record) {
        if (!record || !isCurrent(*record, plan_.items[i], key_, plan_.folder)) return false;
        finish(i, std::move(*record), true);
        return true;
    }

    void start(Running& running) {
        const Item& item = plan_.items[running.item];
        std::error_code fault;
        for (const fs::path& output : outputsOf(item.argv))
            fs::create_directories((plan_.folder / output).parent_path(), fault);
        ChildRequest request{{options_.program}, plan_.folder, running.claim.descriptor()};
        request.words.insert(request.words.end(), item.argv.begin(), item.argv.end());
        request.words.insert(request.words.end(), options_.common.begin(), options_.common.end());
        if (!hasOption(item.argv, "--json")) request.words.emplace_back("--json");
        if (!hasOption(item.argv, "--threads"))
            request.words.insert(request.words.end(), {"--threads", std::to_string(options_.threads)});
        ++running.attempts;
        running.stopping = running.killed = false;
        used_ += running.bytes;
        listener_(running.item, nullptr);
        running.child = std::make_unique<Child>(request);
        watch_.add(running.child->pid());
    }

    void end(pid_t pid) {
        const auto it = std::find_if(running_.begin(), running_.end(),
                                     [&](const Running& running) { return running.child->pid() == pid; });
        Running& running = *it;
        const Item& item = plan_.items[running.item];
        used_ -= running.bytes;
        Record record;
        record.id = item.id;
        describe(running.child->wait(), running.stopping ? item.timeout : 0, record);
        if (!record.isFinal()) removeTemporaries(item, plan_.folder);
        measured_[item.id] = record.peak_bytes;
        largest_[item.argv[0]] = std::max(largest_[item.argv[0]], record.peak_bytes);
        if (!record.isFinal() && running.attempts <= item.retries) return start(running);
        keep(running, record);
        finish(running.item, std::move(record), false);
        running_.erase(it);
    }

    void keep(Running& running, Record& record) {
        const Item& item = plan_.items[running.item];
        record.key = running.key.key;
        record.run = options_.run;
        record.node = options_.node;
        record.attempts = running.attempts;
        record.hashed = running.key.hashed;
        record.inputs = std::move(running.key.inputs);
        record.outputs = writtenFiles(item, plan_.folder, record.json);
        state_.write(record);
    }

    void finish(std::size_t i, Record record, bool before) {
        results_.records[i] = std::move(record);
        results_.done_before[i] = before;
        if (!plan_.items[i].context) listener_(i, &results_.records[i]);
        for (const std::size_t follower : followers_[i])
            if (--open_[follower] == 0) ready_.push_back(follower);
    }

    void stopLate() {
        for (Running& running : running_) {
            const double timeout = plan_.items[running.item].timeout, seconds = running.child->seconds();
            if (timeout <= 0 || seconds < timeout) continue;
            if (!running.stopping) running.child->signal(SIGTERM), running.stopping = true;
            if (!running.killed && seconds > timeout + kGrace) running.child->signal(SIGKILL), running.killed = true;
        }
    }

    void lookElsewhere() {
        const Clock::time_point time = Clock::now();
        if (elsewhere_.empty() || time < next_look_) return;
        next_look_ = time + std::chrono::milliseconds(int(1000 * kLookElsewhere));
        ready_.insert(ready_.end(), elsewhere_.begin(), elsewhere_.end());
        elsewhere_.clear();
    }

    [[noreturn]] void cancel() {
        for (Running& running : running_) running.child->signal(SIGTERM);
        const Clock::time_point begun = Clock::now();
        std::size_t left = running_.size();
        while (left > 0 && std::chrono::duration<double>(Clock::now() - begun).count() < kCancelGrace)
            left -= watch_.next(kLook) >= 0;
        running_.clear();  // what is left is killed
        throw Error(ErrorCode::cancelled, "cancelled; the same command goes on from here");
    }

    const Plan& plan_;
    const State& state_;
    const RunOptions& options_;
    const Listener& listener_;
    std::vector<std::size_t> open_;  ///< for each item how many of its needs have not ended
    std::vector<std::vector<std::size_t>> followers_;
    std::list<std::size_t> ready_, elsewhere_;
    ChildWatch watch_;
    std::list<Running> running_;
    std::uint64_t used_ = 0;
    std::map<std::string, std::uint64_t> measured_, largest_;  ///< peak memory by item, by verb
    ItemKey key_;
    Clock::time_point next_look_{};
    Results results_;
};

}  // namespace

std::optional<Record> findResult(const Plan& plan, std::size_t item, const State& state, const std::string& run) {
    std::optional<Record> record = state.read(plan.items[item].id);
    if (!record) return {};
    const ItemKey key = keyOf(plan.items[item], plan.folder, record);
    const bool failed_now = !record->isFinal() && record->run == run && record->key == key.key;
    if (!failed_now && !isCurrent(*record, plan.items[item], key, plan.folder)) return {};
    return record;
}

std::string whySkipped(const Plan& plan, std::size_t item, const Results& results) {
    for (const std::size_t need : plan.needs[item])
        if (results.has(need) && !results.records[need].done())
            return fmt::format("'{}' ended as {}", plan.items[need].id, results.records[need].status);
    return {};
}

Results runItems(const Plan& plan, const State& state, const RunOptions& options, const Listener& listener) {
    return Runner(plan, state, options, listener).run();
}

}  // namespace pelt::batch
