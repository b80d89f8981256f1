// The table of codes, and findings kept within bounds.
#include "engine/mech/findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace mw::mech {

const std::vector<CodeInfo>& allCodes() {
    static const std::vector<CodeInfo> codes = {
        {"text-too-large", "error", "A text may have 16 MB. Split it, or put data into files of their own."},
        {"too-many-statements", "error", "A text may have 100000 statements and 20000 items of a kind."},
        {"too-many-properties", "error", "A statement may have 10000 properties."},
        {"too-many-values", "error", "A list may have 10000 values."},
        {"too-many-findings", "error", "Only the first 1000 findings are listed; mend some and the others appear."},
        {"not-utf8", "warning", "The text is not well-formed UTF-8 at this place. Save it as UTF-8."},
        {"bad-character", "error",
         "A character that has no meaning in the language (outside comments and quoted texts)."},
        {"bad-number", "error",
         "Something that begins like a number but is none. Numbers carry no unit and have a decimal point."},
        {"unclosed-string", "error", "A quoted text must end on its own line."},
        {"unclosed-parenthesis", "error", "An expression in parentheses must end on its own line."},
        {"stray-parenthesis", "error", "A closing parenthesis without an opening one."},
        {"nesting-too-deep", "error", "Parentheses may be nested 200 deep."},
        {"missing-header", "error", "The first statement of a mechanism is `mech 1`."},
        {"misplaced-header", "error", "`mech 1` must be the first statement."},
        {"newer-version", "error", "The text was written for a newer version of the language than this program reads."},
        {"unknown-keyword", "error",
         "A word that is neither a statement nor a property of the statement it stands in."},
        {"unknown-name", "error", "No item of the wanted kind has this name."},
        {"unknown-choice", "error", "A word that is not one of the choices here."},
        {"missing-value", "error",
         "A property or statement lacks a value. All values stand on the property's own line."},
        {"extra-value", "error", "A value too many."},
        {"wrong-value", "error", "A value of another kind than the one wanted here."},
        {"missing-property", "error", "A statement means nothing without this property."},
        {"missing-name", "error", "A statement that defines an item lacks its name."},
        {"repeated-property", "error", "A property that may stand once in a statement stands twice."},
        {"repeated-statement", "error", "A statement that may stand once in a text stands twice."},
        {"conflicting-properties", "error", "Properties of which a statement may have only one."},
        {"needs-parentheses", "error", "An expression as a value stands in parentheses: `(2*k)`."},
        {"old-form", "error", "An older way of writing; the remedy has the present one."},
        {"bad-name", "error",
         "A name is a letter or _, then letters, digits or _. Dots appear only in names that the program makes."},
        {"reserved-name", "error",
         "Statement keywords, base, x, y, z, t, pi, deg, inf and function names cannot name an item."},
        {"duplicate-name", "error",
         "Two items of one kind have the same name. (Parameters and lets count as one kind, tsdas and rsdas too.)"},
        {"bad-expression", "error",
         "An expression that does not follow the rules of arithmetic, or calls a function with the wrong number of "
         "arguments."},
        {"expression-too-large", "error",
         "An expression that changes at run time may have 2000 operations and a depth of 250, what it stands for "
         "counted in."},
        {"not-finite", "error",
         "The result is infinite or not a number. `inf` may stand only where the language page says so."},
        {"out-of-range", "error", "A value outside the range that makes sense."},
        {"definition-cycle", "error", "Parameters that are defined by each other in a circle."},
        {"parent-cycle", "error", "Bodies that carry each other in a circle."},
        {"unused-parameter", "warning", "A parameter or let that nothing reads."},
        {"live-not-allowed", "error",
         "This value shapes the mechanism itself (an axis, a count, a range, a colour), so that it cannot change at "
         "run time."},
        {"time-not-allowed", "error",
         "Only drives, and actuator, target, feed and excitation of tendons, may use the time t."},
        {"looks-like-degrees", "warning",
         "An angle of more than a turn; angles are in radians. Write `(90*deg)` for degrees."},
        {"zero-axis", "error", "An axis of length zero has no direction."},
        {"axes-not-perpendicular", "error", "The two axes of a universal joint must be perpendicular."},
        {"floating-not-on-base", "error",
         "A floating joint hangs from base, without `at` and `rot`: its start gives the place."},
        {"not-read-here", "error", "A property that this kind of joint, law or shape does not read."},
        {"not-scalar", "error", "This needs a joint with one coordinate: revolute, prismatic or screw."},
        {"wrong-count", "error", "A list with another number of values than the joint has coordinates or velocities."},
        {"bad-curve", "error", "A curve needs pairs of numbers, at least two, with x strictly rising."},
        {"crossed-range", "error", "The lower end of a range lies above the upper one."},
        {"start-outside-range", "warning", "A start value or a parameter lies outside its own range."},
        {"quaternion-not-unit", "warning",
         "A quaternion's length differs from 1 by more than 1e-6; it was normalised."},
        {"zero-quaternion", "error", "A quaternion of length zero is no attitude."},
        {"negative-inertia", "error", "An inertia with a negative principal value is that of no body."},
        {"impossible-inertia", "warning",
         "The largest principal inertia exceeds the sum of the others, which no real body does. Published data "
         "sometimes does; the equations still hold."},
        {"no-inertia", "error", "A joint can move without moving any mass, so that its acceleration is undefined."},
        {"singular-start", "warning",
         "At the start pose some joint can move without moving any mass, or rows of loops depend on each other (links "
         "in one line, say); elsewhere that is not so. Accelerations do not exist there: start beside it."},
        {"singular-range", "warning",
         "At an end of a live parameter's range, where a slider gets, some joint can move without moving any mass, "
         "or a value leaves what is allowed for it: a length that is not positive, a negative mass, a division by "
         "zero."},
        {"zero-length", "error", "The ends of a tsda coincide at the start pose, so that it has no direction."},
        {"loop-open", "warning",
         "The start pose does not close a loop (by more than 1e-6 m or rad). It is pulled together when the mechanism "
         "runs; assembling finds start values that close it."},
        {"loop-idle", "error", "No joint between the two ends of a loop moves: there is nothing to close."},
        {"loop-unclosable", "warning",
         "No pose that closes the loops was found from the start pose: some length does not reach, or the start is far "
         "from every closed pose. The message says by how much and where they stay open."},
        {"loop-redundant", "error",
         "Some rows of a loop forbid what other rows or the joints forbid already, so that their forces are not "
         "determined: a planar loop closed by a revolute is the usual case. Close it with a type that has fewer "
         "rows."},
        {"loop-unjudged", "info",
         "A mechanism with many loops, or one whose loops do not close soon: the studio leaves it to the proof to say "
         "whether its rows are independent."},
        {"no-effect", "warning", "A property or element that cannot do anything where it stands."},
        {"mesh-not-found", "warning", "The file of a mesh was not found; the shape is not drawn."},
        {"mesh-format", "error", "A mesh is an .obj or .stl file."},
        {"needs-fext", "error",
         "No force reaches a body without `fext`: rollers and shoes of a track would not feel each other."},
        {"too-few-rollers", "error", "A belt runs around at least two rollers."},
        {"no-end-roller", "warning",
         "No roller of a track is an `end`: its pins lie on nothing, and only the shoes' inner faces carry it."},
        {"roller-place", "error",
         "A roller does not fit its track: it stands there twice, does not hang on the root, does not turn about the "
         "root's y by a joint of its own, or lies in another plane than the rest."},
        {"roller-idle", "info", "A roller lies inside the belt and does not touch it."},
        {"track-laid", "info",
         "How a track was laid: its shoes, the length of a link, the belt around the rollers, how far the pins stand "
         "off the belt so that the links close exactly, and the pitch of a sprocket's teeth."},
        {"track-not-laid", "error", "No closed band of so many links fits around these rollers."},
        {"track-overlap", "warning",
         "The inner face of the shoes lies farther in than half of what the belt encloses, so that the shoes of "
         "opposite runs would pass through each other."},
        {"track-length", "warning",
         "The belt divided by the number of shoes is more than 5 % off the pitch that the track declares: the number "
         "of shoes and the places of the rollers disagree about how long the track is."},
        {"link-too-long", "warning",
         "A link is as long as an end roller's diameter: the roller fits between two pins and carries nothing."},
        {"tooth-pitch", "warning",
         "The teeth of a sprocket, at its radius, are more than 5 % nearer together or farther apart than the pins."},
        {"names-shoe", "error",
         "Shoes and closures are made when a track is laid; the text itself cannot hang anything on them."},
        {"grid-not-found", "error", "The file of heights was not found beside the mechanism."},
        {"grid-not-read", "warning",
         "A text without a place of its own (not saved yet) finds no file beside it: the terrain lacks its heights."},
        {"grid-format", "error",
         "A file of heights is plain text: `heights nx ny x0 y0 dx dy`, then nx ny finite numbers, row by row."},
        {"steps-overlap", "warning",
         "Two steps of the ground rise within each other's width, so that their slopes add."},
        {"too-few-sites", "error", "A branch of a tendon runs from a site to another one: it has at least two."},
        {"guide-place", "error", "A guide of a tendon stands between two sites of its branch."},
        {"pulley-place", "error",
         "A pulley starts a branch of a tendon: it is not the last element, and two of them do not follow each other."},
        {"site-twice", "warning", "A tendon passes the same site twice in a row: the second one adds nothing."},
        {"end-inside", "warning",
         "At the start pose a site lies on or inside the guide next to it. The guide is then ignored and the tendon "
         "runs straight, until the site is outside."},
        {"coupled-to-itself", "error", "A coupling ties a tendon to another one, not to itself."},
        {"margins-overlap", "warning",
         "The margins of two limits overlap: between them both limits push at once, against each other."},
        {"creep", "warning",
         "A compliant limit or coupling with correction 0: under a load it gives way further at every step, without "
         "end. The static stiffness is correction / compliance."},
        {"no-target", "warning",
         "A servo on a tendon's length whose `target` was never written: it is 0, which pulls the tendon to nothing."},
        {"range-without-zero", "warning",
         "The range of an actuator excludes 0: without any command the nearest bound is applied all the same."},
        {"driven-twice", "error", "Two drives prescribe the motion of one coordinate."},
        {"start-off-motion", "warning",
         "A joint whose motion is prescribed starts elsewhere than where its drive has it at t = 0."},
        {"not-by-solver", "warning", "A value that the chosen solver does not read."},
        {"not-yet", "error",
         "The statement or word is part of the language, but this version of the program cannot run it yet."},
        {"not-enforced", "warning",
         "The property is read and kept, but this version of the program does not act on it yet."},
        {"not-used", "info", "The value is read and kept; nothing in this mechanism, or in this version, uses it."},
        // Said by name, behind those of the enumeration: the reader never finds it (engine/dynamics, closureFindings).
        {"drives-against-loops", "warning",
         "A drive prescribes a motion that loops and other prescribed motions fix already (two driven joints in a "
         "four-bar), or that loops hold at the start pose: where the laws disagree the loops are torn open."},
    };
    return codes;
}

const CodeInfo& info(Code code) { return allCodes()[static_cast<std::size_t>(code)]; }

std::string diagnosticsReference() {
    std::string page =
        "# Diagnostics\n\n"
        "What the program says about a text. Codes are stable: they are shown with each message, in `mech check` and "
        "in the\n"
        "studio's problem list, and are never renamed. This page is generated from the table in `engine/mech`.\n\n"
        "| code | severity | meaning |\n|---|---|---|\n";
    std::vector<CodeInfo> sorted = allCodes();
    std::sort(sorted.begin(), sorted.end(),
              [](const CodeInfo& a, const CodeInfo& b) { return std::string_view(a.name) < b.name; });
    for (const CodeInfo& code : sorted)
        page += fmt::format("| `{}` | {} | {} |\n", code.name, code.severity, code.explanation);
    return page;
}

std::string quote(std::string_view text) {
    constexpr int kMostCharacters = 40;
    std::string out = "'";
    int characters = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (characters++ == kMostCharacters) return out + "…'";
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t want = lead < 0x80   ? 1
                                 : lead < 0xC2 ? 0
                                 : lead < 0xE0 ? 2
                                 : lead < 0xF0 ? 3
                                 : lead < 0xF5 ? 4
                                               : 0;
        bool sound = want > 0 && i + want <= text.size() && lead >= 0x20 && lead != 0x7F;
        for (std::size_t k = 1; sound && k < want; ++k)
            sound = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
        if (sound && want == 3) {  // overlong forms and surrogates
            const auto second = static_cast<unsigned char>(text[i + 1]);
            sound = !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second >= 0xA0);
        }
        if (sound && want == 4) {
            const auto second = static_cast<unsigned char>(text[i + 1]);
            sound = !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second >= 0x90);
        }
        if (sound) {
            out.append(text.substr(i, want));
            i += want;
        } else {
            out += fmt::format("\\x{:02X}", lead);
            ++i;
        }
    }
    return out + "'";
}

Diagnostic& Findings::add(Code code, Severity severity, TextRange range, std::string message) {
    if (severity == Severity::error) ++errors_;
    if (found_.size() >= kMost) {
        ++dropped_;
        dropped_error_ = dropped_error_ || severity == Severity::error;
        last_ = range;
        return spare_ = Diagnostic{};
    }
    found_.push_back({info(code).name, severity, range, std::move(message), {}, {}, {}});
    return found_.back();
}

void Findings::adopt(std::vector<Diagnostic> earlier) {
    for (Diagnostic& d : earlier) {
        if (d.severity == Severity::error) ++errors_;
        found_.push_back(std::move(d));
    }
}

std::vector<Diagnostic> Findings::take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end < b.range.end;
    });
    if (dropped_ > 0)
        found_.push_back({info(Code::too_many_findings).name,
                          dropped_error_ ? Severity::error : Severity::warning,
                          last_,
                          fmt::format("{} more findings are not listed", dropped_),
                          "",
                          "mend the first ones and look again",
                          {}});
    dropped_ = 0;
    return std::move(found_);
}

namespace {

// Edits between two words (insert, delete, replace, swap neighbours), `limit` + 1 when more.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t n = b.size();
    std::vector<std::size_t> before(n + 1), row(n + 1), next(n + 1);
    for (std::size_t j = 0; j <= n; ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        std::size_t least = i;
        for (std::size_t j = 1; j <= n; ++j) {
            const std::size_t replace = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            next[j] = std::min({replace, row[j] + 1, next[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                next[j] = std::min(next[j], before[j - 2] + 1);
            least = std::min(least, next[j]);
        }
        if (least > limit) return limit + 1;
        before.swap(row);
        row.swap(next);
    }
    return row[n];
}

}  // namespace

std::string Findings::nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    if (word.size() > 60 || word.empty()) return "";
    std::size_t limit = std::max<std::size_t>(1, (word.size() + 1) / 3);
    if (word.size() <= 2) limit = 1;
    std::string_view best;
    for (const std::string_view candidate : candidates) {
        const std::size_t apart =
            candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (apart > limit) {
            if (budget_ > 0) --budget_;
            continue;
        }
        const std::size_t cost = word.size() * candidate.size() + 30;
        if (budget_ < cost) break;
        budget_ -= cost;
        const std::size_t d = distance(word, candidate, limit);
        if (d > limit || d >= word.size()) continue;
        best = candidate;
        if (d == 0) break;
        limit = d - 1;
        if (d == 1) break;
    }
    return std::string(best);
}

void Findings::suggest(Diagnostic& finding, std::string_view word, const std::vector<std::string_view>& candidates) {
    const std::string near = nearest(word, candidates);
    if (near.empty() || near == word) return;
    finding.remedy = fmt::format("did you mean '{}'?", near);
    if (finding.range.end - finding.range.begin == word.size()) finding.fix = {{finding.range, near}};
}

}  // namespace mw::mech
