// Tubes are made anew while they move, so they are cheap: rings of vertices along the path, welded nowhere.
#include "app/scene/tendon_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/scene/primitives.h"

namespace mw::scene {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSharp = 0.35;  // rad between two pieces from which a bend is no longer round

std::uint32_t addVertex(Mesh& mesh, const Vec3& at, const Vec3& normal) {
    mesh.positions.push_back(at.cast<float>());
    mesh.normals.push_back(normal.cast<float>());
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}

void addTriangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c});
}

void addBall(Mesh& mesh, const Vec3& centre, double radius, int sides) {
    const int stacks = std::max(3, sides / 2);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int s = 0; s <= stacks; ++s) {
        const double polar = kPi * s / stacks, r = std::sin(polar), z = -std::cos(polar);
        for (int k = 0; k < sides; ++k) {
            const double a = 2 * kPi * k / sides;
            const Vec3 out(r * std::cos(a), r * std::sin(a), z);
            addVertex(mesh, centre + radius * out, out);
        }
    }
    const auto at = [&](int s, int k) { return first + static_cast<std::uint32_t>(s * sides + (k + sides) % sides); };
    for (int s = 0; s < stacks; ++s)
        for (int k = 0; k < sides; ++k) {
            if (s > 0) addTriangle(mesh, at(s, k), at(s, k + 1), at(s + 1, k));
            if (s + 1 < stacks) addTriangle(mesh, at(s, k + 1), at(s + 1, k + 1), at(s + 1, k));
        }
}

/// A tube along points that turn gently. `ring` gets the section of each vertex.
void addTube(Mesh& mesh, std::span<const Vec3> path, double radius, int sides, std::vector<int>& ring) {
    const std::size_t n = path.size();
    if (n < 2) return;
    const auto tangentAt = [&](std::size_t i) {
        const Vec3 before = i == 0 ? Vec3(Vec3::Zero()) : Vec3((path[i] - path[i - 1]).normalized());
        const Vec3 after = i + 1 == n ? Vec3(Vec3::Zero()) : Vec3((path[i + 1] - path[i]).normalized());
        const Vec3 t = before + after;
        return t.norm() > 1e-9 ? Vec3(t.normalized()) : Vec3(Vec3::UnitZ());
    };
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    const auto count = static_cast<std::uint32_t>(sides);
    Vec3 across = perpendicular(tangentAt(0));
    for (std::size_t i = 0; i < n; ++i) {
        // The section is carried along without twist.
        const Vec3 t = tangentAt(i), carried = across - t * t.dot(across);
        across = carried.norm() > 1e-9 ? Vec3(carried.normalized()) : perpendicular(t);
        const Vec3 up = t.cross(across);
        for (int k = 0; k < sides; ++k) {
            const double a = 2 * kPi * k / sides;
            const Vec3 out = across * std::cos(a) + up * std::sin(a);
            addVertex(mesh, path[i] + out * radius, out);
        }
    }
    for (std::uint32_t i = 0; i + 1 < n; ++i)
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t a = first + i * count + k, b = first + i * count + (k + 1) % count;
            addTriangle(mesh, a, b, a + count);
            addTriangle(mesh, b, b + count, a + count);
        }
    const int sections = ring.empty() ? 0 : *std::max_element(ring.begin(), ring.end()) + 1;
    ring.resize(mesh.positions.size(), -1);
    for (std::size_t i = 0; i < n; ++i)
        std::fill_n(ring.begin() + first + static_cast<std::ptrdiff_t>(i * count), sides,
                    sections + static_cast<int>(i));
    for (const bool end : {false, true}) {
        const std::size_t i = end ? n - 1 : 0;
        const Vec3 normal = end ? tangentAt(i) : Vec3(-tangentAt(i));
        const auto rim = static_cast<std::uint32_t>(first + i * count);
        const std::uint32_t middle = addVertex(mesh, path[i], normal);
        const auto cap = static_cast<std::uint32_t>(mesh.positions.size());
        for (std::uint32_t k = 0; k < count; ++k) addVertex(mesh, mesh.positions[rim + k].cast<double>(), normal);
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t a = cap + k, b = cap + (k + 1) % count;
            if (end) addTriangle(mesh, middle, a, b);
            else addTriangle(mesh, middle, b, a);
        }
        ring.resize(mesh.positions.size(), sections + static_cast<int>(i));
    }
}

}  // namespace

std::vector<RouteRun> runsOf(const TendonLine& line) {
    std::vector<RouteRun> runs;
    RouteRun run;
    const auto close = [&] {
        if (run.points.size() > 1) runs.push_back(std::move(run));
        run = {};
    };
    for (std::size_t i = 0; i + 1 < line.points.size() && i < line.branch.size(); ++i) {
        const Vec3 a(line.points[i].data()), b(line.points[i + 1].data());
        if (line.branch[i] < 0 || !a.allFinite() || !b.allFinite()) {
            close();
            continue;
        }
        if (!run.points.empty() && run.branch != line.branch[i]) close();
        if (run.points.empty()) {
            run.branch = line.branch[i];
            run.points.push_back(a);
        }
        if ((b - run.points.back()).norm() <= 1e-12) continue;
        run.points.push_back(b);
        run.element.push_back(i < line.element.size() ? line.element[i] : -1);
    }
    close();
    return runs;
}

std::vector<double> pieceTensions(const Tendon& tendon, const TendonReading& reading, const RouteRun& run) {
    const TendonRoute& route = reading.route;
    const auto branch = static_cast<std::size_t>(run.branch);
    const double divisor = branch < route.branch_divisor.size() ? route.branch_divisor[branch] : 1;
    std::vector<double> tensions(run.element.size(), reading.tension / divisor);
    std::size_t i = 0;
    for (const GuideReading& guide : route.guides) {
        if (guide.branch != run.branch || guide.contact.state == GuideContact::State::free) continue;
        const PathElement& element = tendon.path[static_cast<std::size_t>(guide.element)];
        if (element.mu.isZero()) continue;
        // Up to the guide the tension before it; on it from one to the other; the rest has the one after it.
        const double before = guide.tension_before, after = guide.tension_after;
        std::size_t begin = i;
        while (begin < run.element.size() && run.element[begin] != guide.element) ++begin;
        if (begin == run.element.size()) continue;
        std::size_t end = begin;
        double arc = 0;
        for (; end < run.element.size() && run.element[end] == guide.element; ++end)
            arc += (run.points[end + 1] - run.points[end]).norm();
        std::fill(tensions.begin() + static_cast<std::ptrdiff_t>(i),
                  tensions.begin() + static_cast<std::ptrdiff_t>(begin), before);
        double gone = 0;
        for (std::size_t k = begin; k < end; ++k) {
            const double piece = (run.points[k + 1] - run.points[k]).norm();
            const double share = arc > 0 ? (gone + piece / 2) / arc : 0.5;
            tensions[k] =
                before > 0 && after > 0 ? before * std::pow(after / before, share) : before + (after - before) * share;
            gone += piece;
        }
        std::fill(tensions.begin() + static_cast<std::ptrdiff_t>(end), tensions.end(), after);
        i = end;
    }
    return tensions;
}

std::vector<Path> dashesOf(const Path& path, double dash, double gap) {
    std::vector<Path> dashes;
    double length = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) length += (path[i + 1] - path[i]).norm();
    if (!(length > 0) || !(dash > 0)) return dashes;
    // As many whole dashes as fit, stretched so that the path ends on one.
    const double wanted = (length - dash) / (dash + gap);
    const int count = std::clamp(static_cast<int>(std::lround(wanted)), 1, 200) + 1;
    const double scale = length / (count * dash + (count - 1) * gap);
    std::size_t piece = 0;
    double at = 0;  // arc length of path[piece]
    const auto place = [&](double s) {
        const Vec3 d = path[piece + 1] - path[piece];
        return Vec3(path[piece] + d * std::clamp((s - at) / d.norm(), 0.0, 1.0));
    };
    const auto moveTo = [&](double s, Path* through) {
        while (piece + 2 < path.size() && at + (path[piece + 1] - path[piece]).norm() < s) {
            at += (path[piece + 1] - path[piece]).norm();
            ++piece;
            if (through) through->push_back(path[piece]);
        }
    };
    for (int i = 0; i < count; ++i) {
        const double begin = i * (dash + gap) * scale, end = begin + dash * scale;
        Path one;
        moveTo(begin, nullptr);
        one.push_back(place(begin));
        moveTo(end, &one);
        one.push_back(place(end));
        one.erase(
            std::unique(one.begin(), one.end(), [](const Vec3& a, const Vec3& b) { return (a - b).norm() <= 1e-12; }),
            one.end());
        if (one.size() > 1) dashes.push_back(std::move(one));
    }
    return dashes;
}

MeshPtr tubesMesh(std::span<const Path> paths, double radius, int sides, bool contours) {
    Mesh mesh;
    mesh.brief = true;
    std::vector<int> ring;
    for (const Path& path : paths) {
        std::size_t begin = 0;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
            const Vec3 in = (path[i] - path[i - 1]).normalized(), out = (path[i + 1] - path[i]).normalized();
            if (std::atan2(in.cross(out).norm(), in.dot(out)) < kSharp) continue;
            addTube(mesh, std::span(path).subspan(begin, i - begin + 1), radius, sides, ring);
            addBall(mesh, path[i], radius, sides);
            ring.resize(mesh.positions.size(), -1);
            begin = i;
        }
        addTube(mesh, std::span(path).subspan(begin), radius, sides, ring);
    }
    if (!contours) return plainMesh(std::move(mesh));
    // Contours run along a tube, never round it: where one colour follows another there is no rim.
    auto made = std::make_shared<Mesh>(*finishMesh(std::move(mesh), kPi, 2 * kPi));
    std::erase_if(made->edges, [&](const MeshEdge& e) {
        return e.a < ring.size() && e.b < ring.size() && ring[e.a] >= 0 && ring[e.a] == ring[e.b];
    });
    return made;
}

MeshPtr torusMesh(double ring, double wire, int segments) {
    Path path;
    for (int i = 0; i < segments; ++i) {
        const double a = 2 * kPi * i / segments;
        path.emplace_back(ring * std::cos(a), ring * std::sin(a), 0);
    }
    return tubeMesh(path, wire, 18, true);
}

}  // namespace mw::scene
