// Looks for things the way an eye does: bars by their edge, the slider by its track, the view by its ground.
#include "tests/studio/studio.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "tests/support/catch.h"

namespace mw::test {
namespace fs = std::filesystem;

namespace {

bool near(std::uint32_t a, std::uint32_t b, int reach = 3) { return distance(a, b) <= reach; }

}  // namespace

Home::Home() { fs::create_directories(work()); }

fs::path Home::copyOf(const std::string& model) const {
    const fs::path to = work() / (model + ".mech");
    fs::copy_file(fs::path(MW_SOURCE_DIR) / "models" / (model + ".mech"), to, fs::copy_options::overwrite_existing);
    return to;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

fs::path pictureFolder() {
    const fs::path folder = fs::path(MW_BINARY_DIR) / "studio_pictures";
    fs::create_directories(folder);
    return folder;
}

bool alike(const Picture& a, const Picture& b, const std::string& name, int most) {
    if (differing(a, b) <= most) return true;
    a.save(pictureFolder() / ("fault-" + name + "-a.png"));
    b.save(pictureFolder() / ("fault-" + name + "-b.png"));
    return false;
}

Studio::Studio(const Home& home, const fs::path& file, const std::string& locale, std::vector<std::string> more,
               int width, int height, bool at_once)
    : home_(home),
      file_(file),
      locale_(locale),
      more_(std::move(more)),
      light_(std::find(more_.begin(), more_.end(), "light") != more_.end()),
      stage_(std::make_unique<Stage>(width, height)) {
    if (at_once) start();
}

Studio::~Studio() = default;

void Studio::launch() {
    const fs::path own = home_.folder.path();
    fs::create_directories(own / "run");
    fs::permissions(own / "run", fs::perms::owner_all);
    std::vector<std::string> command{std::string(MW_BINARY_DIR) + "/bin/mechwright", "--size",
                                     std::to_string(stage_->width()) + "x" + std::to_string(stage_->height())};
    command.insert(command.end(), more_.begin(), more_.end());
    if (!file_.empty()) command.push_back(file_.string());
    program_ = Program(command,
                       {{"DISPLAY", stage_->display()},
                        {"WAYLAND_DISPLAY", ""},
                        {"QT_QPA_PLATFORM", "xcb"},
                        {"QT_STYLE_OVERRIDE", ""},
                        {"LIBGL_ALWAYS_SOFTWARE", "1"},
                        {"HOME", own.string()},
                        {"XDG_CONFIG_HOME", (own / "config").string()},
                        {"XDG_DATA_HOME", (own / "data").string()},
                        {"XDG_CACHE_HOME", (own / "cache").string()},
                        {"XDG_RUNTIME_DIR", (own / "run").string()},
                        {"LC_ALL", locale_},
                        {"LANG", locale_}},
                       own / "log");
    park();
}

void Studio::start() {
    launch();
    // Docks find their sizes in the first moments.
    Rect last;
    int same = 0;
    const bool there = until([&] {
        const Rect now = view();
        same = now.width > 200 && now.y == last.y && now.height == last.height ? same + 1 : 0;
        last = now;
        return !alive() || same >= 12;
    });
    INFO(log());
    REQUIRE(alive());
    REQUIRE(there);
}

// ---- what is where ----

// The ground under the tool bar: the first long row of the gradient's first colour.
Rect Studio::view() {
    const Picture all = stage_->look();
    const std::uint32_t top = theme().view_top.rgb();
    Rect best;
    for (int y = 50; y < all.height / 2 && best.width == 0; ++y) {
        int n = 0, first = 0, last = 0;
        for (int x = 0; x < all.width; ++x) {
            if (!near(all.at(x, y), top)) continue;
            if (n++ == 0) first = x;
            last = x;
        }
        if (n > 200) best = {first, y, last + 1 - first, 0};  // (a body may stand before it)
    }
    if (best.width == 0) return best;
    const Slider track = slider();
    if (track.y < best.y + 200) return {};
    best.height = track.y - best.y - all.height / 30;
    return best;
}

// Heads of docks are bands of the raised colour, left of the view: the second one is the text's.
Rect Studio::text() {
    const Rect v = view();
    REQUIRE(v.x > 100);
    const Picture column = stage_->look({v.x - 12, 0, 1, stage_->height()});
    const std::uint32_t raised = theme().raised.rgb();
    int heads = 0, length = 0;
    for (int y = v.y - 40; y < v.bottom(); ++y) {
        if (near(column.at(0, y), raised, 1)) {
            ++length;
            continue;
        }
        if (length >= 18 && ++heads == 2) return {0, y, v.x, v.bottom() - y};
        length = 0;
    }
    FAIL("the text is not on the screen");
    return {};
}

std::optional<Rect> Studio::message(const scene::Color& tone) {
    const Picture all = stage_->look();
    for (int x = 0; x < all.width / 2; ++x) {
        int length = 0;
        for (int y = 60; y < all.height * 3 / 4; ++y) {
            bool is = true;
            for (int i = 0; i < 3; ++i) is = is && near(all.at(x + i, y), tone.rgb());
            if (is) {
                ++length;
                continue;
            }
            if (length >= 24) {
                int end = x + 3;
                while (end < all.width && near(all.at(end, y - length + 3), theme().raised.rgb(), 1)) ++end;
                return Rect{x, y - length, end - x, length};
            }
            length = 0;
        }
    }
    return std::nullopt;
}

std::vector<Rect> Studio::buttons(const Rect& bar) {
    const Picture picture = stage_->look(bar);
    std::vector<int> lines;  // upright pieces of frames, at half height
    for (int x = 6; x < picture.width; ++x) {
        int length = 0;
        for (int y = picture.height / 2 - 6; y < picture.height / 2 + 6; ++y)
            length += near(picture.at(x, y), theme().border.rgb()) || near(picture.at(x, y), theme().accent.rgb()) ||
                      near(picture.at(x, y), theme().text_secondary.rgb());
        if (length == 12) lines.push_back(x);
    }
    std::vector<Rect> found;
    for (std::size_t i = 0; i + 1 < lines.size(); i += 2)
        found.push_back({bar.x + lines[i], bar.y, lines[i + 1] - lines[i] + 1, bar.height});
    return found;
}

// The track is the thickest long line of the lower half.
Studio::Slider Studio::slider() {
    const Picture all = stage_->look();
    const std::uint32_t colors[] = {theme().border.rgb(), theme().text_secondary.rgb(), theme().accent.rgb()};
    const auto track = [&](int x, int y) {
        return std::any_of(std::begin(colors), std::end(colors), [&](auto c) { return near(all.at(x, y), c, 2); });
    };
    std::vector<Slider> rows;
    std::vector<int> lengths;
    int most = 0;
    for (int y = all.height / 2; y < all.height - 40; ++y) {
        // (the longest stretch; the knob interrupts it)
        int n = 0, first = -1, last = -1;
        for (int x = 0, length = 0, from = -1, to = -1; x < all.width; ++x) {
            if (!track(x, y) || !track(x, y - 1) || !track(x, y + 1)) continue;
            if (from < 0 || x - to > all.width / 30) from = x, length = 0;
            to = x;
            if (++length > n) n = length, first = from, last = to;
        }
        most = std::max(most, n);
        rows.push_back({y, first, last, 0});
        lengths.push_back(n);
    }
    if (most < 100) return {};
    // (its upper row of several, whatever the knob hides of them)
    const auto upper = std::find_if(lengths.begin(), lengths.end(), [&](int n) { return n > most * 4 / 5; });
    Slider best = rows[static_cast<std::size_t>(upper - lengths.begin())];
    // The knob is a disc of the text's colour.
    int length = 0;
    for (int x = best.left - 20; x < std::min(all.width, best.right + 20); ++x) {
        if (near(all.at(x, best.y), theme().text.rgb())) ++length;
        else if (length >= 10) {
            best.knob = x - length / 2 - 1;
            break;
        } else length = 0;
    }
    best.left = std::min(best.left, best.knob);
    best.right = std::max(best.right, best.knob);
    return best;
}

std::vector<Rect> Studio::tabs() {
    const int top = slider().y + 24;
    const Picture strip = stage_->look({0, top, stage_->width(), 24});
    // Words of one tab are a space apart, tabs far more.
    std::vector<Rect> found;
    int last = -100;
    for (int x = 0; x < strip.width; ++x) {
        int ink = 0;
        for (int y = 4; y < 20; ++y) ink += distance(strip.at(x, y), theme().raised.rgb()) > 60;
        if (ink == 0) continue;
        if (x - last > 12) found.push_back({x, top, 0, 24});
        found.back().width = x + 1 - found.back().x;
        last = x;
    }
    return found;
}

Rect Studio::scene() {
    Rect v;
    REQUIRE(until([&] { return (v = view()).width > 460; }));
    // Cards stand at the left, the axis widget at the upper right, messages at the bottom.
    return {v.x + 316, v.y + 8, v.width - 316 - 116, v.height - 80};
}

// ---- what it says ----

Studio::Proof Studio::proof() {
    const Picture strip = stage_->look(badge());
    const auto has = [&](const scene::Color& c) { return count(strip, c.rgb(), 30) > 60; };
    if (has(theme().good)) return Proof::proven;
    if (has(theme().bad)) return Proof::failed;
    if (has(theme().caution)) return Proof::last_good;
    return has(theme().accent) ? Proof::working : Proof::none;
}

bool Studio::waitFor(Proof wanted, double seconds) {
    return until([&] { return !alive() || proof() == wanted; }, seconds) && alive();
}

bool Studio::waitProven(double seconds) { return waitFor(Proof::proven, seconds); }

bool Studio::running() {
    const Rect v = view();
    return v.width > 0 && count(stage_->look({v.x + 8, v.y + 8, 90, 36}), theme().good.rgb(), 30) > 20;
}

// A still picture is refined to full quality: it is the last one when it has stayed for a good while.
Picture Studio::still(const Rect& part) {
    park();
    Picture last = stage_->look(part);
    int same = 0;
    const bool done = until([&] {
        Picture next = stage_->look(part);
        same = next == last ? same + 1 : 0;
        last = std::move(next);
        return same >= 25;
    });
    CHECK(done);
    return last;
}

Studio::Spot Studio::beam() {
    const Rect part = scene();
    const Picture picture = stage_->look(part);
    std::vector<std::pair<int, int>> places;
    for (int y = 0; y < part.height; ++y)
        for (int x = 0; x < part.width; ++x) {
            const std::uint32_t p = picture.at(x, y);
            const int r = static_cast<int>(p >> 16), g = static_cast<int>(p >> 8 & 255), b = static_cast<int>(p & 255);
            if (r > g + 8 && g > b + 10) places.push_back({x, y});
        }
    if (places.empty()) return {};
    const auto [x, y] = places[places.size() / 2];
    return {static_cast<int>(places.size()), part.x + x, part.y + y};
}

// ---- what a user does ----

namespace {

/// Heads of the cards below the run card: bold words, the others are of the secondary colour.
std::vector<int> headsIn(const Picture& column, std::uint32_t text) {
    std::vector<int> heads;
    int blank = 99;
    for (int y = 0; y < column.height; ++y) {
        const bool ink = count(column.cut({0, y, column.width, 1}), text, 16) > 3;
        if (ink && blank > 14) heads.push_back(y);
        blank = ink ? 0 : blank + 1;
    }
    return heads;
}

}  // namespace

void Studio::openSliders() {
    const Rect v = view();
    const Rect heads{v.x + 20, v.y + 40, 60, v.height - 120};                  // (the legend's words are below)
    const std::vector<int> found = headsIn(still(heads), theme().text.rgb());  // cards find their places
    REQUIRE(!found.empty());
    stage_->click(heads.x + 10, heads.y + found.back() + 5);
    park();  // a quick hand is gone before the next frame
}

// By the underlined letters of the menu.
void Studio::useAsInitialPose() {
    stage_->key('r', Held::alt);
    stage_->type("i");
}

void Studio::dragFirstJoint(int by) {
    const Rect v = view();
    const Rect heads{v.x + 20, v.y + 40, 60, v.height - 60};
    const std::vector<int> found = headsIn(stage_->look(heads), theme().text.rgb());
    REQUIRE(!found.empty());
    const int head = heads.y + found.front();
    stage_->click(heads.x + 10, head + 5);
    park();  // a quick hand is gone before the next frame
    // Knobs are blue; the first row of them is the first joint's.
    const auto knob = [&]() -> std::optional<Rect> {
        const Rect rows{v.x + 16, head + 12, 268, v.bottom() - head - 12};
        const Picture picture = stage_->look(rows);
        for (int y = 0; y + 4 < rows.height; ++y) {
            int from = -1, to = -1;
            for (int x = 0; x < rows.width; ++x) {
                const std::uint32_t p = picture.at(x, y + 4);
                if (static_cast<int>(p & 255) < static_cast<int>(p >> 16) + 60) continue;
                if (from < 0) from = x;
                to = x;
            }
            if (to - from >= 4 && to - from < 40) return Rect{rows.x + (from + to) / 2, rows.y + y + 8, 0, 0};
        }
        return std::nullopt;
    };
    REQUIRE(until([&] { return knob().has_value(); }));
    const Rect at = *knob();
    stage_->moveTo(at.x, at.y);
    stage_->press(Button::left);
    for (int i = 1; i <= 12; ++i) stage_->moveTo(at.x + by * i / 12, at.y);
    REQUIRE(until([&] { return knob() && std::abs(knob()->x - at.x - by) < 6; }));
    stage_->release(Button::left);
}

void Studio::park() { stage_->moveTo(stage_->width() / 2, stage_->height() - 4); }

void Studio::clickView() {
    const Rect v = view();
    stage_->click(v.right() - 40, v.bottom() - 40);
}

void Studio::clickText() {
    const Rect t = text();
    stage_->click(t.x + t.width * 2 / 3, t.y + t.height / 2);
}

void Studio::caretTo(const std::string& text, std::size_t offset) {
    clickText();
    stage_->key(keys::home, Held::ctrl);
    const std::size_t line_begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
    const std::size_t begin = offset == 0 || line_begin == std::string::npos ? 0 : line_begin + 1;
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    stage_->key(keys::down, 0, static_cast<int>(lines));
    stage_->key(keys::right, 0, static_cast<int>(offset - begin));
}

void Studio::goToTime(const std::string& seconds) {
    const Slider s = slider();
    stage_->click(s.left - 50, s.y);
    stage_->key('a', Held::ctrl);
    stage_->type(seconds + "\n");
}

}  // namespace mw::test
