// What the derivation promises about structure: zeros where geometry has them, costs that do not creep up, and the
// check of the mass matrix's sparsity.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "generator/derive/equations.h"
#include "generator/derive/operations.h"
#include "generator/derive/tree.h"
#include "tests/support/catch.h"
#include "tests/support/derive_evaluate.h"
#include "tests/support/derive_models.h"

using namespace mw;
using namespace mw::test;

namespace {

gen::ExprOperations costOf(const gen::Equations& equations, const std::string& entry) {
    std::vector<int> roots;
    for (const gen::Section& section : entryOf(equations, entry).sections)
        for (const gen::Assignment& assignment : section.assignments) roots.push_back(assignment.value.id());
    return gen::countOperations(*equations.graph, roots);
}

int flopsOf(const Model& model, gen::Form form) { return costOf(gen::derive(model, form), "fwd_dyn").flops(); }

}  // namespace

TEST_CASE("operation counts of the forward dynamics do not creep up") {
    CHECK(flopsOf(elbow(), gen::Form::crba) <= 613);
    CHECK(flopsOf(elbow(), gen::Form::aba) <= 727);
    CHECK(flopsOf(stanford(), gen::Form::crba) <= 570);
    CHECK(flopsOf(satellite(), gen::Form::crba) <= 470);
    CHECK(flopsOf(binaryTree(), gen::Form::crba) <= 420);
    CHECK(flopsOf(springpend(), gen::Form::crba) <= 49);
    CHECK(flopsOf(gantry(), gen::Form::crba) <= 4);
    CHECK(flopsOf(pendulums(), gen::Form::crba) <= 20);
    CHECK(flopsOf(planarChain(3), gen::Form::crba) <= 85);
    CHECK(flopsOf(planarChain(4), gen::Form::crba) <= 159);
    CHECK(flopsOf(planarChain(63), gen::Form::aba) <= 4340);
    CHECK(flopsOf(spatialChain(63), gen::Form::aba) <= 17350);
}

TEST_CASE("the cost of articulated bodies grows linearly with the chain") {
    const int forty = flopsOf(spatialChain(40), gen::Form::aba), eighty = flopsOf(spatialChain(80), gen::Form::aba),
              more = flopsOf(spatialChain(120), gen::Form::aba);
    CHECK(more - eighty <= eighty - forty);
}

TEST_CASE("a gantry's mass matrix is constant and its dynamics know no angle") {
    const gen::Equations equations = gen::derive(gantry());
    const gen::ExprOperations M = costOf(equations, "mass_matrix"), dynamics = costOf(equations, "fwd_dyn");
    CHECK(M.flops() + M.sincos == 0);
    CHECK(dynamics.sincos == 0);
    CHECK(equations.nwork == 0);
    CHECK(equations.choice.find("zero by geometry") != std::string::npos);
}

TEST_CASE("pendulums on the base do not couple") {
    const gen::Equations equations = gen::derive(pendulums());
    for (const gen::Section& section : entryOf(equations, "mass_matrix").sections)
        for (const gen::Assignment& assignment : section.assignments) {
            const int row = assignment.place.index / 4, column = assignment.place.index % 4;
            CHECK(assignment.value.isZero() == (row != column));
        }
    CHECK(costOf(equations, "apply_inverse_mass").flops() == 4);
}

TEST_CASE("every entry is there, stores each of its numbers once, and names the body it is about") {
    TreeOptions options;
    options.bodies = 8;
    options.elements = true;
    const Model model = randomTree(17, options);
    const Layout layout = layoutOf(model);
    const gen::Equations equations = gen::derive(model);
    const std::pair<const char*, int> sizes[] = {{"fwd_dyn", layout.nv},
                                                 {"factor", equations.nwork},
                                                 {"apply_inverse_mass", layout.nv},
                                                 {"kinematics", 18 * layout.nbody},
                                                 {"observe", layout.nobs},
                                                 {"mass_matrix", layout.nv * layout.nv},
                                                 {"bias", layout.nv},
                                                 {"loop_jacobian", 0}};
    for (const auto& [name, size] : sizes) {
        INFO(name);
        std::set<std::pair<int, int>> stored;
        int count = 0;
        for (const gen::Section& section : entryOf(equations, name).sections) {
            CHECK(!section.caption.empty());
            for (const gen::Assignment& assignment : section.assignments) {
                CHECK(assignment.value.graph() == equations.graph.get());
                stored.emplace(static_cast<int>(assignment.place.array), assignment.place.index);
                ++count;
            }
        }
        CHECK(count == size);
        CHECK(static_cast<int>(stored.size()) == size);
    }
    REQUIRE(equations.body_of_node.size() <= equations.graph->size());
    std::set<int> bodies(equations.body_of_node.begin(), equations.body_of_node.end());
    for (int body : layout.body_of_v) CHECK(bodies.count(body) == 1);
}

TEST_CASE("a model without motion derives to nothing, and quietly") {
    Model model;
    const gen::Equations empty = gen::derive(model);
    CHECK(entryOf(empty, "fwd_dyn").sections.empty());
    addBody(model, "stone", kBase, joint(JointType::fixed), {1, 2, 3}, 5, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    const gen::Equations fixed = gen::derive(model);
    CHECK(entryOf(fixed, "fwd_dyn").sections.empty());
    CHECK(entryOf(fixed, "kinematics").sections.size() == 1);
}

TEST_CASE("two derivations of one model are the same, node by node") {
    const gen::Equations a = gen::derive(elbow()), b = gen::derive(elbow());
    REQUIRE(a.graph->size() == b.graph->size());
    for (int i = 0; i < static_cast<int>(a.graph->size()); ++i) {
        const gen::Node &x = a.graph->node(i), &y = b.graph->node(i);
        CHECK((x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c && x.place == y.place && x.value == y.value));
    }
}

TEST_CASE("an entry of the mass matrix outside the tree's pattern is a fault of the generator") {
    const Model model = binaryTree();
    const Layout layout = layoutOf(model);
    gen::Graph graph;
    gen::NodeOwners owners(graph);
    gen::LinkTree tree = gen::buildLinks(graph, model, layout, true);
    gen::TreeDynamics dynamics(graph, model, layout, tree, owners);
    gen::TreeMatrix H = dynamics.massMatrix();
    CHECK_NOTHROW(dynamics.checkSparsity(H));
    gen::TreeMatrix wrong = H;
    const auto dofOf = [&](int v) {
        return static_cast<int>(std::find(tree.v_of_dof.begin(), tree.v_of_dof.end(), v) - tree.v_of_dof.begin());
    };
    const int left = dofOf(1), right = dofOf(2);  // two branches
    wrong(std::max(left, right), std::min(left, right)) = graph.constant(1);
    CHECK_THROWS_AS(dynamics.checkSparsity(wrong), std::logic_error);
    tree.expanded_parent[static_cast<std::size_t>(right)] = left < right ? left : -1;  // the other branch, or loose
    CHECK_THROWS_AS(dynamics.checkSparsity(H), std::logic_error);
}

TEST_CASE("held axes, slid origins and either regrouping leave the mass matrix and the bias as they are") {
    Random random(77);
    for (std::uint64_t seed = 60; seed < 70; ++seed) {
        TreeOptions options;
        options.bodies = 5;
        Model model = seed % 2 ? randomTree(seed, options) : elbow();
        if (seed % 4 == 0) {  // three parallel axes, then a branch
            model = planarChain(3);
            addBody(model, "side", 1, joint(JointType::revolute, kX), {0.1, 0.2, 0.3}, 1, {0.1, 0, 0.2},
                    {1, 2, 2, 0.1, 0, 0});
        }
        const Layout layout = layoutOf(model);
        Numbers q, v;
        randomState(model, layout, random, q, v);
        const auto values = [&](bool regroup, const std::vector<gen::LinkChoice>& choices) {
            gen::Graph graph;
            gen::NodeOwners owners(graph);
            const gen::LinkTree tree = gen::buildLinks(graph, model, layout, regroup, choices);
            gen::TreeDynamics dynamics(graph, model, layout, tree, owners);
            std::vector<gen::Expr> wanted = dynamics.generalised(dynamics.linkForces(false, false));
            const gen::TreeMatrix H = dynamics.massMatrix();
            for (int i = 0; i < H.size(); ++i)
                for (int j = 0; j <= i; ++j) wanted.push_back(H(i, j));
            const Numbers all = gen::evaluateAll(graph, [&](const gen::Place& place) {
                return (place.array == gen::Array::q ? q : v)[static_cast<std::size_t>(place.index)];
            });
            Numbers r;
            for (gen::Expr e : wanted) r.push_back(e.graph() ? all[static_cast<std::size_t>(e.id())] : 0.0);
            return r;
        };
        const Numbers plain = values(false, std::vector<gen::LinkChoice>(20, {false, false, false}));
        for (int trial = 0; trial < 6; ++trial) {
            std::vector<gen::LinkChoice> choices(20);
            for (gen::LinkChoice& c : choices) c = {random.below(2) == 0, random.below(2) == 0, random.below(2) == 0};
            const Numbers other = values(trial % 2 == 0, choices);
            REQUIRE(other.size() == plain.size());
            for (std::size_t i = 0; i < plain.size(); ++i)
                CHECK(other[i] == Approx(plain[i]).epsilon(1e-10).margin(1e-11));
        }
    }
}
