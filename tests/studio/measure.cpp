// Not a test: prints how quick the studio is on this machine. Run by name: test_studio "[.measure]".
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <unistd.h>

#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Processor seconds of a process (proc(5): fields 14 and 15 of stat).
double processorTime(pid_t pid) {
    const std::string text = slurp("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream in(text.substr(std::min(text.size(), text.rfind(')') + 2)));
    std::string word;
    double user = 0, system = 0;
    for (int field = 3; field < 14; ++field) in >> word;
    in >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string load() {
    const std::string text = slurp("/proc/loadavg");
    return text.substr(0, text.find(' '));
}

}  // namespace

TEST_CASE("how quick", "[.measure]") {
    const Home home;
    const std::filesystem::path file = home.copyOf("elbow");
    std::vector<double> starts;
    for (int i = 0; i < 5; ++i) {
        Studio studio(home, file, "C.UTF-8", {}, 1280, 720, false);
        const auto begin = Clock::now();
        studio.launch();
        until([&] { return studio.view().width > 200 && studio.beam().pixels > 100; });
        starts.push_back(since(begin));
    }
    std::sort(starts.begin(), starts.end());
    std::printf("first picture of the mechanism: %.2f s (median of 5), load %s\n", starts[2], load().c_str());

    Studio studio(home, file);
    REQUIRE(studio.waitProven());
    studio.still();
    const auto idle = [&](const char* what) {
        const double before = processorTime(studio.program().pid());
        const auto begin = Clock::now();
        until([&] { return since(begin) > 10; }, 20);
        const double used = processorTime(studio.program().pid()) - before;
        std::printf("idle, %s: %.2f %% of a core over 10 s, load %s\n", what, used / since(begin) * 100,
                    load().c_str());
    };
    idle("at the start");
    studio.clickText();
    studio.still();
    idle("caret in the text");
    studio.clickView();
    studio.stage().key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    const double reached = studio.slider().part();
    const Rect part = studio.scene();
    Picture last = studio.stage().look(part);
    int frames = 0;
    const auto begin = Clock::now();
    const double before = processorTime(studio.program().pid());
    while (since(begin) < 5) {
        Picture next = studio.stage().look(part);
        frames += !(next == last);
        last = std::move(next);
        usleep(2000);
    }
    const double wall = since(begin);
    std::printf("running: %.1f different pictures a second, %.2f x real time, %.0f %% of a core, load %s\n",
                frames / wall, (studio.slider().part() - reached) * 10 / wall,
                (processorTime(studio.program().pid()) - before) / wall * 100, load().c_str());
}
