// Runs mech-crosscheck as a child and reads its JSON.
#include "app/live/crosscheck.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"

extern char** environ;

namespace mw::app {

namespace fs = std::filesystem;

namespace {

/// Both ends, closed when they go out of sight; not handed on to children but where it is asked for.
struct Pipe {
    int read = -1, write = -1;
    bool open() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return false;
        read = ends[0], write = ends[1];
        return true;
    }
    static void shut(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    ~Pipe() { shut(read), shut(write); }
};

struct Answer {
    std::string out, err, trouble;
    bool died = false;
    int code = -1;
};

/// Writes `input` to the child and takes what it says, until it ends, time is up or the asker has lost interest.
Answer talk(std::vector<std::string> command, const std::optional<std::string>& input, const CrossCheckOptions& options,
            double timeout) {
    Answer answer;
    Pipe in, out, err;
    if (!in.open() || !out.open() || !err.open()) {
        answer.trouble = fmt::format("no pipes: {}", std::strerror(errno));
        return answer;
    }
    std::vector<char*> arguments;
    for (std::string& part : command) arguments.push_back(part.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        answer.trouble = fmt::format("it cannot be run: {}", std::strerror(failed));
        return answer;
    }
    Pipe::shut(in.read), Pipe::shut(out.write), Pipe::shut(err.write);
    // A child that ends early must not end us with it: writing then reports a fault (SIGPIPE is kept off this thread).
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ::fcntl(in.write, F_SETFL, O_NONBLOCK);
    std::size_t written = 0;
    if (!input) Pipe::shut(in.write);

    const auto start = std::chrono::steady_clock::now();
    std::array<char, 4096> buffer;
    while ((out.read >= 0 || err.read >= 0) && answer.trouble.empty()) {
        std::array<pollfd, 3> wait{
            {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}}};  // -1: left out
        ::poll(wait.data(), wait.size(), 50);
        if (wait[2].revents != 0) {
            const ssize_t n = ::write(in.write, input->data() + written, input->size() - written);
            if (n > 0) written += static_cast<std::size_t>(n);
            if ((n < 0 && errno != EAGAIN) || written == input->size()) Pipe::shut(in.write);
        }
        for (int k = 0; k < 2; ++k) {
            if (wait[static_cast<std::size_t>(k)].revents == 0) continue;
            int& end = k == 0 ? out.read : err.read;
            const ssize_t n = ::read(end, buffer.data(), buffer.size());
            if (n > 0) (k == 0 ? answer.out : answer.err).append(buffer.data(), static_cast<std::size_t>(n));
            else if (n == 0 || errno != EINTR) Pipe::shut(end);
        }
        if (options.cancel && options.cancel->load(std::memory_order_relaxed)) answer.trouble = "cancelled";
        else if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > timeout)
            answer.trouble = fmt::format("no answer within {:.4g} s", timeout);
    }
    if (!answer.trouble.empty()) ::kill(child, SIGKILL);
    const timespec at_once{};
    while (sigtimedwait(&broken, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
    else if (answer.trouble.empty() && WIFSIGNALED(status)) {
        answer.trouble = fmt::format("it died ({})", ::strsignal(WTERMSIG(status)));
        answer.died = true;
    }
    return answer;
}

CrossCheckReport parsed(const std::string& out) {
    const nlohmann::json json = nlohmann::json::parse(out);
    CrossCheckReport report;
    report.model = json.at("model").get<std::string>();
    report.passed = json.at("passed").get<bool>();
    for (const auto& engine : json.at("engines"))
        for (const auto& check : engine.at("checks"))
            report.lines.push_back({engine.at("engine").get<std::string>(), engine.at("version").get<std::string>(),
                                    check.at("name").get<std::string>(), check.at("value").get<double>(),
                                    check.at("bound").get<double>(), check.at("pass").get<bool>(),
                                    check.at("skipped").get<bool>(), check.at("detail").get<std::string>()});
    return report;
}

double timeoutFor(const fs::path& file, const CrossCheckOptions& options) {
    std::string text;
    if (options.text) {
        text = *options.text;
    } else {
        std::stringstream all;
        all << std::ifstream(file).rdbuf();
        text = all.str();
    }
    const ReadResult read = readMechanism(text);
    return crosscheckTimeout(read.ok() ? layoutOf(read.model).nv : 0, options.trials);
}

}  // namespace

double crosscheckTimeout(int nv, int trials) { return 120 + 0.05 * nv * trials; }

fs::path crosscheckProgram() {
    std::error_code fault;
    const fs::path own = fs::read_symlink("/proc/self/exe", fault);
    if (fault) return {};
    const fs::path beside = own.parent_path() / "mech-crosscheck";
    return ::access(beside.c_str(), X_OK) == 0 ? beside : fs::path{};
}

std::optional<CrossCheckReport> runCrosscheck(const fs::path& file, const CrossCheckOptions& options) {
    const fs::path program = options.program.empty() ? crosscheckProgram() : options.program;
    if (program.empty()) return std::nullopt;
    std::vector<std::string> command{program.string(), "--json",
                                     "--trials",       fmt::format("{}", options.trials),
                                     "--seed",         fmt::format("{}", options.seed)};
    if (options.text) command.insert(command.end(), {"--name", file.stem().string(), "--", "-"});
    else command.insert(command.end(), {"--", file.string()});
    const double timeout = options.timeout ? *options.timeout : timeoutFor(file, options);
    const Answer answer = talk(std::move(command), options.text, options, timeout);

    CrossCheckReport report;
    report.model = file.stem().string();
    report.trouble = answer.trouble;
    report.broken = answer.died;
    if (!report.trouble.empty()) return report;
    try {
        return parsed(answer.out);
    } catch (const nlohmann::json::exception&) {
        // Faults of the text and wrong usage are sentences on standard error.
        report.trouble = answer.err.empty() ? fmt::format("no answer (exit code {})", answer.code) : answer.err;
        // One that cannot be loaded (exit code 127) or says nothing has no opinion; every other answer is a fault.
        report.broken = answer.code != 127 && !(answer.out.empty() && answer.err.empty());
        while (!report.trouble.empty() && report.trouble.back() == '\n') report.trouble.pop_back();
        return report;
    }
}

namespace {

std::string properName(const std::string& engine) {
    return engine == "simbody" ? "Simbody" : engine == "mujoco" ? "MuJoCo" : engine;
}

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
    return out;
}

}  // namespace

OutsideOpinion outsideOpinion(const std::optional<CrossCheckReport>& answer) {
    OutsideOpinion opinion;
    const auto nobody = [&](bool pass, std::string words, std::string detail) {
        Gate gate;
        gate.name = "crosscheck";
        gate.pass = gate.skipped = pass;
        gate.detail = std::move(detail);
        opinion.gates.push_back(std::move(gate));
        opinion.words = std::move(words);
        return opinion;
    };
    if (!answer) return nobody(true, "not built", "the outside opinion was not built (it needs Simbody or MuJoCo)");
    if (!answer->trouble.empty()) return nobody(!answer->broken, "none", "no outside opinion: " + answer->trouble);

    std::vector<std::string> engines, agree, against;  // in the order of the answer
    for (const CrossCheckLine& line : answer->lines) {
        Gate gate;
        gate.name = fmt::format("crosscheck.{}.{}", line.engine, line.name);
        gate.value = line.value, gate.bound = line.bound;
        gate.pass = line.pass, gate.skipped = line.skipped;
        gate.detail = fmt::format("{} {}: {}", line.engine, line.version, line.detail);
        opinion.gates.push_back(std::move(gate));
        if (std::find(engines.begin(), engines.end(), line.engine) == engines.end()) engines.push_back(line.engine);
    }
    for (const std::string& engine : engines) {
        std::vector<std::string> failed;
        bool judged = false;
        for (const CrossCheckLine& line : answer->lines) {
            if (line.engine != engine) continue;
            judged = judged || !line.skipped;
            if (!line.pass) failed.push_back(line.name);
        }
        if (!failed.empty()) against.push_back(fmt::format("{} disagrees: {}", properName(engine), listed(failed)));
        else if (judged) agree.push_back(properName(engine));
    }
    const std::string agreed =
        agree.empty() ? std::string() : listed(agree) + (agree.size() == 1 ? " agrees" : " agree");
    if (!against.empty()) {
        opinion.verdict = OutsideOpinion::Verdict::disagree;
        for (const std::string& words : against) opinion.words += (opinion.words.empty() ? "" : "; ") + words;
        if (!agreed.empty()) opinion.words += "; " + agreed;
    } else if (!agree.empty()) {
        opinion.verdict = OutsideOpinion::Verdict::agree;
        opinion.words = agreed;
    } else {
        opinion.words = "none: no engine can hold this mechanism";
        if (opinion.gates.empty()) return nobody(false, opinion.words, "no outside opinion: no check was made");
    }
    return opinion;
}

}  // namespace mw::app
