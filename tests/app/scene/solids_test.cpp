// Solids are closed, face outwards, and have the volumes of the books; files of any content are read or refused in
// words.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <random>

#include "app/scene/mesh_file.h"
#include "app/scene/primitives.h"
#include "tests/support/catch.h"

using namespace mw::scene;

namespace {
constexpr double kPi = std::numbers::pi;

/// Signed volume by the divergence theorem: positive when faces look outwards.
double volume(const Mesh& m) {
    double v = 0;
    for (std::size_t f = 0; f < m.triangles(); ++f) {
        Vec3 a = m.positions[m.indices[3 * f]].cast<double>(), b = m.positions[m.indices[3 * f + 1]].cast<double>();
        Vec3 c = m.positions[m.indices[3 * f + 2]].cast<double>();
        v += a.dot(b.cross(c)) / 6;
    }
    return v;
}

/// Every edge is used once in each direction.
bool closed(const Mesh& m) {
    std::map<std::tuple<float, float, float, float, float, float>, int> uses;
    for (std::size_t f = 0; f < m.triangles(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto &a = m.positions[m.indices[3 * f + k]], &b = m.positions[m.indices[3 * f + (k + 1) % 3]];
            ++uses[{a.x() + 0.f, a.y() + 0.f, a.z() + 0.f, b.x() + 0.f, b.y() + 0.f, b.z() + 0.f}];
        }
    }
    for (const auto& [e, n] : uses) {
        auto [ax, ay, az, bx, by, bz] = e;
        auto back = uses.find({bx, by, bz, ax, ay, az});
        if (n != 1 || back == uses.end()) return false;
    }
    return true;
}

void checkNormals(const Mesh& m) {
    for (std::size_t f = 0; f < m.triangles(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& n = m.normals[m.indices[3 * f + k]];
            REQUIRE(n.norm() == Approx(1).margin(1e-4));
            REQUIRE(n.dot(m.planes[f].head<3>()) > 0);
        }
    }
}

std::filesystem::path fresh(const std::string& name, const std::string& content) {
    std::filesystem::path folder = std::filesystem::path(MW_BINARY_DIR) / "scene_files";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
}
}  // namespace

TEST_CASE("solids are closed, face outwards and have the right volume") {
    struct Case {
        const char* name;
        MeshPtr mesh;
        double volume;
    };
    std::vector<Vec3> arc;
    for (int i = 0; i <= 40; ++i) arc.emplace_back(std::cos(i * kPi / 40), std::sin(i * kPi / 40), 0);
    const std::vector<Case> cases = {
        {"box", boxMesh({2, 3, 4}, 0), 24},
        {"bevelled box", boxMesh({2, 3, 4}, 0.05), 24 - 0.5 * 0.05 * 0.05 * 4 * 9},
        {"sphere", sphereMesh(1, 64), 4 * kPi / 3},
        {"ellipsoid", ellipsoidMesh({1, 2, 0.5}, 64), 4 * kPi / 3},
        {"capsule", capsuleMesh(0.5, 2, 64), kPi * 0.25 * 2 + 4 * kPi / 3 * 0.125},
        {"cylinder", cylinderMesh(1, 2, 0, 96), 2 * kPi},
        {"bevelled cylinder", cylinderMesh(1, 2, 0.02, 96), 2 * kPi},
        {"cone", coneMesh(1, 3, 96), kPi},
        {"ring", ringMesh(1, 0.5, 2, 0.02, 96), 1.5 * kPi},
        {"bar", plateMesh(barOutline(2, 0.5, 0.5, 48), 0.3, 0), 0.3 * (2 + kPi * 0.25)},
        {"tube", tubeMesh(arc, 0.1, 24), kPi * 0.01 * kPi},
    };
    for (const Case& c : cases) {
        INFO(c.name);
        CHECK(closed(*c.mesh));
        CHECK(volume(*c.mesh) == Approx(c.volume).epsilon(0.02));
        checkNormals(*c.mesh);
    }
    for (const MeshPtr& m :
         {coilMesh(0.1, 0.02, 6, 0.5), spiralMesh(0.1, 0.3, 0.02, 3), threadMesh(0.1, 0.02, 0.05, 0.5)}) {
        CHECK(volume(*m) > 0);
        CHECK(m->triangles() < 4000);
    }
    CHECK(closed(*tubeMesh({{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}, 0.1, 8, true)));
}

TEST_CASE("a bevel never eats the solid, whatever the sizes") {
    for (double edge : {1e-6, 1e-3, 1.0}) {
        CHECK(volume(*boxMesh({edge, 1, 1}, 0.4)) > 0);
        CHECK(volume(*cylinderMesh(edge, 1, 0.4)) > 0);
    }
}

TEST_CASE("rays meet a solid where its equation says") {
    MeshPtr s = sphereMesh(0.5, 96);
    auto t = intersectRay(*s, {-3, 0.1, 0.05}, {1, 0, 0});
    REQUIRE(t);
    CHECK(*t == Approx(3 - std::sqrt(0.25 - 0.0125)).margin(2e-3));
    CHECK_FALSE(intersectRay(*s, {-3, 0.6, 0}, {1, 0, 0}));
    CHECK_FALSE(intersectRay(*s, {-3, 0, 0}, {-1, 0, 0}));
}

TEST_CASE("mesh files: both dialects, and faults in words") {
    auto obj =
        readMeshFile(fresh("t.obj", "# a quad\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1 -1/1\n"), 2);
    REQUIRE(obj.mesh);
    CHECK(obj.mesh->triangles() == 2);
    CHECK(obj.mesh->bounds.high.x() == Approx(2));
    CHECK(obj.mesh->edges.size() == 4);  // the diagonal is flat
    auto stl = readMeshFile(fresh("t.stl",
                                  "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
                                  "0\nendloop\nendfacet\nendsolid\n"));
    REQUIRE(stl.mesh);
    CHECK(stl.mesh->triangles() == 1);
    CHECK(readMeshFile("/nowhere/x.obj").error.find("not found") != std::string::npos);
    CHECK(readMeshFile(fresh("a.obj", "v 0 0\n")).error.find("line 1") != std::string::npos);
    CHECK(readMeshFile(fresh("b.obj", "v 0 0 0\nf 1 2 3\n")).error.find("vertex 2") != std::string::npos);
    CHECK(readMeshFile(fresh("c.obj", "")).error.find("no faces") != std::string::npos);
    CHECK(readMeshFile(fresh("d.stl", std::string(90, '\xff'))).error.find("cut short") != std::string::npos);
    CHECK(readMeshFile(fresh("e.ply", "ply")).error.find(".obj") != std::string::npos);
    // Noise is refused or read, never a crash.
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        std::string noise = "solid";
        for (int k = 0; k < 200; ++k) noise += "vf 0123.-e/\n xnan"[random() % 17];
        readMeshFile(fresh("n.obj", noise));
        readMeshFile(fresh("n.stl", noise));
    }
}
