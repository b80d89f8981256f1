// The instruments inside the view, the same in the studio and in the viewer: run information, the selected body, joint
// and parameter sliders. They draw a snapshot and answer what the user did; the host carries it out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/live/runner.h"
#include "app/panels/imgui_host.h"
#include "app/scene/scene_builder.h"
#include "engine/dynamics/closure.h"
#include "engine/model/layout.h"

namespace mw::app {

/// Keyboard driving as its card shows it.
struct DriveView {
    bool possible = false, on = false, running = false, brake = false;
    bool held[4] = {};            ///< forward, back, left, right
    double wanted = 0, turn = 0;  ///< m/s, rad/s
    double actual = 0;            ///< of the band's root along its own x, m/s
    double most = 0;              ///< m/s
};

/// What the panels show.
struct PanelView {
    const Snapshot* snapshot = nullptr;  ///< null: nothing to show yet
    const Layout* layout = nullptr;
    int selected_body = -2;                  ///< -2: none, -1: the base
    int selected_loop = -1;                  ///< -1: none
    std::span<const FreeMotion> motions;     ///< of the pose shown, when it is paused and has loops
    int playing = -1;                        ///< which of them is played
    float width = 0, height = 0, scale = 1;  ///< of the view, as far as cards may use it, device pixels
    float top_right_reserved = 120;          ///< interface pixels that the axis widget needs
    float cards_below = 0;                   ///< those after the run card begin under this, device pixels
    float under_run = 0;                     ///< what stands between it and them, device pixels
    bool writes_text = true;                 ///< the host can put a pose into the text ("Use as initial pose")
    int selected_track = -1;                 ///< -1: none
    std::string selected_contact;            ///< id; empty: none
    int selected_tendon = -1;                ///< -1: none
    std::string motions_note;                ///< why no motions are listed
    DriveView drive;
    /// Cards at the left stay 12 interface pixels above `height`, those at the right above this, the card of keyboard
    /// driving above the third: what the legend leaves to each.
    float right_height = 0, drive_height = 0;
    const scene::SceneOptions* look = nullptr;  ///< what is shown of contacts
};

/// What they remember between frames; the host keeps it.
struct PanelState {
    bool show_run = true, show_body = true, show_sliders = true;
    bool run_open = true, body_open = true, sliders_open = true, motions_open = true;
    bool show_contacts = true, contacts_open = false, list_open = false;
    bool show_tendons = true, tendons_open = false;
    float run_bottom = 0;        ///< of the run card when it was last drawn, device pixels
    bool degrees = true;         ///< display only; files and numbers inside stay SI
    std::vector<double> pose_q;  ///< pose under the fingers while a slider moves
    bool pose_moving = false;
    std::optional<int> parameter_moving;
};

/// What the user did in this frame.
struct PanelEvents {
    /// Sliders moved the mechanism: show this pose now (Runner::setStartState).
    std::optional<std::vector<double>> pose;
    /// Which one: its body, and its velocity's slot where the coordinate has one of its own (else -1).
    int moved_body = -1, moved_velocity = -1;
    /// The slider was let go: at t = 0 the pose belongs into the text, as one undo entry.
    bool pose_released = false;
    /// "Use as initial pose" was pressed.
    bool use_as_initial = false;
    std::optional<std::pair<int, double>> parameter;  ///< slot, value: now
    std::optional<std::pair<int, double>> parameter_released;
    std::optional<int> hovered_body;  ///< whose slider the pointer is on
    std::optional<int> select_body;
    std::optional<int> play_motion;             ///< index of the motion; -1: stop
    std::optional<scene::SceneOptions> look;    ///< contacts are to be shown otherwise
    std::optional<std::string> select_contact;  ///< its id
    bool toggle_driving = false, toggle_brake = false;
    std::optional<int> select_tendon;
    std::optional<std::pair<int, double>> tendon_command;  ///< N, of one with `actuator input`
    std::optional<std::pair<int, bool>> tendon_off;        ///< switched off (true) or on again by hand
};

/// A joint that a live parameter steers: a position drive whose target is linear in that parameter alone.
struct Steering {
    int slot = 0;
    double offset = 0, slope = 1;  ///< target = offset + slope * parameter
};
std::optional<Steering> steeringOf(const Model& model, int body, int coordinate, std::span<const double> param);

/// How far the cards at the left reach, interface pixels; 0: there are none.
float leftCardsEnd(const PanelView& view, const PanelState& state);

/// Between ImGuiHost::begin and end.
PanelEvents drawPanels(const PanelView& view, PanelState& state, scene::ThemeKind theme);

/// "12.3", "1.2e-7": four digits, for people; NaN says "not a number".
std::string shortNumber(double value);
/// Roll, pitch, yaw (rad) of a rotation matrix given row by row: R = Rz(yaw) Ry(pitch) Rx(roll).
std::array<double, 3> rollPitchYaw(const double* R);
/// Unit quaternion (w x y z) of roll, pitch, yaw.
std::array<double, 4> quaternionOf(const std::array<double, 3>& rpy);

}  // namespace mw::app
