// A display of its own for tests that open windows (Xvfb, on a free number that the server itself finds), and the built
// viewer run on it.
#pragma once

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mw::test {

class Display {
public:
    Display() {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("pipe");
        server_ = fork();
        if (server_ < 0) throw std::runtime_error("fork");
        if (server_ == 0) {
            close(ends[0]);
            const int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, 2);
            const std::string fd = std::to_string(ends[1]);
            execlp("Xvfb", "Xvfb", "-displayfd", fd.c_str(), "-screen", "0", "1280x720x24", "-nolisten", "tcp",
                   static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        // The server writes its number and a line end once it takes connections; a dead one closes the pipe.
        char c = 0;
        while (read(ends[0], &c, 1) == 1 && c != '\n') number_ += c;
        close(ends[0]);
        if (number_.empty()) throw std::runtime_error("Xvfb did not start");
    }
    ~Display() {
        kill(server_, SIGTERM);
        waitpid(server_, nullptr, 0);
    }
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;
    std::string name() const { return ":" + number_; }

private:
    pid_t server_ = -1;
    std::string number_;
};

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "mechview-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

struct Outcome {
    int code = -1;  ///< 128 + signal when it died of one
    std::string err;
};

/// `display` empty: none.
inline Outcome mechview(const std::vector<std::string>& arguments, const std::string& display, const Folder& folder) {
    const std::string err = folder / "stderr", out = folder / "stdout";
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        unsetenv("WAYLAND_DISPLAY");
        setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
        setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
        if (display.empty()) unsetenv("DISPLAY");
        else setenv("DISPLAY", display.c_str(), 1);
        alarm(150);  // a viewer that hangs is a fault, not a wait
        const std::string program = std::string(MW_BINARY_DIR) + "/bin/mechview";
        std::vector<char*> all{strdup(program.c_str())};
        for (const std::string& a : arguments) all.push_back(strdup(a.c_str()));
        all.push_back(nullptr);
        execv(all[0], all.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::ifstream in(err, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text.str()};
}

}  // namespace mw::test
