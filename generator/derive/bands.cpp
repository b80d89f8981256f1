// Sections of several bands: room in `work`, loops of equal bands made one.
#include "generator/derive/bands.h"

#include <algorithm>

namespace mw::gen {

namespace {

// Bands in one loop: two chains that do not wait for each other keep the processor busy; more would only press out
// registers.
constexpr std::size_t kSideBySide = 2;

bool sameShape(const std::vector<Section>& a, const std::vector<Section>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Section& x, const Section& y) {
        return x.repeat == y.repeat && x.count == y.count && x.caption == y.caption && sameShape(x.inner, y.inner);
    });
}

void join(std::vector<Section>& a, const std::vector<Section>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i].assignments.insert(a[i].assignments.end(), b[i].assignments.begin(), b[i].assignments.end());
        join(a[i].inner, b[i].inner);
    }
}

void nameAll(std::vector<Section>& sections, const std::string& names) {
    for (Section& section : sections) {
        if (!section.caption.empty()) section.caption += ", " + names;
        nameAll(section.inner, names);
    }
}

Entry& entryOf(Equations& equations, const std::string& name) {
    return *std::find_if(equations.entries.begin(), equations.entries.end(),
                         [&](const Entry& entry) { return entry.name == name; });
}

/// Some bands' sections, and whose they are.
struct Group {
    std::vector<Section> sections;
    std::string names;
    std::size_t bands = 0;
};

void addToGroups(std::vector<Group>& groups, std::vector<Section> sections, const std::string& name) {
    if (!groups.empty() && groups.back().bands < kSideBySide && sameShape(groups.back().sections, sections)) {
        Group& group = groups.back();
        join(group.sections, sections);
        group.names += " and " + name;
        ++group.bands;
        return;
    }
    groups.push_back({std::move(sections), "band " + name, 1});
}

}  // namespace

Bands::Bands(Graph& graph, const Model& model, const Layout& layout, const std::vector<Band>& bands, NodeOwners& owners,
             Fault fault)
    : graph_(graph), layout_(layout) {
    for (const Band& band : bands) bands_.emplace_back(graph, model, layout, band, owners, fault);
}

void Bands::add(Equations& equations, const std::string& name, Method method, int work, int& used) const {
    std::vector<Group> groups;
    int first_local = 0, next = work;
    for (const BandDynamics& band : bands_) {
        Rolling rolling(graph_, first_local, next, band.joints());
        addToGroups(groups, (band.*method)(rolling), band.band().name);
        first_local = rolling.nextLocal();
        next = rolling.end();
    }
    used = std::max(used, next - work);
    Entry& entry = entryOf(equations, name);
    for (Group& group : groups) {
        nameAll(group.sections, group.names);
        entry.sections.insert(entry.sections.end(), group.sections.begin(), group.sections.end());
    }
}

void Bands::addInverseMass(Equations& equations) const {
    std::vector<Group> factor, apply;
    int first_local = 0;
    for (const BandDynamics& band : bands_) {
        Rolling rolling(graph_, first_local, equations.nwork, band.joints());
        BandDynamics::InverseMass made = band.inverseMass(rolling);
        addToGroups(factor, std::move(made.factor), band.band().name);
        addToGroups(apply, std::move(made.apply), band.band().name);
        first_local = rolling.nextLocal();
        equations.nwork = rolling.end() + made.constants;
    }
    for (Group& group : factor) {
        nameAll(group.sections, group.names);
        Entry& entry = entryOf(equations, "factor");
        entry.sections.insert(entry.sections.end(), group.sections.begin(), group.sections.end());
    }
    for (Group& group : apply) {
        nameAll(group.sections, group.names);
        Section each = group.sections.front();
        each.repeat = Section::Count::nrhs;
        each.inner.assign(group.sections.begin() + 1, group.sections.end());
        entryOf(equations, "apply_inverse_mass").sections.push_back(each);
    }
}

Section Bands::zeros(Array array, int count) const {
    Section section;
    section.caption = "zeros";
    section.repeat = Section::Count::constant;
    section.count = count;
    section.assignments.push_back({Place{array, 0, 1}, graph_.constant(0)});
    return section;
}

void Bands::addTo(Equations& equations) const {
    addInverseMass(equations);
    int scratch = 0;
    const int work = equations.nwork;
    const auto clear = [&](const std::string& name, Array array, int count) {
        Entry& entry = entryOf(equations, name);
        entry.sections.insert(entry.sections.begin(), zeros(array, count));
    };
    clear("mass_matrix", Array::M, layout_.nv * layout_.nv);
    clear("loop_jacobian", Array::K, layout_.nc * layout_.nv);
    add(equations, "fwd_dyn", &BandDynamics::accelerations, work, scratch);
    add(equations, "kinematics", &BandDynamics::kinematics, work, scratch);
    add(equations, "bias", &BandDynamics::bias, work, scratch);
    add(equations, "mass_matrix", &BandDynamics::massMatrix, work, scratch);
    add(equations, "loop_jacobian", &BandDynamics::jacobian, work, scratch);
    equations.nwork += scratch;
    describe(equations);
}

void Bands::describe(const Equations& equations) const {
    // What one turn of all loops of the forward dynamics takes: what hangs on a register or on a number of a shoe.
    int operations = 0;
    std::size_t shoes = 0;
    std::string names;
    for (const BandDynamics& band : bands_) {
        shoes += static_cast<std::size_t>(band.joints());
        names += (names.empty() ? "" : ", ") + band.band().name + " (" + std::to_string(band.band().count) + " shoes)";
    }
    for (const Section& section : entryOf(const_cast<Equations&>(equations), "fwd_dyn").sections) {
        if (section.repeat != Section::Count::constant) continue;
        std::vector<int> roots;
        std::vector<char> written(1, 0);
        for (const Assignment& assignment : section.assignments) {
            roots.push_back(assignment.value.id());
            if (assignment.place.array != Array::local) continue;
            written.resize(std::max(written.size(), static_cast<std::size_t>(assignment.place.index) + 1), 0);
            written[static_cast<std::size_t>(assignment.place.index)] = 1;
        }
        const std::vector<char> needed = reachable(graph_, roots);
        std::vector<char> moves(needed.size(), 0);
        const auto moving = [&](int id) { return id >= 0 && moves[static_cast<std::size_t>(id)] != 0; };
        for (std::size_t i = 0; i < needed.size(); ++i) {
            if (!needed[i]) continue;
            const Node& node = graph_.node(static_cast<int>(i));
            if (node.op == Op::input) {
                const auto index = static_cast<std::size_t>(node.place.index);
                moves[i] = node.place.stride != 0 ||
                           (node.place.array == Array::local && index < written.size() && written[index]);
                continue;
            }
            moves[i] = moving(node.a) || moving(node.b) || moving(node.c);
            if (moves[i]) operations += section.count;
        }
    }
    if (shoes == 0) return;
    choice_ = "bands in loops over their shoes: " + names +
              ": ABA in the anchor's axes, the closure as two more right-hand sides, " +
              std::to_string(static_cast<std::size_t>(operations) / shoes) + " operations a shoe";
}

}  // namespace mw::gen
