// Actions on bands and ground: new ones from templates that hold together at once, and lines of which an item has
// several (rollers of a track; waves, steps and bumps of a ground).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "app/document/action_support.h"
#include "engine/model/start_pose.h"
#include "engine/track/expand.h"

namespace mw::app {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// What a path element covers: behind its word to the end of its own words on the line.
TextRange elementRange(const mech::SyntaxTree& tree, const mech::Statement& statement, const mech::Property& element) {
    int end = element.end;
    for (const mech::Property& p : statement.properties)
        if (p.own && p.word >= end && p.element == element.spec &&
            tree.view(TextRange{tree.token(element.word).begin, tree.token(p.word).begin}).find('\n') ==
                std::string_view::npos)
            end = p.end;
    return tree.range(element.begin, end);
}

std::vector<const mech::Property*> elementsOf(const mech::Statement& statement, const std::string& word) {
    std::vector<const mech::Property*> found;
    const mech::PropertySpec* spec = statement.spec ? statement.spec->find(word) : nullptr;
    for (const mech::Property& p : statement.properties)
        if (spec && p.spec == spec && !p.own) found.push_back(&p);
    return found;
}

/// Three digits, for a template.
std::string brief(double value) {
    const double size = value == 0 ? 1 : std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
    // (by whole numbers: a division leaves a short decimal, a product may not)
    return mech::numberText(size < 1 ? std::round(value / size) / std::round(1 / size)
                                     : std::round(value / size) * size);
}

/// Radius that a body's shapes show; 0 where they show none.
double radiusOf(const Model& model, int body) {
    double radius = 0;
    for (const Shape& shape : model.shapes)
        if (shape.body == body && (shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::sphere))
            radius = std::max(radius, shape.size[0].value);
    return radius;
}

/// The nearest body that all of these hang on.
int commonRoot(const Model& model, const std::vector<int>& bodies) {
    const auto parent = [&](int b) { return b < 0 ? kBase : model.bodies[static_cast<std::size_t>(b)].parent; };
    const auto carries = [&](int root, int b) {
        for (b = parent(b); b != kBase && b != root;) b = parent(b);
        return b == root;
    };
    int root = parent(bodies.front());
    while (root != kBase && !std::all_of(bodies.begin(), bodies.end(), [&](int b) { return carries(root, b); }))
        root = parent(root);
    return root;
}

struct Wheel {
    std::string body;
    double radius = 0;
};

/// The band itself: links a tenth of the sprocket's round, steel plates as wide as the sprocket is thick.
std::string bandText(const std::string& name, const std::string& root, const std::vector<Wheel>& wheels, int shoes) {
    const double r = wheels.front().radius, link = 2 * kPi * r / 10, depth = 0.12 * r, width = 2 * r;
    const double mass = std::max(1e-3, 7800 * link * width * depth * 0.6);
    std::string text = "track " + name + "\n  root " + root + "\n  plane xz\n  shoes " + std::to_string(shoes) +
                       "  pitch " + brief(link) + "\n  mass " + brief(mass) + "  cg " + brief(link / 2) + " 0 0";
    text += "  inertia " + brief(mass * (width * width + depth * depth) / 12) + " " +
            brief(mass * (link * link + depth * depth) / 12) + " " + brief(mass * (link * link + width * width) / 12) +
            " 0 0 0\n  fext";
    for (std::size_t i = 0; i < wheels.size(); ++i)
        text += "\n  roller " + wheels[i].body + " " + mech::numberText(wheels[i].radius) + " end" +
                (i == 0 ? " driven teeth 10" : "");
    // As stiff against a shoe's mass as bands of vehicles are.
    return text + "\n  pad " + brief(-depth) + " " + brief(link) + " " + brief(width) + "  thickness " + brief(depth) +
           "\n  kn " + brief(1.4e5 * mass) + "  mu 0.8";
}

std::string rollerText(const std::string& name, const std::string& root, double x, double z, double radius) {
    const double mass = 20;
    return "body " + name + (root == "base" ? "" : "\n  parent " + root) + "\n  joint revolute y\n  at " +
           mech::numberText(x) + " 0 " + mech::numberText(z) + "\n  mass " + brief(mass) + "\n  inertia " +
           brief(mass * radius * radius / 4) + " " + brief(mass * radius * radius / 2) + " " +
           brief(mass * radius * radius / 4) + " 0 0 0\n  fext";
}

}  // namespace

std::vector<std::string> elementTexts(const Document& document, const Item& item, const std::string& word) {
    std::vector<std::string> texts;
    const mech::SyntaxTree& tree = document.tree();
    if (const mech::Statement* statement = findStatement(tree, item))
        for (const mech::Property* element : elementsOf(*statement, word))
            texts.emplace_back(tree.view(elementRange(tree, *statement, *element)));
    return texts;
}

Outcome setElementText(Document& document, const Item& item, const std::string& word, std::size_t index,
                       const std::string& text) {
    Outcome outcome;
    const mech::SyntaxTree& tree = document.tree();
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    if (text.find_first_of("\r\n#") != std::string::npos)
        return refused("A " + word + " stands on one line, without comment.");
    const auto elements = elementsOf(*statement, word);
    if (index > elements.size()) return refused(item.name + " has fewer lines '" + word + "'.");
    if (index == elements.size())
        return text.empty() ? commit(document, {}, "")
                            : commit(document, mech::insertProperty(tree, *statement, word, text),
                                     item.name + ": " + word + " " + change("", text));
    const TextRange range = elementRange(tree, *statement, *elements[index]);
    const std::string before(tree.view(range));
    if (text.empty())
        return commit(document, mech::removeProperty(tree, *statement, *elements[index]),
                      item.name + ": no " + word + " " + before);
    if (text == before) return commit(document, {}, "");
    return commit(document, {{range, text}}, item.name + " " + word + " " + change(before, text));
}

Outcome addTrack(Document& document, const std::vector<std::string>& bodies) {
    if (!posable(document)) return refused("The text has errors; mend them first.");
    const mech::SyntaxTree& tree = document.tree();
    const Model& model = document.read().model;
    const std::string name = freeName(tree, mech::NameSpace::track, "band");
    std::vector<TextEdit> edits;
    std::vector<Wheel> wheels;
    std::string root = bodies.empty() ? "base" : bodies.front(), made;
    const mech::Statement* after = nullptr;
    if (bodies.size() < 2) {
        // A band that holds together at once: two rollers of its own.
        if (model.findBody(root) < kBase) return refused("There is no body '" + root + "'.");
        const double radius = 0.16, z = root == "base" ? 0.5 : 0.0;
        int i = 0;
        for (const char* kind : {"_sprocket", "_idler"}) {
            wheels.push_back({freeName(tree, mech::NameSpace::body, name + kind), radius});
            made += rollerText(wheels.back().body, root, i++ == 0 ? 0.6 : -0.6, z, radius) + "\n";
        }
    } else {
        std::vector<int> rollers;
        for (const std::string& body : bodies) {
            const int index = model.findBody(body);
            if (index < 0 || model.bodies[static_cast<std::size_t>(index)].joint.type != JointType::revolute)
                return refused("A band runs around bodies that turn: '" + body + "' has no revolute joint.");
            rollers.push_back(index);
            const double radius = radiusOf(model, index);
            wheels.push_back({body, radius > 0 ? radius : 0.15});
            const mech::Statement* own = findStatement(tree, {"body", body});
            if (own && !own->find("fext"))
                for (TextEdit& edit : mech::insertProperty(tree, *own, "fext", "")) edits.push_back(std::move(edit));
        }
        const int common = commonRoot(model, rollers);
        root = common == kBase ? "base" : model.bodies[static_cast<std::size_t>(common)].name;
    }
    // Behind the bodies, where tracks stand.
    for (const mech::Statement& statement : tree.statements)
        if (statement.keyword >= 0 &&
            (tree.view(statement.keyword) == "body" || tree.view(statement.keyword) == "track"))
            after = &statement;
    const auto with = [&](int shoes) {
        std::vector<TextEdit> all = edits;
        for (TextEdit& edit : mech::insertStatement(tree, made + bandText(name, root, wheels, shoes), after))
            all.push_back(std::move(edit));
        return all;
    };
    // How many links go round is known once the belt has been laid.
    const auto folder = document.path() ? document.path()->parent_path() : std::filesystem::path();
    const ReadResult trial = readMechanism(mech::applyEdits(document.text(), with(40)), folder);
    int shoes = 40;
    for (const Track& track : trial.model.tracks)
        if (track.name == name && track.perimeter > 0)
            shoes = std::clamp(static_cast<int>(std::lround(track.perimeter / (2 * kPi * wheels.front().radius / 10))),
                               3, 10'000);
    Outcome outcome = commit(document, with(shoes), "Add track " + name);
    if (outcome) outcome.item = Item{"track", name};
    return outcome;
}

Outcome addGround(Document& document) {
    const mech::SyntaxTree& tree = document.tree();
    const Item ground{"ground", "ground"};
    if (tree.first("ground")) return refused("There is a ground already: select it in the outline to change it.");
    // Where there are bands it lies just under their pads at the start pose.
    double lowest = std::numeric_limits<double>::infinity();
    if (posable(document)) {
        const Model& model = document.read().model;
        const std::vector<Placement> places = startPose(model);
        for (const Track& track : model.tracks)
            for (int i = 0; track.first_shoe >= 0 && i < track.shoes; ++i) {
                const Placement& shoe = places[static_cast<std::size_t>(track.first_shoe + i)];
                for (const double x : {-0.5, 0.5})
                    for (const double y : {-0.5, 0.5}) {
                        const Vector3d corner{track.link / 2 + x * track.pad_length, y * track.pad_width, track.pad_z};
                        lowest = std::min(lowest, transform(shoe, corner)[2]);
                    }
            }
    }
    const double height = std::isfinite(lowest) ? std::floor(lowest * 1e4 + 1e-6) / 1e4 + 0.0 : 0.0;
    const mech::Statement* after = nullptr;
    for (const mech::Statement& statement : tree.statements)
        if (statement.keyword >= 0 && tree.view(statement.keyword) == "track") after = &statement;
    Outcome outcome =
        commit(document,
               mech::insertStatement(tree, "ground\n  plane 0 0 1 " + mech::numberText(height) + "\n  mu 0.8", after),
               "Add ground");
    if (outcome) outcome.item = ground;
    return outcome;
}

}  // namespace mw::app
