// Tendons and couplings as their author wrote them: routes and terms, laws, and what cannot be or will not do what it
// says. What needs the bodies' start pose is looked at in check_tendons.cpp. Meaning of every value: docs/tendons.md.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/check_tendons.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

std::optional<PathElement::Kind> kindOf(std::string_view word) {
    using K = PathElement::Kind;
    for (const K kind : {K::site, K::sphere, K::cylinder, K::ellipsoid, K::torus, K::pulley})
        if (word == pathElementName(kind)) return kind;
    return std::nullopt;
}

class TendonReader {
public:
    TendonReader(Reading& reading, const Statement& statement, Tendon& tendon)
        : r_(reading), t_(tendon), in_(reading.tree, statement, reading.scope, reading.findings) {}

    /// Is it known what it runs through?
    bool run() {
        t_.fixed = in_.has("fixed");
        t_.off = in_.has("off");
        const bool known = t_.fixed ? terms() : path() && branches();
        looks();
        spring();
        limits();
        friction();
        in_.number("armature", 0, t_.armature);
        reference();
        const bool muscle = !t_.fixed && in_.has("muscle");
        if (muscle) readMuscle();
        else drive();
        if (!t_.fixed) {
            expression("feed", t_.feed);
            if (in_.text("side-rule", 0) == sideRuleName(SideRule::barrier)) t_.side_rule = SideRule::barrier;
        }
        in_.finish(muscle ? "a tendon with a muscle" : t_.fixed ? "a fixed tendon" : "a spatial tendon");
        if (known && r_.bodies_sound) checkTendon(r_, in_, t_);
        return known;
    }

private:
    // --- what it runs through ---

    bool path() {
        bool sound = true;
        const std::vector<Property>& properties = in_.statement().properties;
        for (std::size_t i = 1; i < properties.size(); ++i) {
            if (!properties[i].spec || properties[i].own) continue;
            const std::optional<PathElement::Kind> kind = kindOf(properties[i].spec->word);
            if (!kind) continue;
            PathElement element;
            element.kind = *kind;
            sound = in_.turnTo(i) && readElement(element) && sound;
            element.range = r_.tree.range(properties[i]);
            for (std::size_t k = i + 1; k < properties.size() && properties[k].own; ++k) {
                element.range.end = r_.tree.range(properties[k]).end;
                sound = sound && !properties[k].faulty;
            }
            t_.path.push_back(std::move(element));
        }
        return sound;
    }

    bool readElement(PathElement& element) {
        const std::string word = pathElementName(element.kind);
        if (element.kind == PathElement::Kind::pulley) return in_.fixed(word, 0, element.divisor);
        element.point.body = r_.body(in_, word, 0);
        bool sound = in_.numbers(word, element.point.at, 1) && element.point.body >= kBase;
        if (element.kind == PathElement::Kind::site) return sound;
        const auto needs = [&](const char* own) {
            const std::string key = word + "." + own;
            if (in_.has(key)) return in_.sound(key);
            const PropertySpec* spec = findOwn(*in_.statement().spec->find(word), own);
            Diagnostic& d = in_.fault(Code::missing_property, word, fmt::format("a {} guide needs '{}'", word, own));
            d.expected = signature(own, spec->values);
            d.remedy = fmt::format("add `{}` behind it, on its line", spec->sample);
            d.fix = {{{in_.range(word).end, in_.range(word).end}, fmt::format(" {}", spec->sample)}};
            return false;
        };
        if (element.kind == PathElement::Kind::cylinder || element.kind == PathElement::Kind::torus) {
            std::size_t index = 0;
            sound = needs("axis") && in_.axis(word + ".axis", index, element.axis) && sound;
        }
        const bool round = element.kind == PathElement::Kind::sphere || element.kind == PathElement::Kind::cylinder;
        const std::string radii = word + (round ? ".radius" : ".radii");
        if (needs(round ? "radius" : "radii")) {
            const std::size_t count = round ? 1 : element.kind == PathElement::Kind::torus ? 2 : 3;
            for (std::size_t i = 0; i < count; ++i) sound = in_.number(radii, i, element.radii[i]) && sound;
            if (element.kind == PathElement::Kind::torus && sound && element.radii[0].value <= element.radii[1].value) {
                Diagnostic& d = in_.fault(Code::out_of_range, radii,
                                          fmt::format("the wire's radius {} closes a ring of radius {}",
                                                      element.radii[1].value, element.radii[0].value));
                d.expected = "radii R r with R larger than r: the ring's, then the wire's";
                sound = false;
            }
        } else {
            sound = false;
        }
        if (in_.has(word + ".rot")) sound = in_.numbers(word + ".rot", element.rot) && sound;
        if (in_.has(word + ".mu")) sound = in_.number(word + ".mu", 0, element.mu) && sound;
        if (in_.has(word + ".side")) {
            BodyPoint side;
            side.body = r_.body(in_, word + ".side", 0);
            sound = in_.numbers(word + ".side", side.at, 1) && side.body >= kBase && sound;
            element.side = side;
        }
        return sound;
    }

    // Every branch runs from a site to a site, over at least two of them.
    bool branches() {
        const std::size_t before = r_.findings.errors();
        const std::vector<PathElement>& path = t_.path;
        using K = PathElement::Kind;
        for (std::size_t begin = 0; begin <= path.size();) {
            std::size_t end = begin;
            while (end < path.size() && path[end].kind != K::pulley) ++end;
            const bool first = begin == 0;
            const auto sites = std::count_if(path.begin() + static_cast<std::ptrdiff_t>(begin),
                                             path.begin() + static_cast<std::ptrdiff_t>(end),
                                             [](const PathElement& e) { return e.kind == K::site; });
            if (begin == end && first && !path.empty()) {
                // a pulley may be first
            } else if (begin == end && !first) {
                const PathElement& pulley = path[begin - 1];
                Diagnostic& d = said(Code::pulley_place, pulley.range,
                                     end == path.size() ? "the pulley is the last element of the path"
                                                        : "two pulleys follow each other, with no branch between");
                d.expected = "a pulley, then the sites of its branch";
                d.remedy = "remove it, or write the branch behind it";
                d.fix = removal(begin - 1);
            } else if (sites < 2) {
                const TextRange place = first ? in_.range("") : path[begin - 1].range;
                Diagnostic& d = said(Code::too_few_sites, place,
                                     fmt::format("{} has {}", first ? "its route" : "the branch of this pulley",
                                                 sites == 0 ? "no site" : "one site only"));
                d.expected = "at least two lines `site BODY x y z` in each branch";
                d.remedy = "name the points that it runs through";
            } else {
                if (path[begin].isGuide()) misplaced(path[begin], "begins", "before");
                if (path[end - 1].isGuide()) misplaced(path[end - 1], "ends", "behind");
            }
            begin = end + 1;
        }
        for (std::size_t i = 1; i < path.size(); ++i) {
            if (path[i].kind != K::site || path[i - 1].kind != K::site) continue;
            const BodyPoint &a = path[i - 1].point, &b = path[i].point;
            bool same = a.body == b.body;
            for (std::size_t k = 0; k < 3; ++k)
                same = same && a.at[k].value == b.at[k].value && !a.at[k].isLive() && !b.at[k].isLive();
            if (!same) continue;
            Diagnostic& d = r_.findings.warning(
                Code::site_twice, path[i].range,
                fmt::format("{}: it passes the same site twice in a row, which adds nothing", in_.title()));
            d.remedy = "remove one of the two";
            d.fix = removal(i);
        }
        return r_.findings.errors() == before;
    }

    Diagnostic& said(Code code, TextRange place, const std::string& what) {
        return r_.findings.error(code, place, fmt::format("{}: {}", in_.title(), what));
    }

    void misplaced(const PathElement& guide, const char* does, const char* side) {
        Diagnostic& d = said(Code::guide_place, guide.range,
                             fmt::format("a branch {} with a {}", does, pathElementName(guide.kind)));
        d.expected = "a site at both ends of a branch";
        d.remedy = fmt::format("put a `site` {} it", side);
    }

    /// Takes an element of the path out of the text.
    std::vector<TextEdit> removal(std::size_t index) {
        if (++removals_ > 20) return {};  // each walks the statement
        std::size_t at = 0;
        const Statement& statement = in_.statement();
        for (std::size_t i = 1; i < statement.properties.size(); ++i) {
            const Property& p = statement.properties[i];
            if (!p.spec || p.own || !kindOf(p.spec->word)) continue;
            if (at++ == index) return removeProperty(r_.tree, statement, p);
        }
        return {};
    }

    bool terms() {
        bool sound = true;
        for (std::size_t i = 0; i < in_.mentions("term"); ++i) {
            in_.turnTo("term", i);
            TendonTerm term;
            term.range = in_.range("term");
            const bool known = r_.coordinate(in_, "term", term.body, term.coordinate, false);
            bool good = in_.number("term", 1, term.weight) && known;
            const JointType type =
                known ? r_.model.bodies[static_cast<std::size_t>(term.body)].joint.type : JointType::revolute;
            if (type == JointType::spherical || type == JointType::floating) {
                Diagnostic& d =
                    r_.findings.error(Code::not_scalar, in_.range("term", 0),
                                      fmt::format("{}: a {} joint has no coordinate of its own for each velocity",
                                                  in_.title(), jointTypeName(type)));
                d.expected = "a joint whose coordinates are angles or lengths";
                d.remedy = "route a spatial tendon, or take another joint";
                good = false;
            }
            if (good) t_.terms.push_back(std::move(term));
            sound = sound && good;
        }
        if (in_.mentions("term") > 0) return sound;
        Diagnostic& d = in_.fault(Code::missing_property, "", "a fixed tendon needs terms");
        d.expected = "at least one line `term BODY w`";
        d.remedy = "name the joints whose coordinates it adds up";
        for (const Body& body : r_.model.bodies)
            if (isScalar(body.joint.type)) {
                d.remedy = fmt::format("add `term {} 1`, say", body.name);
                d.fix = insertProperty(r_.tree, in_.statement(), "term", fmt::format("{} 1", body.name));
                break;
            }
        return false;
    }

    void looks() {
        in_.number("width", 0, t_.width);
        if (!in_.sound("color")) return;
        std::array<double, 4> color{0, 0, 0, 1};
        bool all = true;
        for (std::size_t k = 0; k < std::min<std::size_t>(4, in_.count("color")); ++k)
            all = in_.fixed("color", k, color[k]) && all;
        if (!all) return;
        t_.color = color;
        t_.color_written = true;
    }

    // --- laws ---

    /// An interval of which either end may be infinite, outwards.
    bool interval(const char* word, Number& lower, Number& upper) {
        Number low, high;
        if (!(in_.number(word, 0, low) & in_.number(word, 1, high))) return false;
        if (low.value == kInfinity || high.value == -kInfinity) {
            Diagnostic& d =
                in_.fault(Code::out_of_range, word,
                          fmt::format("'{}' runs from {} to {}: nothing lies in it", word, low.value, high.value));
            d.expected = "-inf or a number, then a number or inf";
            return false;
        }
        if (low.value > high.value) {
            Diagnostic& d = in_.fault(Code::crossed_range, word,
                                      fmt::format("'{}' runs from {} to {}", word, low.value, high.value));
            d.expected = "the lower value first";
            d.remedy = "swap them";
            d.fix = {{in_.range(word, 0), std::string(in_.text(word, 1))},
                     {in_.range(word, 1), std::string(in_.text(word, 0))}};
            return false;
        }
        lower = std::move(low);
        upper = std::move(high);
        return true;
    }

    void idle(const char* word, const char* without) {
        if (!in_.has(word)) return;
        Diagnostic& d = in_.warn(Code::no_effect, word, fmt::format("'{}' does nothing without {}", word, without));
        d.remedy = fmt::format("remove it, or write {}", without);
        d.fix = removeProperty(r_.tree, in_.statement(), word);
    }

    void spring() {
        in_.number("stiffness", 0, t_.stiffness);
        in_.number("damping", 0, t_.damping);
        Number lower, upper;
        if (in_.has("spring") && interval("spring", lower, upper))
            t_.spring = std::array<Number, 2>{std::move(lower), std::move(upper)};
        if (!in_.has("stiffness")) idle("spring", "`stiffness`");
    }

    void limits() {
        if (in_.has("limits")) interval("limits", t_.lower, t_.upper);
        in_.number("margin", 0, t_.margin);
        in_.number("compliance", 0, t_.compliance);
        in_.number("correction", 0, t_.correction);
        const bool sticks =
            std::any_of(t_.path.begin(), t_.path.end(), [](const PathElement& e) { return !e.mu.isZero(); });
        if (!in_.has("limits")) {
            idle("margin", "`limits`");
            idle("compliance", "`limits`");
            if (!sticks) idle("correction", "`limits`");
            return;
        }
        checkMargins(in_, r_.tree, t_.lower, t_.upper, t_.margin);
        checkCreep(in_, r_.tree, t_.compliance, t_.correction);
    }

    void friction() {
        in_.number("friction", 0, t_.friction);
        in_.number("friction-compliance", 0, t_.friction_compliance);
        if (!in_.has("friction")) idle("friction-compliance", "`friction`");
    }

    void reference() {
        Number reference;
        if (in_.has("reference") && in_.number("reference", 0, reference)) t_.reference = std::move(reference);
    }

    bool expression(const char* word, ExpressionPtr& out) {
        Number value;
        if (!in_.has(word) || !in_.number(word, 0, value)) return false;
        out = value.live ? value.live : Expression::constant(value.value);
        return true;
    }

    void drive() {
        if (in_.text("actuator", 0) == "input") t_.input = true;
        else expression("actuator", t_.actuator);
        expression("target", t_.target);
        expression("target-rate", t_.target_rate);
        in_.number("kp", 0, t_.kp);
        in_.number("kv", 0, t_.kv);
        in_.number("tau", 0, t_.tau);
        in_.number("state", 0, t_.activation);
        const bool actuator = in_.has("actuator"), kp = in_.has("kp"), kv = in_.has("kv");
        if (in_.has("range") && interval("range", t_.range_lower, t_.range_upper)) checkRange();
        if (!kp) idle("target", "`kp`");
        if (!kv) idle("target-rate", "`kv`");
        if (!actuator) idle("tau", "`actuator`");
        if (!actuator) idle("state", "`actuator`");
        if (!actuator && !kp && !kv) idle("range", "`actuator`, `kp` or `kv`");
        if (!t_.kp.isZero() && !in_.has("target")) noTarget();
        if (t_.fixed || !in_.has("excitation")) return;
        Diagnostic& d = in_.fault(Code::not_read_here, "excitation", "'excitation' belongs to a muscle");
        d.expected = signature("muscle", in_.statement().spec->find("muscle")->values);
        d.remedy = "remove it, or write the `muscle` that it excites";
        d.fix = removeProperty(r_.tree, in_.statement(), "excitation");
    }

    void checkRange() {
        if (t_.range_lower.value <= 0 && t_.range_upper.value >= 0) return;
        const double nearest = t_.range_lower.value > 0 ? t_.range_lower.value : t_.range_upper.value;
        Diagnostic& d =
            in_.warn(Code::range_without_zero, "range",
                     fmt::format("the range excludes 0: without a command the actuator still gives {:.6g} N", nearest));
        d.expected = "a range with 0 in it, unless that is meant";
        d.remedy = "let it reach to 0";
        const std::size_t end = t_.range_lower.value > 0 ? 0 : 1;
        d.fix = {{in_.range("range", end), "0"}};
    }

    void noTarget() {
        Diagnostic& d = in_.warn(Code::no_target, "kp",
                                 t_.fixed ? "the servo has no `target`, so that it holds 0"
                                          : "the servo has no `target`: it is 0, which pulls the tendon to nothing");
        d.expected = "target l";
        d.remedy = "write the length that it shall hold";
        std::string length = "0";
        if (!t_.fixed) {
            const std::optional<double> start =
                r_.bodies_sound && (t_.reference || !t_.path.empty()) ? straightLength(r_, t_) : std::nullopt;
            if (t_.reference) length = numberText(t_.reference->value);
            else if (start) length = numberText(*start);
            else return;
        }
        d.remedy = fmt::format("add `target {}`{}", length, t_.fixed ? "" : ", its length at the start");
        d.fix = insertProperty(r_.tree, in_.statement(), "target", length);
    }

    void readMuscle() {
        Muscle m;
        const bool sound = in_.sound("muscle");
        in_.number("muscle", 0, m.fmax);
        in_.number("muscle", 1, m.lopt);
        in_.number("muscle", 2, m.lslack);
        in_.number("muscle", 3, m.pennation, true);
        if (in_.count("muscle") > 4) in_.number("muscle", 4, m.rise);
        if (in_.count("muscle") > 5) in_.number("muscle", 5, m.fall);
        if (sound && std::abs(m.pennation.value) >= 1.5707963) {
            Diagnostic& d =
                in_.fault(Code::out_of_range, "muscle", fmt::format("the pennation is {} rad", m.pennation.value));
            d.range = in_.range("muscle", 3);
            d.expected = "an angle between -pi/2 and pi/2";
        }
        // A muscle starts at an activation, not at a force.
        if (in_.number("state", 0, t_.activation) && (t_.activation.value < 0 || t_.activation.value > 1)) {
            Diagnostic& d =
                in_.fault(Code::out_of_range, "state", fmt::format("a muscle's activation is {}", t_.activation.value));
            d.expected = "an activation from 0 to 1";
        }
        if (!in_.has("excitation")) {
            Diagnostic& d = in_.fault(Code::missing_property, "muscle", "a muscle needs its `excitation`");
            d.expected = "excitation E, from 0 to 1";
            d.remedy = "add `excitation 0.5`, say";
            d.fix = insertProperty(r_.tree, in_.statement(), "excitation", "0.5");
        } else {
            expression("excitation", m.excitation);
        }
        if (sound) t_.muscle = std::move(m);
    }

    Reading& r_;
    Tendon& t_;
    StatementReader in_;
    int removals_ = 0;
};

}  // namespace

void Reading::readTendons() {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::tendon || model.tendons.size() >= kMostItems) continue;
        Tendon tendon;
        const TextRange name = tree.nameRange(statement);
        tendon.origin = {statement.range, name.end > 0 ? name : tree.token(statement.keyword).range(), -1};
        tendon.name = tree.view(name);
        if (!TendonReader(*this, statement, tendon).run() || name.end == 0) continue;
        item[i] = static_cast<int>(model.tendons.size());
        model.tendons.push_back(std::move(tendon));
    }
}

void Reading::readCouplings() {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::coupling || model.couplings.size() >= kMostItems) continue;
        StatementReader in(tree, statement, scope, findings);
        Coupling coupling;
        coupling.origin = {statement.range, tree.nameRange(statement), -1};
        coupling.name = tree.view(coupling.origin.name);
        coupling.first = in.has("first") ? named(in, "first", 0, NameSpace::tendon) : -1;
        const bool second = in.has("second");
        coupling.second = second ? named(in, "second", 0, NameSpace::tendon) : -1;
        const bool itself =
            second && in.sound("first") && in.sound("second") && in.text("first", 0) == in.text("second", 0);
        if (itself) {
            Diagnostic& d = in.fault(Code::coupled_to_itself, "second", "it couples a tendon to itself");
            d.expected = "another tendon";
            d.remedy = "name another one, or leave `second` out to hold the tendon";
            d.fix = removeProperty(tree, statement, "second");
        }
        in.numbers("poly", coupling.poly);
        in.number("compliance", 0, coupling.compliance);
        in.number("correction", 0, coupling.correction);
        coupling.off = in.has("off");
        checkCreep(in, tree, coupling.compliance, coupling.correction);
        const bool shape = !coupling.poly[2].isZero() || !coupling.poly[3].isZero() || !coupling.poly[4].isZero();
        if (!second && in.sound("poly") && shape) {
            Diagnostic& d = in.warn(Code::no_effect, "poly", "without `second` only c0 is read");
            d.remedy = "name the tendon that leads";
        }
        if (!coupling.off)
            for (const int tendon : {coupling.first, coupling.second})
                if (tendon >= 0 && model.tendons[static_cast<std::size_t>(tendon)].off) {
                    Diagnostic& d = in.warn(Code::no_effect, tendon == coupling.first ? "first" : "second",
                                            fmt::format("tendon '{}' is off, and the coupling is with it",
                                                        model.tendons[static_cast<std::size_t>(tendon)].name));
                    d.remedy = "switch the tendon on: remove its `off`";
                    break;
                }
        in.finish();
        if (itself || coupling.first < 0 || (second && coupling.second < 0)) continue;
        item[i] = static_cast<int>(model.couplings.size());
        model.couplings.push_back(std::move(coupling));
    }
}

}  // namespace mw::mech
