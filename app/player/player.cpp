// Wires document, workshop, runner, view and window; draws when something changed and sleeps otherwise.
#include "app/player/player.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <epoxy/gl.h>
#include <limits>
#include <stdexcept>

#include "app/render/png.h"
#include "engine/dynamics/reference_kernel.h"

namespace mw::app {
namespace {

constexpr double kDiskEvery = 1;      // s between two looks at the file
constexpr double kPatience = 60;      // s without any progress before a picture is given up
constexpr double kRunForPicture = 2;  // s of run that a picture of a running mechanism shows

}  // namespace

Player::Player(const PlayerOptions& options)
    : options_(options), theme_(options.light ? scene::ThemeKind::light : scene::ThemeKind::dark) {
    Window::Wanted wanted;
    wanted.title = "Mechwright viewer";
    wanted.width = options.width;
    wanted.height = options.height;
    wanted.exact = options.size_given;
    wanted.visible = options.screenshot.empty();
    window_ = std::make_unique<Window>(wanted);
    view_ = std::make_unique<ViewCore>(options.safe_graphics);
    workshop_ = std::make_unique<Workshop>();
    runner_ = std::make_unique<Runner>();
    workshop_->on_change = [this] {
        if (!workshop_pending_.exchange(true)) Window::wake();
    };
    runner_->on_change = [this] {
        if (!runner_pending_.exchange(true)) Window::wake();
    };
    // In a small window the mechanism has the room.
    if (options.width < 800 * std::max(1.0, options.scale)) view_->panels().sliders_open = false;
    play_when_there_ = options.run;
    go_to_ = options.time;
    wireView();
    wireWindow();
    if (!options.file.empty()) open(options.file);
}

Player::~Player() {
    // The workers wake the window: they go first. What draws goes while its context is there.
    runner_.reset();
    workshop_.reset();
    view_.reset();
}

void Player::wireView() {
    view_->writes_text = false;
    view_->draw_more = [this](const ViewCore::Frame& frame) { drawInstruments(frame); };
    view_->get_clipboard = [this] { return window_->clipboard(); };
    view_->set_clipboard = [this](const std::string& text) { window_->setClipboard(text); };
    ViewEvents& on = view_->events;
    on.frame = [this] { frame_due_ = true; };
    on.select = [this](const Item& item, bool add) { select(item, add); };
    on.context = [this](const Item& item, const scene::Vec2&) {
        if (!item.kind.empty()) select(item, false);
        instruments_.menu_asked = item;
        view_->invalidate();
    };
    on.driving = [this](const std::vector<double>& speeds) { runner_->setDriving(speeds); };
    on.brake = [this](bool held) { runner_->setBrake(held); };
    on.push = [this](const std::optional<Inputs::Push>& push) { runner_->setPush(push); };
    on.pose = [this](const std::vector<double>& q, const std::vector<double>& v) { runner_->setStartState(q, v); };
    on.dragged = [this](const std::vector<double>& q) {
        if (snapshot_) runner_->setPose(q, std::vector<double>(snapshot_->state.v.size(), 0.0));
    };
    on.tendon_command = [this](int tendon, double newton) { runner_->setTendonCommand(tendon, newton); };
    on.tendon_off = [this](int tendon, bool off) { runner_->setTendonOff(tendon, off); };
    on.parameter = [this](int slot, double value) { runner_->setParameter(slot, value); };
    on.no_graphics = [this](const std::string& why) { notice_ = "No picture: " + why; };
}

void Player::wireWindow() {
    Window& w = *window_;
    w.on_move = [this](const scene::Vec2& pixel) { view_->pointerMoved(pixel, Window::now()); };
    w.on_button = [this](const scene::Vec2& pixel, PointerButton button, bool down, bool twice, const HeldKeys& held) {
        const double now = Window::now();
        if (!down) view_->pointerReleased(pixel, button, held, now);
        else if (twice) view_->doubleClicked(pixel, button, held, now);
        else view_->pointerPressed(pixel, button, held, now);
    };
    w.on_wheel = [this](const scene::Vec2& pixel, double steps) { view_->wheel(pixel, steps, Window::now()); };
    w.on_leave = [this] { view_->pointerLeft(); };
    w.on_key = [this](const WindowKey& key) { keyPressed(key); };
    w.on_character = [this](unsigned code_point) { characterTyped(code_point); };
    w.on_drop = [this](const std::vector<std::string>& paths) {
        if (!paths.empty()) open(paths.front());
    };
    w.on_change = [this] { view_->invalidate(); };
}

double Player::scale() const {
    const double base = options_.scale > 0 ? options_.scale : window_->monitorScale();
    return std::clamp(base * zoom_, 0.5, 4.0);
}

void Player::open(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
    try {
        document_.emplace(Document::open(whole.empty() ? path : whole));
    } catch (const std::exception& fault) {
        notice_ = fault.what();
        view_->invalidate();
        return;
    }
    notice_.clear();
    fresh_ = true;
    selection_.clear();
    view_->setSelection({});
    view_->forgetView();
    workshop_->forget();
    built_.reset();
    window_->setTitle(document_->displayName() + " · Mechwright viewer");
    submit();
    if (!built_) runner_->clear();  // errors: an empty view rather than the mechanism of the file before
}

void Player::reload() {
    if (!document_) return;
    try {
        document_->reload();
        notice_.clear();
        submit();
    } catch (const std::exception& fault) {
        notice_ = fault.what();
        view_->invalidate();
    }
}

void Player::checkDisk() {
    if (!document_ || Window::now() - disk_checked_ < 0.9 * kDiskEvery) return;
    disk_checked_ = Window::now();
    switch (document_->checkDisk()) {
        case Document::DiskChange::none: return;
        case Document::DiskChange::changed: reload(); return;
        case Document::DiskChange::gone: break;
    }
    const std::string gone = "The file is no longer on disk; what was read last is shown.";
    if (notice_ == gone) return;
    notice_ = gone;
    view_->invalidate();
}

void Player::submit() {
    document_->checkLoops();
    instruments_.problem_lines = problemLines(document_->read().diagnostics, document_->text());
    // Errors unfold by themselves, hints wait to be asked for.
    instruments_.problems_open = !document_->read().ok();
    workshop_->submit(document_->read(), document_->textHash(), document_->displayName());
    workshop_pending_ = true;
    followWorkers();
    view_->invalidate();
}

void Player::followWorkers() {
    if (workshop_pending_.exchange(false)) {
        const auto built = workshop_->built();
        if (built && built != built_) {
            const bool same = built_ && built->model == built_->model;
            const bool same_kernel = same && built->kernel.c == built_->kernel.c;
            built_ = built;
            if (!same) {
                if (options_.reference) reference_ = makeReferenceKernel(*built->model);
                // A run at its very start shows an edited start pose at once; one under way keeps its motion.
                const bool keep = !fresh_ && snapshot_ && snapshot_->state.step > 0;
                runner_->setModel(built->model, options_.reference ? reference_ : built->kernel, keep);
                fresh_ = false;
                if (go_to_) goToTime(*go_to_);
                else if (play_when_there_) runner_->play();
            } else if (!same_kernel && !options_.reference) {
                runner_->setKernel(built->kernel);
            }
        }
        view_->setStale(workshop_->stale());
        view_->invalidate();
    }
    if (runner_pending_.exchange(false)) {
        const auto next = runner_->snapshot();
        if (next && next != snapshot_) {
            snapshot_ = next;
            view_->setSnapshot(
                next, document_ && document_->path() ? document_->path()->parent_path() : std::filesystem::path());
            if (go_to_ && arrived()) {
                go_to_.reset();
                view_->forgetView();  // the mechanism stands elsewhere now
                if (play_when_there_ && options_.screenshot.empty()) runner_->play();
            }
        }
    }
}

void Player::goToTime(double t) {
    runner_->flush();
    const auto s = runner_->snapshot();
    if (!s || !(s->dt > 0)) return;
    const double steps = std::round((t - s->state.t) / s->dt);
    runner_->step(static_cast<int>(std::clamp(steps, 0.0, 1e9)));
}

bool Player::arrived() const {
    if (!go_to_) return true;
    return snapshot_ && (snapshot_->blow_up || snapshot_->state.t >= *go_to_ - 0.6 * snapshot_->dt);
}

void Player::select(const Item& item, bool add) {
    if (item.kind.empty()) selection_.clear();
    else if (add) selection_.toggle(item);
    else selection_.set(item);
    view_->setSelection(selection_.items());
}

ViewCore::Frame Player::layOut(int width, int height, bool instruments) const {
    ViewCore::Frame frame;
    frame.scale = scale();
    frame.bottom = instruments ? static_cast<int>(std::lround(scene::size::kRunBar * frame.scale)) : 0;
    frame.width = width;
    frame.height = std::max(1, height - frame.bottom);
    frame.now = Window::now();
    frame.theme = theme_;
    frame.instruments = instruments;
    return frame;
}

void Player::drawFrame() {
    const int width = window_->width(), height = window_->height();
    frame_due_ = false;
    if (width <= 0 || height <= 0) return;  // minimised
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    view_->frame(layOut(width, height, true));
    window_->swap();
}

void Player::drawInstruments(const ViewCore::Frame& frame) {
    InstrumentView view;
    view.core = view_.get();
    view.snapshot = snapshot_ && snapshot_->model ? snapshot_.get() : nullptr;
    view.badge = workshop_->badge();
    view.built = built_.get();
    if (document_) view.file = document_->displayName();
    view.notice = notice_;
    view.last_good = workshop_->stale() && view.snapshot;
    view.selected = selection_.primary().value_or(Item{});
    view.full_screen = window_->fullScreen();
    view.theme = frame.theme;
    view.width = static_cast<float>(frame.width);
    view.height = static_cast<float>(frame.height);
    view.bar = static_cast<float>(frame.bottom);
    view.scale = static_cast<float>(frame.scale);
    InstrumentEvents done;
    drawRunBar(view, instruments_, done);
    drawProblems(view, instruments_);
    drawBadge(view, instruments_, done);
    drawEmpty(view);
    drawKeys(view, instruments_);
    drawMenu(view, instruments_, done);
    obey(done);
}

void Player::obey(const InstrumentEvents& done) {
    const double now = Window::now();
    if (done.play) runner_->toggle();
    if (done.reset) runner_->reset();
    if (done.steps != 0) runner_->step(done.steps);
    if (done.scrub) runner_->scrub(*done.scrub);
    if (done.speed) runner_->setSpeed(*done.speed);
    if (done.frame_all) view_->frameAll(now);
    if (done.frame_selection) view_->frameSelection(now);
    if (done.follow) view_->toggleFollow();
    if (done.perspective) view_->togglePerspective();
    if (done.view) view_->setStandardView(*done.view, now);
    if (done.part) view_->setShown(*done.part, !view_->shown(*done.part));
    if (done.card) view_->toggleCard(*done.card);
    if (done.preset) view_->setMousePreset(*done.preset);
    if (done.driving) view_->setDriving(!view_->driving());
    if (done.brake && snapshot_) runner_->setBrake(!snapshot_->inputs.brake);
    if (done.friction && snapshot_) runner_->setContactSetup(*done.friction, snapshot_->contact.slope);
    if (done.slope && snapshot_) runner_->setContactSetup(snapshot_->contact.friction, *done.slope);
    if (done.parent) selectParent();
    if (done.prove_again) workshop_->revalidate();
    if (done.worst_of_gate && built_ && built_->proof && *done.worst_of_gate < built_->proof->gates.size())
        if (const auto& worst = built_->proof->gates[*done.worst_of_gate].worst) {
            runner_->setTrial(*worst);
            instruments_.gates = false;
        }
    if (done.other_theme) {
        theme_ = theme_ == scene::ThemeKind::dark ? scene::ThemeKind::light : scene::ThemeKind::dark;
        frame_due_ = true;
    }
    // What changes the window or reads files waits until the frame is done.
    later_.full_screen = later_.full_screen || done.full_screen;
    later_.reload = later_.reload || done.reload;
}

bool Player::badgeSettled() const {
    using State = Badge::State;
    if (!document_ || !document_->read().ok()) return true;
    const State state = workshop_->badge().state;
    return state == State::proven || state == State::contradicted || state == State::failed ||
           state == State::last_good;
}

int Player::run() {
    if (!options_.screenshot.empty()) return makePicture();
    while (!window_->closing()) {
        followWorkers();
        checkDisk();
        if (later_.full_screen) window_->toggleFullScreen();
        if (later_.reload) reload();
        later_ = {};
        if (frame_due_ || view_->wantsFrame()) drawFrame();
        const bool busy = frame_due_ || view_->wantsFrame() || workshop_pending_ || runner_pending_;
        window_->events(busy ? 0 : document_ ? kDiskEvery : std::numeric_limits<double>::infinity());
    }
    return 0;
}

int Player::makePicture() {
    if (!document_ && !options_.file.empty()) throw std::runtime_error(notice_);
    PictureTarget target(options_.width, options_.height);
    const bool running = options_.run && document_ && document_->read().ok();
    double progress = Window::now(), seen_t = 0;
    for (;;) {
        followWorkers();
        if (frame_due_ || view_->wantsFrame()) {
            frame_due_ = false;
            target.bind();
            view_->frame(layOut(options_.width, options_.height, true));
        }
        const double t = snapshot_ ? snapshot_->state.t : 0;
        const bool far = !running || options_.time || t >= kRunForPicture || (snapshot_ && snapshot_->blow_up);
        if (running && far && snapshot_ && snapshot_->run == RunState::running) runner_->pause();
        const bool there = !document_ || !document_->read().ok() || snapshot_;
        const bool still = !snapshot_ || snapshot_->run != RunState::running;
        if (there && badgeSettled() && arrived() && far && still && !frame_due_ && view_->settled()) break;
        if (t != seen_t || !badgeSettled()) progress = Window::now();
        seen_t = t;
        if (Window::now() - progress > kPatience)
            throw std::runtime_error("the picture did not come to rest; nothing was written.");
        const bool busy = frame_due_ || view_->wantsFrame() || workshop_pending_ || runner_pending_;
        window_->events(busy ? 0 : 0.05);
    }
    if (!render::writePng(target.read(), options_.screenshot))
        throw std::runtime_error("cannot write '" + options_.screenshot + "'.");
    for (const ProblemLine& p : instruments_.problem_lines)
        if (p.severity == Severity::error)
            std::fprintf(stderr, "%s:%d:%d: error: %s\n", options_.file.c_str(), p.line, p.column, p.message.c_str());
    return 0;
}

}  // namespace mw::app
