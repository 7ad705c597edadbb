#pragma once

#include <exception>
#include <functional>
#include <memory>

namespace pelt {

/// One piece of work on a thread of its own, such as a preparation during which the program stays responsive. The build
/// option PELT_SERIAL runs it where it is started.
class Background {
public:
    explicit Background(std::function<void()> work);
    /// Waits for the work; what it throws is then lost.
    ~Background();

    bool done() const noexcept;
    /// Waits for the work, and throws what it threw.
    void wait();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt
