// Wavefront OBJ (v, f with any of its index forms, polygons as fans) and STL in both dialects.
#include "app/scene/mesh_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

namespace mw::scene {

namespace {

constexpr std::size_t kMaxBytes = 256u << 20;
constexpr std::size_t kMaxTriangles = 4'000'000;

/// Words of a line, without copying it.
class Words {
public:
    explicit Words(std::string_view text) : rest_(text) {}
    std::string_view next() {
        std::size_t begin = rest_.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) return rest_ = {};
        rest_.remove_prefix(begin);
        std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
        rest_.remove_prefix(word.size());
        return word;
    }

private:
    std::string_view rest_;
};

bool parse(std::string_view word, float& out) {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
    return error == std::errc() && end == word.data() + word.size() && std::isfinite(out);
}

bool parsePoint(Words& words, Eigen::Vector3f& p) {
    return parse(words.next(), p.x()) && parse(words.next(), p.y()) && parse(words.next(), p.z());
}

template <class Line>
std::string eachLine(const std::string& text, const Line& line) {
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        ++number;
        std::string fault = line(std::string_view(text).substr(at, end - at));
        if (!fault.empty()) return "line " + std::to_string(number) + ": " + fault;
        at = end + 1;
    }
    return {};
}

std::string readObj(const std::string& text, Mesh& mesh) {
    return eachLine(text, [&](std::string_view line) -> std::string {
        Words words(line);
        std::string_view head = words.next();
        if (head == "v") {
            Eigen::Vector3f p;
            if (!parsePoint(words, p)) return "a vertex needs three numbers";
            mesh.positions.push_back(p);
        } else if (head == "f") {
            std::vector<std::uint32_t> corners;
            for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
                long index = 0;
                std::string_view number = word.substr(0, word.find('/'));
                auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
                if (error != std::errc() || end != number.data() + number.size())
                    return "a face has a corner that is no number";
                long count = static_cast<long>(mesh.positions.size());
                if (index < 0) index += count + 1;  // counted back from the newest vertex
                if (index < 1 || index > count)
                    return "a face uses vertex " + std::string(number) + " of " + std::to_string(count);
                corners.push_back(static_cast<std::uint32_t>(index - 1));
            }
            if (corners.size() < 3) return "a face needs three corners";
            for (std::size_t i = 2; i < corners.size(); ++i) {
                mesh.indices.insert(mesh.indices.end(), {corners[0], corners[i - 1], corners[i]});
            }
            if (mesh.triangles() > kMaxTriangles) return "more than four million triangles";
        }
        return {};
    });
}

std::string readBinaryStl(const std::string& bytes, Mesh& mesh) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, 4);
    for (std::uint32_t t = 0; t < count; ++t) {
        const char* at = bytes.data() + 84 + 50u * t + 12;
        for (int k = 0; k < 3; ++k) {
            float p[3];
            std::memcpy(p, at + 12 * k, 12);
            if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
                return "a corner is not a finite number";
            mesh.positions.emplace_back(p[0], p[1], p[2]);
            mesh.indices.push_back(static_cast<std::uint32_t>(mesh.positions.size() - 1));
        }
    }
    return {};
}

std::string readTextStl(const std::string& text, Mesh& mesh) {
    return eachLine(text, [&](std::string_view line) -> std::string {
        Words words(line);
        if (words.next() != "vertex") return {};
        Eigen::Vector3f p;
        if (!parsePoint(words, p)) return "a vertex needs three numbers";
        mesh.positions.push_back(p);
        if (mesh.positions.size() % 3 == 0) {
            auto n = static_cast<std::uint32_t>(mesh.positions.size());
            mesh.indices.insert(mesh.indices.end(), {n - 3, n - 2, n - 1});
            if (mesh.triangles() > kMaxTriangles) return "more than four million triangles";
        }
        return {};
    });
}

}  // namespace

MeshFileResult readMeshFile(const std::filesystem::path& file, double scale) {
    const std::string name = "mesh file '" + file.filename().string() + "'";
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {nullptr, name + " was not found at " + file.string()};
    std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > kMaxBytes) return {nullptr, name + " is larger than 256 MB"};
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) return {nullptr, name + " could not be read"};
    std::string bytes = std::move(content).str();

    std::string extension = file.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    Mesh mesh;
    std::string fault;
    if (extension == ".obj") {
        fault = readObj(bytes, mesh);
    } else if (extension == ".stl") {
        // A binary file is exactly as long as its count says, whatever its first word is.
        std::uint32_t count = 0;
        if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
        bool binary = bytes.size() >= 84 && count <= kMaxTriangles && bytes.size() == 84 + 50ull * count;
        if (!binary && bytes.rfind("solid", 0) != 0) return {nullptr, name + " is cut short or is no STL file"};
        fault = binary ? readBinaryStl(bytes, mesh) : readTextStl(bytes, mesh);
    } else {
        return {nullptr, name + " is neither .obj nor .stl"};
    }
    if (!fault.empty()) return {nullptr, name + ", " + fault};
    if (mesh.indices.empty()) return {nullptr, name + " has no faces"};
    for (auto& p : mesh.positions) p *= static_cast<float>(scale);
    MeshPtr done = finishMesh(std::move(mesh));
    if (done->indices.empty()) return {nullptr, name + " has only faces without area"};
    return {done, {}};
}

const MeshFileResult& MeshFiles::get(const std::string& file, double scale) {
    std::filesystem::path path = folder_ / file;
    std::error_code ignored;
    auto changed = std::filesystem::last_write_time(path, ignored);
    auto [it, fresh] = entries_.try_emplace({file, scale});
    if (fresh || it->second.changed != changed) it->second = {changed, readMeshFile(path, scale)};
    return it->second.result;
}

}  // namespace mw::scene
