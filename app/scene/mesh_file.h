// Reads .obj and .stl (binary and text) files. Content never crashes it: what cannot be read is said in words.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/scene/mesh.h"

namespace mw::scene {

struct MeshFileResult {
    MeshPtr mesh;       ///< null when it could not be read
    std::string error;  ///< a sentence for people
};

MeshFileResult readMeshFile(const std::filesystem::path& file, double scale = 1);

/// Files already read, relative to the folder of the .mech. A file that changed on disk is read again.
class MeshFiles {
public:
    explicit MeshFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
    const MeshFileResult& get(const std::string& file, double scale);

private:
    struct Entry {
        std::filesystem::file_time_type changed;
        MeshFileResult result;
    };
    std::filesystem::path folder_;
    std::map<std::pair<std::string, double>, Entry> entries_;
};

}  // namespace mw::scene
