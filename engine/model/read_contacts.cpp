// Materials, what two of them make together, bodies that are never tested, and how contacts are solved.
#include <algorithm>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

/// What a value is not read for: the property stands there, and the solver of this version looks past it.
void pastSolver(Reading& r, StatementReader& in, std::initializer_list<const char*> words) {
    for (const char* word : words) {
        if (!in.has(word)) continue;
        Diagnostic& d = in.warn(Code::not_by_solver, word, fmt::format("solver pgs does not read '{}'", word));
        d.remedy = "remove it; the solvers that read it come later";
        d.fix = removeProperty(r.tree, in.statement(), word);
    }
}

/// Values as written, over those that stand there already.
void readValues(Reading& r, StatementReader& in, ContactValues& values, std::vector<std::string>* written) {
    const std::pair<const char*, Number*> numbers[] = {{"mu", &values.mu},
                                                       {"mu-torsion", &values.mu_torsion},
                                                       {"mu-rolling", &values.mu_rolling},
                                                       {"restitution", &values.restitution},
                                                       {"restitution-speed", &values.restitution_speed},
                                                       {"kn", &values.kn},
                                                       {"kt", &values.kt},
                                                       {"zeta", &values.zeta},
                                                       {"veps", &values.veps},
                                                       {"adhesion", &values.adhesion}};
    for (const auto& [word, value] : numbers)
        if (in.number(word, 0, *value) && written) written->emplace_back(word);
    const auto fixedNumbers = [&](const char* word, auto& out) {
        if (!in.sound(word)) return;
        auto read = out;
        bool all = true;
        for (std::size_t i = 0; i < read.size(); ++i) all = in.fixed(word, i, read[i]) && all;
        if (!all) return;
        out = read;
        if (written) written->emplace_back(word);
    };
    fixedNumbers("solref", values.solref);
    fixedNumbers("solimp", values.solimp);
    if (in.integer("priority", 0, values.priority) && written) written->emplace_back("priority");
    pastSolver(r, in, {"kn", "kt", "zeta", "veps", "adhesion", "solref", "solimp"});
}

/// The word chosen, as its place in the list; an error on it where this version has only the first `available`.
std::size_t choice(Reading& r, StatementReader& in, const char* word, std::initializer_list<const char*> words,
                   std::initializer_list<std::size_t> available) {
    const std::string_view chosen = in.text(word, 0);
    std::size_t index = 0;
    for (const char* candidate : words) {
        if (chosen == candidate) break;
        ++index;
    }
    if (index == words.size()) return *available.begin();
    if (std::find(available.begin(), available.end(), index) != available.end()) return index;
    Diagnostic& d = r.findings.error(
        Code::not_yet, in.range(word, 0),
        fmt::format("{} '{}' is part of the language, but this version cannot run it yet", word, chosen));
    for (const std::size_t a : available)
        d.expected += fmt::format("{}{}", d.expected.empty() ? "" : " or ", *(words.begin() + a));
    d.remedy = fmt::format("take `{}`", *(words.begin() + *available.begin()));
    d.fix = {{in.range(word, 0), *(words.begin() + *available.begin())}};
    return *available.begin();
}

}  // namespace

void Reading::readMaterials() {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::material || model.materials.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        Material material;
        material.origin = {statement.range, tree.nameRange(statement), -1};
        material.name = tree.view(material.origin.name);
        readValues(*this, in, material.values, nullptr);
        in.finish();
        item[i] = static_cast<int>(model.materials.size());
        model.materials.push_back(std::move(material));
    }
    for (const Statement& statement : tree.statements) {
        const std::string_view head = statement.spec->head;
        if (head == "pair" && model.pairs.size() < kMostItems) {
            StatementReader in(tree, statement, scope, findings);
            MaterialPair pair;
            pair.origin = {statement.range, tree.token(statement.keyword).range(), -1};
            const bool ground[2] = {in.text("", 0) == "ground", in.text("", 1) == "ground"};
            if (ground[0] && ground[1]) {
                in.fault(Code::wrong_value, "", "the ground does not meet itself").expected =
                    "two materials, or one and `ground`";
                in.finish();
                continue;
            }
            pair.a = ground[0] ? -1 : named(in, "", 0, NameSpace::material);
            pair.b = ground[1] ? -1 : named(in, "", 1, NameSpace::material);
            readValues(*this, in, pair.values, &pair.written);
            in.finish();
            if ((pair.a < 0 && !ground[0]) || (pair.b < 0 && !ground[1])) continue;
            model.pairs.push_back(std::move(pair));
        } else if (head == "exclude" && model.excludes.size() < kMostItems) {
            StatementReader in(tree, statement, scope, findings);
            Exclude exclude;
            exclude.origin = {statement.range, tree.token(statement.keyword).range(), -1};
            exclude.a = body(in, "", 0);
            exclude.b = body(in, "", 1);
            in.finish();
            if (exclude.a < kBase || exclude.b < kBase) continue;
            model.excludes.push_back(exclude);
        }
    }
}

void Reading::readContact() {
    const Statement* statement = tree.first("contact");
    if (!statement) return;
    StatementReader in(tree, *statement, scope, findings);
    ContactOptions& o = model.contact;
    o.origin = {statement->range, tree.token(statement->keyword).range(), -1};
    using C = ContactOptions;
    o.solver = static_cast<C::Solver>(choice(
        *this, in, "solver", {"penalty", "regularized", "anchored", "pgs", "xpbd", "soft", "avbd", "padmm"}, {3}));
    o.cone = static_cast<C::Cone>(choice(*this, in, "cone", {"disc", "box", "elliptic", "pyramid"}, {0, 1}));
    const std::string_view mix = in.text("mix", 0);
    const std::pair<const char*, C::Mix> mixes[] = {{"own", C::Mix::own},
                                                    {"mean", C::Mix::mean},
                                                    {"geometric", C::Mix::geometric},
                                                    {"max", C::Mix::max},
                                                    {"min", C::Mix::min}};
    for (const auto& [word, value] : mixes)
        if (mix == word) o.mix = value;
    in.integer("iterations", 0, o.iterations);
    in.fixed("tolerance", 0, o.tolerance);
    if (in.sound("warm")) o.warm = in.text("warm", 0) == "on";
    double relaxation = 0;
    if (in.fixed("relaxation", 0, relaxation)) o.relaxation = relaxation;
    if (in.sound("weighting")) o.weighting = in.text("weighting", 0) == "on";
    in.fixed("beta", 0, o.beta);
    in.fixed("slop", 0, o.slop);
    in.fixed("impratio", 0, o.impratio);
    in.integer("substeps", 0, o.substeps);
    if (in.sound("collide")) o.collide_each_substep = in.text("collide", 0) == "substep";
    in.integer("capacity", 0, o.capacity);
    pastSolver(*this, in, {"weighting", "impratio"});
    in.finish();
}

}  // namespace mw::mech
