// Corners of mesh files, and meshes that collide as their hulls.
#include "engine/model/mesh_points.h"

#include <filesystem>
#include <fstream>

#include "engine/contact/shape_contacts.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes away.
struct Folder {
    fs::path path = fs::temp_directory_path() / "mechwright_mesh_points";
    Folder() { fs::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return path / name;
    }
};

/// A cube of edge 0.2 with a dent: one more corner inside it.
const char* kCube = R"(# cube
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v -0.1 0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 -0.1 0.1
v 0.1 -0.1 0.1
v -0.1 0.1 0.1
v 0.1 0.1 0.1
v 0 0 0.05
v 0.1 0.1 0.1
f 1 2 4
f 1 4 3
f 5/1/1 6 9
)";

std::string binaryStl(int triangles, bool bad = false) {
    std::string bytes(80, ' ');
    const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    put(std::uint32_t(triangles));
    for (int t = 0; t < triangles; t++) {
        for (int k = 0; k < 12; k++) put(bad && k == 5 ? NAN : float(t * 12 + k) * 0.01f);
        put(std::uint16_t(0));
    }
    return bytes;
}

}  // namespace

TEST_CASE("corners of .obj and .stl, each once") {
    const Folder folder;
    const MeshPoints cube = readMeshPoints(folder.write("cube.obj", kCube));
    REQUIRE(cube.points);
    CHECK(cube.points->size() == 9);
    const MeshPoints text = readMeshPoints(folder.write(
        "t.stl",
        "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
        "facet\nouter loop\nvertex 0 0 0\nvertex +1e0 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n"));
    REQUIRE(text.points);
    CHECK(text.points->size() == 4);
    const MeshPoints binary = readMeshPoints(folder.write("b.stl", binaryStl(3)));
    REQUIRE(binary.points);
    CHECK(binary.points->size() == 9);
    CHECK((*binary.points)[0][0] == Approx(0.03f));
    // A file that changes is read again; one that stays is shared.
    CHECK(readMeshPoints(folder.path / "b.stl").points == binary.points);
}

TEST_CASE("bad mesh files are said, not crashed on") {
    const Folder folder;
    CHECK_FALSE(readMeshPoints(folder.path / "none.obj").points);
    for (const char* text :
         {"", "v 0 0\n", "v 1 2 x\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "v nan 0 0\n", "v 1e999 0 0\n"}) {
        const MeshPoints points =
            readMeshPoints(folder.write("bad" + std::to_string(std::string(text).size()) + ".obj", text));
        CHECK_FALSE(points.points);
        CHECK_FALSE(points.fault.empty());
    }
    CHECK_FALSE(readMeshPoints(folder.write("bad.stl", binaryStl(3, true))).points);
    CHECK_FALSE(readMeshPoints(folder.write("short.stl", binaryStl(3).substr(0, 150))).points);
}

TEST_CASE("a mesh collides as its hull, scaled; one that cannot be read collides with nothing") {
    const Folder folder;
    folder.write("cube.obj", kCube);
    const std::string text = R"(mech 1
ground
  plane 0 0 1 0
material stone
body rock
  joint floating
  mass 1  inertia 1 1 1 0 0 0
  start 1 0 0 0  0 0 0.2
shape skin on rock  mesh "cube.obj" scale 2  collide stone
)";
    const ReadResult read = readMechanism(text, folder.path);
    REQUIRE(read.ok());
    REQUIRE(read.model.shapes[0].vertices);
    const ShapeContacts contacts(read.model);
    CHECK_FALSE(contacts.empty());
    std::vector<double> X{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.199}, V(6, 0.0);
    std::vector<ContactRecord> records;
    contacts.detect(X, V, 1e-3, records);
    REQUIRE(records.size() == 4);
    for (const ContactRecord& r : records) CHECK(r.gap == Approx(-0.001));
    // Other corners are another model.
    const Hash before = modelHash(read.model);
    folder.write("cube.obj", std::string(kCube) + "v 0 0 -0.3\n");
    const ReadResult again = readMechanism(text, folder.path);
    CHECK(modelHash(again.model) != before);
    CHECK(dynamicsHash(again.model) == dynamicsHash(read.model));

    folder.write("cube.obj", "v 1 2\n");
    const ReadResult bad = readMechanism(text, folder.path);
    REQUIRE(bad.ok());
    CHECK(!bad.diagnostics.empty());
    CHECK(ShapeContacts(bad.model).empty());
    const ReadResult nowhere = readMechanism(text);
    CHECK(ShapeContacts(nowhere.model).empty());
}
