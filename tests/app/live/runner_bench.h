// A runner with what its tests need beside it: a mechanism, a fixed step, and the same run stepped by hand.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "app/live/runner.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/app/live/waiter.h"
#include "tests/support/catch.h"
#include "tests/support/models.h"

namespace mw::app {

inline std::shared_ptr<const Model> shared(Model model) { return std::make_shared<const Model>(std::move(model)); }

/// A runner with a mechanism, a fixed step and no clock unless `play` is called.
struct Bench {
    std::shared_ptr<const Model> model;
    Kernel kernel;
    Waiter waiter;
    std::mutex door;  // held by a test: the runner's thread waits at its next snapshot
    std::atomic<bool> at_door{false};
    Runner runner;

    explicit Bench(Model m, double dt = 1e-3) : model(shared(std::move(m))), kernel(makeReferenceKernel(*model)) {
        runner.on_change = [this] {
            at_door = true;
            waiter.poke();
            const std::lock_guard pass(door);
            at_door = false;
        };
        runner.setDt(dt);
        runner.setModel(model, kernel, false);
        runner.flush();
    }
    std::shared_ptr<const Snapshot> now() {
        runner.flush();
        return runner.snapshot();
    }
    /// The runner's thread stands still while this is held.
    std::unique_lock<std::mutex> hold() {
        std::unique_lock lock(door);
        runner.setSpeed(1);
        REQUIRE(waiter.until([&] { return at_door.load(); }));
        return lock;
    }
    Hash hash() { return stateHash(now()->state); }
};

/// State hashes of steps 0..n of the same run, by hand.
inline std::vector<Hash> byHand(const std::shared_ptr<const Model>& model, const Kernel& kernel, int n,
                                double dt = 1e-3) {
    Simulation simulation(model, kernel, Integrator::verlet, dt);
    std::vector<Hash> hashes{stateHash(simulation.state())};
    for (int i = 0; i < n; ++i) {
        REQUIRE_FALSE(simulation.step());
        hashes.push_back(stateHash(simulation.state()));
    }
    return hashes;
}

}  // namespace mw::app
