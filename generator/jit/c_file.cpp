// The C file through a C compiler: written to a folder of its own, compiled to a shared object, loaded, and the folder
// removed.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "generator/backend/write_c.h"
#include "generator/jit/jit.h"

extern char** environ;

namespace mw::gen {

namespace {

struct TemporaryFolder {
    std::filesystem::path path;
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "mechwright-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no temporary folder: " + std::string(std::strerror(errno)));
        path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

struct Loaded {
    void* handle = nullptr;
    ~Loaded() {
        if (handle != nullptr) ::dlclose(handle);
    }
};

std::string readAll(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Kernel compileCFile(const Program& program, const Model& model, const std::string& compiler) {
    const TemporaryFolder folder;
    const std::string source = (folder.path / "model.c").string();
    const std::string object = (folder.path / "model.so").string();
    const std::string words = (folder.path / "words.txt").string();
    {
        std::ofstream file(source, std::ios::binary);
        file << writeCFile(program, model, nullptr);
        if (!file) throw std::runtime_error("the C file cannot be written to " + folder.path.string());
    }
    std::vector<std::string> command{compiler, "-O2",     "-std=c11",         "-Wall", "-Wextra", "-Werror",
                                     "-fPIC",  "-shared", "-ffp-contract=off"};
#if defined(__x86_64__)
    if (program.cpu == CpuClass::fma) command.push_back("-mfma");
#endif
    for (const std::string& part : {std::string("-o"), object, source, std::string("-lm")}) command.push_back(part);
    std::vector<char*> arguments;
    for (std::string& part : command) arguments.push_back(part.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, words.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, compiler.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw std::runtime_error("the C compiler '" + compiler + "' cannot be run: " + std::strerror(failed));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("the C compiler '" + compiler + "' refused the generated file:\n" + readAll(words));

    auto loaded = std::make_shared<Loaded>();
    loaded->handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded->handle == nullptr)
        throw std::runtime_error("the compiled C file cannot be loaded: " + std::string(::dlerror()));
    using Getter = const mw_kernel* (*)();
    const auto getter = reinterpret_cast<Getter>(::dlsym(loaded->handle, (program.model_name + "_kernel").c_str()));
    if (getter == nullptr) throw std::runtime_error("the compiled C file has no " + program.model_name + "_kernel");
    Kernel kernel;
    kernel.c = getter();
    kernel.maker = "c";
    kernel.keeps_alive = std::move(loaded);
    if (kernel.c->abi_version != MW_KERNEL_ABI_VERSION || !(kernel.modelHash() == program.model_hash))
        throw std::runtime_error("the compiled C file is of another model");
    return kernel;
}

}  // namespace mw::gen
