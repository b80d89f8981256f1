// The studio on a stage, as a user has it: what is where is found by its look, what it does by what can be seen, and by
// the files it writes. Colours are the theme's tokens.
#pragma once

#include <memory>
#include <optional>

#include "app/scene/theme.h"
#include "tests/studio/stage.h"

namespace mw::test {

/// What a user keeps between two starts: settings, backups, the folder with the work.
struct Home {
    Folder folder;
    std::filesystem::path work() const { return folder.path() / "work"; }
    std::filesystem::path backups() const { return folder.path() / "data" / "mechwright" / "backups"; }
    /// A copy of models/NAME.mech to work on.
    std::filesystem::path copyOf(const std::string& model) const;
    Home();
};

class Studio {
public:
    /// Opens `file` on a display of the size of the window. `locale`: LC_ALL.
    Studio(const Home& home, const std::filesystem::path& file, const std::string& locale = "C.UTF-8",
           std::vector<std::string> more = {}, int width = 1280, int height = 720, bool at_once = true);
    ~Studio();
    /// The same again after it has ended.
    void start();
    void launch();  ///< the same without waiting for anything

    Stage& stage() { return *stage_; }
    Program& program() { return program_; }
    bool alive() { return program_.alive(); }
    std::string log() const { return slurp(home_.folder.path() / "log"); }
    const scene::Theme& theme() const {
        return scene::theme(light_ ? scene::ThemeKind::light : scene::ThemeKind::dark);
    }

    // What is where. Found anew at each call: panels may have moved.
    Rect view();  ///< the picture of the mechanism; width 0 before there is one
    Rect text();  ///< the text editor
    std::optional<Rect> message(const scene::Color& tone);  ///< a bar over the view with that tone's edge
    std::vector<Rect> buttons(const Rect& bar);             ///< framed ones inside it, left to right
    struct Slider {
        int y = 0, left = 0, right = 0;  ///< knob at the start and at the end
        int knob = 0;
        double part() const { return right > left ? double(knob - left) / (right - left) : 0; }
    };
    Slider slider();
    Rect badge() const { return {480, 32, 500, 46}; }
    std::vector<Rect> tabs();  ///< words of the tabs under the run bar, left to right
    Rect scene();              ///< the part of the view without cards, widgets and messages

    // What it says
    enum class Proof { none, working, proven, last_good, failed };
    Proof proof();
    bool running();
    bool waitProven(double seconds = 120);
    bool waitFor(Proof wanted, double seconds = 120);
    /// The picture of a part once nothing moves in it any more.
    Picture still(const Rect& part);
    Picture still() { return still(scene()); }
    /// Pixels of the orange beam of the six-axis arm: how many, and where one in their middle is.
    struct Spot {
        int pixels = 0, x = 0, y = 0;
    };
    Spot beam();

    // What a user does
    /// Unfolds the card of joint sliders and drags the first one's knob by so many pixels.
    void dragFirstJoint(int by);
    void openSliders();       ///< unfolds the card of joint sliders
    void useAsInitialPose();  ///< by the menu Run
    void clickView();         ///< on empty ground
    void clickText();
    void park();  ///< the pointer where nothing feels it
    /// Puts the caret before `offset` of the text that the editor shows.
    void caretTo(const std::string& text, std::size_t offset);
    void goToTime(const std::string& seconds);  ///< types it into the field of the run bar
    void undo() { stage_->key('z', Held::ctrl); }
    void save() { stage_->key('s', Held::ctrl); }

private:
    const Home& home_;
    std::filesystem::path file_;
    std::string locale_;
    std::vector<std::string> more_;
    bool light_ = false;
    std::unique_ptr<Stage> stage_;
    Program program_;
};

/// Where pictures go: those for the documentation, and those of a fault.
std::filesystem::path pictureFolder();
/// At most `most` pixels differ; else both pictures are kept under that name.
bool alike(const Picture& a, const Picture& b, const std::string& name, int most = 0);

/// The text with `with` instead of the first `what`; the test fails when that is not there.
std::string replaced(std::string text, const std::string& what, const std::string& with);

}  // namespace mw::test
