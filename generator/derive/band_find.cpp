// Which repeats of a model are bands that loops can be written for.
#include <algorithm>

#include "generator/derive/band.h"

namespace mw::gen {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool same(const ExpressionPtr& a, const ExpressionPtr& b) {
    if (a == b) return true;
    if (!a || !b) return false;
    return a->op == b->op && a->value == b->value && a->parameter == b->parameter && same(a->a, b->a) &&
           same(a->b, b->b);
}

bool same(const Number& a, const Number& b) { return same(a.live, b.live) && (a.live || a.value == b.value); }

template <class Array>
bool same(const Array& a, const Array& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Number& x, const Number& y) { return same(x, y); });
}

bool isZero(const Number3& n) { return n[0].isZero() && n[1].isZero() && n[2].isZero(); }

constexpr Vector3d kAlongY{0, 1, 0};

/// Why the repeat is no band; empty when it is one.
std::string refusal(const Model& model, const Repeat& repeat, int closure) {
    if (repeat.count < 3) return "has fewer than three shoes";
    const int last = repeat.first + repeat.count - 1;
    const Body& anchor = model.bodies[at(repeat.first)];
    const Body& shoe = model.bodies[at(repeat.first + 1)];
    if (anchor.joint.type != JointType::floating || anchor.parent != kBase)
        return "does not begin with a floating shoe";
    if (!anchor.joint_armature.isZero()) return "begins with a shoe that has armature";
    for (int i = repeat.first + 1; i <= last; ++i) {
        const Body& body = model.bodies[at(i)];
        if (body.parent != i - 1) return "is not one chain";
        if (body.joint.type != JointType::revolute || body.joint.axis != kAlongY || !isZero(body.rot))
            return "has a pin that is not parallel to y";
        if (!same(body.at, shoe.at) || !same(body.mass, shoe.mass) || !same(body.cg, shoe.cg) ||
            !same(body.inertia, shoe.inertia) || !same(body.joint_damping, shoe.joint_damping) ||
            !same(body.joint_armature, shoe.joint_armature) || body.fext != shoe.fext)
            return "has shoes that differ";
    }
    const auto isShoe = [&](int body) { return body >= repeat.first && body <= last; };
    const Loop& loop = model.loops[at(closure)];
    if (loop.type != LoopType::point_on_line || loop.axis != kAlongY || loop.from.body != last ||
        loop.to.body != repeat.first || !isZero(loop.from.rot) || !isZero(loop.to.rot))
        return "is not closed by a point on a line along y";
    for (int i = 0; i < static_cast<int>(model.loops.size()); ++i)
        if (i != closure && (isShoe(model.loops[at(i)].from.body) || isShoe(model.loops[at(i)].to.body)))
            return "is tied by more than its own closure";
    for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i)
        if (!isShoe(i) && isShoe(model.bodies[at(i)].parent)) return "carries other bodies";
    bool touched = false;
    for (const PointOfInterest& point : model.points) touched |= isShoe(point.point.body);
    for (const Tsda& tsda : model.tsdas) touched |= isShoe(tsda.from.body) || isShoe(tsda.to.body);
    for (const Rsda& rsda : model.rsdas) touched |= isShoe(rsda.body);
    if (touched) return "has springs or points of interest on its shoes";
    return {};
}

std::string nameOf(const Model& model, const Repeat& repeat) {
    for (const Track& track : model.tracks)
        if (track.first_shoe == repeat.first) return track.name;
    return model.bodies[at(repeat.first)].name;
}

}  // namespace

BandSplit splitBands(const Model& model) {
    // Bands are taken off the end of the model, so that all else keeps its slots.
    BandSplit split;
    std::vector<Repeat> repeats = model.repeats;  // of the shoes on pins; a band has its anchor before them
    for (Repeat& repeat : repeats) --repeat.first, ++repeat.count;
    std::sort(repeats.begin(), repeats.end(), [](const Repeat& a, const Repeat& b) { return a.first < b.first; });
    int bodies = static_cast<int>(model.bodies.size()), loops = static_cast<int>(model.loops.size());
    while (!repeats.empty()) {
        const Repeat& repeat = repeats.back();
        std::string why;
        if (repeat.first < 0 || repeat.first + repeat.count != bodies) why = "is not at the end of the bodies";
        else if (loops == 0) why = "has no closure";
        else why = refusal(model, repeat, loops - 1);
        if (!why.empty()) {
            const bool named = repeat.first >= 0 && repeat.first < bodies;
            split.refused = (named ? "the band of " + nameOf(model, repeat) + " " : "a band ") + why +
                            ", so that its equations are written shoe by shoe";
            break;
        }
        split.bands.push_back({repeat.first, repeat.count, loops - 1, nameOf(model, repeat)});
        bodies = repeat.first;
        --loops;
        repeats.pop_back();
    }
    std::reverse(split.bands.begin(), split.bands.end());
    split.rest = model;
    split.rest.bodies.resize(at(bodies));
    split.rest.loops.resize(at(loops));
    split.rest.repeats.clear();
    return split;
}

}  // namespace mw::gen
