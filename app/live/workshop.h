// The way of an edit, in the background: text -> Model -> derive -> compile (fast) -> compile (optimised) -> validate,
// and after a proof that passed the outside opinion, which is asked of other engines and holds nothing up.
//
// The owner submits texts; the workshop runs the newest one, cancels what is out of date, and says what it is doing.
// Results carry the hash of the text they belong to. One worker at low priority does one heavy job at a time, so that
// simulation and window keep their share of a small machine. All public functions are called from one thread (the
// owner's); `on_change` is called from the worker and should only wake the owner. Set it before the first submit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/live/crosscheck.h"
#include "engine/kernel/kernel.h"
#include "engine/model/read.h"
#include "engine/proof/gates.h"
#include "generator/generate.h"

namespace mw::app {

/// One background job as the jobs dock lists it.
struct Job {
    enum class Kind { derive, compile_fast, compile_optimised, validate, crosscheck };
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
const char* jobStatusName(Job::Status status);

/// What the proof badge says; always exactly one of these. `contradicted`: proven by the reference, and another
/// engine disagrees.
struct Badge {
    enum class State { editing, deriving, compiling, validating, proven, contradicted, failed, last_good };
    State state = State::editing;
    double progress = 0;
    std::string text;     ///< "Proven", "Deriving 40 %", "Failed: motion-order-verlet", "Last good shown"
    std::string detail;   ///< "23 gates · worst 2.1e-13"
    std::string outside;  ///< "outside opinion: Simbody and MuJoCo agree"; empty: not asked, or there is no proof
    std::string words;    ///< both, as the badge has them: "proven · 23 gates · worst 2.1e-13", "validating 620/1000"
};

/// A mechanism that parsed, with all that has been made of it so far. Immutable once published; a later stage publishes
/// a new one.
struct Built {
    Hash text;
    Hash dynamics;  ///< dynamicsHash of the model
    std::shared_ptr<const Model> model;
    std::shared_ptr<const gen::Program> program;  ///< null until derived
    Kernel kernel;                                ///< the best there is: reference, then fast, then optimised
    std::shared_ptr<const ProofReport> proof;     ///< null until validated
    std::string c_code;                           ///< the generated code as text, empty until derived
    std::vector<int> c_lines;                     ///< body of each line
    std::chrono::system_clock::time_point proven_at{};
    std::shared_ptr<const OutsideOpinion> outside;  ///< null: not asked, or not answered yet
};

class Workshop {
public:
    /// The heavy steps, as functions: tests put slow or failing ones in their place.
    struct Tools {
        std::function<std::shared_ptr<const gen::Program>(const Model&, const std::string& name, const gen::Progress&)>
            derive;
        std::function<std::string(const gen::Program&, const Model&, std::vector<int>* lines)> write_c;
        std::function<Kernel(std::shared_ptr<const gen::Program>, const Model&)> interpret;
        std::function<Kernel(std::shared_ptr<const gen::Program>, const Model&, gen::Tier, const gen::Progress&)>
            compile;
        std::function<ProofReport(const Model&, const std::string& name, const Kernel&, const ProofOptions&)> prove;
        std::function<std::optional<CrossCheckReport>(const std::string& name, const std::string& text,
                                                      const std::atomic<bool>& cancel)>
            crosscheck;
    };
    static Tools realTools(const std::filesystem::path& object_cache);

    struct Options {
        std::filesystem::path cache = gen::defaultObjectCache();
        int trials = 1000;
        std::uint64_t seed = 1;
        bool optimise = true;  ///< second compile tier
        bool validate = true;
        bool outside = true;  ///< the outside opinion is asked where the text is known
        Tools tools;          ///< those left empty are the real ones
    };
    explicit Workshop(Options options);
    Workshop();
    ~Workshop();  ///< cancels and joins

    /// A new text has parsed (or not: then the last good mechanism stays and the badge says so). built() holds the
    /// mechanism, with the reference kernel or what is known of it from before, as soon as this returns.
    /// `source`: the text itself, which the outside opinion is asked about; empty: it is not asked.
    void submit(const ReadResult& read, Hash text, const std::string& name, const std::string& source = {});
    /// Another document is opened: nothing of the one before is its last good mechanism. What has been derived,
    /// compiled and proven is still known.
    void forget();
    /// The text is being typed and not submitted yet.
    void noteEditing();
    void cancel(int job);
    void revalidate();
    /// Whether the outside opinion is asked. Switched off it is forgotten by the badge, and one being asked is stopped.
    void setOutside(bool on);

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
