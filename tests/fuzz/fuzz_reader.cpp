// Structure-aware fuzzing of the reader: mutated mechanisms are read, checked, formatted and patched, each within its
// time and memory; small ones with loops are judged and assembled, tendons routed. Usage: fuzz_reader COUNT [--seed S]
// [--models FOLDER] [--save FOLDER] [--no-clock]
// [--size BYTES] (every text is a large one of about this size).
// A fault, a crash or a hang saves the text that caused it and ends the program with 1.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "engine/dynamics/closure.h"
#include "engine/mech/completion.h"
#include "engine/mech/format.h"
#include "engine/mech/patch.h"
#include "engine/model/loop_rows.h"
#include "engine/model/read.h"
#include "engine/model/start_pose.h"
#include "engine/tendon/tendons.h"
#include "engine/track/expand.h"

// --- memory, counted in operator new ----------------------------------------------------------------------------

namespace {

std::atomic<std::size_t> live_bytes{0}, most_bytes{0};

void* allocate(std::size_t size) {
    constexpr std::size_t kHead = 16;
    auto* block = static_cast<unsigned char*>(std::malloc(size + kHead));
    if (!block) std::abort();  // the signal handler saves the text
    std::memcpy(block, &size, sizeof size);
    const std::size_t now = live_bytes.fetch_add(size, std::memory_order_relaxed) + size;
    if (now > most_bytes.load(std::memory_order_relaxed)) most_bytes.store(now, std::memory_order_relaxed);
    return block + kHead;
}

void release(void* memory) noexcept {
    if (!memory) return;
    auto* block = static_cast<unsigned char*>(memory) - 16;
    std::size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    live_bytes.fetch_sub(size, std::memory_order_relaxed);
    std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace {

using Random = std::mt19937_64;

// --- the text under test, where a signal can find it -------------------------------------------------------------

const char* current_text = nullptr;
std::size_t current_size = 0;
char save_path[4096] = "";

// Only calls that are safe in a signal handler.
void onSignal(int signal) {
    if (current_text && save_path[0]) {
        if (std::FILE* file = std::fopen(save_path, "wb")) {
            std::fwrite(current_text, 1, current_size, file);
            std::fclose(file);
        }
    }
    const char* what = signal == SIGPROF ? "hang: text saved\n" : "crash: text saved\n";
    [[maybe_unused]] const auto written = write(2, what, std::strlen(what));
    std::_Exit(1);
}

// A text that takes so many seconds of processor time hangs; waiting for a busy machine does not count.
void armHangWatch(int seconds) {
    itimerval watch{};
    watch.it_value.tv_sec = seconds;
    setitimer(ITIMER_PROF, &watch, nullptr);
}

// --- seeds ------------------------------------------------------------------------------------------------------

/// A band on a hull that moves at the start, with every word of a track and of a ground.
std::string bandedText() {
    return "mech 1\nparam k 1e6 range 1e5 1e7 live\nparam r 0.25\nbody hull\n  joint floating\n  mass 500\n  inertia "
           "20 40 50 0 0 0\n  start 1 0 0 0 1 2 3\n  rate 0 0.1 0 1 0 0\nbody arm\n  parent hull\n  joint revolute y\n "
           " "
           "at 0 0.5 0\n  mass 5\n  cg 0.1 0 0\n  inertia 1 1 1 0 0 0\n  start 0.2\n"
           "body front\n  parent hull\n  joint revolute y\n  at 0.8 0.5 0.1\n  mass 20\n  inertia 0.4 0.7 0.4 0 0 0\n  "
           "fext\nbody back\n  parent hull\n  joint revolute y\n  at -0.8 0.5 0\n  mass 20\n  inertia 0.4 0.7 0.4 0 0 "
           "0\n  fext\nbody wheel\n  parent arm\n  joint revolute y\n  at 0.3 0 -0.1\n  mass 20\n  inertia 0.4 0.7 0.4 "
           "0 "
           "0 0\n  fext\n"
           "track band\n  root hull\n  plane xz\n  shoes 24  pitch 0.2\n  mass 8  cg 0.1 0 0  inertia 0.05 0.02 0.06 0 "
           "0 0\n  fext\n  roller front r end driven teeth 8\n  roller back 0.25 end\n  roller wheel 0.2\n  pad -0.03 "
           "0.18 0.3  thickness 0.03\n  kn k  kt k  mu 0.8  zeta 0.2  veps 0.01  fskip 2e4  gate 0.03  fade 0.04  "
           "guide "
           "k\nground\n  plane 0 0.1 1 -1\n  wave 0.1 2 direction 0.3\n  step 0.1 at 2 width 0.2\n  step 0.1 at 3\n  "
           "bump 1 0 0.1 0.5\n  kn 1e6  kt 1e6  zeta 0.2  mu 0.8  veps 0.01  friction anchored\n";
}

/// Tendons with every word, couplings, materials, limits and a prescribed drive.
std::string strungText() {
    return "mech 1\nparam k 500 range 100 900 live\nparam r 0.02 range 0.01 0.03 live\nmaterial rubber\n  mu 1.1 "
           "mu-torsion 0.01 mu-rolling 0.001 restitution 0.3 restitution-speed 0.1 priority 1\nmaterial wood\n"
           "pair rubber ground\n  mu 0.9\npair wood rubber\n  restitution 0.1\nexclude palm tip\n"
           "contact\n  solver pgs cone disc mix mean iterations 50 tolerance 1e-8 warm on relaxation 1 beta 0.2 slop "
           "5e-4 capacity 100\nground\n  plane 0 0 1 -1\n"
           "body palm\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n  limits -1 1 margin 0.01 compliance 1e-6 "
           "correction 0.2 restitution 0.1\n  joint-friction 0.1\n"
           "body tip\n  parent palm\n  joint universal x y\n  at 0.1 0 0\n  mass 1\n  inertia 1 1 1 0 0 0\n"
           "body ball\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n  start 1 0 0 0 0 0 1\n"
           "shape s on ball sphere 0.1 collide rubber group 1 margin 0.001 gap 0.01\nshape f on base box 1 1 0.1 "
           "collide wood\ndrive d joint tip.1 prescribed (0.1*sin(t))\n"
           "tendon flexor\n  width 0.004 color 0.9 0.35 0.08 1\n  pulley 2\n  site base -0.1 0 0.05\n  sphere palm 0 0 "
           "0 "
           "radius r side palm 0 0 0.05 mu 0.1\n  cylinder palm 0.05 0 0 axis y radius 0.01\n  site tip 0.05 0 0.03\n  "
           "pulley 1\n  site tip 0.05 0 0.03\n  ellipsoid palm 0 0 0 radii 0.01 0.02 0.01 rot 0.1 0 0\n  site base 0 0 "
           "0.2\n  torus base 0 0 0.5 axis z radii 0.05 0.01\n  site ball 0 0 0\n  stiffness k damping 1 spring -inf "
           "0.9\n  limits 0.1 5 margin 0.01 compliance 1e-7 correction 0.2\n  friction 0.5 friction-compliance 1e-6 "
           "armature 0.01\n  reference 0.9\n  actuator (-20*t) target 0.1 target-rate 0 kp 1 kv 1 tau 0.05 range -200 "
           "0 "
           "state -1\n  feed (0.05*t) side-rule barrier\n"
           "tendon muscled\n  site base 0 0 1\n  site palm 0.1 0 0\n  muscle 100 0.1 0.8 0.1 0.01 0.04\n  excitation "
           "(0.5 + 0.5*sin(t))\n"
           "tendon left fixed\n  term palm 0.02\n  term tip.2 -0.02\n  stiffness 10\n  actuator input\n"
           "tendon chain\n  site base -1 0 0\n  ellipsoid base -0.5 0 0.1 radii 0.1 0.2 0.15 rot 0.3 0 0\n  sphere "
           "base 0 0 "
           "-0.1 radius 0.2 side base 0 0 1\n  cylinder base 0.3 0 0.1 axis 0.2 1 0 radius 0.1\n  torus base 0.7 0 0 "
           "axis "
           "x radii 0.1 0.03\n  site palm 1 0 0.1\n"
           "coupling mirror first left second flexor poly 0 0.1 0 0 0 compliance 1e-6 correction 0.3\n"
           "coupling held first left off\n";
}

std::vector<std::string> builtInSeeds() {
    std::vector<std::string> seeds = {
        "mech 1\ntitle \"All joints\"\ngravity 0 0 -9.81\nstab 0.1\nparam a 1 range 0 2 live\nparam b (2*a) unit "
        "\"m\"\nlet c = a^2 + sin(b)\n"
        "body f\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n  start 1 0 0 0 0 0 1\n  rate 0 0 0 0 0 0\n  fext\n"
        "body r\n  parent f\n  joint revolute 0 1 1\n  at c 0 0\n  rot (30*deg) 0 0\n  mass a\n  cg b 0 0\n  inertia 1 "
        "2 2 0 0 0\n  slider -1 1\n  limits -2 2 margin 0.1\n"
        "body u\n  parent r\n  joint universal x y\n  mass 1\n  inertia 1 1 1 0 0 0\nbody p\n  parent u\n  joint "
        "planar z\n  mass 1 inertia 1 1 1 0 0 0\n"
        "body s\n  joint screw z pitch 0.01\n  mass 1 inertia 1 1 1 0 0 0\n  joint-damping 1 joint-friction 1 "
        "joint-armature 0.1\nbody b\n  joint spherical\n  mass 1\n  inertia 1 1 1 0 0 0\n"
        "body y\n  joint cylindrical x\n  mass 1\n  inertia 1 1 1 0 0 0\n",
        "mech 1\nbody a\n  joint prismatic z\n  mass 1\npoi tip on a at 0 0 1\ntsda s from tip to base 0 0 3 k 1 c 2 "
        "input curve -1 -2 0 0 1 5 damper-curve 0 0 1 1\n"
        "rsda r joint a k 1 q0 2 input\ndrive d joint a position (sin(3*t)) kp 10 kd 1 limit 5\ndrive e joint a torque "
        "(min(t, 1, 2))\n"
        "shape x on a box 1 1 1 at 0 0 0 rot 0 0 0 color 1 0 0 0.5 hidden\nshape m on a mesh \"part.stl\" scale 2 "
        "density 1000 collide rubber group 2 margin 0.1 gap 0.1\n",
        "mech 1\nloop l\n  type point-on-line\n  from a 0 0 0 rot 0 0 0\n  to b 0 0 0\n  axis y\ntrack band\n  root "
        "a\n  "
        "shoes 63 pitch 0.154\n  mass 18\n"
        "  roller a 0.2 end driven teeth 10\n  roller b 0.3\n  pad -0.03 0.1 0.3 thickness 0.03\n  kn 2e6\ntendon n\n  "
        "site a 0 0 0\n  cylinder b 0 0 0 axis y radius 0.1 side a 0 0 1 mu 0.1\n"
        "  site c 0 0 0\n  pulley 2\n  actuator input target (t)\n  spring -inf 0.2\ntendon f fixed\n  term arm.2 "
        "0.1\ncoupling c first a second b.1 poly 0 1 0 0 0\n"
        "contact\n  solver pgs cone disc\nground\n  plane 0 0 1 0\n  wave 0.1 1 direction 0.3\n  step 0.1 at 2 width "
        "0.1\nmaterial rubber\n  mu 0.9\npair rubber rubber\n  mu 1\nexclude a b\n"
        "sensor s on a against b at 0 0 0\nground z -0.55\n",
        bandedText(),
        strungText(),
        strungText() + bandedText(),
        bandedText() +
            "track spare\n  root base\n  shoes 9\n  mass 1 cg 0.1 0 0\n  fext\n  roller r 0.3\n  roller q "
            "0.2 end\n  pad 0 0.1 0.1\n  kn 1\nground z -0.55\n",
        "",
        "mech 1",
        "\xEF\xBB\xBFmech 1\r\nbody a\r\n\tmass 1 # comment\r\n",
    };
    return seeds;
}

std::vector<std::string> modelsIn(const std::string& folder) {
    std::vector<std::string> texts;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
        if (entry.path().extension() != ".mech") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        texts.push_back(text.str());
    }
    return texts;
}

// --- mutations --------------------------------------------------------------------------------------------------

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        lines.push_back(text.substr(at, end + 1 - at));
        at = end + 1;
    }
    return lines;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
}

std::string repeated(const std::string& part, std::size_t count) {
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i) text += part;
    return text;
}

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

std::string oddNumber(Random& random) {
    static const char* odd[] = {"0",
                                "-0",
                                "1e308",
                                "-1e308",
                                "1e309",
                                "1e-320",
                                "1e99999999999",
                                "1e-99999999999",
                                "inf",
                                "-inf",
                                "nan",
                                "0x10",
                                "1.2.3",
                                "10mm",
                                "90",
                                "-45",
                                "1,5",
                                ".",
                                "-",
                                "+1",
                                "1e",
                                "00012",
                                "9007199254740993",
                                "(1/0)",
                                "(0/0)",
                                "(-1)^0.5",
                                "2*3",
                                "(2*",
                                "2*)",
                                "((1))",
                                "t",
                                "pi",
                                "(30*deg)",
                                "100000",
                                "4294967296",
                                "1e-12"};
    if (random() % 5 == 0) return std::string(1 + below(random, 400), '9');
    return odd[below(random, sizeof odd / sizeof *odd)];
}

std::string randomWord(Random& random) {
    const auto& all = mw::mech::statements();
    const auto& statement = all[below(random, all.size())];
    switch (random() % 6) {
        case 0: return statement.head;
        case 1:
            return statement.properties.empty() ? "x"
                                                : statement.properties[below(random, statement.properties.size())].word;
        case 2: return mw::mech::functionNames()[below(random, mw::mech::functionNames().size())];
        case 3: {
            static const char* words[] = {"base",   "x",         "y",     "z",        "t",         "inf",
                                          "arm.2",  "a-b",       "fixed", "revolute", "universal", "floating",
                                          "planar", "spherical", "screw", "pitch",    "="};
            return words[below(random, sizeof words / sizeof *words)];
        }
        case 4: return std::string(1, static_cast<char>('a' + random() % 26));
        default: return std::string(1 + below(random, 200), static_cast<char>('a' + random() % 26));
    }
}

std::string badBytes(Random& random) {
    static const char* odd[] = {"\xFF",
                                "\xC0\x80",
                                "\xED\xA0\x80",
                                "\xF5\x80\x80\x80",
                                "\xE2\x88\x92",
                                "\xC2\xA0",
                                "\xEF\xBB\xBF",
                                "\r",
                                "\v",
                                "\t",
                                "\x7F",
                                "\xE2\x82",
                                "@",
                                "$",
                                "\"",
                                "#",
                                "\\",
                                "\xF0\x9F\x98\x80"};
    if (random() % 8 == 0) return std::string(1, '\0');
    return odd[below(random, sizeof odd / sizeof *odd)];
}

/// Begin and end of a token-like piece at or after a random place.
std::pair<std::size_t, std::size_t> piece(const std::string& text, Random& random) {
    if (text.empty()) return {0, 0};
    std::size_t begin = below(random, text.size());
    const auto blank = [&](std::size_t i) {
        return text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
    };
    while (begin < text.size() && blank(begin)) ++begin;
    while (begin > 0 && begin < text.size() && !blank(begin - 1)) --begin;
    std::size_t end = begin;
    while (end < text.size() && !blank(end)) ++end;
    return {begin, end};
}

void mutate(std::string& text, const std::vector<std::string>& seeds, Random& random) {
    const auto [begin, end] = piece(text, random);
    switch (random() % 20) {
        case 0:  // swapped lines
        case 1: {
            std::vector<std::string> lines = linesOf(text);
            if (lines.size() > 1) std::swap(lines[below(random, lines.size())], lines[below(random, lines.size())]);
            text = joined(lines);
            break;
        }
        case 2: {  // swapped pieces
            const auto [b2, e2] = piece(text, random);
            if (end <= b2) {
                const std::string a = text.substr(begin, end - begin), b = text.substr(b2, e2 - b2);
                text.replace(b2, e2 - b2, a);
                text.replace(begin, end - begin, b);
            }
            break;
        }
        case 3: {  // repeated line
            std::vector<std::string> lines = linesOf(text);
            if (lines.empty()) break;
            const std::size_t i = below(random, lines.size());
            lines[i] = repeated(lines[i], 1 + below(random, random() % 40 == 0 ? 3000 : 4));
            text = joined(lines);
            break;
        }
        case 4:
            text.insert(end, " " + repeated(text.substr(begin, end - begin) + " ",
                                            1 + below(random, random() % 40 == 0 ? 3000 : 5)));
            break;
        case 5: text.resize(below(random, text.size() + 1)); break;  // truncated
        case 6: text.erase(0, below(random, text.size() + 1)); break;
        case 7: {  // nested
            const std::size_t depth = random() % 4 == 0 ? 150 + below(random, 5000) : 1 + below(random, 5);
            text.insert(end, std::string(random() % 8 == 0 ? depth / 2 : depth, ')'));
            text.insert(begin, std::string(depth, '('));
            break;
        }
        case 8:
        case 9:
        case 10: text.replace(begin, end - begin, oddNumber(random)); break;
        case 11:
        case 12: text.replace(begin, end - begin, randomWord(random)); break;
        case 13: text.insert(below(random, text.size() + 1), badBytes(random)); break;
        case 14: {  // a byte changed
            if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random());
            break;
        }
        case 15: {  // a stretch removed
            if (text.empty()) break;
            const std::size_t from = below(random, text.size());
            text.erase(from, 1 + below(random, 40));
            break;
        }
        case 16: {  // lines of another mechanism
            const std::vector<std::string> other = linesOf(seeds[below(random, seeds.size())]);
            std::vector<std::string> lines = linesOf(text);
            if (other.empty()) break;
            const std::size_t from = below(random, other.size());
            const std::size_t count = std::min(other.size() - from, 1 + below(random, 12));
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size() + 1)),
                         other.begin() + static_cast<std::ptrdiff_t>(from),
                         other.begin() + static_cast<std::ptrdiff_t>(from + count));
            text = joined(lines);
            break;
        }
        case 17: text.insert(begin, randomWord(random) + (random() % 2 ? " " : "\n")); break;
        case 18: text.insert(end, " " + oddNumber(random)); break;
        case 19: {  // line ends
            std::string out;
            for (const char c : text) {
                if (c == '\n' && random() % 2) out += '\r';
                out += c;
            }
            text = out;
            break;
        }
    }
}

/// Numbers changed and nothing else, so that the text stays a mechanism: loops torn, folded, out of reach, far apart.
void bend(std::string& text, Random& random) {
    static const char* numbers[] = {"0", "-0", "1",    "-1",    "2",      "(pi)", "(-pi/2)", "0.5", "1e-3",
                                    "5", "90", "1e-9", "1e-15", "1e-200", "1e5",  "1e9",     "-3",  "0.1"};
    for (int tries = 0; tries < 40; ++tries) {
        const auto [begin, end] = piece(text, random);
        if (begin == end || std::string_view("0123456789-.").find(text[begin]) == std::string_view::npos) continue;
        const std::string number = random() % 2 ? numbers[below(random, sizeof numbers / sizeof *numbers)]
                                                : std::to_string(static_cast<double>(random() % 4001) * 1e-3 - 2);
        text.replace(begin, end - begin, number);
        if (random() % 3 == 0) return;
    }
}

/// Whole texts built to be hard: long chains, deep trees, many faults, large.
std::string monster(Random& random, std::size_t size) {
    std::string text = "mech 1\n";
    const std::size_t kind = random() % 18;
    const std::string odd = oddNumber(random);
    for (std::size_t i = 0; text.size() < size; ++i) {
        const std::string n = std::to_string(i);
        switch (kind) {
            case 0: text += "param p" + n + " (p" + std::to_string(i + 1) + " + 1)\n"; break;
            case 1:
                text += "body b" + n + "\n parent b" + std::to_string(i + 1) + "\n joint revolute y\n mass 1\n";
                break;
            case 2:
                text +=
                    "body b" + n + "\n parent b" + (i > 0 ? std::to_string(i - 1) : n) + "\n joint planar z\n mass 1\n";
                break;
            case 3:
                text += "let a" + n + " = " +
                        (i > 0 ? "a" + std::to_string(i - 1) + "*a" + std::to_string(i - 1) : "1") + "\n";
                break;
            case 4: text += "x "; break;
            case 5: text += "("; break;
            case 6: text += i == 0 ? "rsda r joint b curve" : " 1"; break;
            case 7: text += "poi q" + n + " on c" + n + " at " + odd + " u v\n"; break;
            case 8: text += (i == 0 ? "param z 1 live\nlet s = z" : "+z"); break;
            case 9: text += randomWord(random) + (random() % 3 ? " " : "\n"); break;
            case 10: text += badBytes(random); break;
            case 11:
                text += "param q" + n + " (q" + std::to_string(below(random, i + 2)) + " + q" +
                        std::to_string(below(random, i + 2)) + ")\n";
                break;
            case 12:
                if (i == 0) text = bandedText();
                text += "track b" + n + "\n root hull\n shoes " + (i % 3 ? "3" : "4000") +
                        "\n mass 1 cg 1 0 0\n fext\n" + " roller front 0.3 end\n roller back 0.2\n pad 0 1 1\n kn 1\n";
                break;
            case 13:
                if (i == 0)
                    text = bandedText() +
                           "track many\n root hull\n shoes 10000\n mass 1 cg 1 0 0\n fext\n pad 0 1 1\n kn 1\n";
                if (i % 90 == 89)
                    text += "track b" + n + "\n root hull\n shoes 20\n mass 1 cg 1 0 0\n fext\n pad 0 1 1\n kn 1\n";
                text += i % 2 ? " roller front 0.3 end\n" : " roller back 0.2\n";
                break;
            case 14:
                if (i == 0) text = strungText() + "tendon many\n site palm 0 0 0\n";
                text += i % 5 ? " site tip 0 0 0\n" : " sphere base 0 0 0 radius 1 side tip 0 0 0\n";
                break;
            case 15:
                text += "body b" + n + "\n parent " + (i > 0 ? "b" + std::to_string(i - 1) : "base") +
                        "\n mass 1\nshape s" + n + " on b" + n + " sphere 1 collide m\nexclude b" + n +
                        " base\ntendon t" + n + "\n site b" + n + " 0 0 0\n site base 0 0 1\n";
                if (i == 0) text += "material m\nground\n";
                break;
            case 16:
                text += "tendon t" + n + (i % 2 ? " fixed\n term b 1\n" : "\n pulley 2\n pulley 2\n") + "coupling c" +
                        n + " first t" + std::to_string(below(random, 2 * i + 2)) + " second u" + n + "\n";
                break;
            case 17:
                if (i == 0) text = "mech 1\nbody b\n joint revolute y\n mass 1\n cg 1 0 0\ntendon f fixed\n";
                text += random() % 3 ? " term b 1\n" : " cylinder b 0 0 0 axis y radius 1\n";
                break;
        }
    }
    return text;
}

// --- one run ----------------------------------------------------------------------------------------------------

/// Processor time, so that a busy machine does not count.
double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Faults {
    std::string what;
};

std::size_t stage_begin = 0;  // live bytes when the stage under count began
std::size_t most_of_stages = 0;

void checkMemory(const char* stage) {
    const std::size_t peak = most_bytes.load() - stage_begin;
    most_of_stages = std::max(most_of_stages, peak);
    if (peak > (std::size_t{256} << 20))
        throw Faults{std::string(stage) + " had " + std::to_string(peak >> 20) + " MB live at once"};
}

/// A laid band is finite and closed.
void checkBand(const mw::Model& model, const mw::Track& track) {
    const std::size_t first = static_cast<std::size_t>(track.first_shoe);
    if (first + static_cast<std::size_t>(track.shoes) > model.bodies.size()) throw Faults{"a band lacks shoes"};
    std::vector<mw::Placement> pose(model.bodies.size());
    const std::vector<double> param = model.liveValues();
    double reach = track.perimeter;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(track.shoes); ++i) {
        const mw::Body& shoe = model.bodies[i];
        std::vector<double> q;
        for (const mw::Number& number : shoe.start) q.push_back(number.value);
        const mw::Placement local =
            mw::compose(mw::jointFrame(shoe, param), mw::jointPlacement(shoe.joint, 0, q.data()));
        pose[i] = i == first ? local : mw::compose(pose[i - 1], local);
        for (const double x : pose[i].position) {
            if (!std::isfinite(x)) throw Faults{"a shoe's place is not finite"};
            reach = std::max(reach, std::abs(x));
        }
    }
    for (const double e : mw::loopError(model.loops[static_cast<std::size_t>(track.closure)], pose, param))
        if (!(std::abs(e) <= 1e-11 * reach + 1e-9 * track.link))
            throw Faults{"a laid band is open by " + std::to_string(e)};
}

/// Reads, formats and patches one text. Throws Faults where a promise breaks.
std::size_t exercise(const std::string& text, Random& random, double& read_seconds) {
    const double begin = processorSeconds();
    mw::mech::SyntaxTree tree = mw::mech::parse(text);
    mw::ReadResult read = mw::readMechanism(tree);
    read_seconds = processorSeconds() - begin;

    checkMemory("reading");

    if (tree.text != text) throw Faults{"the tree lost its text"};
    std::size_t at = 0;
    for (const mw::mech::Token& token : tree.tokens) {
        if (token.range().begin != at) throw Faults{"tokens leave a gap"};
        at = token.range().end;
    }
    if (!tree.tokens.empty() && at != text.size()) throw Faults{"tokens do not reach the end"};
    for (const mw::Diagnostic& d : read.diagnostics) {
        if (d.range.begin > d.range.end || d.range.end > text.size())
            throw Faults{"a finding lies outside the text: " + d.code};
        if (d.message.empty()) throw Faults{"a finding says nothing: " + d.code};
        if (!d.fix.empty() && random() % 4 == 0) mw::mech::applyEdits(text, d.fix);  // throws where edits overlap
    }
    // Whatever the text, every reference of the Model leads somewhere.
    const int bodies = static_cast<int>(read.model.bodies.size());
    const auto led = [&](int body, int least) {
        if (body < least || body >= bodies) throw Faults{"a reference of the Model leads nowhere"};
    };
    for (const auto& body : read.model.bodies) led(body.parent, mw::kBase);
    for (const auto& poi : read.model.points) led(poi.point.body, mw::kBase);
    for (const auto& shape : read.model.shapes) led(shape.body, mw::kBase);
    for (const auto& tsda : read.model.tsdas) led(tsda.from.body, mw::kBase), led(tsda.to.body, mw::kBase);
    for (const auto& rsda : read.model.rsdas) led(rsda.body, 0);
    for (const auto& drive : read.model.drives) led(drive.body, 0);
    for (const auto& loop : read.model.loops) led(loop.from.body, mw::kBase), led(loop.to.body, mw::kBase);
    for (const auto& track : read.model.tracks) {
        led(track.root, mw::kBase);
        for (const auto& roller : track.rollers) led(roller.body, 0);
        if (track.first_shoe < 0 && read.ok()) throw Faults{"a sound track that was not laid"};
        if (track.first_shoe >= 0) checkBand(read.model, track);
    }
    const auto within = [](int index, std::size_t count, int least) {
        if (index < least || index >= static_cast<int>(count)) throw Faults{"an index that leads nowhere"};
    };
    for (const auto& shape : read.model.shapes) within(shape.material, read.model.materials.size(), -1);
    for (const auto& pair : read.model.pairs) {
        within(pair.a, read.model.materials.size(), -1);
        within(pair.b, read.model.materials.size(), -1);
    }
    for (const auto& exclude : read.model.excludes) led(exclude.a, mw::kBase), led(exclude.b, mw::kBase);
    for (const auto& tendon : read.model.tendons) {
        for (const auto& element : tendon.path) {
            led(element.point.body, mw::kBase);
            if (element.side) led(element.side->body, mw::kBase);
        }
        for (const auto& term : tendon.terms) {
            led(term.body, 0);
            const auto& body = read.model.bodies[static_cast<std::size_t>(term.body)];
            within(term.coordinate, static_cast<std::size_t>(mw::jointNv(body.joint.type)), 0);
        }
        if (read.ok() && tendon.fixed != tendon.path.empty()) throw Faults{"a sound tendon that runs through nothing"};
    }
    for (const auto& coupling : read.model.couplings) {
        within(coupling.first, read.model.tendons.size(), 0);
        within(coupling.second, read.model.tendons.size(), -1);
    }
    mw::hasRows(read.model);
    if (read.ok()) {
        if (read.model.order().size() != read.model.bodies.size())
            throw Faults{"a sound model whose bodies do not form a tree"};
        mw::modelHash(read.model);
    }

    most_bytes.store(stage_begin = live_bytes.load());
    const std::string formatted = mw::mech::formatText(tree);
    checkMemory("formatting");
    if (random() % 4 == 0) {
        most_bytes.store(stage_begin = live_bytes.load());
        if (mw::mech::formatText(formatted) != formatted) throw Faults{"the formatter changes what it has formatted"};
        const mw::ReadResult again = mw::readMechanism(formatted);
        if (again.ok() != read.ok() || mw::modelHash(again.model) != mw::modelHash(read.model))
            throw Faults{"the formatter changes the meaning"};
    }

    checkMemory("formatting");

    // Patches of a random statement.
    if (!tree.statements.empty()) {
        const mw::mech::Statement& statement = tree.statements[below(random, tree.statements.size())];
        const auto& properties = statement.spec->properties;
        const char* word = properties.empty() ? "x" : properties[below(random, properties.size())].word;
        switch (random() % 6) {
            case 0: mw::mech::applyEdits(text, mw::mech::setProperty(tree, statement, word, "1 2 3")); break;
            case 1: mw::mech::applyEdits(text, mw::mech::setValue(tree, statement, word, below(random, 4), "7")); break;
            case 2: mw::mech::applyEdits(text, mw::mech::removeProperty(tree, statement, word)); break;
            case 3: {
                const std::string next = mw::mech::applyEdits(text, mw::mech::removeStatement(tree, statement));
                if (next.size() >= text.size()) throw Faults{"removing a statement removes nothing"};
                break;
            }
            case 4:
                mw::mech::applyEdits(text, mw::mech::insertStatement(tree, "body new\n  mass 1", &statement));
                break;
            case 5: {
                const auto space = statement.spec->defines;
                const mw::TextRange name = tree.nameRange(statement);
                if (name.end > 0)
                    mw::mech::applyEdits(text, mw::mech::rename(tree, space, tree.view(name), "renamed_item"));
                break;
            }
        }
    }
    const std::size_t place = below(random, text.size() + 1);
    mw::mech::completionsAt(tree, place);
    mw::mech::helpAt(tree, place);
    return read.diagnostics.size();
}

/// Tendons of sound texts are routed at the start pose: nothing crashes or hangs, and what is finite gives what is
/// finite. Processor seconds.
double exerciseTendons(const std::string& text, std::uint64_t& routed) {
    if (text.size() > 100'000) return 0;
    const mw::ReadResult read = mw::readMechanism(text);
    if (!read.ok() || read.model.tendons.empty() || read.model.tendons.size() > 20) return 0;
    for (const auto& tendon : read.model.tendons)
        if (tendon.path.size() > 40) return 0;
    const double begin = processorSeconds();
    const mw::Layout layout = mw::layoutOf(read.model);
    const mw::Tendons tendons(read.model, layout);
    const std::vector<double> param = read.model.liveValues();
    const std::vector<double> q = mw::startQ(read.model, layout, param);
    std::vector<double> X;
    double largest = 1;
    for (const mw::Placement& body : mw::bodyPlacements(read.model, q, param)) {
        X.insert(X.end(), body.rotation.begin(), body.rotation.end());
        X.insert(X.end(), body.position.begin(), body.position.end());
    }
    for (const double x : X) largest = std::max(largest, std::abs(x));
    for (const auto& tendon : read.model.tendons)
        for (const auto& element : tendon.path) {
            for (const auto& n : element.point.at) largest = std::max(largest, std::abs(n.value));
            for (const auto& n : element.radii) largest = std::max(largest, std::abs(n.value));
            largest = std::max(largest, 1 / element.divisor);
            if (element.side)
                for (const auto& n : element.side->at) largest = std::max(largest, std::abs(n.value));
        }
    for (int i = 0; i < tendons.size(); ++i) {
        mw::TendonRoute route;
        tendons.route(i, q, X, nullptr, route);
        const mw::TendonLine line = tendons.line(i, X);
        if (!(largest < 1e100)) continue;
        ++routed;
        if (!std::isfinite(route.length)) throw Faults{"a tendon's length is not finite"};
        for (const auto& point : route.points)
            for (const double g : point.gradient)
                if (!std::isfinite(g)) throw Faults{"a tendon's gradient is not finite"};
        for (const auto& point : line.points)
            for (const double x : point)
                if (!std::isfinite(x)) throw Faults{"a tendon is drawn at no place"};
    }
    return processorSeconds() - begin;
}

/// What judging and assembling may take for at most 60 rows and 60 velocities, in processor seconds.
constexpr double kLoopSeconds = 5;

struct LoopCount {
    std::uint64_t texts = 0, closed = 0;
    double slowest = 0;
};

bool near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(a[i])))) return false;
    return a.size() == b.size();
}

/// Small mechanisms with loops are judged and assembled: no exception, numbers that are finite, a claim of closure that
/// holds, and the pose in the text as in memory. Processor seconds.
double exerciseLoops(const std::string& text, LoopCount& count) {
    constexpr int kMost = 60, kSteps = 60;
    const mw::mech::SyntaxTree tree = mw::mech::parse(text);
    const mw::ReadResult read = mw::readMechanism(tree);
    if (!read.ok() || read.model.loops.empty()) return 0;
    const mw::Layout layout = mw::layoutOf(read.model);
    if (layout.nv > kMost || layout.nc > kMost) return 0;
    const double begin = processorSeconds();
    ++count.texts;
    for (const mw::Diagnostic& d : mw::closureFindings(read.model, tree)) {
        if (d.range.begin > d.range.end || d.range.end > text.size())
            throw Faults{"a finding on loops lies outside the text: " + d.code};
        if (d.message.empty()) throw Faults{"a finding on loops says nothing: " + d.code};
        if (!d.fix.empty() &&
            mw::readMechanism(mw::mech::applyEdits(text, d.fix)).model.loops.size() != read.model.loops.size())
            throw Faults{"the patch of a finding on loops spoils the text"};
    }
    const std::vector<double> param = read.model.liveValues();
    mw::Closure closure(read.model);
    mw::AssembleOptions options;
    options.most_steps = kSteps;
    const mw::Assembly assembly = closure.assemble(mw::startQ(read.model, layout, param), param, options);
    if (assembly.what.empty()) throw Faults{"assembling says nothing"};
    if (assembly.q.size() != static_cast<std::size_t>(layout.nq)) throw Faults{"assembling loses coordinates"};
    for (const double x : assembly.q)
        if (!std::isfinite(x)) throw Faults{"an assembled pose is not finite"};
    if (assembly.closed) {
        ++count.closed;
        // Lengths of 1e80 m close to the last digit, not to a micrometre.
        double largest = 1;
        const auto seen = [&](const mw::Number3& at) {
            for (const mw::Number& n : at) largest = std::max(largest, std::abs(n.value));
        };
        for (const mw::Body& body : read.model.bodies) seen(body.at);
        for (const mw::Loop& loop : read.model.loops) seen(loop.from.at), seen(loop.to.at);
        for (const double x : assembly.q) largest = std::max(largest, std::abs(x));
        for (const double e : closure.error(assembly.q, param))
            if (!(std::abs(e) <= 1e-6 * largest))
                throw Faults{"a pose said to be closed is open by " + std::to_string(e)};
        const std::string patched = mw::mech::applyEdits(text, mw::startPatch(read.model, layout, tree, assembly.q));
        const mw::ReadResult again = mw::readMechanism(patched);
        if (!again.ok()) throw Faults{"the text with its assembled start no longer reads"};
        // Shoes start where their band is laid, not where they were assembled.
        if (read.model.tracks.empty() && !near(mw::startQ(again.model, layout, param), assembly.q, 1e-9))
            throw Faults{"the text's start is not the assembled pose"};
    }
    return processorSeconds() - begin;
}

int failed(const std::string& text, const std::string& folder, std::uint64_t seed, const std::string& what) {
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    const std::string path = folder + "/fault_" + std::to_string(seed) + ".mech";
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    std::fprintf(stderr, "fault: %s\n  seed %llu, %zu bytes, saved as %s\n", what.c_str(),
                 static_cast<unsigned long long>(seed), text.size(), path.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t count = 20000, first_seed = 1;
    std::string models = "models", folder = "fuzz_faults";
    bool clock = true;
    std::size_t size = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--seed" && i + 1 < argc) first_seed = std::strtoull(argv[++i], nullptr, 10);
        else if (word == "--models" && i + 1 < argc) models = argv[++i];
        else if (word == "--save" && i + 1 < argc) folder = argv[++i];
        else if (word == "--size" && i + 1 < argc) size = std::strtoull(argv[++i], nullptr, 10);
        else if (word == "--no-clock") clock = false;
        else if (i == 1 && !word.empty() && word.find_first_not_of("0123456789") == std::string::npos)
            count = std::strtoull(word.c_str(), nullptr, 10);
        else {
            std::fprintf(
                stderr,
                "usage: fuzz_reader COUNT [--seed S] [--models FOLDER] [--save FOLDER] [--no-clock] [--size BYTES]\n");
            return 2;
        }
    }
    std::vector<std::string> seeds = builtInSeeds();
    for (std::string& text : modelsIn(models)) seeds.push_back(std::move(text));
    std::vector<std::size_t> looped;
    for (std::size_t i = 0; i < seeds.size(); ++i)
        if (mw::readMechanism(seeds[i]).ok() &&
            (seeds[i].find("\nloop ") != std::string::npos || seeds[i].find("\ntrack ") != std::string::npos ||
             seeds[i].find("\ntendon ") != std::string::npos))
            looped.push_back(i);
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    std::snprintf(save_path, sizeof save_path, "%s/fault_signal.mech", folder.c_str());
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGPROF}) std::signal(signal, onSignal);

    std::uint64_t sound = 0, with_findings = 0, bytes = 0;
    double slowest = 0, slowest_share = 0;
    LoopCount loops;
    std::uint64_t routed = 0;
    double slowest_route = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t seed = first_seed + i;
        Random random(seed * 0x9E3779B97F4A7C15u);
        std::string text;
        if (size > 0) {
            text = monster(random, size);
        } else if (random() % 500 == 0) {
            text = monster(random, random() % 20 == 0 ? 4'000'000 : 1000 + below(random, 200'000));
        } else if (!looped.empty() && random() % 4 == 0) {
            text = seeds[looped[below(random, looped.size())]];
            bend(text, random);
        } else {
            text = seeds[below(random, seeds.size())];
            const std::size_t rounds = 1 + below(random, 6);
            for (std::size_t k = 0; k < rounds && text.size() < 2'000'000; ++k) mutate(text, seeds, random);
        }
        current_text = text.data();
        current_size = text.size();
        bytes += text.size();
        armHangWatch(60);
        const std::size_t before = live_bytes.load();
        most_bytes.store(stage_begin = before);
        const double allowed = 0.1 + 0.1e-6 * static_cast<double>(text.size());
        double seconds = 0;
        std::size_t findings = 0;
        try {
            findings = exercise(text, random, seconds);
            const double on_loops = exerciseLoops(text, loops);
            loops.slowest = std::max(loops.slowest, on_loops);
            const double on_tendons = exerciseTendons(text, routed);
            slowest_route = std::max(slowest_route, on_tendons);
            if (clock && on_tendons > kLoopSeconds)
                throw Faults{"the tendons took " + std::to_string(on_tendons) + " s"};
            if (clock && on_loops > kLoopSeconds) throw Faults{"the loops took " + std::to_string(on_loops) + " s"};
            // A slow read on a busy machine is read again before it counts.
            for (int again = 0; clock && seconds > allowed && again < 3; ++again) {
                double retry = 0;
                Random same(seed);
                exercise(text, same, retry);
                seconds = std::min(seconds, retry);
            }
        } catch (const Faults& f) {
            return failed(text, folder, seed, f.what);
        } catch (const std::exception& e) {
            return failed(text, folder, seed, std::string("an exception: ") + e.what());
        }
        if (clock && seconds > allowed)
            return failed(text, folder, seed,
                          "reading took " + std::to_string(seconds) + " s, " + std::to_string(allowed) + " allowed");
        if (live_bytes.load() > before + 1'000'000) return failed(text, folder, seed, "memory is not given back");
        (findings == 0 ? sound : with_findings)++;
        slowest = std::max(slowest, seconds);
        slowest_share = std::max(slowest_share, seconds / allowed);
    }
    armHangWatch(0);
    std::printf(
        "%llu texts (%.1f MB): %llu without findings, %llu with; slowest read %.1f ms (%.0f %% of its allowance); most "
        "memory %.1f MB; %llu with loops, %llu of them closed, slowest %.1f ms; %llu tendons routed, slowest %.1f ms\n",
        static_cast<unsigned long long>(count), static_cast<double>(bytes) * 1e-6,
        static_cast<unsigned long long>(sound), static_cast<unsigned long long>(with_findings), slowest * 1e3,
        slowest_share * 100, static_cast<double>(most_of_stages) / (1 << 20),
        static_cast<unsigned long long>(loops.texts), static_cast<unsigned long long>(loops.closed),
        loops.slowest * 1e3, static_cast<unsigned long long>(routed), slowest_route * 1e3);
    return 0;
}
