// Every code of the catalogue has a text that brings it about; its place lies in the text, and its fix, where it has
// one, makes it go away.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "engine/mech/findings.h"
#include "engine/mech/patch.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

const std::string kArm = "body arm\n  joint revolute y\n  mass 1\n  cg 0.5 0 0\n";

std::string lines(const char* line, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line;
    return text;
}

std::string nested(int depth) {
    return "param p " + std::string(static_cast<std::size_t>(depth), '(') + "1" +
           std::string(static_cast<std::size_t>(depth), ')') + "\n";
}

std::string longSum() {
    std::string text = "param p 1 live\nlet s = p";
    for (int i = 0; i < 2000; ++i) text += " + p";
    return text + "\n";
}

/// A band around two rollers on the base; `lines` go into the track.
std::string band(const std::string& lines = "", const std::string& shoes = "24", const std::string& first = "fext",
                 const std::string& rollers = "  roller front 0.25 end driven teeth 8\n  roller back 0.25 end\n",
                 const std::string& at = "0.8 0 1") {
    return "body front\n  joint revolute y\n  at " + at + "\n  mass 20  inertia 0.4 0.7 0.4 0 0 0\n  " + first +
           "\nbody back\n  joint revolute y\n  at -0.8 0 1\n  mass 20  inertia 0.4 0.7 0.4 0 0 0\n  fext\n"
           "body small\n  joint revolute y\n  at 0 0 1\n  mass 20  inertia 0.4 0.7 0.4 0 0 0\n  fext\n"
           "track belt\n  root base\n  shoes " +
           shoes + "\n  mass 8  cg 0.1 0 0  inertia 0.05 0.02 0.06 0 0 0\n  fext\n" + rollers +
           "  pad -0.03 0.18 0.3  thickness 0.03\n  kn 1e6\n" + lines;
}

std::string tail(const std::string& text) { return text.substr(text.find("track belt")); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string without(std::string text, const std::string& part) {
    const std::size_t at = text.rfind(part);
    return at == std::string::npos ? text : text.erase(at, part.size());
}

struct Case {
    const char* code;
    std::string text;  // after `mech 1`, unless it begins with a !
};

std::vector<Case> cases() {
    return {
        {"text-too-large", std::string(mech::kLargestText, ' ')},
        {"too-many-statements", lines("poi p\n", 100'001)},
        {"too-many-properties", "body b\n" + lines("mass 1\n", 10'002)},
        {"too-many-values", kArm + "rsda r joint arm curve" + lines(" 1", 10'001) + "\n"},
        {"too-many-findings", lines("poi 1\n", 1500)},
        {"not-utf8", "# caf\xE9\n"},
        {"bad-character", "param p 1 @\n"},
        {"bad-character",
         "gravity 0 0 \xE2\x88\x92"
         "9.81\n"},
        {"bad-number", kArm + "shape s on arm sphere 10mm\n"},
        {"bad-number", kArm + "  rot 0 0 30deg\n"},
        {"bad-number", "gravity 0 0 1.2.3\n"},
        {"unclosed-string", "title \"Crank\n"},
        {"unclosed-parenthesis", "param p (1 + 2\n"},
        {"stray-parenthesis", "param p 1)\n"},
        {"nesting-too-deep", nested(201)},
        {"missing-header", "!body arm\n  mass 1\n"},
        {"misplaced-header", "!title \"T\"\nmech 1\n"},
        {"newer-version", "!mech 2\n"},
        {"unknown-keyword", "body arm\n  masss 1\n"},
        {"unknown-keyword", "bodi arm\n"},
        {"unknown-name", kArm + "  parent arn\n"},
        {"unknown-name", "param length 1\nlet l = lenght/2\n"},
        {"unknown-name", "let a = b\nlet b = 2\n"},
        {"unknown-name", kArm + "tsda s from wall to arm 0 0 0 l0 1\n"},
        {"unknown-choice", "body arm\n  joint revolut y\n  mass 1\n"},
        {"missing-value", "body arm\n  mass cg 0 0 0\n"},
        {"missing-value", kArm + "  at 1 2\n"},
        {"missing-value", kArm + "tsda s from base to arm 0 0 1 l0 1\n"},
        {"missing-value", "body b\n joint screw z 0.1\n mass 1\n"},
        {"extra-value", kArm + "  at 1 2 3 4\n"},
        {"extra-value", "param p 1 param q 2\n"},
        {"wrong-value", "title Crank\n"},
        {"wrong-value", "body b\n  mass \"heavy\"\n"},
        {"wrong-value", "body b\n  joint revolute -y\n  mass 1\n inertia 1 1 1 0 0 0\n"},
        {"missing-name", "body\n  mass 1\n"},
        {"missing-property", "body arm\n"},
        {"missing-property", kArm + "drive d joint arm\n"},
        {"missing-property", kArm + "drive d joint arm speed 1\n"},
        {"missing-property", kArm + "shape s on arm\n"},
        {"repeated-property", kArm + "  mass 2\n"},
        {"repeated-statement", "title \"A\"\ntitle \"B\"\n"},
        {"conflicting-properties", kArm + "shape s on arm sphere 1 box 1 1 1\n"},
        {"needs-parentheses", "param k 2\nparam l 2*k\n"},
        {"needs-parentheses", "param l sqrt(2)\n"},
        {"needs-parentheses", "param k 2\nparam l k - 1\n"},
        {"old-form", "ground z -0.55\n"},
        {"bad-name", "body left.arm\n  mass 1\n"},
        {"bad-name", "body left-arm\n  mass 1\n"},
        {"reserved-name", "body base\n  mass 1\n"},
        {"reserved-name", "param sin 1\n"},
        {"duplicate-name", kArm + "body arm\n  mass 1\n"},
        {"bad-expression", "param p (1 +)\n"},
        {"bad-expression", "param p (atan2(1))\n"},
        {"bad-expression", "param p (1 2)\n"},
        {"expression-too-large", longSum()},
        {"not-finite", "param p (1/0)\n"},
        {"not-finite", "param p (inf)\n"},
        {"not-finite", "body b\n  mass 1e999\n"},
        {"out-of-range", "body b\n  mass -1\n"},
        {"out-of-range", "body b\n  joint cylindrical z\n  mass 1\n inertia 1 1 1 0 0 0\ndrive d joint b.3 torque 1\n"},
        {"out-of-range", "stab 1e-200\n"},
        {"definition-cycle", "param a (b)\nparam b (a + 1)\n"},
        {"parent-cycle", "body a\n  parent b\n  mass 1\nbody b\n  parent a\n  mass 1\n"},
        {"unused-parameter", "param p 1\n"},
        {"live-not-allowed", "param p 1 live\nbody b\n  joint revolute p 0 1\n  mass 1\n"},
        {"time-not-allowed", "body b\n  mass (1 + t)\n"},
        {"looks-like-degrees", kArm + "  rot 0 0 90\n"},
        {"looks-like-degrees", kArm + "  start -45\n"},
        {"zero-axis", "body b\n  joint revolute 0 0 0\n  mass 1\n"},
        {"axes-not-perpendicular", "body b\n  joint universal x 1 1 0\n  mass 1\n inertia 1 1 1 0 0 0\n"},
        {"floating-not-on-base", "body b\n  joint floating\n  at 1 0 0\n  mass 1\n  inertia 1 1 1 0 0 0\n"},
        {"floating-not-on-base",
         "body a\n mass 1\nbody b\n  parent a\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n"},
        {"not-read-here", kArm + "drive d joint arm torque 1 gain 3\n"},
        {"not-read-here", kArm + "shape s on arm sphere 1 scale 2\n"},
        {"not-read-here", kArm + "  margin 0.1\n"},
        {"not-scalar", "body b\n  mass 1\nrsda r joint b k 1\n"},
        {"not-scalar", kArm + "rsda r joint base k 1\n"},
        {"wrong-count", kArm + "  start 1 2\n"},
        {"wrong-count", "body b\n  mass 1\n  rate 1\n"},
        {"bad-curve", kArm + "rsda r joint arm curve 0 1 0 2\n"},
        {"bad-curve", kArm + "rsda r joint arm curve 0 1 2\n"},
        {"crossed-range", kArm + "  slider 1 -1\n"},
        {"crossed-range", kArm + "  limits 1 -1\n"},
        {"start-outside-range", kArm + "  limits -1 1\n  start 2\n"},
        {"start-outside-range", "param p 1  range 2 3\n"},
        {"quaternion-not-unit", "body b\n  joint spherical\n  mass 1\n  inertia 1 1 1 0 0 0\n  start 1 1 0 0\n"},
        {"zero-quaternion", "body b\n  joint spherical\n  mass 1\n  inertia 1 1 1 0 0 0\n  start 0 0 0 0\n"},
        {"negative-inertia", "body b\n  mass 1\n  inertia 1 1 1 2 0 0\n"},
        {"impossible-inertia", "body b\n  mass 1\n  inertia 1 1 3 0 0 0\n"},
        {"impossible-inertia", "body b\n  mass 1\n  inertia 2 1 4 0.1 -0.3 0.2\n"},
        {"no-inertia", "body b\n  joint revolute x\n  mass 1\n"},
        {"singular-range", "mech 1\nparam m 1 range 0 2 live\nbody a\n  joint revolute y\n  mass m  cg 0.1 0 0\n"},
        {"singular-range", "param m 1 range 0.2 2 live\nbody a\n  joint revolute y\n  mass (m - 0.5)  cg 1 0 0\n"},
        {"singular-range", kArm + "param p 1 range 0 2 live\nrsda r joint arm  k (1/p)\n"},
        {"singular-range", kArm +
                               "param L 1 range 0.5 1 live\nloop l\n  type distance\n  from base 1.3 0 0\n  to arm 1 0 "
                               "0\n  length (L - 0.7)\n"},
        {"singular-start",
         "body a\n joint revolute z\n mass 0\nbody b\n parent a\n joint revolute x\n mass 1\n cg 0 0 1\n"},
        {"zero-length", kArm + "tsda s from base 0 0 0 to arm 0 0 0 k 1\n"},
        {"no-effect", kArm + "tsda s from arm 0 0 0 to arm 0 0 1 k 1\n"},
        {"no-effect", "body b\n  mass 1\n  joint-damping 1\n"},
        {"mesh-not-found", kArm + "shape s on arm mesh \"nothing.stl\"\n"},
        {"mesh-format", kArm + "shape s on arm mesh \"arm.step\"\n"},
        {"loop-open", kArm + "loop l\n  type spherical\n  from base 1 0 0.001\n  to arm 1 0 0\n"},
        {"loop-idle", "body a\n  mass 1\nloop l\n  type spherical\n  from base 0 0 0\n  to a 0 0 0\n"},
        {"missing-property", kArm + "loop l\n  type revolute\n  from base 1 0 0\n  to arm 1 0 0\n"},
        {"missing-property", kArm + "loop l\n  type distance\n  from base 0 0 1\n  to arm 1 0 0\n"},
        {"not-read-here", kArm + "loop l\n  type spherical\n  axis z\n  from base 0 0 1\n  to arm 1 0 0\n"},
        {"repeated-property",
         kArm + "loop l\n  type spherical\n  from base 0 0 1 rot 0 0 0 rot 0 0 1\n  to arm 1 0 0\n"},
        {"old-form", "ground x 3\n"},
        {"old-form", "ground z\n"},
        {"old-form", without(band(), "  kn 1e6\n") + "  ground z -0.55   \n  kn 2e5  mu 0.7\n"},
        {"old-form", band("  ground z -0.55 # floor\n")},
        {"missing-property", "track belt\n  root base\n"},
        {"missing-property",
         band("", "24", "fext", "  roller front 0.25 end driven\n  roller back 0.25 end\n  pitch 0.2\n")},
        {"missing-property", band("", "24", "fext", "  roller front 0.25 end driven\n  roller back 0.25 end\n")},
        {"needs-fext", band("", "24", "")},
        {"needs-fext", without(band(), "  fext\n")},
        {"too-few-rollers", band("", "24", "fext", "  roller front 0.25 end\n")},
        {"too-few-rollers", band("", "24", "fext", "")},
        {"no-end-roller", band("", "24", "fext", "  roller front 0.25\n  roller back 0.25\n")},
        {"roller-place", band("  roller front 0.3\n")},
        {"roller-place", band("  roller base 0.3\n")},
        {"roller-place", band("", "24", "fext\n  rot 0.1 0 0")},
        {"roller-place", band("", "24", "fext\n  rot 3.14159265358979 0 0")},
        {"roller-place", band("", "24", "fext", "  roller front 0.25 end\n  roller back 0.25 end\n", "0.8 0.1 1")},
        {"roller-place", band("", "24", "fext", "  roller front 0.25 end\n  roller back 0.25 end\n", "1e9 0 1")},
        {"roller-place", "body slide\n  joint prismatic x\n  mass 1\n  fext\n" + band("  roller slide 0.1\n")},
        {"roller-place", "body other\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n  fext\n" +
                             replaced(band("  roller small 0.1\n"), "root base", "root other")},
        {"roller-place", "body hull\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\n  fext\n" +
                             replaced(band("  roller hull 0.1\n"), "root base", "root hull")},
        {"roller-idle", band("  roller small 0.1\n")},
        {"track-laid", band()},
        {"track-not-laid", band("", "3")},
        {"track-not-laid", replaced(band("  roller small 0.1\n"), "pad -0.03", "pad -0.3")},
        {"track-overlap", replaced(band(), "pad -0.03", "pad 0.3")},
        {"track-length", band("  pitch 0.15\n")},
        {"track-length", band("  pitch 1000\n")},
        {"link-too-long",
         band("", "24", "fext", "  roller front 0.08 end\n  roller back 0.25 end\n  roller small 0.25\n")},
        {"tooth-pitch", band("", "24", "fext", "  roller front 0.25 end driven teeth 9\n  roller back 0.25 end\n")},
        {"tooth-pitch", band("", "24", "fext", "  roller front 0.17 end driven teeth 9\n  roller back 0.25 end\n")},
        {"out-of-range", band("  fade 0.15\n")},
        {"out-of-range", band("", "2")},
        {"out-of-range", band("", "10001")},
        {"out-of-range", band("", "6000") + replaced(tail(band("", "6000")), "track belt", "track other")},
        {"out-of-range", band(lines("  roller small 0.1\n", 101))},
        {"out-of-range", "ground\n  plane 1 0 0 0\n"},
        {"out-of-range", "ground\n  plane 0 0.1 -1 0.5\n"},
        {"out-of-range", "ground\n  wave 0.1 0\n"},
        {"zero-axis", "ground\n  plane 0 0 0 1\n"},
        {"no-inertia", replaced(band(), "mass 8  cg 0.1 0 0  inertia 0.05 0.02 0.06 0 0 0", "mass 8")},
        {"negative-inertia", replaced(band(), "inertia 0.05 0.02 0.06 0 0 0", "inertia 0.05 0.02 0.06 0 1 0")},
        {"impossible-inertia", replaced(band(), "inertia 0.05 0.02 0.06 0 0 0", "inertia 0.05 0.02 0.16 0 0 0")},
        {"not-read-here", band("", "24", "fext", "  roller front 0.25 driven teeth 8\n  roller back 0.25 end\n")},
        {"no-effect", band("", "24", "fext", "  roller front 0.25 end teeth 8\n  roller back 0.25 end\n")},
        {"repeated-property", band("", "24", "fext", "  roller front 0.25 end end\n  roller back 0.25 end\n")},
        {"live-not-allowed",
         "param far 0.8 range 0.7 0.9 live\n" +
             band("", "24", "fext", "  roller front 0.25 end\n  roller back 0.25 end\n", "far 0 1")},
        {"live-not-allowed", "param r 0.25 range 0.2 0.3 live\n" +
                                 band("", "24", "fext", "  roller front r end\n  roller back 0.25 end\n")},
        {"live-not-allowed", "param n 24 live\n" + band("", "n")},
        {"names-shoe", band() + "poi x on belt.shoe3 at 0 0 0\n"},
        {"names-shoe", band() + "drive d joint belt.shoe3 torque 1\n"},
        {"names-shoe", band() + "tsda s from belt.shoe0 0 0 0 to base 0 0 2 k 1\n"},
        {"names-shoe", band() + "tsda s from belt.closure to base 0 0 2 k 1\n"},
        {"steps-overlap", "ground\n  step 0.1 at 1 width 0.4\n  step 0.1 at 1.3 width 0.4\n"},
        {"grid-not-found", "ground\n  grid \"nothing.txt\"\n"},
        {"grid-format", "ground\n  grid \"CMakeLists.txt\"\n"},
        {"not-used", "ground\n  plane 0 0 1 0\n"},
        {"not-used", band("  kt 1e6\n")},
        {"not-yet", "sensor s on base\n"},
        {"not-yet", "contact\n  solver xpbd\n"},
        {"not-yet", "contact\n  cone elliptic\n"},
        {"not-enforced", kArm + "shape s on arm sphere 1 density 1000\n"},
        {"not-used", "stab 0.1\n"},
        {"not-used", "material m\nshape s on base sphere 1 collide m\nground\n"},
    };
}

/// An arm with two bodies more, and a tendon of these lines.
std::string strung(const std::string& lines, const std::string& head = "tendon rope") {
    return kArm + "body ball\n  joint spherical\n  mass 1\n  inertia 1 1 1 0 0 0\nbody weld\n  mass 1\n" + head + "\n" +
           lines;
}

/// The same between base and arm, 1 m long at the start, with these lines behind the route.
std::string rope(const std::string& lines) { return strung("  site base 0 0 -0.6\n  site arm 0.8 0 0\n" + lines); }

std::string fixedTendon(const std::string& lines) { return strung(lines, "tendon rope fixed"); }

/// Everything that reference pages refuse or warn of in tendons, couplings, materials and rows.
std::vector<Case> tendonCases() {
    const std::string one = "  site base 0 0 -0.6\n", two = "  site arm 0.8 0 0\n", end = "  site arm 0.9 0 0\n";
    const std::string couple = rope("") + "tendon u\n" + one + end;
    return {
        // path elements
        {"missing-value", strung("  site base 0 0\n" + two)},
        {"unknown-name", strung("  site bass 0 0 0\n" + two)},
        {"not-finite", strung("  site base 0 0 (1/0)\n" + two)},
        {"out-of-range", strung(one + "  sphere arm 0 0 0 radius 0\n" + two)},
        {"out-of-range", strung(one + "  sphere arm 0 0 0 radius -0.1\n" + two)},
        {"not-finite", strung(one + "  sphere arm 0 0 0 radius (0/0)\n" + two)},
        {"not-finite", strung(one + "  sphere arm 0 0 0 radius inf\n" + two)},
        {"missing-property", strung(one + "  sphere arm 0 0 0\n" + two)},
        {"missing-property", strung(one + "  cylinder arm 0 0 0 radius 0.1\n" + two)},
        {"missing-property", strung(one + "  cylinder arm 0 0 0 axis y\n" + two)},
        {"out-of-range", strung(one + "  cylinder arm 0 0 0 axis y radius 0\n" + two)},
        {"zero-axis", strung(one + "  cylinder arm 0 0 0 axis 0 0 0 radius 0.1\n" + two)},
        {"not-finite", strung(one + "  cylinder arm 0 0 0 axis (1/0) 0 0 radius 0.1\n" + two)},
        {"live-not-allowed", "param p 1 live\n" + strung(one + "  cylinder arm 0 0 0 axis p 0 0 radius 0.1\n" + two)},
        {"out-of-range", strung(one + "  ellipsoid arm 0 0 0 radii 0.1 0 0.1\n" + two)},
        {"zero-axis", strung(one + "  torus arm 0 0 0 axis 0 0 0 radii 0.1 0.02\n" + two)},
        {"out-of-range", strung(one + "  torus arm 0 0 0 axis z radii 0.1 0.1\n" + two)},
        {"out-of-range", strung(one + "  sphere arm 0 0 0 radius 0.1 mu -1\n" + two)},
        {"unknown-name", strung(one + "  sphere arm 0 0 0 radius 0.1 side arn 0 0 1\n" + two)},
        {"repeated-property", strung(one + "  sphere arm 0 0 0 radius 0.1 radius 0.2\n" + two)},
        {"unknown-keyword", strung("  site base 0 0 -0.6 side base 0 0 1\n" + two)},
        {"unknown-keyword", strung(one + two + "  pulley 2 side base 0 0 1\n" + one + two)},
        {"unknown-keyword", strung(one + "  sphere arm 0 0 0 radius 0.1\n  side base 0 0 1\n" + two)},
        {"out-of-range", strung("  pulley 0\n" + one + two)},
        {"out-of-range", strung("  pulley -2\n" + one + two)},
        {"missing-value", strung("  pulley\n" + one + two)},
        {"pulley-place", strung(one + two + "  pulley 2\n")},
        {"pulley-place", strung(one + two + "  pulley 2\n  pulley 3\n" + one + two)},
        {"too-few-sites", strung("")},
        {"too-few-sites", strung(one)},
        {"too-few-sites", strung(one + two + "  pulley 2\n" + one)},
        {"too-few-sites", strung(one + "  sphere arm 0 0 0 radius 0.1\n")},
        {"guide-place", strung(one + two + "  sphere arm 0 0 0 radius 0.1\n")},
        {"guide-place", strung("  sphere arm 0 0 0 radius 0.1\n" + one + two)},
        {"guide-place", strung(one + two + "  sphere arm 0 0 0 radius 0.1\n  pulley 2\n" + one + two)},
        {"names-shoe", band() + "tendon rope\n  site belt.shoe3 0 0 0\n  site base 0 0 3\n"},
        {"site-twice", strung(one + two + two)},
        {"end-inside", strung(one + "  sphere base 0 0 -0.5 radius 0.2\n" + two)},
        {"end-inside", strung(one + "  cylinder base 0 7 -0.5 axis y radius 0.2\n" + two)},
        {"end-inside", strung(one + "  ellipsoid base 0 0 -0.5 radii 0.01 0.01 0.2\n" + two)},
        {"end-inside", strung(one + "  torus base 0.3 0 -0.6 axis z radii 0.3 0.02\n" + two)},
        {"end-inside", strung(one + "  sphere base 0 0 -0.5 radius 0.2 side base 0 0 3\n" + two)},
        // terms
        {"missing-property", fixedTendon("")},
        {"unknown-name", fixedTendon("  term arn 1\n")},
        {"not-scalar", fixedTendon("  term ball 1\n")},
        {"not-scalar", fixedTendon("  term ball.1 1\n")},
        {"not-scalar", fixedTendon("  term weld 1\n")},
        {"not-scalar", fixedTendon("  term base 1\n")},
        {"not-scalar",
         "body free\n  joint floating\n  mass 1\n  inertia 1 1 1 0 0 0\ntendon rope fixed\n  term free.4 1\n"},
        {"out-of-range", fixedTendon("  term arm.2 1\n")},
        {"not-finite", fixedTendon("  term arm (1/0)\n")},
        {"missing-value", fixedTendon("  term arm\n")},
        {"not-read-here", fixedTendon("  term arm 1\n" + one)},
        {"not-read-here", fixedTendon("  term arm 1\n  sphere arm 0 0 0 radius 0.1\n")},
        {"not-read-here", rope("  term arm 1\n")},
        {"not-read-here", fixedTendon("  term arm 1\n  feed 0.1\n")},
        {"not-read-here", fixedTendon("  term arm 1\n  side-rule barrier\n")},
        {"not-read-here", fixedTendon("  term arm 1\n  muscle 100 0.1 0.2 0\n")},
        {"not-read-here", fixedTendon("  term arm 1\n  excitation 0.1\n")},
        // laws
        {"out-of-range", rope("  stiffness -1\n")},
        {"not-finite", rope("  stiffness inf\n")},
        {"out-of-range", rope("  damping -1\n")},
        {"missing-value", rope("  stiffness 1  spring 0.1\n")},
        {"crossed-range", rope("  stiffness 1  spring 0.2 0.1\n")},
        {"out-of-range", rope("  stiffness 1  spring inf inf\n")},
        {"out-of-range", rope("  stiffness 1  spring -inf -inf\n")},
        {"not-finite", rope("  stiffness 1  spring (0/0) 1\n")},
        {"crossed-range", rope("  limits 2 1\n")},
        {"out-of-range", rope("  limits inf inf\n")},
        {"out-of-range", rope("  limits -inf -inf\n")},
        {"out-of-range", rope("  limits 0 2  margin -1\n")},
        {"out-of-range", rope("  limits 0 2  compliance -1\n")},
        {"out-of-range", rope("  limits 0 2  correction -0.1\n")},
        {"out-of-range", rope("  limits 0 2  correction 1.1\n")},
        {"not-finite", rope("  limits 0 2  correction (0/0)\n")},
        {"out-of-range", rope("  friction -1\n")},
        {"out-of-range", rope("  friction 1  friction-compliance -1\n")},
        {"out-of-range", rope("  armature -1\n")},
        {"not-finite", rope("  reference (1/0)\n")},
        {"out-of-range", rope("  width 0\n")},
        {"out-of-range", rope("  width -1\n")},
        {"out-of-range", rope("  color 2 0 0\n")},
        {"missing-value", rope("  color 1 0\n")},
        {"duplicate-name", rope("") + "tendon rope\n" + one + two},
        {"missing-name", strung(one + two, "tendon")},
        {"crossed-range", rope("  actuator 1  range 2 1\n")},
        {"out-of-range", rope("  actuator 1  range inf inf\n")},
        {"not-finite", rope("  actuator (1/0)\n")},
        {"out-of-range", rope("  target 1  kp -1\n")},
        {"out-of-range", rope("  target-rate 1  kv -1\n")},
        {"out-of-range", rope("  actuator 1  tau -1\n")},
        {"not-finite", rope("  target (1/0)  kp 1\n")},
        {"time-not-allowed", rope("  stiffness (1 + t)\n")},
        {"repeated-property", rope("  stiffness 1\n  stiffness 2\n")},
        {"extra-value", rope("  stiffness 1 2\n")},
        {"missing-property", rope("  muscle 100 0.1 0.2 0\n")},
        {"not-read-here", rope("  excitation 0.5\n")},
        {"not-read-here", rope("  muscle 100 0.1 0.2 0  excitation 0.5  actuator -10\n")},
        {"out-of-range", rope("  muscle 0 0.1 0.2 0  excitation 0.5\n")},
        {"out-of-range", rope("  muscle 100 0.1 0.2 2  excitation 0.5\n")},
        {"out-of-range", rope("  muscle 100 0.1 0.2 0  excitation 0.5  state 1.5\n")},
        {"unknown-choice", rope("  side-rule shortest\n")},
        {"margins-overlap", rope("  limits 0.9 1.1  margin 0.2\n")},
        {"creep", rope("  limits 0.9 1.1  compliance 1e-4  correction 0\n")},
        {"no-target", rope("  kp 100\n")},
        {"no-target", fixedTendon("  term arm 1\n  kp 100\n")},
        {"no-target", strung(one + "  sphere arm 0.4 0 0 radius 0.1\n" + two + "  kp 100\n")},
        {"range-without-zero", rope("  actuator -10  range -200 -5\n")},
        {"range-without-zero", rope("  actuator 10  range 5 200\n")},
        {"start-outside-range", rope("  limits 1.2 2\n")},
        {"start-outside-range", rope("  limits 0.2 0.5\n")},
        {"start-outside-range", rope("  limits 0.5 0.5\n")},
        {"start-outside-range", rope("  limits 0.5 2  feed (0.8 + t)\n")},
        {"start-outside-range", fixedTendon("  term arm 1\n  limits 0.2 0.5\n")},
        {"start-outside-range", strung(one + "  sphere arm 0.4 0 0 radius 0.1\n" + two + "  limits 0 0.5\n")},
        {"no-effect", rope("  spring 0.1 0.2\n")},
        {"no-effect", rope("  margin 0.1\n")},
        {"no-effect", rope("  compliance 0.1\n")},
        {"no-effect", rope("  correction 0.1\n")},
        {"no-effect", rope("  friction-compliance 0.1\n")},
        {"no-effect", rope("  target 0.1\n")},
        {"no-effect", rope("  target-rate 0.1\n")},
        {"no-effect", rope("  tau 0.1\n")},
        {"no-effect", rope("  state 0.1\n")},
        {"no-effect", rope("  range -1 1\n")},
        {"no-effect", strung("  site arm 0 0 1\n" + two)},
        // couplings
        {"missing-property", couple + "coupling c\n"},
        {"unknown-name", couple + "coupling c first s\n"},
        {"unknown-name", couple + "coupling c first rope second s\n"},
        {"coupled-to-itself", couple + "coupling c first rope second rope\n"},
        {"duplicate-name", couple + "coupling c first rope\ncoupling c first u\n"},
        {"missing-name", couple + "coupling\n  first rope\n"},
        {"missing-value", couple + "coupling c first rope second u poly 0 1 0 0\n"},
        {"extra-value", couple + "coupling c first rope second u poly 0 1 0 0 0 0\n"},
        {"not-finite", couple + "coupling c first rope second u poly 0 (1/0) 0 0 0\n"},
        {"out-of-range", couple + "coupling c first rope compliance -1\n"},
        {"out-of-range", couple + "coupling c first rope correction 2\n"},
        {"creep", couple + "coupling c first rope compliance 1e-5 correction 0\n"},
        {"no-effect", couple + "  off\ncoupling c first rope second u\n"},
        {"no-effect", couple + "coupling c first rope poly 0 1 2 0 0\n"},
        // joints
        {"out-of-range", kArm + "  limits -1 1  correction 2\n"},
        {"crossed-range", kArm + "  limits 1 -1\n"},
        {"crossed-range", kArm + "  limits inf inf\n"},
        {"margins-overlap", kArm + "  limits -0.1 0.1  margin 0.2\n"},
        {"creep", kArm + "  limits -1 1  compliance 1e-3  correction 0\n"},
        {"start-outside-range", kArm + "  limits 1 2\n"},
        {"out-of-range", kArm + "  joint-friction -1\n"},
        {"driven-twice", kArm + "drive a joint arm prescribed 0\ndrive b joint arm prescribed (t)\n"},
        {"start-off-motion", kArm + "drive a joint arm prescribed (0.3 + t)\n"},
        {"start-off-motion", kArm + "  start 0.1\ndrive a joint arm prescribed (0.3 + t)\n"},
        {"not-read-here", kArm + "drive a joint arm prescribed 0 limit 3\n"},
        {"not-scalar", strung(one + two) + "drive a joint ball.1 prescribed 0\n"},
        // contact
        {"unknown-name", "shape s on base sphere 1 collide rubber\n"},
        {"unknown-name", "material rubber\nmaterial wood\npair rubbr wood\n"},
        {"wrong-value", "pair ground ground\n"},
        {"unknown-name", "exclude arn base\n"},
        {"out-of-range", "material m\n  mu -1\n"},
        {"out-of-range", "material m\n  restitution 1.5\n"},
        {"duplicate-name", "material m\nmaterial m\n"},
        {"out-of-range", "contact\n  iterations 0\n"},
        {"out-of-range", "contact\n  beta 2\n"},
        {"repeated-statement", "contact\ncontact\n"},
        {"unknown-choice", "contact\n  solver gauss\n"},
        {"not-by-solver", "material m\n  kn 1e5\n"},
        {"not-by-solver", "material m\n  kt 1e5\n"},
        {"not-by-solver", "material m\n  zeta 0.1\n"},
        {"not-by-solver", "material m\n  veps 0.1\n"},
        {"not-by-solver", "material m\n  adhesion 1\n"},
        {"not-by-solver", "material m\n  solref 0.02 1\n"},
        {"not-by-solver", "material m\n  solimp 0.9 0.95 0.001 0.5 2\n"},
        {"not-by-solver", "contact\n  weighting on\n"},
        {"not-by-solver", "contact\n  impratio 2\n"},
    };
}

std::vector<Case> allCases() {
    std::vector<Case> all = cases();
    for (Case& c : tendonCases()) all.push_back(std::move(c));
    return all;
}

int times(const std::vector<Diagnostic>& diagnostics, const std::string& code) {
    int count = 0;
    for (const Diagnostic& d : diagnostics) count += d.code == code ? 1 : 0;
    return count;
}

std::string whole(const Case& c) { return c.text[0] == '!' ? c.text.substr(1) : "mech 1\n" + c.text; }

}  // namespace

TEST_CASE("Every code has a text that brings it about, in its place and with its severity") {
    std::set<std::string> seen;
    for (const Case& c : allCases()) {
        const std::string text = whole(c);
        const ReadResult read = readMechanism(text, MW_SOURCE_DIR);
        INFO(c.code << " from " << text.substr(0, 120));
        REQUIRE(times(read.diagnostics, c.code) > 0);
        seen.insert(c.code);
        for (const Diagnostic& d : read.diagnostics) {
            INFO(formatDiagnostic(d, text.size() < 100'000 ? text : "", "text"));
            CHECK(d.range.begin <= d.range.end);
            CHECK(d.range.end <= text.size());
            CHECK_FALSE(d.message.empty());
            CHECK_FALSE((d.expected.empty() && d.remedy.empty() && d.severity == Severity::error));
            for (const mech::CodeInfo& info : mech::allCodes())
                if (d.code == info.name && d.code != "too-many-findings")
                    CHECK((d.severity == Severity::error     ? "error"
                           : d.severity == Severity::warning ? "warning"
                                                             : "info") == std::string(info.severity));
        }
    }
    seen.insert("grid-not-read");  // below: of a text without a folder
    seen.insert("loop-unclosable");
    seen.insert("drives-against-loops");
    seen.insert("loop-unjudged");   // by the document: tests/app/document
    seen.insert("loop-redundant");  // the others found by the geometry of loops: tests/engine/dynamics has the texts
    for (const mech::CodeInfo& info : mech::allCodes()) {
        INFO(info.name);
        CHECK(seen.count(info.name) == 1);
    }
}

TEST_CASE("A text without a folder says that it has not looked for heights") {
    const ReadResult read = readMechanism("mech 1\nground\n  grid \"heights.txt\"\n");
    CHECK(times(read.diagnostics, "grid-not-read") == 1);
    CHECK(read.ok());
}

TEST_CASE("The old ground inside a track gives the track its lines back") {
    for (const std::string end : {"\n", ""}) {
        const std::string text =
            "mech 1\n" + without(band(), "  kn 1e6\n") + "  ground z -0.55  \n  kn 2e5  mu 0.7" + end;
        const ReadResult read = readMechanism(text);
        for (const Diagnostic& d : read.diagnostics)
            if (d.code == "old-form") {
                const std::string mended = mech::applyEdits(text, d.fix);
                INFO(mended);
                const ReadResult again = readMechanism(mended);
                REQUIRE(again.ok());
                REQUIRE(again.model.ground.has_value());
                CHECK(again.model.ground->offset == -0.55);
                CHECK_FALSE(again.model.ground->kn.has_value());
                CHECK(again.model.tracks[0].kn.value == 2e5);
                CHECK(again.model.tracks[0].mu.value == 0.7);
            }
        CHECK(times(read.diagnostics, "old-form") == 1);
    }
}

TEST_CASE("A fix makes its finding go away") {
    for (const Case& c : allCases()) {
        const std::string text = whole(c);
        if (text.size() > 100'000) continue;
        const ReadResult read = readMechanism(text);
        const int before = times(read.diagnostics, c.code);
        for (const Diagnostic& d : read.diagnostics) {
            if (d.fix.empty() || d.code != c.code) continue;
            const std::string mended = mech::applyEdits(text, d.fix);
            INFO(c.code << ": " << text << " -> " << mended);
            CHECK(times(readMechanism(mended).diagnostics, c.code) < before);
        }
    }
}

TEST_CASE("The page of diagnostics is the one that the table makes") {
    const std::string path = std::string(MW_SOURCE_DIR) + "/docs/diagnostics.md";
    if (std::getenv("MW_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << mech::diagnosticsReference();
    std::ifstream file(path, std::ios::binary);
    std::stringstream page;
    page << file.rdbuf();
    CHECK(page.str() == mech::diagnosticsReference());
}

TEST_CASE("All faults of a text come at once, in order of place") {
    const std::string text =
        "mech 1\n"
        "body arm\n"
        "  joint revolut y\n"
        "  mass -1\n"
        "  cg 0 0\n"
        "tsda s from arn to wall k 1\n"
        "drive d joint arm speed 1 gain (1/0)\n";
    const ReadResult read = readMechanism(text);
    std::vector<std::string> codes;
    for (const Diagnostic& d : read.diagnostics) codes.push_back(d.code);
    CHECK(codes == std::vector<std::string>{"unknown-choice", "out-of-range", "missing-value", "unknown-name",
                                            "unknown-name", "not-finite"});
    CHECK_FALSE(read.ok());
}

TEST_CASE("A misspelt statement is one finding, and its lines do not fall to the statement before it") {
    const std::string text =
        "mech 1\nbody arm\n  joint revolute y\n  mass 1\n  cg 1 0 0\nbodi hand  mass 3\n  parent arm\n  joint revolute "
        "y\n  mass 2\n"
        "poi tip on arm at 1 0 0\n";
    const ReadResult read = readMechanism(text);
    REQUIRE(read.diagnostics.size() == 1);
    CHECK(read.diagnostics[0].remedy == "did you mean 'body'?");
    CHECK(read.model.bodies[0].mass.value == 1);
    CHECK(text.substr(read.model.bodies[0].origin.range.begin,
                      read.model.bodies[0].origin.range.end - read.model.bodies[0].origin.range.begin) ==
          "body arm\n  joint revolute y\n  mass 1\n  cg 1 0 0");
}

TEST_CASE("Suggestions name what is near and nothing else") {
    const auto remedy = [](const std::string& text) {
        const ReadResult read = readMechanism("mech 1\n" + text);
        REQUIRE_FALSE(read.diagnostics.empty());
        return read.diagnostics.front().remedy;
    };
    CHECK(remedy("bdoy arm\n") == "did you mean 'body'?");
    CHECK(remedy("body arm\n  inertai 1 1 1 0 0 0\n  mass 1\n") == "did you mean 'inertia'?");
    CHECK(remedy("body arm\n  joint sferical\n  mass 1\n") == "did you mean 'spherical'?");
    CHECK(remedy("body arm\n  mass 1\n  qqqqqq 1\n").find("did you mean") == std::string::npos);
    CHECK(remedy("param length 2\nparam b (2*lengt)\ngravity 0 0 b\n") == "did you mean 'length'?");
}

TEST_CASE("A mistake in a tendon is one finding, and no warning comes along") {
    for (const Case& c : tendonCases()) {
        if (c.text.find("track") != std::string::npos) continue;  // how it was laid is told as well
        const std::string text = whole(c);
        const ReadResult read = readMechanism(text);
        INFO(text);
        for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, text, "text"));
        CHECK(read.diagnostics.size() == 1);
    }
}

TEST_CASE("One mistake is one finding") {
    struct Mistake {
        const char *code, *text, *at;  // at: the text of the finding's range
    };
    const Mistake mistakes[] = {
        // letters of other alphabets, in a name, at its ends, and in a use of it
        {"bad-character", "param gr\u00f6\u00dfe 1\n", "gr\u00f6\u00dfe"},
        {"bad-character", "body \u00e4rm mass 1\n", "\u00e4rm"},
        {"bad-character", "body arm\u00e9 mass 1\n", "arm\u00e9"},
        {"bad-character", "poi p on \u0436 at 0 0 0\n", "\u0436"},
        {"bad-character", "poi p on base at 0 0 (2*l\u00e4nge)\n", "l\u00e4nge"},
        {"bad-character", "poi p on base at 0 0 (2\u00d73)\n", "\u00d7"},
        {"bad-character", "poi p on base at 0 0 (1;2)\n", ";"},
        // commas: of a number, between values
        {"wrong-value", "poi p on base at 1,2,3\n", ","},
        {"wrong-value", "poi p on base at 1, 2, 3\n", ","},
        {"wrong-value", "gravity 0 0,5 1\n", ","},
        {"extra-value", "gravity 0 0 -9,81\n", ",81"},
        // too few or wrong values, with others behind them
        {"wrong-value", "body a\n  mass 1\n  joint planar 0 0 1\n", "0"},
        {"unknown-choice", "body a\n  mass 1\n  joint revolut 0 0 1\n", "revolut"},
        // laws and elements
        {"conflicting-properties", "body a\n  joint prismatic x\n  mass 1\ndrive d joint a  torque 1  speed 2\n",
         "speed 2"},
        {"missing-property", "body a\n  joint prismatic x\n  mass 1\nrsda r k 1\n", "rsda r"},
    };
    for (const Mistake& m : mistakes) {
        const std::string text = std::string("mech 1\n") + m.text;
        const ReadResult read = readMechanism(text);
        INFO(text);
        for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, text, "text"));
        REQUIRE(read.diagnostics.size() == 1);
        const Diagnostic& d = read.diagnostics.front();
        CHECK(d.code == m.code);
        CHECK(text.substr(d.range.begin, d.range.end - d.range.begin) == m.at);
    }
}

TEST_CASE("A use in an expression that failed is a use") {
    for (const std::string expression : {"bad + good", "good + bad", "good*(3 + bad)", "max(bad, good)", "2^bad^good",
                                         "1 + ; good", "nobody + good"}) {
        const std::string text =
            "mech 1\nparam good 1\nparam bad (1/0)\nlet sum = " + expression + "\ngravity 0 0 (sum + 0*bad)\n";
        INFO(text);
        CHECK(times(readMechanism(text).diagnostics, "unused-parameter") == 0);
    }
}

TEST_CASE("A missing joint is mended with the body before it, whose finding then goes") {
    const std::string text = "mech 1\nbody a\n  joint prismatic x\n  mass 1\nrsda r k 1\ndrive d torque 1\n";
    const ReadResult read = readMechanism(text);
    REQUIRE(read.diagnostics.size() == 2);
    std::vector<TextEdit> fixes;
    for (const Diagnostic& d : read.diagnostics) {
        CHECK(d.remedy == "add `joint a`");
        fixes.insert(fixes.end(), d.fix.begin(), d.fix.end());
    }
    CHECK(readMechanism(mech::applyEdits(text, fixes)).diagnostics.empty());
    // Without a body there is nothing to offer.
    const ReadResult none = readMechanism("mech 1\nrsda r k 1\n");
    REQUIRE(none.diagnostics.size() == 1);
    CHECK(none.diagnostics[0].fix.empty());
}
