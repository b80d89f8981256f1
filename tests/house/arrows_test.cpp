// The house keeps its shape: every include of engine/, generator/ and app/ goes along an arrow of docs/overview.md,
// libraries stay in the rooms that may know them, and every source file says what it is for and stays readable in one
// sitting.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

/// Rooms that a room may include, itself left out. Written out in full (not only the nearest), so that a change shows
/// here.
const std::map<std::string, Names>& arrows() {
    static const Names engine = {"engine/base",   "engine/mech", "engine/model",    "engine/spatial", "engine/track",
                                 "engine/kernel", "engine/rows", "engine/dynamics", "engine/contact", "engine/tendon",
                                 "engine/solve",  "engine/sim",  "engine/proof"};
    static const Names generator = {"generator/expr",    "generator/derive", "generator/program",
                                    "generator/backend", "generator/jit",    "generator"};
    // What the generator may see of the engine: never spatial algebra or dynamics, for two derivations that share their
    // formulas share their mistakes.
    static const Names seen_by_generator = {"engine/base", "engine/model", "engine/kernel", "generator"};
    static const auto with = [](std::initializer_list<Names> sets) {
        Names all;
        for (const Names& one : sets) all.insert(one.begin(), one.end());
        return all;
    };
    static const Names below_sim = {"engine/base",    "engine/mech",   "engine/model", "engine/spatial",
                                    "engine/track",   "engine/kernel", "engine/rows",  "engine/dynamics",
                                    "engine/contact", "engine/tendon", "engine/solve"};
    static const std::map<std::string, Names> table = {
        {"engine/base", {}},
        {"engine/mech", {"engine/base"}},
        {"engine/model", {"engine/base", "engine/mech"}},
        {"engine/spatial", {"engine/base"}},
        {"engine/track", {"engine/base", "engine/mech", "engine/model", "engine/spatial"}},
        {"engine/kernel", {"engine/base"}},
        {"engine/rows", {"engine/base", "engine/kernel", "engine/spatial"}},
        {"engine/dynamics", {"engine/base", "engine/mech", "engine/model", "engine/spatial", "engine/kernel"}},
        {"engine/contact",
         {"engine/base", "engine/mech", "engine/model", "engine/spatial", "engine/kernel", "engine/rows"}},
        {"engine/tendon",
         {"engine/base", "engine/mech", "engine/model", "engine/spatial", "engine/kernel", "engine/rows"}},
        {"engine/solve",
         {"engine/base", "engine/mech", "engine/model", "engine/spatial", "engine/kernel", "engine/rows",
          "engine/contact", "engine/tendon"}},
        {"engine/sim", below_sim},
        {"engine/proof", with({below_sim, {"engine/sim"}})},
        // Inside the generator: in the order of work. generator/generate.h, the front door, is open to all of it.
        {"generator/expr", seen_by_generator},
        {"generator/derive", with({seen_by_generator, {"generator/expr"}})},
        {"generator/program", with({seen_by_generator, {"generator/expr", "generator/derive"}})},
        {"generator/backend", with({seen_by_generator, {"generator/expr", "generator/derive", "generator/program"}})},
        {"generator/jit",
         with({seen_by_generator, {"generator/expr", "generator/derive", "generator/program", "generator/backend"}})},
        {"generator", with({seen_by_generator, generator})},
        {"app/document", with({engine, generator})},
        {"app/live", with({engine, generator, {"app/document"}})},
        {"app/scene", with({engine, generator})},
        {"app/render", with({engine, generator, {"app/document", "app/live", "app/scene"}})},
        {"app/panels", with({engine, generator, {"app/document", "app/live", "app/scene", "app/render"}})},
        {"app/studio",
         with({engine, generator, {"app/document", "app/live", "app/scene", "app/render", "app/panels"}})},
        {"app/player",
         with({engine, generator, {"app/document", "app/live", "app/scene", "app/render", "app/panels"}})},
        {"app/cli", with({engine, generator, {"app/document", "app/live", "app/scene", "app/render", "app/panels"}})},
    };
    return table;
}

/// "engine/model" of "engine/model/layout.h"; "generator" of "generator/generate.h".
std::string roomOf(const std::string& path) {
    const auto first = path.find('/');
    if (first == std::string::npos) return {};
    const auto second = path.find('/', first + 1);
    return path.substr(0, second == std::string::npos ? first : second);
}

struct Include {
    int line = 0;
    std::string target;
    bool quoted = false;
};

struct Source {
    std::string path;  ///< from the project's root
    int lines = 0;
    std::string first_line;
    std::vector<Include> includes;
};

Source readSource(const fs::path& root, const fs::path& path) {
    Source source;
    source.path = fs::relative(path, root).generic_string();
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        ++source.lines;
        if (source.lines == 1) source.first_line = line;
        std::istringstream words(line);
        std::string hash, rest;
        words >> hash;
        if (hash == "#") {
            words >> rest;
            hash += rest;
        }
        if (hash.rfind("#include", 0) != 0) continue;
        const auto open = line.find_first_of("<\"");
        if (open == std::string::npos) continue;
        const auto close = line.find_first_of(">\"", open + 1);
        if (close == std::string::npos) continue;
        source.includes.push_back({source.lines, line.substr(open + 1, close - open - 1), line[open] == '"'});
    }
    return source;
}

std::vector<Source> sourcesUnder(std::initializer_list<const char*> folders) {
    const fs::path root = MW_SOURCE_DIR;
    static const Names endings = {".h", ".hpp", ".cpp", ".c"};
    std::vector<Source> sources;
    for (const char* folder : folders) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && endings.count(entry.path().extension().string()))
                sources.push_back(readSource(root, entry.path()));
    }
    std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
    return sources;
}

std::string place(const Source& source, const Include& include) {
    return source.path + ":" + std::to_string(include.line) + ": includes " + include.target;
}

bool isProjectPath(const std::string& target) {
    for (const char* root : {"engine/", "generator/", "app/", "tests/", "models/", "assets/"})
        if (target.rfind(root, 0) == 0) return true;
    return false;
}

bool startsWith(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

}  // namespace

TEST_CASE("every include goes along an arrow of the house", "[house]") {
    const auto sources = sourcesUnder({"engine", "generator", "app"});
    REQUIRE(sources.size() > 20);
    std::vector<std::string> wrong;
    for (const Source& source : sources) {
        const std::string room = roomOf(source.path);
        const auto known = arrows().find(room);
        if (known == arrows().end()) {
            wrong.push_back(source.path + ": its folder is no room of the house");
            continue;
        }
        for (const Include& include : source.includes) {
            if (!isProjectPath(include.target)) {
                if (include.quoted && !fs::exists(fs::path("/usr/include") / include.target)) {
                    // Files that the build makes (moc) are the one exception to paths from the root.
                    const bool made =
                        include.target.size() > 4 && include.target.substr(include.target.size() - 4) == ".moc";
                    if (!made && !startsWith(include.target, "moc_"))
                        wrong.push_back(place(source, include) + " (write the path from the project's root)");
                }
                continue;
            }
            const std::string target = roomOf(include.target);
            if (target == room) continue;
            if (target == "generator" && room != "generator" && startsWith(room, "generator/") &&
                include.target != "generator/generate.h") {
                wrong.push_back(place(source, include) + " (of the front room, generate.h alone)");
                continue;
            }
            if (!known->second.count(target))
                wrong.push_back(place(source, include) + " (no arrow from " + room + " to " + target + ")");
        }
    }
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
}

TEST_CASE("the rooms that must not know a library do not", "[house]") {
    std::vector<std::string> wrong;
    for (const Source& source : sourcesUnder({"engine", "generator", "app"})) {
        const bool engine = startsWith(source.path, "engine/"), generator = startsWith(source.path, "generator/");
        const bool windowless = engine || generator || startsWith(source.path, "app/document/") ||
                                startsWith(source.path, "app/live/") || startsWith(source.path, "app/scene/") ||
                                startsWith(source.path, "app/render/") || startsWith(source.path, "app/panels/") ||
                                startsWith(source.path, "app/player/") || startsWith(source.path, "app/cli/");
        const bool no_gl = engine || generator || startsWith(source.path, "app/document/") ||
                           startsWith(source.path, "app/live/") || startsWith(source.path, "app/scene/");
        bool qt = false, epoxy = false;
        for (const Include& include : source.includes) {
            const std::string& t = include.target;
            if (isProjectPath(t)) continue;
            const bool is_qt = (t.size() > 1 && t[0] == 'Q' && t[1] >= 'A' && t[1] <= 'Z') || startsWith(t, "Qt") ||
                               startsWith(t, "Qsci") || t == "qcustomplot.h";
            const bool is_gl =
                startsWith(t, "epoxy/") || startsWith(t, "GL/") || startsWith(t, "EGL/") || startsWith(t, "GLFW/");
            qt |= is_qt;
            epoxy |= startsWith(t, "epoxy/");
            if (windowless && is_qt) wrong.push_back(place(source, include) + " (Qt)");
            if (no_gl && is_gl) wrong.push_back(place(source, include) + " (OpenGL)");
            if (startsWith(t, "llvm/") && !startsWith(source.path, "generator/backend/") &&
                !startsWith(source.path, "generator/jit/"))
                wrong.push_back(place(source, include) + " (LLVM)");
            if (generator && startsWith(t, "Eigen/"))
                wrong.push_back(place(source, include) + " (the generator's algebra is its own)");
            if (engine && (startsWith(t, "nlohmann/") || startsWith(t, "CLI/") || startsWith(t, "imgui")))
                wrong.push_back(place(source, include));
        }
        // Both define the same macros.
        if (qt && epoxy) wrong.push_back(source.path + ": includes both epoxy and Qt");
    }
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
}

TEST_CASE("every source file says what it is for and stays readable", "[house]") {
    constexpr int kLongest = 900;
    std::vector<std::string> wrong;
    for (const Source& source : sourcesUnder({"engine", "generator", "app", "tests"})) {
        if (!startsWith(source.first_line, "//") && !startsWith(source.first_line, "/*"))
            wrong.push_back(source.path + ": does not open with a comment");
        if (source.lines > kLongest)
            wrong.push_back(source.path + ": " + std::to_string(source.lines) + " lines; split it by subject");
    }
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
}

TEST_CASE("the check itself finds a wrong arrow", "[house]") {
    CHECK(roomOf("engine/model/layout.h") == "engine/model");
    CHECK(roomOf("generator/generate.h") == "generator");
    CHECK_FALSE(arrows().at("generator/derive").count("engine/dynamics"));
    CHECK_FALSE(arrows().at("engine/model").count("engine/dynamics"));
    CHECK_FALSE(arrows().at("engine/sim").count("engine/proof"));
    CHECK(arrows().at("engine/proof").count("engine/sim"));
    // No two rooms see each other, and so no ring: an arrow's target always sees fewer rooms. The front door is left
    // out.
    for (const auto& [room, seen] : arrows())
        for (const std::string& other : seen) {
            if (room == "generator" || other == "generator") continue;
            const auto it = arrows().find(other);
            REQUIRE(it != arrows().end());
            CAPTURE(room, other);
            CHECK_FALSE(it->second.count(room));
        }
}
