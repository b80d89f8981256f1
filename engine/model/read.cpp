// From text to Model: the order of the stages, and what concerns the text as a whole.
#include "engine/model/read.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/check_inertia.h"
#include "engine/model/reader.h"

namespace mw {
namespace mech {
namespace {

constexpr int kVersion = 1;
constexpr double kShortestStab = 1e-6;  // s

void checkHeader(Reading& r) {
    const SyntaxTree& tree = r.tree;
    const Statement* mech = tree.first("mech");
    if (!mech) {
        if (tree.text.size() > kLargestText) return;
        const std::size_t begin = tree.text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
        Diagnostic& d = r.findings.error(Code::missing_header, {begin, begin}, "the text does not begin with `mech 1`");
        d.expected = "mech 1";
        d.remedy = "put it on the first line";
        d.fix = {{{begin, begin}, "mech 1" + lineEnding(tree.text)}};
        return;
    }
    StatementReader reader(tree, *mech, r.scope, r.findings);
    if (mech != &tree.statements.front())
        reader.fault(Code::misplaced_header, "", "it stands after other statements").expected =
            "`mech 1` as the first statement";
    int version = 0;
    if (reader.integer("", 0, version) && version > kVersion) {
        Diagnostic& d = r.findings.error(Code::newer_version, reader.range("", 0),
                                         fmt::format("the text is version {} of the language", version));
        d.expected = fmt::format("version {}", kVersion);
        d.remedy =
            fmt::format("a program that reads version {} opens it; this one reads version {}", version, kVersion);
    }
    reader.finish();
}

// What holds for every statement alike: names, repetitions, later capabilities, numbers of items.
void checkStatements(Reading& r) {
    const SyntaxTree& tree = r.tree;
    std::array<std::size_t, kNameSpaces> counts{};
    std::vector<const StatementSpec*> once;
    bool loops = false;
    int renamings = 0;
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        const StatementSpec& spec = *statement.spec;
        const TextRange keyword = tree.token(statement.keyword).range();
        if (spec.once) {
            if (std::find(once.begin(), once.end(), &spec) != once.end()) {
                Diagnostic& d =
                    r.findings.error(Code::repeated_statement, keyword, fmt::format("'{}' stands twice", spec.head));
                d.expected = "at most one in a text";
                d.remedy = "remove one of the two";
                d.fix = removeStatement(tree, statement);
            }
            once.push_back(&spec);
        }
        if (spec.defines != NameSpace::none) {
            const TextRange range = tree.nameRange(statement);
            const std::string_view name = tree.view(range);
            if (range.end > 0) {
                if (name.find('.') != std::string_view::npos || name.find('-') != std::string_view::npos) {
                    Diagnostic& d = r.findings.error(Code::bad_name, range,
                                                     fmt::format("{} is no name for a {}", quote(name), spec.head));
                    d.expected = "a letter or _, then letters, digits or _";
                    std::string mended(name);
                    for (char& c : mended)
                        if (c == '.' || c == '-') c = '_';
                    d.remedy = fmt::format("call it '{}'", mended.substr(0, 60));
                    if (++renamings <= 20) d.fix = rename(tree, spec.defines, name, mended);  // each walks the text
                } else if (isReserved(name)) {
                    Diagnostic& d = r.findings.error(
                        Code::reserved_name, range,
                        fmt::format("{} is a word of the language and cannot name a {}", quote(name), spec.head));
                    d.remedy = fmt::format("call it '{}_1'", name);
                    d.fix = {{range, fmt::format("{}_1", name)}};
                }
                const Statement* first = tree.find(spec.defines, name);
                if (first && first != &statement) {
                    Diagnostic& d =
                        r.findings.error(Code::duplicate_name, range,
                                         fmt::format("there is a {} {} already", first->spec->head, quote(name)));
                    d.expected = "a name of its own";
                }
            }
            if (++counts[static_cast<std::size_t>(spec.defines)] == kMostItems + 1)
                r.findings
                    .error(Code::too_many_statements, keyword,
                           fmt::format("there are more than {} items of kind '{}'", kMostItems,
                                       nameSpaceText(spec.defines)))
                    .remedy = "the rest was not read";
        }
        loops = loops || spec.defines == NameSpace::loop;
        if (spec.availability == Availability::not_yet) {
            Diagnostic& d = r.findings.error(
                Code::not_yet, keyword,
                fmt::format("'{}' is part of the language, but this version of the program cannot run it yet",
                            spec.head));
            d.remedy = "leave it out for now, or comment it out with #";
            for (const Property& property : statement.properties) {
                r.scope.enter(statement);
                r.scope.touch(property.begin, property.end);
            }
        }
    }
    const Statement* stab = tree.first("stab");
    if (!stab) return;
    StatementReader reader(tree, *stab, r.scope, r.findings);
    double time = 0;
    // 1/T^2 multiplies the errors: a time shorter than any step makes forces of rounding, and in the end NaN.
    if (reader.fixed("", 0, time)) {
        if (time > 0 && time < kShortestStab) {
            Diagnostic& d = r.findings.error(Code::out_of_range, reader.range("", 0),
                                             fmt::format("loop errors cannot decay within {} s", time));
            d.expected = fmt::format("0, or a time of at least {} s", kShortestStab);
            d.remedy = "0.1 suits most mechanisms; 0 switches the stabilisation off";
        } else {
            r.model.stab = time;
        }
    }
    reader.finish();
    if (!loops)
        r.findings.note(Code::not_used, tree.token(stab->keyword).range(),
                        "nothing reads 'stab': the mechanism has no loops");
}

void readHead(Reading& r) {
    if (const Statement* statement = r.tree.first("title")) {
        StatementReader reader(r.tree, *statement, r.scope, r.findings);
        r.model.title = reader.string("", 0);
        reader.finish();
    }
    if (const Statement* statement = r.tree.first("gravity")) {
        StatementReader reader(r.tree, *statement, r.scope, r.findings);
        reader.numbers("", r.model.gravity);
        reader.finish();
    }
}

}  // namespace

int Reading::findBody(std::string_view name) const {
    if (name == "base") return kBase;
    const NameMap& names = tree.names[static_cast<std::size_t>(NameSpace::body)];
    const auto found = names.find(name);
    if (found == names.end()) return -2;
    const int index = item[static_cast<std::size_t>(found->second)];
    return index < 0 ? -2 : index;
}

int Reading::body(StatementReader& reader, std::string_view word, std::size_t index, bool base_allowed) {
    const std::string_view name = reader.text(word, index);
    if (name.empty()) return -2;  // absent or faulty, said by the parser
    const int found = findBody(name);
    if (found == kBase && !base_allowed) {
        findings
            .error(Code::not_scalar, reader.range(word, index), fmt::format("{}: base has no joint", reader.title()))
            .expected = "the name of a body";
        return -2;
    }
    if (found != -2) return found;
    if (namesShoe(reader, reader.range(word, index), name)) return -2;
    Diagnostic& d = findings.error(Code::unknown_name, reader.range(word, index),
                                   fmt::format("{}: no body is called {}", reader.title(), quote(name)));
    d.expected = "the name of a body, or base";
    findings.suggest(d, name, bodyNames());
    return -2;
}

int Reading::named(StatementReader& reader, std::string_view word, std::size_t index, NameSpace space) {
    const std::string_view name = reader.text(word, index);
    if (name.empty()) return -1;
    const NameMap& names = tree.names[static_cast<std::size_t>(space)];
    const auto found = names.find(name);
    if (found != names.end())
        return item[static_cast<std::size_t>(found->second)];  // -1: its own faults are said there
    Diagnostic& d =
        findings.error(Code::unknown_name, reader.range(word, index),
                       fmt::format("{}: no {} is called {}", reader.title(), nameSpaceText(space), quote(name)));
    d.expected = fmt::format("the name of a {}", nameSpaceText(space));
    std::vector<std::string_view>& candidates = item_names[static_cast<std::size_t>(space)];
    if (candidates.empty()) {
        for (const auto& [known, statement] : names) candidates.emplace_back(known);
        std::sort(candidates.begin(), candidates.end());
    }
    findings.suggest(d, name, candidates);
    return -1;
}

bool Reading::namesShoe(StatementReader& reader, TextRange place, std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || !tree.find(NameSpace::track, name.substr(0, dot))) return false;
    const std::string_view made = name.substr(dot + 1);
    if (made.substr(0, 4) != "shoe" && made.substr(0, 7) != "closure") return false;
    Diagnostic& d = findings.error(Code::names_shoe, place,
                                   fmt::format("{}: {} is made when the track is laid, and the text cannot refer to it",
                                               reader.title(), quote(name)));
    d.expected = "a body that the text defines";
    d.remedy =
        "take the track's root or a roller; how a shoe moves is read by its name in tables, plots and `mech eval`";
    return true;
}

const std::vector<std::string_view>& Reading::bodyNames() {
    if (body_names.empty()) {
        body_names.emplace_back("base");
        for (const Body& b : model.bodies) body_names.emplace_back(b.name);
    }
    return body_names;
}

const std::vector<Placement>& Reading::startPlacements() {
    if (start_placements.size() != model.bodies.size()) start_placements = startPose(model);
    return start_placements;
}

bool Reading::point(StatementReader& reader, std::string_view word, std::size_t first, BodyPoint& out) {
    const std::string_view name = reader.text(word, first);
    if (name.empty()) return false;
    if (reader.count(word) == first + 1) {
        const NameMap& names = tree.names[static_cast<std::size_t>(NameSpace::point)];
        const auto found = names.find(name);
        if (found != names.end()) {
            const int index = item[static_cast<std::size_t>(found->second)];
            if (index < 0) return false;
            out = model.points[static_cast<std::size_t>(index)].point;
            return out.body >= kBase;
        }
        if (namesShoe(reader, reader.range(word, first), name)) return false;
        Diagnostic& d = findings.error(Code::unknown_name, reader.range(word, first),
                                       fmt::format("{}: no poi is called {}", reader.title(), quote(name)));
        d.expected = "a poi's name, or a body's name and three numbers";
        std::vector<std::string_view> candidates;
        for (const PointOfInterest& poi : model.points) candidates.emplace_back(poi.name);
        findings.suggest(d, name, candidates);
        return false;
    }
    out.body = body(reader, word, first);
    const bool numbers = reader.numbers(word, out.at, first + 1);
    return out.body != -2 && numbers;
}

bool Reading::coordinate(StatementReader& reader, std::string_view word, int& index_of_body, int& velocity,
                         bool only_scalar) {
    const std::string_view text = reader.text(word, 0);
    if (text.empty()) return false;
    const std::size_t dot = text.rfind('.');
    const std::string_view name = text.substr(0, dot);
    int number = 0;
    if (dot != std::string_view::npos) {
        const std::string_view digits = text.substr(dot + 1);
        const bool all_digits =
            !digits.empty() && digits.size() < 4 && digits.find_first_not_of("0123456789") == std::string_view::npos;
        if (all_digits) number = std::stoi(std::string(digits));
        if (number < 1) number = -1;
    }
    const int found = findBody(name);
    if (found < 0) {
        if (found == -2) {
            if (namesShoe(reader, reader.range(word, 0), text)) return false;
            Diagnostic& d = findings.error(Code::unknown_name, reader.range(word, 0),
                                           fmt::format("{}: no body is called {}", reader.title(), quote(name)));
            d.expected = "the name of a body with a joint";
            findings.suggest(d, name, bodyNames());
        } else {
            findings
                .error(Code::not_scalar, reader.range(word, 0), fmt::format("{}: base has no joint", reader.title()))
                .expected = "the name of a body";
        }
        return false;
    }
    if (!joint_known[static_cast<std::size_t>(found)]) return false;
    const JointType type = model.bodies[static_cast<std::size_t>(found)].joint.type;
    const int nv = jointNv(type);
    index_of_body = found;
    if (dot == std::string_view::npos && isScalar(type)) {
        velocity = 0;
        return true;
    }
    if (only_scalar || dot == std::string_view::npos) {
        Diagnostic& d =
            findings.error(Code::not_scalar, reader.range(word, 0),
                           fmt::format("{}: '{}' has a {} joint", reader.title(), name, jointTypeName(type)));
        d.expected = only_scalar || nv == 0
                         ? "a revolute, prismatic or screw joint"
                         : fmt::format("{}.1 to {}.{}: {}", name, name, nv, coordinateNames(type, true));
        return false;
    }
    if (number < 1 || number > nv) {
        Diagnostic& d = findings.error(Code::out_of_range, reader.range(word, 0),
                                       fmt::format("{}: the {} joint of '{}' has {} velocit{}", reader.title(),
                                                   jointTypeName(type), name, nv, nv == 1 ? "y" : "ies"));
        d.expected = nv == 0 ? "a body whose joint moves" : fmt::format("{}.1 to {}.{}", name, name, nv);
        return false;
    }
    velocity = number - 1;
    return true;
}

bool isScalar(JointType type) {
    return type == JointType::revolute || type == JointType::prismatic || type == JointType::screw;
}

std::string coordinateNames(JointType type, bool velocities) {
    switch (type) {
        case JointType::fixed: return "none";
        case JointType::revolute:
        case JointType::screw: return velocities ? "rate of the angle" : "angle";
        case JointType::prismatic: return velocities ? "speed" : "displacement";
        case JointType::cylindrical: return "angle, displacement";
        case JointType::universal: return "angle 1, angle 2";
        case JointType::planar: return "x, y, angle";
        case JointType::spherical: return velocities ? "wx wy wz" : "qw qx qy qz";
        case JointType::floating: return velocities ? "wx wy wz vx vy vz" : "qw qx qy qz x y z";
    }
    return "";
}

std::vector<bool> angles(JointType type) {
    switch (type) {
        case JointType::revolute:
        case JointType::screw: return {true};
        case JointType::cylindrical: return {true, false};
        case JointType::universal: return {true, true};
        case JointType::planar: return {false, false, true};
        default: return {};
    }
}

}  // namespace mech

ReadResult readModel(const mech::SyntaxTree& tree, const std::filesystem::path& folder) {
    ReadResult result;
    mech::Reading reading(tree, folder, result.model);
    reading.findings.adopt(tree.diagnostics);
    if (tree.text.size() <= mech::kLargestText) {
        reading.item.assign(tree.statements.size(), -1);
        reading.scope.define(result.model);
        mech::checkHeader(reading);
        mech::checkStatements(reading);
        mech::readHead(reading);
        reading.readBodies();
        reading.readLoops();
        reading.readPoints();
        reading.readElements();
        reading.readDrives();
        reading.readMaterials();
        reading.readContact();
        reading.readShapes();
        reading.readGround();
        reading.readTracks();
        reading.readTendons();
        reading.readCouplings();
        if (reading.bodies_sound) mech::checkMotions(result.model, reading.findings);
        reading.scope.reportUnused();
    }
    result.diagnostics = reading.findings.take();
    return result;
}

ReadResult readModel(const std::string& text, const std::filesystem::path& folder) {
    return readModel(mech::parse(text), folder);
}

}  // namespace mw
