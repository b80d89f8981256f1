// What the viewer draws besides the view's own cards: run bar, proof badge and gates, problems, the sheet of keys, the
// menu at the pointer. They show what they are given and answer what the user did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/document/selection.h"
#include "app/live/workshop.h"
#include "app/panels/view_core.h"
#include "app/scene/theme.h"
#include "engine/base/diagnostic.h"

namespace mw::app {

constexpr double kSpeeds[] = {0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100};

/// A finding about the file, ready to be read.
struct ProblemLine {
    Severity severity = Severity::error;
    int line = 1, column = 1;
    std::string message, hint;
};
std::vector<ProblemLine> problemLines(const std::vector<Diagnostic>& diagnostics, const std::string& text);

struct InstrumentView {
    const ViewCore* core = nullptr;
    const Snapshot* snapshot = nullptr;
    Badge badge;
    const Built* built = nullptr;
    std::string file;    ///< its name; empty: none is open
    std::string notice;  ///< what went wrong with the file itself
    bool last_good = false;
    Item selected;
    bool full_screen = false;
    scene::ThemeKind theme{};
    float width = 0, height = 0, bar = 0, scale = 1;  ///< of the view and of the run bar below it, device px
};

struct InstrumentState {
    bool keys = false, gates = false, problems_open = true;
    std::vector<ProblemLine> problem_lines;
    std::optional<Item> menu_asked;  ///< open the menu for it in the next frame
    Item menu_item;
    bool menu_open = false, close_menu = false;
    double slider_upper = 10;  ///< s, at the slider's right end
    bool sliding = false;
    char time[32] = {};
    bool time_wrong = false, time_active = false;
};

struct InstrumentEvents {
    bool play = false, reset = false, frame_all = false, frame_selection = false, follow = false, perspective = false;
    bool parent = false, reload = false, other_theme = false, full_screen = false, prove_again = false;
    int steps = 0;
    bool driving = false, brake = false;
    std::optional<double> scrub, speed, slope;
    std::optional<Friction> friction;
    std::optional<scene::StandardView> view;
    std::optional<ViewPart> part;
    std::optional<ViewCard> card;
    std::optional<MousePreset> preset;
    std::optional<std::size_t> worst_of_gate;
};

void drawRunBar(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done);
void drawBadge(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done);
void drawProblems(const InstrumentView& view, InstrumentState& state);
void drawEmpty(const InstrumentView& view);
void drawKeys(const InstrumentView& view, InstrumentState& state);
void drawMenu(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done);

}  // namespace mw::app
