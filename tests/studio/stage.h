// A stage of its own for a test that drives a window: a virtual display, a window manager, synthetic keys and mouse
// (XTEST), and the picture on the screen. It knows nothing of the program on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace mw::test {

struct Rect {
    int x = 0, y = 0, width = 0, height = 0;
    int right() const { return x + width; }
    int bottom() const { return y + height; }
};

/// What is on the screen, 0xRRGGBB a pixel.
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;
    std::uint32_t at(int x, int y) const {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
    }
    Picture cut(const Rect& part) const;
    /// Writes a PNG; false when that fails.
    bool save(const std::filesystem::path& file) const;
    bool operator==(const Picture&) const = default;
};

/// Largest difference of a channel.
int distance(std::uint32_t a, std::uint32_t b);
/// Pixels whose colour is within `reach` of `color` in every channel.
int count(const Picture& picture, std::uint32_t color, int reach = 24);
/// Pixels that differ by more than rounding.
int differing(const Picture& a, const Picture& b);

/// Looks again and again until `condition` holds; false after `seconds`. Generous, for a machine may be busy.
bool until(const std::function<bool()>& condition, double seconds = 60);

class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string slurp(const std::filesystem::path& file);
void spit(const std::filesystem::path& file, const std::string& text);

/// A program that runs beside the test; killed when it goes out of scope.
class Program {
public:
    Program() = default;
    /// `environment`: on top of the test's own; an empty value unsets. Its output goes into `log`. `keep`: a file
    /// descriptor that it inherits.
    Program(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
            const std::filesystem::path& log, int keep = -1);
    Program(Program&& other) noexcept : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}
    Program& operator=(Program&& other) noexcept;
    ~Program();
    bool alive();
    void signal(int number) const;
    /// Waits for its end; the exit code, 128 + signal when it died of one, -1 when it lives on.
    int end(double seconds = 60);
    pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

enum Held : unsigned { shift = 1, ctrl = 2, alt = 4 };
enum Button : unsigned { left = 1, middle = 2, right = 3, wheel_up = 4, wheel_down = 5 };

/// Keys without a character, by the names that X gives them.
namespace keys {
inline constexpr unsigned long backspace = 0xff08, tab = 0xff09, enter = 0xff0d, escape = 0xff1b, home = 0xff50,
                               left = 0xff51, up = 0xff52, right = 0xff53, down = 0xff54, end = 0xff57, remove = 0xffff,
                               f1 = 0xffbe, f2 = 0xffbf, f3 = 0xffc0, f4 = 0xffc1, f5 = 0xffc2, space = 0x20;
}

class Stage {
public:
    Stage(int width, int height);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    std::string display() const { return ":" + number_; }
    int width() const { return width_; }
    int height() const { return height_; }

    Picture look() { return look({0, 0, width_, height_}); }
    Picture look(const Rect& part);

    void moveTo(int x, int y);
    void press(unsigned button);
    void release(unsigned button);
    void click(int x, int y, unsigned button = Button::left, unsigned held = 0);
    /// Moves in `steps` small ones.
    void drag(int from_x, int from_y, int to_x, int to_y, unsigned held = 0, int steps = 12);

    void hold(unsigned held);
    void let(unsigned held);
    void key(unsigned long symbol, unsigned held = 0, int times = 1);
    /// A key that stays down until it is let go.
    void keyDown(unsigned long symbol);
    void keyUp(unsigned long symbol);
    /// Printable ASCII and line ends, as keys.
    void type(const std::string& text);
    /// What the next Ctrl+V pastes.
    void offer(const std::string& text);
    int pasted() const { return pasted_; }  ///< times that it was handed over
    /// Answers programs that ask for the pasted text; `until` calls it.
    void pump();

private:
    struct Connection;
    Folder folder_;
    std::string number_;
    int width_, height_;
    Program server_, manager_;
    Connection* x_ = nullptr;
    int pasted_ = 0;
};

}  // namespace mw::test
