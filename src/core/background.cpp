// Work on a thread of its own.
#include <pelt/core/background.h>

#include <atomic>
#include <utility>

#ifndef PELT_SERIAL
#include <system_error>
#include <thread>
#endif

namespace pelt {

struct Background::State {
    std::function<void()> work;
    std::exception_ptr thrown{};
    std::atomic<bool> done{false};
#ifndef PELT_SERIAL
    std::thread thread{};

    ~State() { join(); }
    void join() {
        if (thread.joinable()) thread.join();
    }
    void start() {
        try {
            thread = std::thread([this] { run(); });
        } catch (const std::system_error&) {  // too many threads
            run();
        }
    }
#else
    void join() {}
    void start() { run(); }
#endif

    void run() noexcept {
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
        work = nullptr;
        done = true;
    }
};

Background::Background(std::function<void()> work) : state_(new State{std::move(work)}) { state_->start(); }

Background::~Background() = default;

bool Background::done() const noexcept { return state_->done; }

void Background::wait() {
    state_->join();
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

}  // namespace pelt
