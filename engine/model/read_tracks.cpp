// Tracks as their author wrote them: values, rollers and what can be said of them without laying the belt. What the
// geometry has to say comes with the expansion (engine/track).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

#include "engine/mech/patch.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

constexpr std::size_t kMostRollers = 100;  // of one track
constexpr int kMostShoes = 10'000;         // of all tracks

class TrackReader {
public:
    TrackReader(Reading& reading, const Statement& statement, Track& track)
        : r_(reading), track_(track), in_(reading.tree, statement, reading.scope, reading.findings) {}

    /// Could all of it be understood?
    bool run(int& shoes) {
        const std::size_t before = r_.findings.errors();
        bool complete = true;
        for (const Property& property : in_.statement().properties) complete = complete && !property.faulty;
        for (const char* word : {"root", "shoes", "mass", "pad", "kn"}) complete = in_.has(word) && complete;
        track_.root = in_.has("root") ? r_.body(in_, "root", 0) : -2;
        in_.text("plane", 0);
        complete = count(shoes) && complete;
        in_.fixed("pitch", 0, track_.pitch);
        shoe();
        in_.has("roller");
        for (std::size_t i = 0; i < std::min(kMostRollers, in_.mentions("roller")); ++i) {
            in_.turnTo("roller", i);
            complete = roller() && complete;
        }
        numberOfRollers();
        in_.fixed("pad", 0, track_.pad_z);
        in_.fixed("pad", 1, track_.pad_length);
        in_.fixed("pad", 2, track_.pad_width);
        in_.fixed("thickness", 0, track_.thickness);
        laws();
        in_.finish();
        return complete && track_.root >= kBase && r_.findings.errors() == before;
    }

private:
    /// Beyond the most shoes of a text no track is laid, and the first one says so.
    bool count(int& shoes) {
        if (!in_.integer("shoes", 0, track_.shoes)) return false;
        const int before = shoes;
        shoes = std::min(shoes + track_.shoes, kMostShoes + 1);
        if (shoes <= kMostShoes) return true;
        if (before <= kMostShoes)
            in_.fault(Code::out_of_range, "shoes",
                      fmt::format("with it the tracks have {} shoes", before + track_.shoes))
                .expected = fmt::format("at most {} shoes in a text", kMostShoes);
        return false;
    }

    void shoe() {
        in_.number("mass", 0, track_.mass);
        in_.numbers("cg", track_.cg);
        const bool inertia = !in_.has("inertia") || in_.numbers("inertia", track_.inertia);
        if (in_.has("inertia") && inertia) checkInertia(in_, r_.tree, track_.inertia);
        // Of a chain's last shoe nothing else turns about its pin.
        const double x = track_.cg[0].value, z = track_.cg[2].value;
        if (inertia && in_.sound("mass") && track_.inertia[1].value + track_.mass.value * (x * x + z * z) <= 0) {
            Diagnostic& d = in_.fault(Code::no_inertia, in_.has("inertia") ? "inertia" : "mass",
                                      "a shoe has no inertia about its own pin");
            d.expected = "Iyy, or a cg away from the pin";
            d.remedy = "give `inertia`, or the `cg` that a plate of a link's length has: half a link along x";
        }
        track_.fext = in_.has("fext");
        if (track_.fext) return;
        Diagnostic& d =
            in_.fault(Code::needs_fext, "", "its shoes do not declare `fext`, so that no force reaches them");
        d.expected = "fext";
        d.remedy = "add `fext`: rollers and ground then act on the shoes";
        d.fix = insertProperty(r_.tree, in_.statement(), "fext", "");
    }

    bool roller() {
        Track::Roller roller;
        roller.range = in_.range("roller");
        for (const char* word : {"roller.end", "roller.driven", "roller.teeth"})
            if (in_.has(word)) roller.range.end = std::max(roller.range.end, in_.range(word).end);
        roller.body = r_.body(in_, "roller", 0);
        const std::string name(in_.text("roller", 0));
        bool sound = in_.fixed("roller", 1, roller.radius) && roller.body != -2;
        roller.end = in_.has("roller.end");
        roller.driven = in_.has("roller.driven");
        if (in_.has("roller.teeth")) sound = in_.integer("roller.teeth", 0, roller.teeth) && sound;
        if (roller.body >= kBase && (roller.body == kBase || roller.body == track_.root)) {
            Diagnostic& d =
                place(roller, roller.body == kBase ? std::string("base does not turn, and is no roller")
                                                   : fmt::format("'{}' is the root, and no roller of its own", name));
            d.expected = "a body that turns on the root";
            sound = false;
        } else if (roller.body >= 0 && !seen_.insert(roller.body).second) {
            Diagnostic& d = place(roller, fmt::format("'{}' is a roller of it already", name));
            d.expected = "each body once";
            d.remedy = "remove one of the two lines";
            sound = false;
        } else if (roller.body >= 0) {
            needsFext(roller, name);
        }
        if (sound) teeth(roller, name);
        if (sound) track_.rollers.push_back(roller);
        return sound;
    }

    Diagnostic& place(const Track::Roller& roller, const std::string& what) {
        return r_.findings.error(Code::roller_place, roller.range, fmt::format("{}: {}", in_.title(), what));
    }

    void needsFext(const Track::Roller& roller, const std::string& name) {
        if (r_.model.bodies[static_cast<std::size_t>(roller.body)].fext) return;
        Diagnostic& d = r_.findings.error(
            Code::needs_fext, roller.range,
            fmt::format("{}: its roller '{}' does not declare `fext`, so that the band cannot push it", in_.title(),
                        name));
        d.expected = fmt::format("`fext` in body '{}'", name);
        d.remedy = fmt::format("add `fext` to body '{}'", name);
        if (const Statement* body = r_.tree.find(NameSpace::body, name))
            d.fix = insertProperty(r_.tree, *body, "fext", "");
    }

    void teeth(const Track::Roller& roller, const std::string& name) {
        if (roller.driven && !roller.end) {
            Diagnostic& d = r_.findings.error(
                Code::not_read_here, in_.range("roller.driven"),
                fmt::format("{}: '{}' is driven but no `end`: only there pins meet its teeth", in_.title(), name));
            d.expected = "end driven";
            d.remedy = "add `end`";
            d.fix = {{{in_.range("roller.driven").begin, in_.range("roller.driven").begin}, "end "}};
        } else if (roller.driven && roller.teeth == 0) {
            Diagnostic& d =
                r_.findings.error(Code::missing_property, roller.range,
                                  fmt::format("{}: the driven roller '{}' has no `teeth`", in_.title(), name));
            d.expected = "teeth n";
            const double fit = 2 * 3.14159265358979323846 * roller.radius / track_.pitch;
            if (track_.pitch > 0 && fit >= 3 && fit <= 1000) {
                d.remedy = fmt::format("add `teeth {:.0f}`, what fits the pitch at its radius", std::round(fit));
                d.fix = {{{roller.range.end, roller.range.end}, fmt::format(" teeth {:.0f}", std::round(fit))}};
            } else {
                d.remedy = "say how many pins it takes along in a turn";
            }
        } else if (!roller.driven && roller.teeth > 0) {
            Diagnostic& d = r_.findings.warning(
                Code::no_effect, in_.range("roller.teeth"),
                fmt::format("{}: nothing reads the teeth of '{}': it is not driven", in_.title(), name));
            d.remedy = "add `driven`, or remove them";
            const TextRange word = in_.range("roller.teeth");
            d.fix = {{{word.begin, word.begin}, roller.end ? "driven " : "end driven "}};
        }
    }

    void numberOfRollers() {
        const std::size_t rollers = in_.mentions("roller");
        if (rollers > kMostRollers) {
            in_.fault(Code::out_of_range, "", fmt::format("it has {} rollers", rollers)).expected =
                fmt::format("at most {} rollers in a track", kMostRollers);
        } else if (rollers < 2) {
            Diagnostic& d =
                in_.fault(Code::too_few_rollers, "", rollers == 0 ? "it has no rollers" : "it has one roller");
            d.expected = "at least two lines `roller BODY radius`";
            d.remedy = "name the bodies that the belt runs around";
        } else if (track_.rollers.size() == rollers &&
                   std::none_of(track_.rollers.begin(), track_.rollers.end(),
                                [](const Track::Roller& roller) { return roller.end; })) {
            Diagnostic& d = in_.warn(Code::no_end_roller, "", "none of its rollers is an `end`");
            d.expected = "roller BODY radius end";
            d.remedy = "write `end` behind the rollers that the pins wrap: sprocket and idler";
        }
    }

    void laws() {
        track_.mu = Number(0.8), track_.zeta = Number(0.2), track_.veps = Number(0.01), track_.fskip = Number(2e4);
        in_.number("kn", 0, track_.kn);
        track_.kt = track_.guide = track_.kn;
        in_.number("kt", 0, track_.kt);
        in_.number("mu", 0, track_.mu);
        in_.number("zeta", 0, track_.zeta);
        in_.number("veps", 0, track_.veps);
        in_.number("fskip", 0, track_.fskip);
        in_.number("guide", 0, track_.guide);
        in_.fixed("gate", 0, track_.gate);
        in_.fixed("fade", 0, track_.fade);
    }

    Reading& r_;
    Track& track_;
    StatementReader in_;
    std::unordered_set<int> seen_;
};

}  // namespace

void Reading::readTracks() {
    int shoes = 0;
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const Statement& statement = tree.statements[i];
        if (statement.spec->defines != NameSpace::track || model.tracks.size() >= kMostItems) continue;
        Track track;
        const TextRange name = tree.nameRange(statement);
        track.origin = {statement.range, name.end > 0 ? name : tree.token(statement.keyword).range(), -1};
        track.name = tree.view(name);
        if (!TrackReader(*this, statement, track).run(shoes) || name.end == 0) continue;
        item[i] = static_cast<int>(model.tracks.size());
        model.tracks.push_back(std::move(track));
    }
}

}  // namespace mw::mech
