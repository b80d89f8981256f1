// The viewer's front door: command line, then the window.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/player/player.h"

namespace {

constexpr const char* kAbout =
    "mechview: a light viewer of mechanisms. Opens a .mech file, proves its equations in the background, runs it, and "
    "shows it with the same picture and instruments as the studio. The file is never written.";
constexpr const char* kFooter =
    "Examples:\n"
    "  mechview arm.mech\n"
    "  mechview arm.mech --run --theme light\n"
    "  mechview arm.mech --screenshot arm.png --time 1.5 --size 1920x1080\n"
    "A changed file is read again by itself, F5 reads it at once, and a file dropped on the window opens. F1 lists "
    "keys "
    "and mouse.\n"
    "Exit code: 0 good, 1 no display or the picture could not be made, 2 wrong usage.";

/// "1280x720"; empty when it is good, else what is wrong.
std::string parseSize(const std::string& text, int& width, int& height) {
    const std::size_t cross = text.find('x');
    const char* hint = "a size is WIDTHxHEIGHT in pixels, such as 1280x720";
    if (cross == std::string::npos) return hint;
    const auto number = [](const std::string& part, int& value) {
        if (part.empty() || part.size() > 5 || part.find_first_not_of("0123456789") != std::string::npos) return false;
        value = std::stoi(part);
        return true;
    };
    if (!number(text.substr(0, cross), width) || !number(text.substr(cross + 1), height)) return hint;
    if (width < 320 || height < 240 || width > 16384 || height > 16384)
        return "a size lies between 320x240 and 16384x16384";
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    using namespace mw::app;
    PlayerOptions options;
    std::string theme = "dark", size, kernel = "jit";
    double time = 0;
    CLI::App app{kAbout};
    app.name("mechview");
    app.footer(kFooter);
    app.set_version_flag("--version", "mechview " MW_VERSION);
    app.set_help_flag("-h,--help", "this text");
    app.add_option("FILE", options.file, "the .mech file to open");
    app.add_option("--theme", theme, "dark or light (dark)")
        ->check(CLI::IsMember({"dark", "light"}))
        ->type_name("NAME");
    app.add_option("--size", size, "size of the window or the picture, px (1280x720)")
        ->check([&](const std::string& text) { return parseSize(text, options.width, options.height); }, "")
        ->type_name("WxH");
    app.add_option("--scale", options.scale, "size of text and instruments (what the monitor says)")
        ->check(CLI::Range(0.5, 4.0))
        ->type_name("FACTOR");
    app.add_flag("--run", options.run, "play as soon as the mechanism is there");
    app.add_option("--screenshot", options.screenshot, "save a picture once the proof has settled, then quit")
        ->type_name("FILE");
    const CLI::Option* time_option =
        app.add_option("--time", time, "go to this instant first, s")->check(CLI::Range(0.0, 1e5))->type_name("T");
    app.add_option("--kernel", kernel, "what the run computes with: jit, or reference (jit)")
        ->check(CLI::IsMember({"jit", "reference"}))
        ->type_name("WHICH");
    app.add_flag("--safe-graphics", options.safe_graphics,
                 "no multisampling and no shadows, for troublesome graphics drivers");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        if (fault.get_exit_code() == 0) return app.exit(fault);
        std::fprintf(stderr, "mechview: %s\nTry 'mechview --help'.\n", fault.what());
        return 2;
    }
    options.light = theme == "light";
    options.size_given = !size.empty();
    options.reference = kernel == "reference";
    if (time_option->count() > 0) options.time = time;
    try {
        Player player(options);
        return player.run();
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "mechview: %s\n", fault.what());
        return 1;
    }
}
