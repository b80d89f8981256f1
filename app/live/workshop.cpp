// The workshop: one worker thread that takes the newest mechanism through its stages. What has been made is kept by the
// hash of the dynamics, so that a comment, a colour or an undo costs nothing.
#include "app/live/workshop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "app/live/badge_words.h"
#include "app/live/carry_over.h"
#include "engine/dynamics/reference_kernel.h"

namespace mw::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKnown = 8;   // mechanisms whose code and proof are kept for an undo
constexpr std::size_t kJobs = 64;   // finished jobs that stay in the list
constexpr int kNiceness = 10;       // of the worker: the simulation and the window go first
constexpr int kOutsideTrials = 60;  // states that other engines are asked about: enough to differ, soon done
constexpr auto kTellEvery = std::chrono::milliseconds(33);

/// Everything made from one set of dynamics.
struct Result {
    Hash dynamics;
    Hash motion;  // of the model that was proven
    std::shared_ptr<const gen::Program> program;
    Kernel reference, interpreter, fast, optimised;
    std::shared_ptr<const ProofReport> proof;
    std::string c_code;
    std::vector<int> c_lines;
    std::chrono::system_clock::time_point proven_at{};
    std::shared_ptr<const OutsideOpinion> outside;  // of that motion, too

    void unprove() {
        proof.reset();
        outside.reset();
    }
    const Kernel& best() const { return optimised ? optimised : fast ? fast : reference; }
    /// What may run: code that a gate has refuted gives way to the reference. Gates of motion speak of the mechanism at
    /// a step size, not of the code, and take nothing away.
    const Kernel& trusted() const {
        const bool refuted = proof && std::any_of(proof->gates.begin(), proof->gates.end(), [](const Gate& gate) {
                                 return !gate.pass && !gate.name.starts_with("motion.");
                             });
        return refuted ? reference : best();
    }
};

constexpr std::array kKinds{Job::Kind::derive, Job::Kind::compile_fast, Job::Kind::compile_optimised,
                            Job::Kind::validate, Job::Kind::crosscheck};

struct Task {
    std::shared_ptr<const Model> model;
    std::string name;
    Hash text;
    std::string source;
    Result result;
    std::array<int, kKinds.size()> job{};  // ids by kind; 0: nothing to do
    std::array<bool, kKinds.size()> skip{};
    std::atomic<bool> cancel{false};
    Job::Kind stage = Job::Kind::derive;
    int trials_done = 0, trials = 0;
};

std::string describe(const gen::Program& program, const Model& model) {
    std::int64_t flops = 0;
    for (const auto& entry : program.entries)
        if (entry.name == "fwd_dyn") flops = entry.count.flops();
    const std::size_t bodies = model.bodies.size();
    return fmt::format("{} bod{}, {} operations", bodies, bodies == 1 ? "y" : "ies", flops);
}

}  // namespace

struct Workshop::Impl {
    Impl(Workshop& owner, Options options) : owner_(owner), options_(std::move(options)) {
        const Tools real = realTools(options_.cache);
        Tools& tools = options_.tools;
        if (!tools.derive) tools.derive = real.derive;
        if (!tools.write_c) tools.write_c = real.write_c;
        if (!tools.interpret) tools.interpret = real.interpret;
        if (!tools.compile) tools.compile = real.compile;
        if (!tools.prove) tools.prove = real.prove;
        if (!tools.crosscheck) tools.crosscheck = real.crosscheck;
        outside_ = options_.outside;
    }

    Workshop& owner_;
    Options options_;

    mutable std::mutex mutex_;
    std::condition_variable wake_, idle_;
    bool quit_ = false;
    bool tell_ = false;  // something changed on the owner's side that listeners should hear of
    bool editing_ = false;
    bool outside_ = true;                // the outside opinion is asked
    std::optional<std::string> broken_;  // the newest text does not parse: how many errors
    Hash newest_;
    std::shared_ptr<const Built> built_;
    Hash motion_;                          // motionHash of built_'s model
    std::string source_, name_;            // the newest good text, and its document's
    std::shared_ptr<Task> todo_, active_;  // next and present
    std::optional<Badge> failure_;         // why the present mechanism has no proof
    std::deque<Result> known_;             // newest first
    std::deque<Job> jobs_;                 // oldest first
    int next_job_ = 1;
    std::thread worker_;

    // ---- jobs; all with mutex_ held

    Job* findJob(int id) {
        for (Job& job : jobs_)
            if (job.id == id) return &job;
        return nullptr;
    }

    void addJob(Task& task, Job::Kind kind) {
        Job job;
        job.id = task.job[static_cast<std::size_t>(kind)] = next_job_++;
        job.kind = kind;
        job.text = task.text;
        jobs_.push_back(std::move(job));
        while (jobs_.size() > kJobs) jobs_.pop_front();
    }

    void addJobs(Task& task) {
        const Result& r = task.result;
        const bool wanted[] = {!r.program, !r.fast, options_.optimise && !r.optimised, options_.validate && !r.proof};
        task.stage = Job::Kind::crosscheck;
        for (std::size_t k = std::size(wanted); k-- > 0;)
            if (wanted[k]) task.stage = kKinds[k];
        for (std::size_t k = 0; k < std::size(wanted); ++k)
            if (wanted[k]) addJob(task, kKinds[k]);
    }

    /// Asked only of what has been proven: where a proof failed there is nothing to confirm.
    bool wantsOutside(const Result& r, const std::string& source) const {
        return outside_ && !source.empty() && r.proof && r.proof->passed() && !r.outside;
    }

    void endJobs(const Task& task, Job::Status running, Job::Status waiting, const std::string& detail) {
        for (const int id : task.job) {
            Job* job = id ? findJob(id) : nullptr;
            if (!job) continue;
            if (job->status == Job::Status::running) {
                job->status = running;
                job->detail = detail;
            } else if (job->status == Job::Status::waiting) {
                job->status = waiting;
            }
        }
    }

    /// The work under way has lost its purpose.
    void abandon() {
        if (active_) active_->cancel = true;
        if (todo_) endJobs(*todo_, Job::Status::cancelled, Job::Status::cancelled, "");
        todo_.reset();
    }

    void remember(const Result& result) {
        std::erase_if(known_, [&](const Result& r) { return r.dynamics == result.dynamics; });
        known_.push_front(result);
        if (known_.size() > kKnown) known_.pop_back();
    }

    const Result* recall(const Hash& dynamics) const {
        for (const Result& r : known_)
            if (r.dynamics == dynamics) return &r;
        return nullptr;
    }

    static void fill(Built& built, const Result& r) {
        built.program = r.program;
        built.kernel = r.trusted();
        built.proof = r.proof;
        built.c_code = r.c_code;
        built.c_lines = r.c_lines;
        built.proven_at = r.proven_at;
        built.outside = r.outside;
    }

    /// For the newest good text.
    void start(Result result) {
        auto task = std::make_shared<Task>();
        task->model = built_->model;
        task->name = name_;
        task->text = built_->text;
        task->source = source_;
        task->result = std::move(result);
        addJobs(*task);
        todo_ = std::move(task);
        failure_.reset();
    }

    bool needsWork(const Result& r) const {
        return !r.program || !r.fast || (options_.optimise && !r.optimised) || (options_.validate && !r.proof) ||
               wantsOutside(r, source_);
    }

    // ---- the worker

    void tell() {
        if (owner_.on_change) owner_.on_change();
    }

    void loop() {
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return quit_ || todo_ || tell_; });
            if (quit_) return;
            tell_ = false;
            active_ = std::move(todo_);
            todo_.reset();
            const auto task = active_;
            lock.unlock();
            tell();
            if (task) run(*task);
            lock.lock();
            active_.reset();
            lock.unlock();
            if (task) tell();
            lock.lock();
            if (!todo_ && !tell_) idle_.notify_all();
        }
    }

    void run(Task& task) {
        const Tools& tools = options_.tools;
        Result& r = task.result;
        try {
            stage(task, Job::Kind::derive, !r.program, [&](const gen::Progress& progress) {
                r.program = tools.derive(*task.model, task.name, progress);
                r.c_code = tools.write_c(*r.program, *task.model, &r.c_lines);
                return describe(*r.program, *task.model);
            });
            stage(task, Job::Kind::compile_fast, !r.fast, [&](const gen::Progress& progress) {
                r.fast = tools.compile(r.program, *task.model, gen::Tier::fast, progress);
                return r.fast.maker;
            });
            stage(task, Job::Kind::compile_optimised, options_.optimise && !r.optimised,
                  [&](const gen::Progress& progress) {
                      r.optimised = tools.compile(r.program, *task.model, gen::Tier::optimised, progress);
                      return r.optimised.maker;
                  });
            stage(task, Job::Kind::validate, options_.validate && !r.proof, [&](const gen::Progress& progress) {
                if (!r.interpreter) r.interpreter = tools.interpret(r.program, *task.model);
                ProofOptions proof;
                proof.trials = options_.trials;
                proof.seed = options_.seed;
                proof.cancel = progress.cancel;
                proof.same_bits.push_back(r.interpreter);
                if (r.optimised) proof.same_bits.push_back(r.fast);
                proof.progress = [&](int done, int of) {
                    {
                        const std::lock_guard lock(mutex_);
                        task.trials_done = done;
                        task.trials = of;
                    }
                    progress.at(of > 0 ? static_cast<double>(done) / of : 0);
                };
                auto report = std::make_shared<const ProofReport>(tools.prove(*task.model, task.name, r.best(), proof));
                if (task.cancel || report->cancelled) throw gen::Cancelled{};
                r.motion = motionHash(*task.model);
                r.proven_at = std::chrono::system_clock::now();
                std::string detail = proofBadge(*report).words;
                r.proof = std::move(report);
                return detail;
            });
            bool ask = false;
            {
                const std::lock_guard lock(mutex_);
                ask = !task.cancel && wantsOutside(r, task.source);
                if (ask) addJob(task, Job::Kind::crosscheck);
            }
            stage(task, Job::Kind::crosscheck, ask, [&](const gen::Progress&) {
                auto opinion = std::make_shared<const OutsideOpinion>(
                    outsideOpinion(tools.crosscheck(task.name, task.source, task.cancel)));
                if (task.cancel) throw gen::Cancelled{};
                std::string detail = opinion->words;
                if (opinion->verdict == OutsideOpinion::Verdict::none && !opinion->gates.empty())
                    detail = opinion->gates.front().detail;
                r.outside = std::move(opinion);
                return detail;
            });
        } catch (const gen::Cancelled&) {
            const std::lock_guard lock(mutex_);
            endJobs(task, Job::Status::cancelled, Job::Status::cancelled, "");
            keep(task);
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            endJobs(task, Job::Status::failed, Job::Status::cancelled, error.what());
            keep(task);
            if (!task.cancel && concerns(task) && task.stage != Job::Kind::crosscheck)
                failure_ = makeBadge(Badge::State::failed, std::string("failed: ") + jobName(task.stage), error.what());
        }
    }

    bool concerns(const Task& task) const { return built_ && built_->dynamics == task.result.dynamics; }

    /// What a task has made so far is worth keeping even when it stops.
    void keep(const Task& task) {
        if (task.result.program) remember(task.result);
    }

    template <class Work>
    void stage(Task& task, Job::Kind kind, bool wanted, Work&& work) {
        const auto index = static_cast<std::size_t>(kind);
        const auto begin = Clock::now();
        {
            const std::lock_guard lock(mutex_);
            if (task.cancel) throw gen::Cancelled{};
            if (!wanted || task.skip[index]) return;
            task.stage = kind;
            if (Job* job = findJob(task.job[index])) job->status = Job::Status::running;
        }
        tell();
        gen::Progress progress;
        progress.cancel = &task.cancel;
        auto told = begin - kTellEvery;  // the first report is told at once
        progress.report = [&](double fraction) {
            const auto now = Clock::now();
            {
                const std::lock_guard lock(mutex_);
                if (Job* job = findJob(task.job[index])) {
                    job->progress = std::clamp(fraction, 0.0, 1.0);
                    job->seconds = std::chrono::duration<double>(now - begin).count();
                }
            }
            if (now - told < kTellEvery) return;
            told = now;
            tell();
        };
        const std::string detail = work(progress);
        {
            const std::lock_guard lock(mutex_);
            if (Job* job = findJob(task.job[index])) {
                job->status = Job::Status::done;
                job->progress = 1;
                job->seconds = std::chrono::duration<double>(Clock::now() - begin).count();
                job->detail = detail;
            }
            keep(task);
            // Published under the newest text of these dynamics: comments and colours may have moved on meanwhile.
            if (!concerns(task) || task.cancel) return;
            auto next = std::make_shared<Built>(*built_);
            fill(*next, task.result);
            if (next->proof && task.result.motion != motion_) next->proof.reset(), next->outside.reset();
            if (!outside_) next->outside.reset();
            if (next->proof) failure_.reset();
            built_ = std::move(next);
        }
        tell();
    }

    // ---- the badge; with mutex_ held

    Badge badge() const {
        if (editing_) return makeBadge(Badge::State::editing, "editing");
        if (broken_ && built_) return makeBadge(Badge::State::last_good, "last good shown", *broken_);
        if (!built_) return makeBadge(Badge::State::editing, "editing", broken_.value_or(""));
        const Task* task = todo_ ? todo_.get() : active_ && !active_->cancel ? active_.get() : nullptr;
        if (task) return taskBadge(*task);
        if (failure_) return *failure_;
        if (built_->proof) return proofBadge(*built_->proof, built_->outside.get());
        return makeBadge(Badge::State::failed, "failed: not validated", "validation is switched off or was cancelled");
    }

    Badge taskBadge(const Task& task) const {
        double progress = 0;
        for (const Job& job : jobs_)
            if (job.id == task.job[static_cast<std::size_t>(task.stage)]) progress = job.progress;
        switch (task.stage) {
            case Job::Kind::derive:
                return makeBadge(Badge::State::deriving,
                                 fmt::format("deriving {} %", static_cast<int>(std::floor(100 * progress))), "",
                                 progress);
            case Job::Kind::compile_fast: return makeBadge(Badge::State::compiling, "compiling", "fast tier", progress);
            case Job::Kind::compile_optimised:
                return makeBadge(Badge::State::compiling, "compiling", "optimised tier", progress);
            case Job::Kind::validate: break;
            case Job::Kind::crosscheck: {
                if (!built_->proof) break;
                // However long the others take: it is proven.
                Badge badge = proofBadge(*built_->proof);
                badge.outside = "outside opinion: being asked";
                return badge;
            }
        }
        const int of = task.trials > 0 ? task.trials : options_.trials;
        return makeBadge(Badge::State::validating, fmt::format("validating {}/{}", task.trials_done, of), "", progress);
    }
};

Workshop::Tools Workshop::realTools(const std::filesystem::path& object_cache) {
    Tools tools;
    tools.derive = [](const Model& model, const std::string& name, const gen::Progress& progress) {
        return gen::generate(model, name, gen::Form::automatic, gen::hostCpuClass(), progress);
    };
    tools.write_c = [](const gen::Program& program, const Model& model, std::vector<int>* lines) {
        return gen::writeC(program, model, lines);
    };
    tools.interpret = [](std::shared_ptr<const gen::Program> program, const Model& model) {
        return gen::interpreterKernel(std::move(program), model);
    };
    tools.compile = [object_cache](std::shared_ptr<const gen::Program> program, const Model& model, gen::Tier tier,
                                   const gen::Progress& progress) {
        return gen::jitKernel(std::move(program), model, tier, object_cache, progress);
    };
    tools.prove = [](const Model& model, const std::string& name, const Kernel& kernel, const ProofOptions& options) {
        return prove(model, name, kernel, options);
    };
    tools.crosscheck = [](const std::string& name, const std::string& text, const std::atomic<bool>& cancel) {
        CrossCheckOptions options;
        options.trials = kOutsideTrials;
        options.cancel = &cancel;
        options.text = text;
        return runCrosscheck(name, options);
    };
    return tools;
}

Workshop::Workshop() : Workshop(Options{}) {}

Workshop::Workshop(Options options) : impl_(std::make_unique<Impl>(*this, std::move(options))) {
    impl_->worker_ = std::thread([this] { impl_->loop(); });
}

Workshop::~Workshop() {
    {
        const std::lock_guard lock(impl_->mutex_);
        impl_->quit_ = true;
        impl_->abandon();
    }
    impl_->wake_.notify_one();
    impl_->worker_.join();
}

void Workshop::submit(const ReadResult& read, Hash text, const std::string& name, const std::string& source) {
    Impl& w = *impl_;
    if (!read.ok()) {
        const auto errors = std::count_if(read.diagnostics.begin(), read.diagnostics.end(),
                                          [](const Diagnostic& d) { return d.severity == Severity::error; });
        const std::lock_guard lock(w.mutex_);
        // Work for the mechanism that stays on the screen goes on.
        w.editing_ = false;
        w.newest_ = text;
        w.broken_ = fmt::format("{} error{} in the text", errors, errors == 1 ? "" : "s");
        w.tell_ = true;
        w.wake_.notify_one();
        return;
    }

    // Hashes and the reference kernel are made outside the lock: only this thread replaces the mechanism.
    auto model = std::make_shared<const Model>(read.model);
    auto built = std::make_shared<Built>();
    built->text = text;
    built->model = model;
    built->dynamics = dynamicsHash(*model);
    const Hash motion = motionHash(*model);
    Result result;
    result.dynamics = built->dynamics;
    {
        const std::lock_guard lock(w.mutex_);
        if (const Result* known = w.recall(built->dynamics)) result = *known;
    }
    std::string trouble;
    if (!result.reference) {
        try {
            result.reference = makeReferenceKernel(*model);
        } catch (const std::exception& error) {
            trouble = error.what();
        }
    }

    const std::lock_guard lock(w.mutex_);
    w.editing_ = false;
    w.newest_ = text;
    w.broken_.reset();
    w.tell_ = true;
    w.wake_.notify_one();
    if (!result.reference) {
        w.broken_ = "the mechanism cannot be set up: " + trouble;
        return;
    }
    if (w.built_ && w.built_->dynamics == built->dynamics && w.motion_ == motion) {
        auto next = std::make_shared<Built>(*w.built_);
        next->text = text;
        next->model = model;
        w.built_ = std::move(next);
        w.source_ = source, w.name_ = name;
        return;
    }
    w.abandon();
    if (const Result* known = w.recall(built->dynamics)) {
        const Kernel reference = result.reference;
        result = *known;
        result.reference = reference;
    }
    if (result.motion != motion) result.unprove();
    Impl::fill(*built, result);
    if (!w.outside_) built->outside.reset();
    w.built_ = std::move(built);
    w.motion_ = motion;
    w.source_ = source, w.name_ = name;
    w.failure_.reset();
    if (w.needsWork(result)) w.start(std::move(result));
}

void Workshop::forget() {
    Impl& w = *impl_;
    const std::lock_guard lock(w.mutex_);
    w.abandon();
    w.built_.reset();
    w.broken_.reset();
    w.failure_.reset();
    w.editing_ = false;
    w.newest_ = w.motion_ = Hash{};
    w.tell_ = true;
    w.wake_.notify_one();
}

void Workshop::noteEditing() {
    const std::lock_guard lock(impl_->mutex_);
    impl_->editing_ = true;
}

void Workshop::cancel(int id) {
    Impl& w = *impl_;
    const std::lock_guard lock(w.mutex_);
    Job* job = w.findJob(id);
    if (!job || (job->status != Job::Status::waiting && job->status != Job::Status::running)) return;
    for (const auto& task : {w.active_, w.todo_}) {
        if (!task || std::find(task->job.begin(), task->job.end(), id) == task->job.end()) continue;
        const bool later_work_needs_it = job->kind == Job::Kind::derive || job->kind == Job::Kind::compile_fast;
        if (job->status == Job::Status::waiting && !later_work_needs_it) {
            task->skip[static_cast<std::size_t>(job->kind)] = true;
            job->status = Job::Status::cancelled;
        } else if (task == w.active_) {
            task->cancel = true;
        } else {
            w.abandon();
        }
    }
    w.tell_ = true;
    w.wake_.notify_one();
}

void Workshop::revalidate() {
    Impl& w = *impl_;
    const std::lock_guard lock(w.mutex_);
    const auto busy = [](const std::shared_ptr<Task>& task) {
        return task && !task->cancel && task->stage != Job::Kind::crosscheck;
    };
    if (!w.built_ || busy(w.todo_) || busy(w.active_)) return;
    w.abandon();  // the outside opinion is asked anew, too
    Result result;
    if (const Result* known = w.recall(w.built_->dynamics)) {
        result = *known;
    } else {
        result.dynamics = w.built_->dynamics;
        result.reference = w.built_->kernel;
    }
    result.unprove();
    auto next = std::make_shared<Built>(*w.built_);
    next->proof.reset();
    next->outside.reset();
    w.built_ = std::move(next);
    w.start(std::move(result));
    w.tell_ = true;
    w.wake_.notify_one();
}

void Workshop::setOutside(bool on) {
    Impl& w = *impl_;
    const std::lock_guard lock(w.mutex_);
    if (w.outside_ == on) return;
    w.outside_ = on;
    if (!on) {
        const auto asking = [](const std::shared_ptr<Task>& task) {
            return task && task->stage == Job::Kind::crosscheck;
        };
        if (asking(w.active_) || asking(w.todo_)) w.abandon();
        if (w.built_ && w.built_->outside) {
            auto next = std::make_shared<Built>(*w.built_);
            next->outside.reset();
            w.built_ = std::move(next);
        }
    } else if (w.built_ && w.built_->proof && !w.todo_ && (!w.active_ || w.active_->cancel)) {
        if (const Result* known = w.recall(w.built_->dynamics); known && known->motion == w.motion_) {
            auto next = std::make_shared<Built>(*w.built_);
            next->outside = known->outside;
            w.built_ = std::move(next);
            if (w.wantsOutside(*known, w.source_)) w.start(*known);
        }
    }
    w.tell_ = true;
    w.wake_.notify_one();
}

std::shared_ptr<const Built> Workshop::built() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->built_;
}

bool Workshop::stale() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->editing_ || !impl_->built_ || impl_->built_->text != impl_->newest_;
}

Badge Workshop::badge() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->badge();
}

std::vector<Job> Workshop::jobs() const {
    const std::lock_guard lock(impl_->mutex_);
    return {impl_->jobs_.rbegin(), impl_->jobs_.rend()};
}

void Workshop::waitIdle() {
    std::unique_lock lock(impl_->mutex_);
    impl_->idle_.wait(lock, [&] { return !impl_->todo_ && !impl_->active_ && !impl_->tell_; });
}

}  // namespace mw::app
