// The equations of a mechanism as expressions: for each entry of the kernel, what it stores where.
// Derivation (derive/) fills this; lowering (program/lower.h) turns it into instructions. Nothing in between knows
// mechanics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/model/model.h"
#include "generator/derive/faults.h"
#include "generator/expr/expr.h"

namespace mw::gen {

struct Assignment {
    Place place;
    Expr value;
};

/// Assignments that a section makes; it may be repeated, with strided places. In each turn all values are computed from
/// what the arrays (and `local` registers) hold at the start of the turn, then everything is assigned, then the inner
/// sections run, one after the other. What passes from turn to turn goes through `work` or, faster, through `local`.
/// Two repeated sections may be nested, no more.
struct Section {
    std::string caption;  ///< what it computes, as a comment of the emitted code ("bias forces, body rod")
    int body = kBase;     ///< body of the model that it belongs to (for the map between generated lines and bodies)
    enum class Count { once, constant, nrhs } repeat = Count::once;
    int count = 1;  ///< of `constant`
    std::vector<Assignment> assignments;
    std::vector<Expr> prepared;  ///< computed here, before the assignments, for later ones
    std::vector<Section> inner;  ///< of a repeated section: run in every turn after its assignments
};

struct Entry {
    std::string name;  ///< "fwd_dyn", "factor", "apply_inverse_mass", "kinematics", "observe", "mass_matrix", "bias",
                       ///< "loop_jacobian"
    std::vector<Section> sections;
};

/// Constant data that strided sections read.
struct Table {
    std::string name;
    std::vector<double> values;
};

/// The form of the forward dynamics: chosen by depth, or asked for.
enum class Form { automatic, crba, aba };

struct Equations {
    std::shared_ptr<Graph> graph;
    std::vector<Entry> entries;
    std::vector<Table> tables;  ///< Place{Array::table, index}: offset into the tables laid one after the other
    int nwork = 0;              ///< doubles of `work` that the sections use
    Form form = Form::crba;     ///< what was chosen
    /// Why, one sentence for the log: "CRBA + L'DL (depth 6 <= 9): 613 operations; ABA: 727".
    std::string choice;
    /// For each node of the graph that was made for one body: that body (kBase: shared). May be shorter than the graph.
    std::vector<int> body_of_node;
};

/// Derives everything in kernel_abi.h for a model. Throws std::logic_error when the sparsity of M that algebra found
/// differs from the one that topology predicts (a fault of the generator, never of the model). `fault`: for the proof's
/// self-test.
Equations derive(const Model& model, Form form = Form::automatic, Fault fault = Fault::none);

}  // namespace mw::gen
