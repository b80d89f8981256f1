// What the command line of the viewer asks for.
#pragma once

#include <optional>
#include <string>

namespace mw::app {

struct PlayerOptions {
    std::string file;
    bool light = false;
    bool size_given = false;
    int width = 1280, height = 720;
    double scale = 0;  ///< 0: what the monitor says
    bool run = false;
    std::string screenshot;
    std::optional<double> time;
    bool reference = false;  ///< the run stays on the reference kernel
    bool safe_graphics = false;
};

}  // namespace mw::app
