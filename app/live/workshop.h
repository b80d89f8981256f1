// The way of an edit, in the background: text -> Model -> derive -> compile (fast) -> validate -> compile (optimised).
//
// The owner submits texts; the workshop runs the newest one, cancels what is out of date, and says what it is doing.
// Results carry the hash of the text they belong to. All public functions are called from one thread (the owner's);
// `on_change` is called from worker threads and should only wake the owner.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/read.h"
#include "engine/proof/gates.h"
#include "generator/generate.h"

namespace mw::app {

/// One background job as the jobs dock lists it.
struct Job {
    enum class Kind { derive, compile_fast, compile_optimised, validate };
    enum class Status { waiting, running, done, failed, cancelled };
    int id = 0;
    Kind kind = Kind::derive;
    Status status = Status::waiting;
    double progress = 0;  ///< 0..1
    double seconds = 0;
    std::string detail;  ///< "6 bodies, 673 operations" or what went wrong
    Hash text;           ///< of the text it works for
};
const char* jobName(Job::Kind kind);

/// What the proof badge says; always exactly one of these.
struct Badge {
    enum class State { editing, deriving, compiling, validating, proven, failed, last_good };
    State state = State::editing;
    double progress = 0;
    std::string text;    ///< "Proven", "Deriving 40 %", "Failed: motion-order-verlet", "Last good shown"
    std::string detail;  ///< "23 gates · worst 2.1e-13"
};

/// A mechanism that parsed, with all that has been made of it so far. Immutable once published; a later stage publishes
/// a new one.
struct Built {
    Hash text;
    std::shared_ptr<const Model> model;
    std::shared_ptr<const gen::Program> program;  ///< null until derived
    Kernel kernel;                                ///< the best there is: reference, then fast, then optimised
    std::shared_ptr<const ProofReport> proof;     ///< null until validated (or partial while validating)
    std::string c_code;                           ///< the generated code as text, empty until derived
    std::vector<int> c_lines;                     ///< body of each line
    std::chrono::system_clock::time_point proven_at{};
};

class Workshop {
public:
    struct Options {
        std::filesystem::path cache = gen::defaultObjectCache();
        int trials = 1000;
        std::uint64_t seed = 1;
        bool optimise = true;  ///< second compile tier
        bool validate = true;
    };
    explicit Workshop(Options options = {});
    ~Workshop();  ///< cancels and joins

    /// A new text has parsed (or not: then the last good mechanism stays and the badge says so).
    void submit(const ReadResult& read, Hash text, const std::string& name);
    /// The text is being typed and not submitted yet.
    void noteEditing();
    void cancel(int job);
    void revalidate();

    std::shared_ptr<const Built> built() const;  ///< newest good mechanism; null before the first
    bool stale() const;                          ///< the text has moved on from built()
    Badge badge() const;
    std::vector<Job> jobs() const;  ///< newest first
    /// Waits until nothing is left to do (tests and the command line).
    void waitIdle();

    std::function<void()> on_change;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mw::app
