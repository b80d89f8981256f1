// Edges by welding equal positions; normals by angle-weighted faces; rays by the Moller-Trumbore test.
#include "app/scene/mesh.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace mw::scene {

namespace {

struct PositionKey {
    std::uint32_t x, y, z;
    bool operator==(const PositionKey&) const = default;
};
struct PositionHash {
    std::size_t operator()(const PositionKey& k) const {
        std::uint64_t h = k.x * 0x9E3779B97F4A7C15ull;
        h = (h ^ (h >> 29) ^ k.y) * 0xBF58476D1CE4E5B9ull;
        h = (h ^ (h >> 32) ^ k.z) * 0x94D049BB133111EBull;
        return static_cast<std::size_t>(h ^ (h >> 31));
    }
};

PositionKey keyOf(const Eigen::Vector3f& p) {
    PositionKey key;
    const float v[3] = {p.x() + 0.0f, p.y() + 0.0f, p.z() + 0.0f};  // -0 and 0 are one place
    std::memcpy(&key, v, sizeof key);
    return key;
}

/// For each vertex the first vertex at the same place.
std::vector<std::uint32_t> weld(const std::vector<Eigen::Vector3f>& positions) {
    std::unordered_map<PositionKey, std::uint32_t, PositionHash> first;
    first.reserve(positions.size());
    std::vector<std::uint32_t> welded(positions.size());
    for (std::uint32_t i = 0; i < positions.size(); ++i)
        welded[i] = first.try_emplace(keyOf(positions[i]), i).first->second;
    return welded;
}

Eigen::Vector3f faceNormal(const Mesh& mesh, std::size_t face, float* length = nullptr) {
    const auto& a = mesh.positions[mesh.indices[3 * face]];
    const auto& b = mesh.positions[mesh.indices[3 * face + 1]];
    const auto& c = mesh.positions[mesh.indices[3 * face + 2]];
    Eigen::Vector3f n = (b - a).cross(c - a);
    float norm = n.norm();
    if (length) *length = norm;
    return norm > 0 ? Eigen::Vector3f(n / norm) : Eigen::Vector3f::Zero();
}

void dropDegenerate(Mesh& mesh) {
    std::vector<std::uint32_t> kept;
    kept.reserve(mesh.indices.size());
    for (std::size_t f = 0; f < mesh.triangles(); ++f) {
        const std::uint32_t* t = &mesh.indices[3 * f];
        float area = 0;
        faceNormal(mesh, f, &area);
        if (std::isfinite(area) && area > 0) kept.insert(kept.end(), t, t + 3);
    }
    mesh.indices = std::move(kept);
}

}  // namespace

namespace {

std::uint64_t nextId() {
    static std::atomic<std::uint64_t> next_id{1};
    return next_id++;
}

void takeBounds(Mesh& mesh) {
    for (std::uint32_t i : mesh.indices) mesh.bounds.add(mesh.positions[i].cast<double>());
    mesh.centre = mesh.bounds.centre();
    for (std::uint32_t i : mesh.indices) {
        mesh.radius = std::max(mesh.radius, (mesh.positions[i].cast<double>() - mesh.centre).norm());
    }
}

}  // namespace

MeshPtr plainMesh(Mesh mesh) {
    takeBounds(mesh);
    mesh.id = nextId();
    return std::make_shared<const Mesh>(std::move(mesh));
}

MeshPtr finishMesh(Mesh mesh, double crease_angle, double line_angle) {
    dropDegenerate(mesh);
    if (mesh.normals.size() != mesh.positions.size()) computeNormals(mesh, crease_angle);

    // Planes of the faces
    std::size_t faces = mesh.triangles();
    mesh.planes.resize(faces);
    for (std::size_t f = 0; f < faces; ++f) {
        Eigen::Vector3f n = faceNormal(mesh, f);
        const Eigen::Vector3f& on = mesh.positions[mesh.indices[3 * f]];
        mesh.planes[f] = Eigen::Vector4f(n.x(), n.y(), n.z(), n.dot(on));
    }

    // Edges: the two faces at each pair of welded vertices
    std::vector<std::uint32_t> welded = weld(mesh.positions);
    std::unordered_map<std::uint64_t, std::uint32_t> edge_at;
    edge_at.reserve(faces * 2);
    std::vector<MeshEdge> edges;
    edges.reserve(faces * 3 / 2 + 8);
    for (std::size_t f = 0; f < faces; ++f) {
        for (int k = 0; k < 3; ++k) {
            std::uint32_t a = welded[mesh.indices[3 * f + static_cast<std::size_t>(k)]];
            std::uint32_t b = welded[mesh.indices[3 * f + static_cast<std::size_t>((k + 1) % 3)]];
            if (a == b) continue;
            std::uint64_t key = static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
            auto [it, fresh] = edge_at.try_emplace(key, static_cast<std::uint32_t>(edges.size()));
            if (fresh) {
                edges.push_back({a, b, static_cast<std::int32_t>(f), -1, false});
            } else if (edges[it->second].face1 < 0) {
                edges[it->second].face1 = static_cast<std::int32_t>(f);
            }
        }
    }
    // Flat edges never show: only creases, borders and bends are kept.
    const float crease = static_cast<float>(std::cos(line_angle));
    for (MeshEdge& e : edges) {
        if (e.face1 < 0) {
            e.crease = true;
            mesh.edges.push_back(e);
            continue;
        }
        float c = mesh.planes[static_cast<std::size_t>(e.face0)].head<3>().dot(
            mesh.planes[static_cast<std::size_t>(e.face1)].head<3>());
        if (c > 0.999999f) continue;
        e.crease = c < crease;
        mesh.edges.push_back(e);
    }

    takeBounds(mesh);
    mesh.id = nextId();
    return std::make_shared<const Mesh>(std::move(mesh));
}

void computeNormals(Mesh& mesh, double crease_angle) {
    // Unshared corners first, then corners of one welded vertex whose faces agree share their normal.
    std::vector<std::uint32_t> welded = weld(mesh.positions);
    std::size_t corners = mesh.indices.size();
    std::vector<Eigen::Vector3f> face_normals(corners / 3);
    std::vector<float> angles(corners, 0.0f);
    for (std::size_t f = 0; f < face_normals.size(); ++f) {
        face_normals[f] = faceNormal(mesh, f);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& p = mesh.positions[mesh.indices[3 * f + k]];
            Eigen::Vector3f u = (mesh.positions[mesh.indices[3 * f + (k + 1) % 3]] - p).normalized();
            Eigen::Vector3f v = (mesh.positions[mesh.indices[3 * f + (k + 2) % 3]] - p).normalized();
            angles[3 * f + k] = std::acos(std::clamp(u.dot(v), -1.0f, 1.0f));
        }
    }
    std::vector<std::vector<std::uint32_t>> at(mesh.positions.size());
    for (std::uint32_t c = 0; c < corners; ++c) at[welded[mesh.indices[c]]].push_back(c);

    const float limit = static_cast<float>(std::cos(crease_angle));
    Mesh out;
    out.positions.reserve(corners);
    out.normals.reserve(corners);
    out.indices.resize(corners);
    for (std::uint32_t c = 0; c < corners; ++c) {
        const Eigen::Vector3f& own = face_normals[c / 3];
        Eigen::Vector3f sum = Eigen::Vector3f::Zero();
        for (std::uint32_t other : at[welded[mesh.indices[c]]]) {
            const Eigen::Vector3f& n = face_normals[other / 3];
            if (own.dot(n) >= limit) sum += n * angles[other];
        }
        float norm = sum.norm();
        out.indices[c] = c;
        out.positions.push_back(mesh.positions[mesh.indices[c]]);
        out.normals.push_back(norm > 1e-12f ? Eigen::Vector3f(sum / norm) : own);
    }
    mesh.positions = std::move(out.positions);
    mesh.normals = std::move(out.normals);
    mesh.indices = std::move(out.indices);
}

std::optional<double> intersectRay(const Mesh& mesh, const Vec3& origin, const Vec3& direction) {
    std::optional<double> best;
    for (std::size_t f = 0; f < mesh.triangles(); ++f) {
        Vec3 a = mesh.positions[mesh.indices[3 * f]].cast<double>();
        Vec3 e1 = mesh.positions[mesh.indices[3 * f + 1]].cast<double>() - a;
        Vec3 e2 = mesh.positions[mesh.indices[3 * f + 2]].cast<double>() - a;
        Vec3 h = direction.cross(e2);
        double det = e1.dot(h);
        if (det == 0) continue;
        Vec3 s = origin - a;
        double u = s.dot(h) / det;
        if (u < 0 || u > 1) continue;
        Vec3 q = s.cross(e1);
        double v = direction.dot(q) / det;
        if (v < 0 || u + v > 1) continue;
        double t = e2.dot(q) / det;
        if (t > 0 && (!best || t < *best)) best = t;
    }
    return best;
}

}  // namespace mw::scene
