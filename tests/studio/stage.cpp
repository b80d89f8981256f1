// Xlib lives in this file alone: its macros and names are no good neighbours.
#include "tests/studio/stage.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace mw::test {
namespace fs = std::filesystem;

namespace {
// Stages that someone may want to paste from; there is rarely more than one.
std::vector<Stage*>& stages() {
    static std::vector<Stage*> all;
    return all;
}

int channel(std::uint32_t color, int shift) { return static_cast<int>(color >> shift & 0xff); }
}  // namespace

// ---- pictures ----

Picture Picture::cut(const Rect& part) const {
    Picture out;
    out.width = part.width;
    out.height = part.height;
    out.pixels.reserve(static_cast<std::size_t>(part.width * part.height));
    for (int y = part.y; y < part.bottom(); ++y)
        for (int x = part.x; x < part.right(); ++x) out.pixels.push_back(at(x, y));
    return out;
}

bool Picture::save(const fs::path& file) const {
    std::vector<unsigned char> bytes;
    bytes.reserve(pixels.size() * 3);
    for (const std::uint32_t p : pixels)
        for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<unsigned char>(channel(p, shift)));
    return stbi_write_png(file.c_str(), width, height, 3, bytes.data(), width * 3) != 0;
}

int distance(std::uint32_t a, std::uint32_t b) {
    int most = 0;
    for (const int shift : {16, 8, 0}) most = std::max(most, std::abs(channel(a, shift) - channel(b, shift)));
    return most;
}

int count(const Picture& picture, std::uint32_t color, int reach) {
    return static_cast<int>(std::count_if(picture.pixels.begin(), picture.pixels.end(),
                                          [&](std::uint32_t p) { return distance(p, color) <= reach; }));
}

int differing(const Picture& a, const Picture& b) {
    if (a.width != b.width || a.height != b.height) return a.width * a.height;
    int n = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) n += distance(a.pixels[i], b.pixels[i]) > 6;
    return n;
}

bool until(const std::function<bool()>& condition, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        for (Stage* stage : stages()) stage->pump();
        if (condition()) return true;
        if (Clock::now() > end) return false;
        poll(nullptr, 0, 15);  // leaves the cores to the program between two looks
    }
}

// ---- files and programs ----

Folder::Folder() {
    std::string name = (fs::temp_directory_path() / "studio-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string slurp(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void spit(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

Program::Program(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                 const fs::path& log, int keep) {
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nothing behind
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    for (int fd = 3; fd < 64; ++fd)
        if (fd != keep) close(fd);
    for (const auto& [name, value] : environment)
        if (value.empty()) unsetenv(name.c_str());
        else setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(strdup(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
}

Program& Program::operator=(Program&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(status_, other.status_);
    return *this;
}

Program::~Program() {
    if (!alive()) return;
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
}

bool Program::alive() {
    if (pid_ <= 0) return false;
    if (waitpid(pid_, &status_, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
}

void Program::signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
}

int Program::end(double seconds) {
    if (!until([&] { return !alive(); }, seconds)) return -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

// ---- the stage ----

struct Stage::Connection {
    ::Display* display = nullptr;
    ::Window own = 0;
    std::string clipboard;
    Atom atom(const char* name) const { return XInternAtom(display, name, False); }
};

Stage::Stage(int width, int height) : width_(width), height_(height) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    const std::string size = std::to_string(width) + "x" + std::to_string(height) + "x24";
    server_ =
        Program({"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", size, "-nolisten", "tcp", "-noreset"},
                {}, folder_.path() / "xvfb", ends[1]);
    close(ends[1]);
    // The server writes its number and a line end once it takes connections; a dead one closes the pipe.
    char c = 0;
    while (read(ends[0], &c, 1) == 1 && c != '\n') number_ += c;
    close(ends[0]);
    if (number_.empty()) throw std::runtime_error("Xvfb did not start: " + slurp(folder_.path() / "xvfb"));
    x_ = new Connection;
    x_->display = XOpenDisplay(display().c_str());
    if (!x_->display) throw std::runtime_error("no connection to Xvfb");
    int a = 0, b = 0, c1 = 0, d = 0;
    if (!XTestQueryExtension(x_->display, &a, &b, &c1, &d)) throw std::runtime_error("Xvfb has no XTEST");
    const ::Window root = DefaultRootWindow(x_->display);
    x_->own = XCreateSimpleWindow(x_->display, root, -10, -10, 1, 1, 0, 0, 0);

    // Windows without frames and no keys of the manager's own: what is typed is the program's.
    spit(
        folder_.path() / "rc.xml",
        R"(<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc"><focus><focusNew>yes</focusNew></focus>
<theme><keepBorder>no</keepBorder></theme><keyboard/><mouse/><applications><application class="*"><decor>no</decor></application></applications></openbox_config>)");
    manager_ = Program({"openbox", "--sm-disable", "--config-file", (folder_.path() / "rc.xml").string()},
                       {{"DISPLAY", display()},
                        {"HOME", folder_.path().string()},
                        {"XDG_CONFIG_HOME", folder_.path().string()},
                        {"XDG_CACHE_HOME", folder_.path().string()},
                        {"XDG_DATA_HOME", folder_.path().string()}},
                       folder_.path() / "openbox");
    const bool managed = until([&] {
        Atom type = 0;
        int format = 0;
        unsigned long items = 0, rest = 0;
        unsigned char* data = nullptr;
        XGetWindowProperty(x_->display, root, x_->atom("_NET_SUPPORTING_WM_CHECK"), 0, 1, False, AnyPropertyType, &type,
                           &format, &items, &rest, &data);
        if (data) XFree(data);
        return items > 0;
    });
    if (!managed) throw std::runtime_error("openbox did not start: " + slurp(folder_.path() / "openbox"));
    stages().push_back(this);
}

Stage::~Stage() {
    stages().erase(std::remove(stages().begin(), stages().end(), this), stages().end());
    if (x_ && x_->display) XCloseDisplay(x_->display);
    delete x_;
}

Picture Stage::look(const Rect& part) {
    XImage* image =
        XGetImage(x_->display, DefaultRootWindow(x_->display), part.x, part.y, static_cast<unsigned>(part.width),
                  static_cast<unsigned>(part.height), AllPlanes, ZPixmap);
    if (!image) throw std::runtime_error("no picture of the screen");
    Picture picture;
    picture.width = part.width;
    picture.height = part.height;
    picture.pixels.resize(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height));
    for (int y = 0; y < part.height; ++y) {
        // 32 bits a pixel in this byte order: depth 24 on a server of this machine
        const auto* row = reinterpret_cast<const std::uint32_t*>(image->data + y * image->bytes_per_line);
        for (int x = 0; x < part.width; ++x)
            picture.pixels[static_cast<std::size_t>(y * part.width + x)] = row[x] & 0xffffff;
    }
    XDestroyImage(image);
    return picture;
}

void Stage::moveTo(int x, int y) {
    XTestFakeMotionEvent(x_->display, -1, x, y, CurrentTime);
    XSync(x_->display, False);
}

void Stage::press(unsigned button) {
    XTestFakeButtonEvent(x_->display, button, True, CurrentTime);
    XSync(x_->display, False);
}

void Stage::release(unsigned button) {
    XTestFakeButtonEvent(x_->display, button, False, CurrentTime);
    XSync(x_->display, False);
}

void Stage::click(int x, int y, unsigned button, unsigned held) {
    moveTo(x, y);
    hold(held);
    press(button);
    release(button);
    let(held);
}

void Stage::drag(int from_x, int from_y, int to_x, int to_y, unsigned held, int steps) {
    moveTo(from_x, from_y);
    hold(held);
    press(Button::left);
    for (int i = 1; i <= steps; ++i) moveTo(from_x + (to_x - from_x) * i / steps, from_y + (to_y - from_y) * i / steps);
    release(Button::left);
    let(held);
}

void Stage::hold(unsigned held) {
    const std::pair<unsigned, KeySym> all[] = {
        {Held::shift, XK_Shift_L}, {Held::ctrl, XK_Control_L}, {Held::alt, XK_Alt_L}};
    for (const auto& [bit, symbol] : all)
        if (held & bit) XTestFakeKeyEvent(x_->display, XKeysymToKeycode(x_->display, symbol), True, CurrentTime);
    XSync(x_->display, False);
}

void Stage::let(unsigned held) {
    const std::pair<unsigned, KeySym> all[] = {
        {Held::shift, XK_Shift_L}, {Held::ctrl, XK_Control_L}, {Held::alt, XK_Alt_L}};
    for (const auto& [bit, symbol] : all)
        if (held & bit) XTestFakeKeyEvent(x_->display, XKeysymToKeycode(x_->display, symbol), False, CurrentTime);
    XSync(x_->display, False);
}

void Stage::key(unsigned long symbol, unsigned held, int times) {
    const KeyCode code = XKeysymToKeycode(x_->display, symbol);
    if (code == 0) throw std::runtime_error("the keyboard has no such key");
    // A character of the upper row needs Shift.
    if (symbol < 0x7f && XkbKeycodeToKeysym(x_->display, code, 0, 0) != symbol) held |= Held::shift;
    hold(held);
    for (int i = 0; i < times; ++i) {
        XTestFakeKeyEvent(x_->display, code, True, CurrentTime);
        XTestFakeKeyEvent(x_->display, code, False, CurrentTime);
    }
    let(held);
}

void Stage::keyDown(unsigned long symbol) {
    XTestFakeKeyEvent(x_->display, XKeysymToKeycode(x_->display, symbol), True, CurrentTime);
    XSync(x_->display, False);
}

void Stage::keyUp(unsigned long symbol) {
    XTestFakeKeyEvent(x_->display, XKeysymToKeycode(x_->display, symbol), False, CurrentTime);
    XSync(x_->display, False);
}

void Stage::type(const std::string& text) {
    for (const char c : text) key(c == '\n' ? static_cast<unsigned long>(XK_Return) : static_cast<unsigned char>(c));
}

void Stage::offer(const std::string& text) {
    x_->clipboard = text;
    XSetSelectionOwner(x_->display, x_->atom("CLIPBOARD"), x_->own, CurrentTime);
    XSync(x_->display, False);
}

// ICCCM 2.2: the owner of a selection writes what is asked for into a property of who asks.
void Stage::pump() {
    while (XPending(x_->display)) {
        XEvent event;
        XNextEvent(x_->display, &event);
        if (event.type != SelectionRequest) continue;
        const XSelectionRequestEvent& ask = event.xselectionrequest;
        const Atom property = ask.property ? ask.property : ask.target;
        const Atom utf8 = x_->atom("UTF8_STRING"), targets = x_->atom("TARGETS");
        XEvent answer{};
        answer.xselection.type = SelectionNotify;
        answer.xselection.requestor = ask.requestor;
        answer.xselection.selection = ask.selection;
        answer.xselection.target = ask.target;
        answer.xselection.time = ask.time;
        answer.xselection.property = property;
        if (ask.target == targets) {
            const Atom list[] = {targets, utf8};
            XChangeProperty(x_->display, ask.requestor, property, x_->atom("ATOM"), 32, PropModeReplace,
                            reinterpret_cast<const unsigned char*>(list), 2);
        } else if (ask.target == utf8) {
            ++pasted_;
            XChangeProperty(x_->display, ask.requestor, property, utf8, 8, PropModeReplace,
                            reinterpret_cast<const unsigned char*>(x_->clipboard.data()),
                            static_cast<int>(x_->clipboard.size()));
        } else {
            answer.xselection.property = 0;
        }
        XSendEvent(x_->display, ask.requestor, False, 0, &answer);
        XFlush(x_->display);
    }
}

}  // namespace mw::test
