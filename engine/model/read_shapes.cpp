// Shapes: what bodies look like, and with what they touch.
#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "engine/model/mesh_points.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

struct Kind {
    Shape::Kind kind;
    const char* word;
    std::size_t sizes;
};
constexpr Kind kKinds[] = {{Shape::Kind::box, "box", 3},         {Shape::Kind::sphere, "sphere", 1},
                           {Shape::Kind::capsule, "capsule", 2}, {Shape::Kind::cylinder, "cylinder", 2},
                           {Shape::Kind::cone, "cone", 2},       {Shape::Kind::mesh, "mesh", 0}};

void readMesh(Reading& r, StatementReader& in, Shape& shape) {
    shape.file = in.string("mesh", 0);
    shape.size[0] = Number(1);
    in.number("scale", 0, shape.size[0]);
    if (!in.sound("mesh")) return;
    std::string ending = shape.file.size() >= 4 ? shape.file.substr(shape.file.size() - 4) : std::string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (ending != ".obj" && ending != ".stl") {
        Diagnostic& d = in.fault(Code::mesh_format, "mesh",
                                 fmt::format("{} is no mesh that this program reads", quote(shape.file)));
        d.expected = "a file that ends in .obj or .stl";
        return;
    }
    if (r.folder.empty() || shape.file.find('\0') != std::string::npos) return;
    std::error_code fault;
    if (std::filesystem::is_regular_file(r.folder / shape.file, fault)) {
        if (!in.has("collide")) return;
        MeshPoints corners = readMeshPoints(r.folder / shape.file);
        shape.vertices = corners.points;
        if (!corners.points)
            in.warn(Code::mesh_format, "mesh", fmt::format("{}, {}", quote(shape.file), corners.fault)).remedy =
                "the shape collides with nothing until its file can be read";
        return;
    }
    Diagnostic& d = in.warn(Code::mesh_not_found, "mesh",
                            fmt::format("there is no file {} beside the mechanism", quote(shape.file)));
    d.expected = "a path relative to the .mech";
    d.remedy = "put the file there, or mend the path";
}

}  // namespace

void Reading::readShapes() {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::shape || model.shapes.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        Shape shape;
        shape.origin = {statement.range, tree.nameRange(statement), -1};
        shape.name = tree.view(shape.origin.name);
        shape.body = body(in, "on", 0);
        const Kind* kind = nullptr;
        for (const Kind& candidate : kKinds) {
            if (!in.has(candidate.word)) continue;
            if (!kind) {
                kind = &candidate;
                shape.kind = candidate.kind;
            }
            for (std::size_t k = 0; k < candidate.sizes; ++k) in.number(candidate.word, k, shape.size[k]);
        }
        if (shape.kind == Shape::Kind::mesh && kind) readMesh(*this, in, shape);
        in.numbers("at", shape.at);
        in.numbers("rot", shape.rot);
        if (in.sound("color")) {
            std::array<double, 4> color{0, 0, 0, 1};
            bool all = true;
            for (std::size_t k = 0; k < std::min<std::size_t>(4, in.count("color")); ++k)
                all = in.fixed("color", k, color[k]) && all;
            if (all) shape.color = color;
        }
        shape.hidden = in.has("hidden");
        in.number("density", 0, shape.density);
        if (in.has("collide")) shape.material = named(in, "collide", 0, NameSpace::material);
        in.integer("group", 0, shape.group);
        in.number("margin", 0, shape.margin);
        in.number("gap", 0, shape.gap);
        if (!kind) in.has("scale");
        in.finish(kind ? fmt::format("a {}", kind->word) : std::string());
        if (shape.body < kBase) continue;
        item[i] = static_cast<int>(model.shapes.size());
        model.shapes.push_back(std::move(shape));
    }
}

}  // namespace mw::mech
