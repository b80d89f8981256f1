// Progress of a long job and its cancellation.
#pragma once

#include <atomic>
#include <functional>

namespace mw::gen {

struct Cancelled {};

/// Progress of a long job (0..1) and whether to stop. A stopped job throws Cancelled.
struct Progress {
    std::function<void(double)> report;
    const std::atomic<bool>* cancel = nullptr;
    void at(double fraction) const {
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) throw Cancelled{};
        if (report) report(fraction);
    }
};

}  // namespace mw::gen
