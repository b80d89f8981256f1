// Runs the built `mech` as a person or a script does: arguments in, exit code and both outputs back.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mw::test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A folder of its own for one test, gone afterwards.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "mech-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream out(path_ / name, std::ios::binary);
        out << bytes;
        return *this / name;
    }

private:
    fs::path path_;
};

inline std::string slurp(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

struct Outcome {
    int code = -1;  ///< 128 + signal when it died of one
    std::string out, err;
    Json json() const { return Json::parse(out); }
};

struct Run {
    std::vector<std::string> environment = {};  ///< NAME=VALUE, added
    std::string input = {};
};

inline Outcome program(const std::vector<std::string>& command, const Run& run = {}) {
    const Folder folder;
    const std::string in = folder.write("in", run.input), out = folder / "out", err = folder / "err";
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        const auto attach = [](const std::string& file, int flags, int to) {
            const int opened = open(file.c_str(), flags, 0600);
            if (opened < 0 || dup2(opened, to) < 0) _exit(126);
        };
        attach(in, O_RDONLY, 0);
        attach(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
        attach(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
        for (const std::string& e : run.environment) putenv(strdup(e.c_str()));
        std::vector<char*> arguments;
        for (const std::string& a : command) arguments.push_back(strdup(a.c_str()));
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err)};
}

inline Outcome mech(std::vector<std::string> arguments, const Run& run = {}) {
    arguments.insert(arguments.begin(), std::string(MW_BINARY_DIR) + "/bin/mech");
    return program(arguments, run);
}

inline std::string example(const std::string& name) { return std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech"; }

inline std::vector<std::string> exampleNames() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(std::string(MW_SOURCE_DIR) + "/models"))
        if (entry.path().extension() == ".mech") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

inline std::vector<std::string> keysOf(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace mw::test
