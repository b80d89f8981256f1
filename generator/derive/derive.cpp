// The kernel's entries as assignments: which equations each entry is made of, and the choice between the two forms.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "engine/model/manageable.h"
#include "generator/derive/bands.h"
#include "generator/derive/constraints.h"
#include "generator/derive/elements.h"
#include "generator/derive/equations.h"
#include "generator/derive/numbers.h"
#include "generator/derive/operations.h"
#include "generator/derive/stored.h"
#include "generator/derive/tree.h"

namespace mw::gen {

namespace {

constexpr int kDeepestForCrba = 9;     // degrees of freedom on the longest way to the base
constexpr int kLargestToTune = 10;     // degrees of freedom; beyond, the links' freedoms keep their defaults
constexpr int kDearestToTune = 1500;   // instructions; beyond, one trial takes too long for that
constexpr int kLargestToCompare = 64;  // degrees of freedom of a mechanism with loops whose ways are counted
constexpr int kLargestToUnroll = 24;   // beyond, a deep tree's mass matrix is computed by columns in a loop
constexpr int kLargestToCount = 24;    // beyond, the other form is not derived for the log

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// How the accelerations are found.
struct Way {
    Form form = Form::crba;
    bool ties = true;  ///< a floating body's rows with it (ConstrainedDynamics)
};

/// One graph with what all entries need of it.
class Derivation {
public:
    /// `layout`: of the whole model, which may go on behind this one (bands).
    Derivation(const Model& model, const Layout& layout, Way way, const std::vector<LinkChoice>& choices = {},
               Fault fault = Fault::none)
        : model_(model), layout_(layout), graph_(std::make_shared<Graph>()), owners_(*graph_) {
        // Regrouped masses gather towards the base; over a deep chain the articulated bodies would then be small
        // differences of large numbers, so that form keeps every mass where it is.
        tree_ = buildLinks(*graph_, model_, layout_, way.form == Form::crba, choices, fault);
        owners_.claim(kBase);
        way_ = way;
    }

    const LinkTree& tree() const { return tree_; }
    Graph& graph() { return *graph_; }

    struct Solution {
        std::vector<Expr> vdot, lambda;  ///< lambda in its outside form
        std::vector<ConstraintRow> rows;
        std::vector<Expr> factors;  ///< of the system of the loops
    };

    Solution forwardDynamics() {
        TreeDynamics dynamics = makeDynamics();
        const bool fall = dynamics.mayFall();
        std::vector<Expr> tau(at(tree_.ndof()));
        for (int k = 0; k < tree_.ndof(); ++k) tau[at(k)] = graph_->input(Array::tau, tree_.v_of_dof[at(k)]);
        owners_.claim(kBase);
        elements().addForces(tau);
        std::vector<Wrench> forces = dynamics.linkForces(true, fall);
        if (way_.form == Form::crba) {
            const std::vector<Expr> bias = dynamics.generalised(forces);
            for (int k = 0; k < tree_.ndof(); ++k) tau[at(k)] = tau[at(k)] - bias[at(k)];
            forces.clear();
        }
        Solution solution;
        if (!model_.loops.empty()) {
            Loops loops = makeLoops();
            const std::vector<ConstraintRow> rows = loops.rows(RowForm::solved, fall);
            ConstrainedDynamics constrained(*graph_, tree_, dynamics, loops, rows, owners_, way_.form == Form::aba,
                                            way_.ties);
            if (way_.form == Form::crba) sparsity_ = dynamics.checkSparsity(constrained.massMatrix());
            std::vector<Expr> wanted;
            for (const ConstraintRow& row : rows) wanted.push_back(row.wanted);
            constrained.solve(forces, tau, wanted);
            solution = {constrained.x, outside(rows, constrained.lambda), rows, constrained.pivots()};
        } else if (way_.form == Form::aba) {
            const ArticulatedFactors factors = dynamics.articulate();
            solution.vdot = dynamics.outward(factors, dynamics.inward(factors, std::move(forces), tau));
        } else {
            TreeMatrix H = dynamics.massMatrix();
            sparsity_ = dynamics.checkSparsity(H);
            solution.vdot = dynamics.solve(dynamics.factorise(H), tau);
        }
        if (fall) dynamics.addFreeFall(solution.vdot);
        return solution;
    }

    Equations all(std::string choice, const Model& whole, const std::vector<Band>& bands) {
        Equations r;
        r.graph = graph_;
        r.form = way_.form;
        const Solution solution = forwardDynamics();
        r.entries.push_back(perBody("fwd_dyn", "accelerations", Array::vdot, solution.vdot));
        addMultipliers(r.entries.back(), solution);
        addInverseMass(r);
        r.entries.push_back(kinematics());
        r.entries.push_back(observation());
        r.entries.push_back(way_.form == Form::aba && tree_.ndof() > kLargestToUnroll ? massMatrixByColumns(r)
                                                                                      : massMatrix(!bands.empty()));
        r.entries.push_back(perBody("bias", "bias forces", Array::c, biasForces()));
        r.entries.push_back(loopJacobian(!bands.empty()));
        r.choice = std::move(choice);
        if (!sparsity_.empty()) r.choice += "; in the mass matrix " + sparsity_;
        if (!bands.empty()) {
            const Bands all(*graph_, whole, layout_, bands, owners_, tree_.fault);
            all.addTo(r);
            r.choice += "; " + all.choice();
        }
        owners_.claim(kBase);
        r.body_of_node = owners_.take();
        return r;
    }

private:
    TreeDynamics makeDynamics() { return TreeDynamics(*graph_, model_, layout_, tree_, owners_); }
    Elements elements() { return Elements(*graph_, model_, layout_, tree_, owners_); }
    Loops makeLoops() { return Loops(*graph_, model_, tree_, owners_); }
    std::string nameOf(int body) const { return body == kBase ? "base" : model_.bodies[at(body)].name; }
    Expr given(Expr e) { return e.graph() ? e : graph_->constant(0); }

    std::vector<Expr> biasForces() {
        TreeDynamics dynamics = makeDynamics();
        return dynamics.generalised(dynamics.linkForces(false, false));
    }

    /// One number for each velocity, a section for each body that has any.
    Entry perBody(const std::string& name, const std::string& what, Array array, const std::vector<Expr>& values) {
        Entry entry{name, {}};
        for (int k = 0; k < tree_.ndof(); ++k) {
            const int body = tree_.link(tree_.link_of_dof[at(k)]).body;
            if (entry.sections.empty() || entry.sections.back().body != body) {
                Section section;
                section.caption = what + ", body " + nameOf(body);
                section.body = body;
                entry.sections.push_back(section);
            }
            entry.sections.back().assignments.push_back({Place{array, tree_.v_of_dof[at(k)], 0}, given(values[at(k)])});
        }
        return entry;
    }

    /// Multipliers as the kernel gives them: forces along the rows, for a distance along its line.
    std::vector<Expr> outside(const std::vector<ConstraintRow>& rows, const std::vector<Expr>& lambda) {
        std::vector<Expr> out(rows.size());
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (const auto& [row, share] : rows[r].outside) {
                const Expr force = share * lambda[r];
                out[at(row)] = tree_.fault == Fault::loop_lambda_sign ? out[at(row)] - force : out[at(row)] + force;
            }
        owners_.claim(kBase);
        return out;
    }

    /// Sections of `values`, one a row, a section for each loop.
    std::vector<Section> perLoop(const std::string& what) const {
        std::vector<Section> sections;
        for (const mw::Loop& loop : model_.loops) {
            Section section;
            section.caption = what + ", loop " + loop.name;
            section.body = loop.to.body != kBase ? loop.to.body : loop.from.body;
            sections.push_back(section);
        }
        return sections;
    }

    void addMultipliers(Entry& entry, const Solution& solution) {
        if (model_.loops.empty()) return;
        const std::vector<Expr>& lambda = solution.lambda;
        std::vector<Section> steps = perLoop("rows");
        for (const ConstraintRow& row : solution.rows) {
            for (const auto& [dof, value] : row.entries) steps[at(row.loop)].prepared.push_back(value);
            steps[at(row.loop)].prepared.push_back(row.wanted);
        }
        steps.emplace_back();
        steps.back().caption = "system of the loops";
        steps.back().prepared = solution.factors;
        entry.sections.insert(entry.sections.begin(), steps.begin(), steps.end());
        std::vector<Section> sections = perLoop("multipliers");
        for (std::size_t i = 0; i < sections.size(); ++i)
            for (int k = 0; k < loopRows(model_.loops[i].type); ++k) {
                const int row = layout_.row_of_loop[i] + k;
                sections[i].assignments.push_back({Place{Array::lambda, row, 0}, given(lambda[at(row)])});
            }
        entry.sections.insert(entry.sections.begin() + static_cast<std::ptrdiff_t>(steps.size()), sections.begin(),
                              sections.end());
    }

    Entry loopJacobian(bool filled) {
        Entry entry{"loop_jacobian", perLoop("Jacobian")};
        const std::vector<ConstraintRow> rows = makeLoops().rows(RowForm::declared, false);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            // Behind the tree's velocities there are those of bands, where its loops have no entries.
            std::vector<Expr> dense(at(tree_.ndof()), graph_->constant(0));
            for (const auto& [dof, value] : rows[r].entries) {
                Expr& place = dense[at(tree_.v_of_dof[at(dof)])];
                place = place + value;
            }
            for (int v = 0; v < tree_.ndof(); ++v)
                if (!filled || !dense[at(v)].isZero())
                    entry.sections[at(rows[r].loop)].assignments.push_back(
                        {Place{Array::K, static_cast<int>(r) * layout_.nv + v, 0}, dense[at(v)]});
        }
        owners_.claim(kBase);
        return entry;
    }

    void addInverseMass(Equations& r);

    Entry kinematics() {
        struct Pose {
            Mat R;
            Vec r, w, v;
        };
        std::vector<Pose> poses;
        Entry entry{"kinematics", {}};
        const auto rate = [&](const Link& link, int d) { return graph_->input(Array::v, link.v + d); };
        for (const Link& link : tree_.links) {
            const Pose base{identity(*graph_), {}, {}, {}};
            const Pose& parent = link.parent == kBase ? base : poses[at(link.parent)];
            Pose pose;
            const Vec arm = parent.R * link.p;
            pose.r = parent.r + arm;
            pose.R = link.rotation.after(parent.R);
            const auto column = [&](int k) { return Vec{pose.R(0, k), pose.R(1, k), pose.R(2, k)}; };
            pose.w = parent.w;
            pose.v = link.kind == LinkKind::floating ? Vec{} : parent.v + cross(parent.w, arm);
            for (int d = 0; d < link.dofs(); ++d) {
                const Freedom freedom = freedomOf(link, d);
                if (freedom.turn >= 0) pose.w = pose.w + rate(link, d) * column(freedom.turn);
                if (freedom.slide >= 0) {
                    const Expr speed = freedom.turn >= 0 ? freedom.ratio * rate(link, d) : rate(link, d);
                    pose.v = pose.v + speed * column(freedom.slide);
                }
            }
            poses.push_back(pose);
            owners_.claim(link.body);
        }
        for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
            const BodyPlace& place = tree_.places[i];
            Pose pose{place.R, place.p, {}, {}};
            if (place.link != kBase) {
                const Link& link = tree_.link(place.link);
                const Pose& carrier = poses[at(place.link)];
                const Vec arm = carrier.R * link.own.out(place.p);
                pose.R = link.own.after(carrier.R);
                if (!isIdentity(place.R)) pose.R = pose.R * place.R;
                pose.r = carrier.r + arm;
                pose.w = carrier.w;
                pose.v = carrier.v + cross(carrier.w, arm);
            }
            Section section;
            section.caption = "pose and velocity, body " + model_.bodies[i].name;
            section.body = static_cast<int>(i);
            const int x = 12 * static_cast<int>(i), v = 6 * static_cast<int>(i);
            for (int k = 0; k < 9; ++k)
                section.assignments.push_back({Place{Array::X, x + k, 0}, given(pose.R.e[at(k)])});
            for (int k = 0; k < 3; ++k)
                section.assignments.push_back({Place{Array::X, x + 9 + k, 0}, given(pose.r[at(k)])});
            for (int k = 0; k < 3; ++k)
                section.assignments.push_back({Place{Array::V, v + k, 0}, given(pose.w[at(k)])});
            for (int k = 0; k < 3; ++k)
                section.assignments.push_back({Place{Array::V, v + 3 + k, 0}, given(pose.v[at(k)])});
            entry.sections.push_back(section);
            owners_.claim(static_cast<int>(i));
        }
        return entry;
    }

    Entry observation() {
        Entry entry{"observe", {}};
        Elements all = elements();
        const auto add = [&](const std::string& caption, int body, int first, std::initializer_list<Expr> values) {
            Section section;
            section.caption = caption;
            section.body = body;
            for (Expr value : values) section.assignments.push_back({Place{Array::obs, first++, 0}, given(value)});
            entry.sections.push_back(section);
            owners_.claim(body);
        };
        for (std::size_t i = 0; i < model_.points.size(); ++i) {
            const PointOfInterest& point = model_.points[i];
            const auto [p, v] = all.pointState(point.point);
            add("position and velocity, point " + point.name, point.point.body, layout_.obs_of_point[i],
                {p[0], p[1], p[2], v[0], v[1], v[2]});
        }
        for (std::size_t i = 0; i < model_.tsdas.size(); ++i) {
            const Tsda& tsda = model_.tsdas[i];
            const Line line = all.lineOf(tsda);
            add("length and rate, tsda " + tsda.name, tsda.to.body, layout_.obs_of_tsda[i], {line.length, line.rate});
        }
        for (std::size_t i = 0; i < model_.rsdas.size(); ++i) {
            const Rsda& rsda = model_.rsdas[i];
            add("coordinate and rate, rsda " + rsda.name, rsda.body, layout_.obs_of_rsda[i],
                {all.rsdaCoordinate(rsda), all.rsdaRate(rsda)});
        }
        return entry;
    }

    /// `filled`: with zeros before.
    Entry massMatrix(bool filled) {
        Entry entry{"mass_matrix", {}};
        const int n = tree_.ndof();
        TreeDynamics dynamics = makeDynamics();
        const TreeMatrix H = dynamics.massMatrix();
        sparsity_ = dynamics.checkSparsity(H);
        std::vector<int> order(at(n));
        for (int k = 0; k < n; ++k) order[at(tree_.v_of_dof[at(k)])] = k;
        for (int row = 0; row < n; ++row) {
            const int body = layout_.body_of_v[at(row)];
            if (entry.sections.empty() || entry.sections.back().body != body) {
                Section section;
                section.caption = "mass matrix, rows of body " + nameOf(body);
                section.body = body;
                entry.sections.push_back(section);
            }
            for (int column = 0; column < n; ++column) {
                const int i = std::max(order[at(row)], order[at(column)]),
                          j = std::min(order[at(row)], order[at(column)]);
                if (filled && H(i, j).isZero()) continue;
                entry.sections.back().assignments.push_back(
                    {Place{Array::M, row * layout_.nv + column, 0}, given(H(i, j))});
            }
        }
        return entry;
    }

    /// Column by column in a loop: M times each unit acceleration, read from one table by sliding over its single 1.
    /// The code then grows with the number of velocities and not with its square.
    Entry massMatrixByColumns(Equations& r) {
        const int n = tree_.ndof();
        int offset = 0;
        for (const Table& table : r.tables) offset += static_cast<int>(table.values.size());
        Table units{"unit accelerations", std::vector<double>(at(2 * n - 1), 0.0)};
        units.values[at(n - 1)] = 1;
        r.tables.push_back(units);
        std::vector<Expr> unit;
        for (int k = 0; k < n; ++k)
            unit.push_back(graph_->input(Place{Array::table, offset + n - 1 + tree_.v_of_dof[at(k)], -1}));
        TreeDynamics dynamics = makeDynamics();
        const std::vector<Expr> column = dynamics.massTimes(unit);
        sparsity_ = dynamics.checkSparsity(entriesByUse(unit, column));
        Section section;
        section.caption = "mass matrix, one row a turn";
        section.repeat = Section::Count::constant;
        section.count = n;
        for (int k = 0; k < n; ++k)
            section.assignments.push_back({Place{Array::M, tree_.v_of_dof[at(k)], layout_.nv}, given(column[at(k)])});
        return Entry{"mass_matrix", {section}};
    }

    /// (i, j) -> whether value i uses input j.
    std::function<bool(int, int)> entriesByUse(const std::vector<Expr>& inputs, const std::vector<Expr>& values) const {
        const std::size_t words = inputs.size() / 64 + 1;
        std::vector<int> roots;
        for (Expr value : values) roots.push_back(value.id());
        const std::vector<char> needed = reachable(*graph_, roots);
        std::vector<std::vector<std::uint64_t>> uses(needed.size());
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            auto& own = uses[at(inputs[j].id())];
            own.assign(words, 0);
            own[j / 64] |= std::uint64_t{1} << (j % 64);
        }
        for (std::size_t i = 0; i < needed.size(); ++i) {
            if (!needed[i]) continue;
            const Node& node = graph_->node(static_cast<int>(i));
            for (int operand : {node.a, node.b, node.c}) {
                if (operand < 0 || uses[at(operand)].empty()) continue;
                if (uses[i].empty()) uses[i].assign(words, 0);
                for (std::size_t w = 0; w < words; ++w) uses[i][w] |= uses[at(operand)][w];
            }
        }
        return [uses = std::move(uses), roots](int i, int j) {
            const int root = roots[at(i)];
            if (root < 0 || uses[at(root)].empty()) return false;
            return (uses[at(root)][at(j) / 64] >> (j % 64) & 1) != 0;
        };
    }

    const Model& model_;
    const Layout& layout_;
    std::shared_ptr<Graph> graph_;
    NodeOwners owners_;
    LinkTree tree_;
    Way way_;
    std::string sparsity_;
};

void Derivation::addInverseMass(Equations& r) {
    const int n = tree_.ndof(), nv = layout_.nv;
    TreeDynamics dynamics = makeDynamics();
    std::vector<Expr> rhs(at(n));
    for (int k = 0; k < n; ++k) rhs[at(k)] = graph_->input(Place{Array::rhs, tree_.v_of_dof[at(k)], nv});
    std::vector<Expr> x;
    const std::vector<Wrench> none(tree_.links.size());
    if (!model_.loops.empty()) {
        const Loops loops = makeLoops();
        const std::vector<ConstraintRow> rows = makeLoops().rows(RowForm::solved, false);
        ConstrainedDynamics constrained(*graph_, tree_, dynamics, loops, rows, owners_, way_.form == Form::aba,
                                        way_.ties);
        constrained.solve(none, rhs, std::vector<Expr>(rows.size()));
        x = constrained.x;
    } else if (way_.form == Form::aba) {
        const ArticulatedFactors factors = dynamics.articulate();
        x = dynamics.outward(factors, dynamics.inward(factors, none, rhs));
    } else {
        x = dynamics.solve(dynamics.factorise(dynamics.massMatrix()), rhs);
    }
    for (Expr& value : x) value = given(value);
    owners_.claim(kBase);
    const std::vector<int> bodies = owners_.peek();
    const Stored split(*graph_, owners_, x, 0, [](const Place& place) { return place.array == Array::rhs; });
    Entry factor{"factor", {}};
    for (std::size_t i = 0; i < split.kept.size(); ++i) {
        const int body = bodies[at(split.kept[i].id())];
        if (factor.sections.empty() || factor.sections.back().body != body) {
            Section section;
            section.caption = "factors of the mass matrix, body " + nameOf(body);
            section.body = body;
            factor.sections.push_back(section);
        }
        factor.sections.back().assignments.push_back({Place{Array::work, static_cast<int>(i), 0}, split.kept[i]});
    }
    r.entries.push_back(factor);
    Section section;
    section.caption = "inverse mass on each right-hand side";
    section.repeat = Section::Count::nrhs;
    for (int k = 0; k < n; ++k)
        section.assignments.push_back({Place{Array::out, tree_.v_of_dof[at(k)], nv}, split.results[at(k)]});
    Entry apply{"apply_inverse_mass", {}};
    if (n > 0) apply.sections.push_back(section);
    r.entries.push_back(apply);
    r.nwork = static_cast<int>(split.kept.size());
    owners_.claim(kBase);
}

const char* nameOf(Form form) { return form == Form::aba ? "ABA" : "CRBA + L'DL"; }

ExprOperations operationsOf(const Model& model, const Layout& layout, Way way,
                            const std::vector<LinkChoice>& choices = {}) {
    Derivation derivation(model, layout, way, choices);
    std::vector<int> roots;
    const auto solution = derivation.forwardDynamics();
    for (const std::vector<Expr>* values : {&solution.vdot, &solution.lambda})
        for (Expr value : *values) roots.push_back(value.id());
    return countOperations(derivation.graph(), roots);
}

/// The freedoms of each link (links.h) that make the forward dynamics cheapest: each is tried, from the tips to the
/// base, and kept where it saves instructions. Small mechanisms only: there one derivation takes less than a
/// millisecond.
std::vector<LinkChoice> cheapestChoices(const Model& model, const Layout& layout, Way way, int links) {
    std::vector<LinkChoice> choices(at(links));
    int best = operationsOf(model, layout, way, choices).cost();
    if (best > kDearestToTune) return choices;
    for (int i = links - 1; i >= 0; --i)
        for (bool LinkChoice::*freedom : {&LinkChoice::slide, &LinkChoice::second, &LinkChoice::hold}) {
            bool& value = choices[at(i)].*freedom;
            value = !value;
            const int cost = operationsOf(model, layout, way, choices).cost();
            if (cost < best) best = cost;
            else value = !value;
        }
    return choices;
}

}  // namespace

Equations derive(const Model& whole, Form form, Fault fault) {
    // Entries of the mass matrix and the loops' Jacobian are written one by one, but for those of bands.
    constexpr std::size_t kMostEntries = 20'000'000;
    const Layout layout = layoutOf(whole);
    requireManageable(layout, "the generated code",
                      static_cast<std::size_t>(layout.nv) * static_cast<std::size_t>(layout.nv + layout.nc),
                      kMostEntries);
    // A form that is asked for is one of the whole model, shoe by shoe.
    BandSplit split;
    if (form == Form::automatic) split = splitBands(whole);
    const Model& model = split.bands.empty() ? whole : split.rest;
    int depth = 0, nv = 0, links = 0;
    {
        Graph graph;
        const LinkTree tree = buildLinks(graph, model, layout, false);
        depth = tree.depth, nv = tree.ndof(), links = static_cast<int>(tree.links.size());
    }
    const Form byDepth = depth <= kDeepestForCrba ? Form::crba : Form::aba;
    Way way{form == Form::automatic ? byDepth : form, true};
    // With loops it is their rows that cost, whatever the depth: all ways are counted.
    const bool compared = !model.loops.empty() && nv <= kLargestToCompare;
    if (compared) {
        int least = 0;
        for (const Way candidate :
             {Way{byDepth, true}, Way{Form::crba, true}, Way{Form::crba, false}, Way{Form::aba}}) {
            if (form != Form::automatic && candidate.form != form) continue;
            const int cost = operationsOf(model, layout, candidate).cost();
            if (least == 0 || cost < least) least = cost, way = candidate;
        }
    }
    const Form other = way.form == Form::aba ? Form::crba : Form::aba;
    std::vector<LinkChoice> choices;
    if (nv <= kLargestToTune) choices = cheapestChoices(model, layout, way, links);
    std::string choice = std::string(nameOf(way.form)) + " (depth " + std::to_string(depth);
    if (form != Form::automatic) choice += ", as asked)";
    else if (compared) choice += ", cheapest with the loops)";
    else choice += (byDepth == Form::crba ? " <= " : " > ") + std::to_string(kDeepestForCrba) + ")";
    if (nv > 0 && nv <= kLargestToCount) {
        choice += ": " + std::to_string(operationsOf(model, layout, way, choices).flops()) + " operations; ";
        choice +=
            std::string(nameOf(other)) + ": " + std::to_string(operationsOf(model, layout, {other, true}).flops());
    }
    if (!split.refused.empty()) choice += "; " + split.refused;
    return Derivation(model, layout, way, choices, fault).all(choice, whole, split.bands);
}

}  // namespace mw::gen
