// The 3-D view without a window system: camera, picking, pushing, scene, renderer and instruments in one, the same in
// the studio and in the viewer. The host owns the window and the OpenGL context, feeds pointer, wheel and keys in
// device pixels, draws when asked, and carries out what the user did.
//
// Everything is called from the host's one thread. `frame`, `releaseGraphics` and the destructor need the context to be
// current; input does not. Callbacks come from input or from the end of `frame`, never in the middle of drawing.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/selection.h"
#include "app/live/free_motion.h"
#include "app/live/runner.h"
#include "app/panels/imgui_host.h"
#include "app/panels/panels.h"
#include "app/render/quality.h"
#include "app/scene/camera.h"
#include "app/scene/label_layout.h"
#include "app/scene/picking.h"
#include "app/scene/scene_builder.h"
#include "engine/dynamics/closure.h"

namespace mw::render {
class Renderer;
}

namespace mw::app {

/// Whose habits the mouse follows.
enum class MousePreset { blender, mujoco, cad, trackpad };
constexpr MousePreset kMousePresets[] = {MousePreset::blender, MousePreset::mujoco, MousePreset::cad,
                                         MousePreset::trackpad};
const char* mousePresetName(MousePreset preset);  ///< "Blender", "MuJoCo", "CAD", "Trackpad"
std::optional<MousePreset> mousePresetFromName(const std::string& name);

enum class PointerButton { left, right, middle };

struct HeldKeys {
    bool shift = false, ctrl = false, alt = false;
};

/// What a press of a button begins.
/// `pose`: a pull at a mechanism that stands still moves it, joints and loops kept.
enum class ViewDrag { none, orbit, pan, zoom, push, turn, pose, path, panel };
/// The habits as a table: which button with which held keys moves what.
ViewDrag dragOf(MousePreset preset, PointerButton button, const HeldKeys& held);

/// Parts of the picture that can be switched.
enum class ViewPart {
    grid,
    skeleton,
    joints,
    centres,
    inertia,
    frames,
    points,
    trails,
    gravity,
    loop_forces,
    loop_moments,
    labels,
    smooth_moves,
    contact_points,
    contact_normals,
    contact_forces,    ///< normal forces
    contact_friction,  ///< tangential part, teeth and guides
    contact_states,    ///< points in the colours of open, stick, slip
    only_selection,    ///< contacts of what is selected alone
    tension,           ///< links of bands in the colour of their tension
    logarithmic,       ///< lengths of arrows
    tendons,
    tendon_tension,  ///< tendons in the colour of their tension; else in their own
    limits           ///< a mark on joints that a limit holds
};
/// Cards over the picture.
enum class ViewCard { run, body, sliders, performance, contacts, tendons };

/// Keyboard driving. The hosts say which key is which (`driveKeyOf`); forward and back are W and S or the arrows up and
/// down, turns A and D, the brake B, K begins and ends.
enum class DriveKey { forward, back, left, right, brake, toggle };
/// By the letter that the user's layout has on the key.
std::optional<DriveKey> driveKeyOf(char letter);

/// What the user did. Unset functions are not called.
struct ViewEvents {
    std::function<void()> frame;  ///< something has changed that a frame would show
    /// A click on an item; an empty kind: on empty ground. `add`: with Ctrl.
    std::function<void(const Item& item, bool add)> select;
    /// Right click without movement; the item is empty on empty ground.
    std::function<void(const Item& item, const scene::Vec2& pixel)> context;
    std::function<void(const std::optional<Inputs::Push>& push)> push;
    /// Joint sliders move the mechanism: show this state now.
    std::function<void(const std::vector<double>& q, const std::vector<double>& v)> pose;
    /// They were let go. `at_start`: before the first step, where a pose is the start state.
    std::function<void(const std::vector<double>& q, const std::vector<double>& v, bool at_start)> pose_released;
    std::function<void(const std::vector<double>& q, const std::vector<double>& v)> use_as_initial;
    /// The mouse drags the paused mechanism: show this pose now. The text has nothing to do with it.
    std::function<void(const std::vector<double>& q)> dragged;
    /// It was let go at `to`; `from` is where it stood before.
    std::function<void(const std::vector<double>& from, const std::vector<double>& to)> drag_ended;
    /// A click on a site, a guide or a side site of a tendon, after its `select`: which element of Tendon::path.
    std::function<void(const Item& tendon, int element)> path_element;
    /// A site, a guide's side site of the selected tendon is dragged: it is to be at this point of its body. `drag`:
    /// the same number through one drag. Unset: these points cannot be dragged.
    std::function<void(const Item& tendon, int element, bool side, const Vector3d& at, std::uint64_t drag)> path_point;
    std::function<void(int tendon, double newton)> tendon_command;  ///< for Runner::setTendonCommand
    std::function<void(int tendon, bool off)> tendon_off;           ///< for Runner::setTendonOff
    std::function<void(int slot, double value)> parameter;
    std::function<void(int slot, double value, bool at_start)> parameter_released;
    std::function<void()> cards;  ///< a card or a part was shown or hidden in the view
    std::function<void(const std::vector<double>& speeds)> driving;  ///< for Runner::setDriving
    std::function<void(bool on)> brake;
    std::function<void(const std::string&)> no_graphics;  ///< the context cannot draw the view: why
};

class ViewCore {
public:
    /// Where and when a frame is drawn. The view's upper left corner is the framebuffer's.
    struct Frame {
        int width = 0, height = 0;  ///< of the view, device pixels
        int bottom = 0;             ///< device pixels below the view that belong to the host's own instruments
        double scale = 1;           ///< device pixels an interface pixel
        double now = 0;             ///< s, any origin, the same for input
        scene::ThemeKind theme = scene::ThemeKind::dark;
        bool instruments = true;  ///< false: the picture alone
    };

    explicit ViewCore(bool safe_graphics = false);
    ~ViewCore();
    ViewCore(const ViewCore&) = delete;
    ViewCore& operator=(const ViewCore&) = delete;

    ViewEvents events;
    /// The host's own instruments, drawn after the view's in the same frame (and in those that are only felt).
    std::function<void(const Frame& frame)> draw_more;
    bool writes_text = true;  ///< "Use as initial pose" is offered
    std::function<std::string()> get_clipboard;
    std::function<void(const std::string&)> set_clipboard;

    // What is shown
    /// `folder` is where the .mech lies, for its mesh files.
    void setSnapshot(std::shared_ptr<const Snapshot> snapshot, const std::filesystem::path& folder);
    std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
    void setSelection(std::vector<Item> items);
    /// Another document: the next mechanism is framed anew, nothing is followed.
    void forgetView();
    /// The text has moved on: these bodies of the shown mechanism grey (none: the whole picture, a little).
    void setStale(bool stale, std::vector<int> bodies = {});
    void setShown(ViewPart part, bool on);
    bool shown(ViewPart part) const;
    void toggleCard(ViewCard card);
    bool cardShown(ViewCard card) const;
    /// Length of arrows, times the one chosen by itself; 0.1 to 10.
    void setForceScale(double factor);
    double forceScale() const { return show_.force_scale; }
    PanelState& panels() { return panels_; }
    void setMousePreset(MousePreset preset) { preset_ = preset; }
    MousePreset mousePreset() const { return preset_; }
    /// Something outside has changed that the instruments show (theme, scale, the host's own).
    void invalidate();

    // The camera
    void frameAll(double now);
    void frameSelection(double now);
    void setStandardView(scene::StandardView view, double now);
    void togglePerspective();
    /// Follows the selection; without one, the centre of mass of the whole.
    void toggleFollow();
    bool following() const { return follow_ || follow_whole_; }
    /// What the camera draws into: the picture's size, and where its free part lies.
    scene::Viewport viewport() const;
    const scene::Camera& camera() const { return camera_; }

    // Input: device pixels from the view's upper left corner, seconds as in `Frame`
    void pointerMoved(const scene::Vec2& pixel, double now);
    void pointerPressed(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now);
    void pointerReleased(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now);
    void doubleClicked(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now);
    void pointerLeft();
    void wheel(const scene::Vec2& pixel, double steps, double now);  ///< steps: in is positive
    /// True when an instrument takes the key, because a value is being typed; a shortcut must not act then.
    bool key(PanelKey key, bool down, const HeldKeys& held, double now);
    bool character(unsigned code_point);
    bool typing() const;  ///< a text field of an instrument has the focus
    /// Keyboard driving. True when the key is taken: a shortcut of the host must not act then. `fast`: with Shift.
    bool driveKey(DriveKey key, bool down, bool fast, double now);
    void releaseDriveKeys();  ///< the focus went elsewhere
    bool canDrive() const;    ///< the mechanism has driven rollers
    void setDriving(bool on);
    bool driving() const { return drive_on_; }
    ViewDrag drag() const { return drag_; }
    /// Gives up a drag (push, orbit); false when there was none.
    bool cancelDrag();

    // Drawing
    /// Draws scene and instruments into the framebuffer that is bound.
    void frame(const Frame& frame);
    /// Another frame is wanted soon: something moves, or the picture is refined.
    bool wantsFrame() const { return wants_frame_; }
    /// Nothing is left to refine: a picture taken now is final.
    bool settled() const { return frames_ > 2 && !wants_frame_; }
    std::uint64_t frames() const { return frames_; }
    /// Where cards and legend of the last frame stand, device pixels: cards by their names, then a width of 0 where
    /// there is no legend.
    const std::vector<std::pair<std::string, scene::Rect>>& cards() const { return cards_; }
    scene::Rect legend() const;
    /// Gives back what lives in the OpenGL context, before that goes.
    void releaseGraphics();

    /// A shoe is {"body", "left.shoe17"}, a band {"track", "left"}, a contact {"contact", its id}, of bands or of
    /// shapes.
    scene::ItemId idOf(const Item& item) const;
    Item itemOf(const scene::ItemId& id) const;

    // Loops and free motions
    /// Ways that the paused mechanism can move; empty while it runs, without loops, and where there are too many to
    /// list.
    const std::vector<FreeMotion>& freeMotions();
    std::string motionsNote() const;  ///< why they are not listed; empty: they are
    /// Plays one back and forth, kinematically; -1 stops and shows the pose as it was.
    void playMotion(int motion);
    int playing() const { return playing_; }
    /// The instant as it is drawn: the snapshot, or while a motion is played the pose of the moment.
    const Snapshot* shown() const { return preview_ ? preview_.get() : snapshot_.get(); }

private:
    // view_core.cpp: scene, renderer, instruments
    scene::SceneState sceneState() const;
    void rebuildScene();
    void drawScene(bool changed);
    PanelView panelView() const;
    PanelEvents drawInstruments();
    float drawPerformance(float x, float y, float bottom);  ///< returns its bottom
    void actOn(const PanelEvents& events);
    void changed(bool scene_too);

    // view_frame.cpp
    void findFreePart(bool keep_picture);
    scene::Box reach();
    void keepInView(double now);
    void followOn();

    // view_input.cpp
    void point(const scene::Vec2& pixel);
    bool overInstrument(double now);
    void feel(double now);
    void holdKeys(const HeldKeys& held);
    std::vector<scene::Hit> hitsAt(const scene::Vec2& pixel) const;
    void hoverAt(const scene::Vec2& pixel);
    void clickAt(const scene::Vec2& pixel, bool add);
    bool beginPush(const scene::Vec2& pixel, bool turn);
    void movePush(const scene::Vec2& pixel);
    void endPush();
    void buttonInput(PointerButton button, bool down);
    std::optional<scene::Hit> bodyAt(const scene::Vec2& pixel) const;
    std::optional<scene::Vec3> onPlane(const scene::Vec2& pixel, const scene::Vec3& plane) const;

    // view_drive.cpp
    void drive(double now);
    void sayDriving(double now);
    double mostSpeed() const;
    double forwardSpeed() const;
    DriveView driveView() const;

    // view_motion.cpp
    Closure* closure();
    bool beginPose(const scene::Vec2& pixel);
    bool beginPath(const scene::Vec2& pixel);  // view_path.cpp
    void movePath(const scene::Vec2& pixel);
    void movePose(const scene::Vec2& pixel);
    bool endPose(bool keep);
    std::vector<double> followLoops(const PanelEvents& done);
    void advanceMotion(double now);
    void showPreview(std::vector<double> q);
    void gatherForces();

    bool safe_graphics_;
    std::unique_ptr<render::Renderer> renderer_;
    std::unique_ptr<ImGuiHost> imgui_;
    bool graphics_failed_ = false;
    render::QualityGovernor governor_;
    Frame frame_{1280, 720, 0, 1, 0, scene::ThemeKind::dark, true};

    std::unique_ptr<scene::SceneBuilder> builder_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<Item> selection_;
    Layout layout_;
    scene::Scene scene_;
    scene::SceneOptions show_;
    bool scene_dirty_ = true, scene_changed_ = true;
    scene::Camera camera_, drawn_camera_;
    bool smooth_ = true, framed_ = false, follow_ = false, follow_whole_ = false, stale_ = false;
    std::vector<int> stale_bodies_;
    scene::Vec2 shift_ = scene::Vec2::Zero(), free_ = scene::Vec2::Zero();  ///< of the free part, interface px
    bool auto_frame_ = true;                                                ///< nobody has chosen another part
    scene::Box framed_box_, reach_;
    double framed_size_ = 0;
    bool reach_known_ = false, free_changed_ = false;
    int followed_ = 0;  ///< what the camera was following
    scene::PickCycle cycle_;
    scene::ItemId hover_;
    double traced_ = -1;

    PanelState panels_;
    PanelInput input_;
    std::vector<std::pair<std::string, scene::Rect>> cards_;
    bool legend_beside_ = false;  ///< the legend stands beside the cards at the left, not under them
    bool performance_ = false;
    float run_bottom_ = 170;  ///< of the run card, device px
    bool input_seen_ = true;  ///< the instruments have seen the present pointer
    double last_frame_ = 0, frame_ms_ = 0;
    std::uint64_t frames_ = 0;
    int settling_ = 0;  ///< frames that cards which come and go still need
    bool wants_frame_ = true;

    MousePreset preset_ = MousePreset::blender;
    ViewDrag drag_ = ViewDrag::none;
    std::optional<PointerButton> button_;
    scene::Vec2 pressed_at_ = scene::Vec2::Zero(), last_at_ = scene::Vec2::Zero();
    bool moved_ = false;

    struct Push {
        int body = -1;
        scene::Vec3 point = scene::Vec3::Zero();  ///< body axes
        scene::Vec3 plane = scene::Vec3::Zero();  ///< a point of the plane that the cursor moves in
        double stiffness = 0, damping = 0;
        double couple = 0;  ///< N m of a turn of full length; 0: a pull
    };
    std::optional<Push> push_;

    struct Pose {
        int body = -1;
        scene::Vec3 point = scene::Vec3::Zero(), plane = scene::Vec3::Zero(), target = scene::Vec3::Zero();
        std::vector<double> before, q;
        bool moved = false;
    };
    std::optional<Pose> pose_;
    /// A point of a tendon's path under the mouse.
    struct PathDrag {
        Item tendon;
        int element = 0, body = kBase;
        bool side = false;
        scene::Vec3 plane = scene::Vec3::Zero();
        Vector3d before{};  // in its body
        std::uint64_t number = 0;
    };
    std::optional<PathDrag> grip_;
    std::uint64_t grips_ = 0;
    std::unique_ptr<Closure> closure_;
    std::shared_ptr<const Model> closure_model_;  ///< that it was made for, or could not be made for
    std::vector<double> posed_q_;                 ///< last closed pose of a joint slider
    std::vector<FreeMotion> motions_;
    std::vector<double> motions_q_, motions_param_;  ///< that they belong to
    std::unique_ptr<MotionPath> path_;
    int playing_ = -1;
    double played_since_ = -1;
    std::shared_ptr<const Snapshot> preview_;
    std::vector<scene::ForceReading> forces_;
    bool loop_forces_ = false, loop_moments_ = false;

    bool drive_on_ = false, drive_held_[4] = {}, drive_fast_ = false;
    double drive_speed_ = 0, drive_turn_ = 0;  ///< wanted: m/s, rad/s
    double driven_at_ = -1, said_at_ = -1;     ///< s, when the wanted speeds were last moved on, and said
    std::vector<double> drive_said_;
    bool drive_due_ = false, tracked_ = false;
};

/// The spring of a push: about two swings a second for the body's own mass, and never so soft that a pull over the
/// mechanism's size is less than a few times the body's weight.
struct PushSpring {
    double stiffness = 0, damping = 0;  ///< N/m, N s/m
};
PushSpring pushSpring(const Model& model, int body, std::span<const double> param, double size);

}  // namespace mw::app
