// Snapshot -> scene -> renderer, then the instruments on top, and what they ask for.
#include "app/panels/view_core.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <epoxy/gl.h>
#include <exception>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"
#include "app/render/renderer.h"

namespace mw::app {
namespace {

// Interface px
constexpr double kMargin = kCardEdge, kGap = 8;  // of cards and legend to the edges, and between them
constexpr double kLeastLegend = 290;             // narrower it says too little beside the cards
constexpr double kSelectedEnd = kSelectedCard + kCardEdge, kDriveEnd = 248;  // at the right, with their margin

}  // namespace

ViewCore::ViewCore(bool safe_graphics) : safe_graphics_(safe_graphics) { show_.trails = false; }

ViewCore::~ViewCore() { releaseGraphics(); }

void ViewCore::releaseGraphics() {
    imgui_.reset();
    renderer_.reset();
}

void ViewCore::changed(bool scene_too) {
    if (scene_too) scene_dirty_ = true;
    wants_frame_ = true;
    if (events.frame) events.frame();
}

void ViewCore::invalidate() {
    input_seen_ = false;
    settling_ = 2;
    changed(true);
}

scene::SceneState ViewCore::sceneState() const {
    scene::SceneState state;
    state.X = shown()->readings.X;
    state.param = snapshot_->inputs.param;
    state.forces = forces_;
    state.loops = shown()->readings.loops;
    state.contacts = shown()->readings.contacts;
    for (const BandTension& band : shown()->readings.tensions) state.tensions.push_back(band.pins);
    state.slope = snapshot_->contact.slope;
    const RowsReading& rows = shown()->readings.rows;
    state.shape_contacts = rows.contacts;
    state.joint_rows = rows.joints;
    state.solved = rows.valid;
    state.tendons = shown()->readings.tendons;
    state.tendon_off = snapshot_->inputs.tendon_off;
    if (pose_) {
        scene::PushPicture drag;
        drag.grabbed = scene::SceneBuilder::placeOf(state.X, pose_->body) * pose_->point;
        drag.target = pose_->target;
        drag.kinematic = true;
        state.push = drag;
    } else if (snapshot_->readings.push_force && snapshot_->readings.push_point && snapshot_->inputs.push) {
        const Vector3d &p = *snapshot_->readings.push_point, &t = snapshot_->inputs.push->target,
                       &f = *snapshot_->readings.push_force;
        const Vector3d& c = snapshot_->inputs.push->torque;
        state.push =
            scene::PushPicture{{p[0], p[1], p[2]}, {t[0], t[1], t[2]},        scene::Vec3(f[0], f[1], f[2]).norm(),
                               {c[0], c[1], c[2]}, push_ ? push_->couple : 0, false};
    }
    return state;
}

scene::ItemId ViewCore::idOf(const Item& item) const {
    using scene::ItemKind;
    if (!snapshot_ || !snapshot_->model) return {};
    if (item.kind == "body" && item.name == "base") return {ItemKind::base, -1};
    if (item.kind == "track") {
        const auto& tracks = snapshot_->model->tracks;
        for (std::size_t t = 0; t < tracks.size(); ++t)
            if (tracks[t].name == item.name) return {ItemKind::track, static_cast<int>(t)};
        return {};
    }
    if (item.kind == "contact") {
        const auto& contacts = shown()->readings.contacts;
        for (std::size_t c = 0; c < contacts.size(); ++c)
            if (contacts[c].id == item.name) return {ItemKind::contact, static_cast<int>(c)};
        const auto& touching = shown()->readings.rows.contacts;
        for (std::size_t c = 0; c < touching.size(); ++c)
            if (touching[c].id == item.name) return {ItemKind::contact, static_cast<int>(contacts.size() + c)};
        return {};
    }
    const int i = modelIndex(*snapshot_->model, item);
    if (i < 0) return {};
    if (item.kind == "body") return {ItemKind::body, i};
    if (item.kind == "poi") return {ItemKind::point, i};
    if (item.kind == "tsda") return {ItemKind::tsda, i};
    if (item.kind == "rsda") return {ItemKind::rsda, i};
    if (item.kind == "drive") return {ItemKind::drive, i};
    if (item.kind == "loop") return {ItemKind::loop, i};
    if (item.kind == "shape") return {ItemKind::shape, i};
    if (item.kind == "tendon") return {ItemKind::tendon, i};
    return {};
}

Item ViewCore::itemOf(const scene::ItemId& id) const {
    using scene::ItemKind;
    if (!snapshot_ || !snapshot_->model) return {};
    const Model& m = *snapshot_->model;
    const auto i = static_cast<std::size_t>(std::max(0, id.index));
    const auto body = [&](int b) {
        const bool real = b >= 0 && static_cast<std::size_t>(b) < m.bodies.size();
        return Item{"body", real ? m.bodies[static_cast<std::size_t>(b)].name : "base"};
    };
    const auto named = [&](const char* kind, const auto& list) {
        return i < list.size() ? Item{kind, list[i].name} : Item{};
    };
    switch (id.kind) {
        case ItemKind::base: return {"body", "base"};
        case ItemKind::body:
        case ItemKind::joint: return body(id.index);
        case ItemKind::shape: return i < m.shapes.size() ? body(m.shapes[i].body) : Item{};
        case ItemKind::point: return named("poi", m.points);
        case ItemKind::tsda: return named("tsda", m.tsdas);
        case ItemKind::rsda: return named("rsda", m.rsdas);
        case ItemKind::drive: return named("drive", m.drives);
        case ItemKind::loop:
            // What closes a band is not in the text: the band is.
            for (const Track& track : m.tracks)
                if (track.closure == id.index) return {"track", track.name};
            return named("loop", m.loops);
        case ItemKind::track: return named("track", m.tracks);
        case ItemKind::contact: {
            const auto& contacts = shown()->readings.contacts;
            if (i < contacts.size()) return {"contact", contacts[i].id};
            const auto& touching = shown()->readings.rows.contacts;
            const std::size_t k = i - contacts.size();
            return k < touching.size() ? Item{"contact", touching[k].id} : Item{};
        }
        case ItemKind::tendon: return named("tendon", m.tendons);
        default: return {};
    }
}

void ViewCore::setSnapshot(std::shared_ptr<const Snapshot> snapshot, const std::filesystem::path& folder) {
    if (!snapshot || !snapshot->model) {
        playMotion(-1);
        pose_.reset();
        snapshot_.reset();
        builder_.reset();
        hover_ = {};
        changed(true);
        return;
    }
    const bool other = !snapshot_ || snapshot_->model != snapshot->model;
    // A motion that is played belongs to the pose it started from.
    if (other || snapshot->run == RunState::running || snapshot->state.q != snapshot_->state.q ||
        snapshot->inputs.param != snapshot_->inputs.param)
        playMotion(-1);
    // So does a pose under the hand to the mechanism it was made of: never offered for another one, be it of its size.
    if (other) {
        pose_.reset();
        posed_q_.clear();
        panels_.pose_moving = false;
    }
    // Back at an earlier instant nothing is wanted any more.
    if (!other && snapshot->state.t < snapshot_->state.t) drive_speed_ = drive_turn_ = 0, drive_due_ = true;
    snapshot_ = std::move(snapshot);
    if (snapshot_->run == RunState::running) endPose(true);
    if (other) {
        // The contacts of a vehicle on bands say more than a hundred sliders.
        const bool tracked = !snapshot_->model->tracks.empty();
        if (tracked && !tracked_) {
            panels_.contacts_open = !writes_text;  // a studio has a table of them
            panels_.sliders_open = panels_.motions_open = false;
        }
        tracked_ = tracked;
        if (!writes_text && !snapshot_->model->tendons.empty()) panels_.tendons_open = true;
        builder_ = std::make_unique<scene::SceneBuilder>(snapshot_->model, folder);
        layout_ = layoutOf(*snapshot_->model);
        traced_ = -1;
        hover_ = {};
        cycle_.reset();
        camera_.setUp(builder_->up());
        endPush();
        settling_ = 2;
        reach_known_ = false;
        stale_bodies_.clear();
        drive_said_.clear();
        drive_speed_ = drive_turn_ = 0;
        if (!canDrive()) drive_on_ = false;
        drive_due_ = drive_on_;
    }
    if (snapshot_->state.t != traced_) {
        builder_->trace(sceneState(), snapshot_->state.t);
        traced_ = snapshot_->state.t;
    }
    changed(true);
}

void ViewCore::setSelection(std::vector<Item> items) {
    selection_ = std::move(items);
    free_changed_ = true;
    settling_ = 2;
    changed(true);
}

void ViewCore::forgetView() {
    framed_ = false;
    follow_ = follow_whole_ = false;
    cancelDrag();
    changed(true);
}

void ViewCore::setStale(bool stale, std::vector<int> bodies) {
    if (stale == stale_ && bodies == stale_bodies_) return;
    stale_ = stale;
    stale_bodies_ = std::move(bodies);
    changed(true);
}

void ViewCore::setShown(ViewPart part, bool on) {
    switch (part) {
        case ViewPart::grid: show_.ground = on; break;
        case ViewPart::skeleton:
            show_.skeleton = on;
            show_.shapes = !on;
            break;
        case ViewPart::joints: show_.joints = on; break;
        case ViewPart::centres: show_.centres = on; break;
        case ViewPart::inertia: show_.inertia = on; break;
        case ViewPart::frames: show_.frames = on; break;
        case ViewPart::points: show_.points = on; break;
        case ViewPart::trails: show_.trails = on; break;
        case ViewPart::gravity: show_.gravity = on; break;
        case ViewPart::loop_forces: loop_forces_ = on; break;
        case ViewPart::loop_moments: loop_moments_ = on; break;
        case ViewPart::labels: show_.labels = on ? scene::LabelMode::bodies : scene::LabelMode::hover; break;
        case ViewPart::smooth_moves:
            smooth_ = on;
            camera_.setSmooth(on);
            break;
        case ViewPart::contact_points: show_.contact.points = on; break;
        case ViewPart::contact_normals: show_.contact.normals = on; break;
        case ViewPart::contact_forces: show_.contact.normal_forces = on; break;
        case ViewPart::contact_friction: show_.contact.friction = on; break;
        case ViewPart::contact_states: show_.contact.states = on; break;
        case ViewPart::only_selection: show_.contact.only_selection = on; break;
        case ViewPart::tension: show_.tension = on; break;
        case ViewPart::logarithmic: show_.logarithmic = on; break;
        case ViewPart::tendons: show_.tendons = on; break;
        case ViewPart::tendon_tension: show_.tendon_tension = on; break;
        case ViewPart::limits: show_.limits = on; break;
    }
    changed(true);
}

bool ViewCore::shown(ViewPart part) const {
    switch (part) {
        case ViewPart::grid: return show_.ground;
        case ViewPart::skeleton: return show_.skeleton;
        case ViewPart::joints: return show_.joints;
        case ViewPart::centres: return show_.centres;
        case ViewPart::inertia: return show_.inertia;
        case ViewPart::frames: return show_.frames;
        case ViewPart::points: return show_.points;
        case ViewPart::trails: return show_.trails;
        case ViewPart::gravity: return show_.gravity;
        case ViewPart::loop_forces: return loop_forces_;
        case ViewPart::loop_moments: return loop_moments_;
        case ViewPart::labels: return show_.labels == scene::LabelMode::bodies;
        case ViewPart::smooth_moves: return smooth_;
        case ViewPart::contact_points: return show_.contact.points;
        case ViewPart::contact_normals: return show_.contact.normals;
        case ViewPart::contact_forces: return show_.contact.normal_forces;
        case ViewPart::contact_friction: return show_.contact.friction;
        case ViewPart::contact_states: return show_.contact.states;
        case ViewPart::only_selection: return show_.contact.only_selection;
        case ViewPart::tension: return show_.tension;
        case ViewPart::logarithmic: return show_.logarithmic;
        case ViewPart::tendons: return show_.tendons;
        case ViewPart::tendon_tension: return show_.tendon_tension;
        case ViewPart::limits: return show_.limits;
    }
    return false;
}

void ViewCore::setForceScale(double factor) {
    if (!std::isfinite(factor)) return;
    show_.force_scale = std::clamp(factor, 0.1, 10.0);
    changed(true);
}

void ViewCore::toggleCard(ViewCard card) {
    switch (card) {
        case ViewCard::run: panels_.show_run = !panels_.show_run; break;
        case ViewCard::body: panels_.show_body = !panels_.show_body; break;
        case ViewCard::sliders: panels_.show_sliders = !panels_.show_sliders; break;
        case ViewCard::performance: performance_ = !performance_; break;
        case ViewCard::contacts: panels_.show_contacts = !panels_.show_contacts; break;
        case ViewCard::tendons: panels_.show_tendons = !panels_.show_tendons; break;
    }
    free_changed_ = true;
    invalidate();
    if (events.cards) events.cards();
}

bool ViewCore::cardShown(ViewCard card) const {
    switch (card) {
        case ViewCard::run: return panels_.show_run;
        case ViewCard::body: return panels_.show_body;
        case ViewCard::sliders: return panels_.show_sliders;
        case ViewCard::performance: return performance_;
        case ViewCard::contacts: return panels_.show_contacts;
        case ViewCard::tendons: return panels_.show_tendons;
    }
    return false;
}

void ViewCore::rebuildScene() {
    if (!scene_dirty_) return;
    scene_dirty_ = false;
    show_.theme = frame_.theme;
    show_.hover = hover_;
    show_.selection.clear();
    for (const Item& item : selection_)
        if (const auto id = idOf(item)) show_.selection.push_back(id);
    show_.fade = stale_ ? (stale_bodies_.empty() ? 0.35f : 1.0f) : 0.0f;
    show_.stale = stale_bodies_;
    if (builder_ && snapshot_) {
        gatherForces();
        scene_ = builder_->build(sceneState(), show_);
        camera_.setBounds(scene_.bounds);
    } else {
        scene_ = {};
        scene_.legend.visible = false;
    }
}

void ViewCore::setStandardView(scene::StandardView view, double now) {
    camera_.setView(view, now);
    changed(false);
}

void ViewCore::togglePerspective() {
    camera_.setPerspective(!camera_.perspective());
    changed(false);
}

void ViewCore::frame(const Frame& frame) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    if (frame.theme != frame_.theme) scene_dirty_ = true;
    const bool resized = frame.width != frame_.width || frame.height != frame_.height || frame.scale != frame_.scale;
    if (resized) input_seen_ = false;
    frame_ = frame;
    if (snapshot_ && builder_ && (!framed_ || (resized && auto_frame_))) {
        camera_.setSmooth(false);
        frameAll(frame.now);
    } else if (resized) {
        findFreePart(false);
    } else if (free_changed_ && auto_frame_ && snapshot_ && builder_) {
        // A card that came or went moves the mechanism beside it.
        const scene::Vec2 before = shift_;
        findFreePart(true);
        if (shift_ != before) {
            // What is followed stands elsewhere by now.
            if (following() && !scene_.bounds.empty()) {
                const scene::Vec3 by = scene_.bounds.centre() - framed_box_.centre();
                framed_box_.low += by;
                framed_box_.high += by;
            }
            camera_.frame(framed_box_, viewport(), frame.now);
        }
    }
    free_changed_ = false;
    advanceMotion(frame.now);
    drive(frame.now);
    const bool rebuilt = scene_dirty_;
    rebuildScene();
    followOn();
    keepInView(frame.now);
    const bool moving = camera_.update(frame.now);
    drawScene(rebuilt || moving || resized || !(drawn_camera_ == camera_));
    drawn_camera_ = camera_;

    PanelEvents done;
    if (frame.instruments) {
        if (!imgui_) {
            imgui_ = std::make_unique<ImGuiHost>();
            imgui_->get_clipboard = [this] { return get_clipboard ? get_clipboard() : std::string(); };
            imgui_->set_clipboard = [this](const std::string& text) {
                if (set_clipboard) set_clipboard(text);
            };
        }
        input_.width = static_cast<float>(frame.width);
        input_.height = static_cast<float>(frame.height + frame.bottom);
        input_.scale = static_cast<float>(frame.scale);
        input_.seconds = static_cast<float>(frame.now - last_frame_);
        last_frame_ = frame.now;
        if (frame.bottom > 0) glViewport(0, 0, frame.width, frame.height + frame.bottom);
        imgui_->begin(input_, frame.theme);
        done = drawInstruments();
        imgui_->end();
    }
    // Blended strokes leave alpha behind; a host that lays the picture into its window would see through it.
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    frame_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
    ++frames_;
    settling_ = std::max(0, settling_ - 1);
    wants_frame_ = moving || settling_ > 0 || playing_ >= 0 ||
                   (renderer_ && !safe_graphics_ && governor_.wantsRefinement()) || (imgui_ && imgui_->wantsFrame());
    actOn(done);
    sayDriving(frame.now);
}

void ViewCore::drawScene(bool changed) {
    if (!renderer_ && !graphics_failed_) {
        try {
            renderer_ = std::make_unique<render::Renderer>();
        } catch (const std::exception& fault) {
            graphics_failed_ = true;
            if (events.no_graphics) events.no_graphics(fault.what());
        }
    }
    if (!renderer_) {
        const scene::Color c = scene::theme(frame_.theme).view_top;
        glClearColor(c.r, c.g, c.b, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        return;
    }
    render::FrameOptions options;
    options.width = frame_.width;
    options.height = frame_.height;
    options.bottom = frame_.bottom;
    options.shift = viewport().shift;
    options.scale = frame_.scale;
    options.theme = frame_.theme;
    options.quality = governor_.next(!changed);
    if (safe_graphics_) options.quality = {1, 0};
    // The legend stands beside the cards, as far as they are wide now; in a narrow view under them, and they scroll.
    const double wide = frame_.width / std::max(0.1, frame_.scale),
                 end = frame_.instruments ? leftCardsEnd(panelView(), panels_) : 0;
    legend_beside_ = end == 0 || wide - end - kGap - kMargin >= kLeastLegend;
    options.legend_left = end > 0 && legend_beside_ ? end + kGap : kMargin;
    options.legend_width = wide - options.legend_left - kMargin;
    if (frame_.instruments && (panels_.show_run || panels_.show_body || panels_.show_sliders))
        options.taken.push_back({0, 0, 320 * frame_.scale, panels_.show_sliders ? frame_.height : 120 * frame_.scale});
    if (frame_.instruments && panels_.show_body && panels_.body_open && !selection_.empty()) {
        const double width = kSelectedEnd * frame_.scale, top = 120 * frame_.scale;
        options.taken.push_back({frame_.width - width, top, width, frame_.height - top});
    } else if (frame_.instruments && canDrive()) {
        const double width = kDriveEnd * frame_.scale, height = (drive_on_ ? 200 : 44) * frame_.scale;
        options.taken.push_back({frame_.width - width, frame_.height - height, width, height});
    }
    renderer_->draw(scene_, camera_, options);
    governor_.measured(renderer_->lastMilliseconds());
}

scene::Rect ViewCore::legend() const { return renderer_ ? renderer_->legend() : scene::Rect{}; }

PanelView ViewCore::panelView() const {
    PanelView view;
    view.snapshot = shown();
    view.layout = &layout_;
    if (snapshot_ && snapshot_->model && !selection_.empty()) {
        view.selected_body = bodyOf(*snapshot_->model, selection_.back());
        if (selection_.back().kind == "loop") view.selected_loop = modelIndex(*snapshot_->model, selection_.back());
        if (selection_.back().kind == "track") view.selected_track = idOf(selection_.back()).index;
        if (selection_.back().kind == "contact") view.selected_contact = selection_.back().name;
        if (selection_.back().kind == "tendon") view.selected_tendon = modelIndex(*snapshot_->model, selection_.back());
    }
    view.motions_note = motionsNote();
    view.playing = playing_;
    view.drive = driveView();
    view.look = &show_;
    view.width = static_cast<float>(frame_.width);
    view.height = view.right_height = view.drive_height = static_cast<float>(frame_.height);
    view.scale = static_cast<float>(frame_.scale);
    view.writes_text = writes_text;
    return view;
}

PanelEvents ViewCore::drawInstruments() {
    PanelView view = panelView();
    if (panels_.show_sliders && panels_.motions_open) view.motions = freeMotions();
    // What would stand over the legend ends above it.
    const scene::Rect strip = legend();
    const auto above = static_cast<float>(strip.y + (kMargin - kGap) * frame_.scale);
    if (strip.width > 0) {
        const double right = frame_.width - strip.x - strip.width;  // free beside it
        if (!legend_beside_) view.height = above;
        if (right < (kSelectedEnd + kGap) * frame_.scale) view.right_height = above;
        if (right < (kDriveEnd + kGap) * frame_.scale) view.drive_height = above;
    }
    cardBoxes().clear();
    // Beside the run card, where there is room; else under it.
    if (performance_) {
        const auto k = static_cast<float>(frame_.scale);
        const bool beside = view.width >= (12 + 216 + 8 + 220 + 130) * k;
        const float x = (beside ? 236 : 12) * k, y = beside || !panels_.show_run ? 12 * k : run_bottom_ + 8 * k;
        const float most =
            (strip.width > 0 ? above : static_cast<float>(frame_.height)) - static_cast<float>(kMargin) * k;
        const float bottom = drawPerformance(x, y, most);
        if (!beside || leftCardsEnd(view, panels_) > kCardEdge + kShortCard) view.cards_below = bottom;
        if (!beside) view.under_run = bottom - y + 8 * k;
    }
    PanelEvents done = drawPanels(view, panels_, frame_.theme);
    run_bottom_ = panels_.run_bottom;
    if (draw_more) draw_more(frame_);
    cards_.clear();
    for (const CardBox& card : cardBoxes()) cards_.emplace_back(card.id, card.box);
    input_seen_ = true;
    input_.wheel = 0;
    input_.keys.clear();
    input_.characters.clear();
    return done;
}

float ViewCore::drawPerformance(float x, float y, float bottom) {
    const auto s = static_cast<float>(frame_.scale);
    bool open = true;
    if (beginCard("##performance", "Performance", x, y, (x > 100 * s ? 220 : kShortCard) * s, bottom - y, open)) {
        row("frame", fmt::format("{:.1f} ms", frame_ms_));
        row("frames drawn", std::to_string(frames_));
        row("meshes", std::to_string(scene_.meshes.size()));
        if (snapshot_) {
            row("kernel", snapshot_->kernel);
            row("can run at", fmt::format("{:.3g} ×", snapshot_->possible_speed));
        }
    }
    return endCard();
}

void ViewCore::actOn(const PanelEvents& done) {
    if (!snapshot_ || !snapshot_->model) return;
    const auto s = snapshot_;
    const bool at_start = s->atStart();
    // At the start the mechanism keeps its start rates; moved by hand later on it stands still.
    const auto rates = [&] {
        return at_start ? startV(*s->model, layout_, s->inputs.param) : std::vector<double>(s->state.v.size(), 0.0);
    };
    if (done.look) {
        show_ = *done.look;
        changed(true);
        if (events.cards) events.cards();
    }
    if (done.select_contact && events.select) events.select({"contact", *done.select_contact}, false);
    if (done.select_tendon && events.select)
        events.select(itemOf({scene::ItemKind::tendon, *done.select_tendon}), false);
    if (done.tendon_command && events.tendon_command)
        events.tendon_command(done.tendon_command->first, done.tendon_command->second);
    if (done.tendon_off && events.tendon_off) events.tendon_off(done.tendon_off->first, done.tendon_off->second);
    if (done.toggle_driving) setDriving(!drive_on_);
    if (done.toggle_brake && events.brake) events.brake(!snapshot_->inputs.brake);
    if (done.play_motion) playMotion(*done.play_motion);
    if (done.pose) playMotion(-1);
    if (s->model->loops.empty()) {
        if (done.pose && events.pose) events.pose(*done.pose, rates());
        if (done.pose_released && events.pose_released)
            events.pose_released(done.pose ? *done.pose : s->state.q, rates(), at_start);
    } else if (done.pose || done.pose_released) {
        // The loops follow the slider as far as they can; rates keep them closed.
        if (done.pose) posed_q_ = panels_.pose_q = followLoops(done);
        const std::vector<double>& q = posed_q_.size() == s->state.q.size() ? posed_q_ : s->state.q;
        std::vector<double> v = rates();
        if (closure() && std::any_of(v.begin(), v.end(), [](double x) { return x != 0; }))
            v = closure()->project(q, v, s->inputs.param);
        if (done.pose && events.pose) events.pose(q, v);
        if (done.pose_released && events.pose_released) events.pose_released(q, v, at_start);
        if (done.pose_released) posed_q_.clear();
    }
    if (done.use_as_initial && events.use_as_initial) events.use_as_initial(s->state.q, s->state.v);
    if (done.parameter && events.parameter) events.parameter(done.parameter->first, done.parameter->second);
    if (done.parameter_released && events.parameter_released)
        events.parameter_released(done.parameter_released->first, done.parameter_released->second, at_start);
    if (done.select_body && events.select)
        events.select(
            itemOf({*done.select_body < 0 ? scene::ItemKind::base : scene::ItemKind::body, *done.select_body}), false);
    if (imgui_ && imgui_->wantsMouse()) {
        const scene::ItemId now =
            done.hovered_body ? scene::ItemId{scene::ItemKind::body, *done.hovered_body} : scene::ItemId{};
        if (now != hover_) {
            hover_ = now;
            changed(true);
        }
    }
}

}  // namespace mw::app
