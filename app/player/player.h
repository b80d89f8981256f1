// The viewer: one window, the document it shows, the background workshop, the run, and the view that they share with
// the studio. It reads the file and never writes it.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/document/selection.h"
#include "app/live/runner.h"
#include "app/live/workshop.h"
#include "app/panels/view_core.h"
#include "app/player/instruments.h"
#include "app/player/options.h"
#include "app/player/window.h"

namespace mw::app {

class Player {
public:
    /// Opens the window; throws std::runtime_error with a sentence for people when there is no display.
    explicit Player(const PlayerOptions& options);
    ~Player();

    /// Shows the window until it is closed, or makes the picture asked for. The program's exit code.
    int run();

private:
    // player.cpp
    void open(const std::filesystem::path& path);
    void reload();
    void checkDisk();
    void submit();
    void followWorkers();
    void wireView();
    void wireWindow();
    void select(const Item& item, bool add);
    void goToTime(double t);
    bool arrived() const;
    void drawFrame();
    double scale() const;
    ViewCore::Frame layOut(int width, int height, bool instruments) const;
    bool badgeSettled() const;
    int makePicture();

    // keys.cpp
    void keyPressed(const WindowKey& key);
    void characterTyped(unsigned code_point);
    bool driveKey(const WindowKey& key);
    void stepSpeed(int direction);
    void selectParent();
    void escape();

    // instruments: what they show, and what was asked for
    void drawInstruments(const ViewCore::Frame& frame);
    void obey(const InstrumentEvents& done);

    PlayerOptions options_;
    std::unique_ptr<Window> window_;
    std::unique_ptr<ViewCore> view_;
    std::optional<Document> document_;
    std::unique_ptr<Workshop> workshop_;
    std::unique_ptr<Runner> runner_;
    std::shared_ptr<const Built> built_;
    std::shared_ptr<const Snapshot> snapshot_;
    Kernel reference_;
    Selection selection_;
    InstrumentState instruments_;
    struct {
        bool full_screen = false, reload = false;
    } later_;  ///< asked for in a frame, done after it
    std::atomic<bool> workshop_pending_{false}, runner_pending_{false};
    bool fresh_ = true;      ///< the next mechanism belongs to a newly opened file
    bool frame_due_ = true;  ///< something changed since the last frame
    bool play_when_there_ = false;
    std::optional<double> go_to_;  ///< instant asked for on the command line and not reached yet
    std::string notice_;           ///< what could not be done with the file
    scene::ThemeKind theme_ = scene::ThemeKind::dark;
    double zoom_ = 1;  ///< of the interface's text, on top of the monitor's scale
    double disk_checked_ = 0;
};

}  // namespace mw::app
