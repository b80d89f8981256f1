// Waiting for a condition that another thread brings about: no sleeps, and a limit only so that a fault ends the test.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace mw::app {

class Waiter {
public:
    /// Something may have changed (to be called from any thread).
    void poke() {
        {
            const std::lock_guard lock(mutex_);
            ++count_;
        }
        changed_.notify_all();
    }

    /// True as soon as `condition` holds; it is looked at after every poke.
    template <class Condition>
    bool until(Condition&& condition) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        std::unique_lock lock(mutex_);
        for (;;) {
            const std::uint64_t seen = count_;
            lock.unlock();
            if (condition()) return true;
            lock.lock();
            if (!changed_.wait_until(lock, limit, [&] { return count_ != seen; })) return false;
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t count_ = 0;
};

}  // namespace mw::app
