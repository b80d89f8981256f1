// The example mechanisms that come with the program, and the running pendulum that New begins with.
#pragma once

#include <QString>
#include <filesystem>
#include <string>
#include <vector>

namespace mw::app {

struct Example {
    std::filesystem::path file;
    QString name;      ///< "springpend"
    QString one_line;  ///< the file's opening comment
    QString picture;   ///< path of a picture, empty when there is none
};

/// Beside the program (installed or in a build folder), or in the source tree; sorted by name.
std::vector<Example> examples();
/// The text of New: a pendulum that swings when Space is pressed.
std::string newPendulum();

}  // namespace mw::app
