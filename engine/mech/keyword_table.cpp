// The keyword table itself: a row per statement, in the order of the reference page. Builders first, so that a row
// reads like the language page.
#include "engine/mech/keyword_table.h"

namespace mw::mech {
namespace {

// --- values -----------------------------------------------------------------------------------------------------

struct V : ValueSpec {
    V(ValueKind k, const char* n, const char* u = "") {
        kind = k;
        name = n;
        unit = u;
    }
    V from(double lowest) { return low = lowest, *this; }
    V above(double lowest) { return low = lowest, low_open = true, *this; }
    V to(double highest) { return high = highest, *this; }
    V orInf() { return infinite = true, *this; }
    V dead() { return live = false, *this; }
    V maybe() { return optional = true, *this; }
    V orWord(const char* word) { return instead = word, *this; }
    V of(NameSpace s) { return space = s, *this; }
};

V num(const char* name, const char* unit = "") { return {ValueKind::number, name, unit}; }
V fixedNum(const char* name, const char* unit = "") { return num(name, unit).dead(); }
V positive(const char* name, const char* unit = "") { return num(name, unit).above(0); }
V notNegative(const char* name, const char* unit = "") { return num(name, unit).from(0); }
V timeNum(const char* name, const char* unit = "") { return {ValueKind::time_number, name, unit}; }
V count(const char* name) { return V(ValueKind::integer, name).dead(); }
V axis(const char* name = "AXIS") { return V(ValueKind::axis, name).dead(); }
V newName(NameSpace space) { return V(ValueKind::new_name, "NAME").of(space); }
V ref(NameSpace space, const char* name) { return V(ValueKind::reference, name).of(space); }
V body(const char* name = "BODY") { return ref(NameSpace::body, name); }
V coordinate(const char* name = "BODY") { return V(ValueKind::coordinate, name).of(NameSpace::body); }
V point(const char* name = "P") { return V(ValueKind::point, name, "m").of(NameSpace::point); }
V list(const char* name, const char* unit = "") { return {ValueKind::list, name, unit}; }
V text(const char* name = "\"TEXT\"") { return {ValueKind::string, name}; }
V word(const char* name) { return {ValueKind::word, name}; }
V choice(const char* name, std::vector<Choice> choices) {
    V v(ValueKind::choice, name);
    v.choices = std::move(choices);
    return v;
}
V oneOf(const char* name, std::initializer_list<const char*> words) {
    V v(ValueKind::choice, name);
    for (const char* w : words) v.choices.push_back({w, {}, ""});
    return v;
}

using Values = std::vector<ValueSpec>;
Values three(const char* a, const char* b, const char* c, const char* unit) {
    return {num(a, unit), num(b, unit), num(c, unit)};
}
Values xyz() { return three("x", "y", "z", "m"); }
Values rpy() { return three("roll", "pitch", "yaw", "rad"); }
Values bodyPoint() { return {body(), num("x", "m"), num("y", "m"), num("z", "m")}; }

// --- properties -------------------------------------------------------------------------------------------------

struct P : PropertySpec {
    P(const char* w, Values v, const char* d, const char* help) {
        word = w;
        values = std::move(v);
        standard = d;
        doc = help;
    }
    P must(const char* text) { return required = true, sample = text, *this; }
    P many() { return repeatable = true, *this; }
    P in(const char* g) { return group = g, *this; }
    P is(Availability a) { return availability = a, *this; }
    P with(std::vector<PropertySpec> words) { return own = std::move(words), *this; }
};

P flag(const char* word, const char* doc) { return {word, {}, "", doc}; }

using Properties = std::vector<PropertySpec>;
Properties joined(Properties a, const Properties& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Properties materialProperties() {
    return {
        P("mu", {notNegative("mu")}, "0.8", "Coulomb friction"),
        P("mu-torsion", {notNegative("m", "m")}, "0", "torsional friction"),
        P("mu-rolling", {notNegative("m", "m")}, "0", "rolling friction"),
        P("restitution", {notNegative("e").to(1)}, "0", "how much of the approach speed returns"),
        P("restitution-speed", {notNegative("v", "m/s")}, "0.5", "approach speed below which nothing returns"),
        P("kn", {positive("k", "N/m")}, "2e5", "normal stiffness"),
        P("kt", {positive("k", "N/m")}, "2e5", "tangential stiffness"),
        P("zeta", {notNegative("zeta")}, "0.2", "damping ratio"),
        P("veps", {positive("v", "m/s")}, "0.01", "speed over which regularised friction rises"),
        P("adhesion", {notNegative("F", "N")}, "0", "force that holds a touching pair together"),
        P("solref", {num("a"), num("b")}, "", "reference dynamics of a soft row"),
        P("solimp", {num("d0"), num("dw"), num("width"), num("mid"), num("power")}, "", "impedance of a soft row"),
        P("priority", {count("n")}, "0", "the higher of two materials decides the pair"),
    };
}

Properties guideWords(Properties shape) {
    return joined(std::move(shape), {P("side", bodyPoint(), "", "the side on which the tendon passes"),
                                     P("mu", {notNegative("mu")}, "0", "capstan friction")});
}

const char* const kReadBySolver =
    "Solver `pgs` reads `mu`, `mu-torsion`, `mu-rolling`, `restitution`, `restitution-speed` and `priority`.\n";

// --- statements -------------------------------------------------------------------------------------------------

StatementSpec statement(const char* head, Values values, const char* doc, Properties properties = {}) {
    StatementSpec s;
    s.head = head;
    s.values = std::move(values);
    s.properties = std::move(properties);
    s.doc = doc;
    return s;
}

std::vector<StatementSpec> headerStatements() {
    std::vector<StatementSpec> rows;
    auto mech = statement("mech", {count("VERSION").from(1)}, "First statement: the version of the language.");
    mech.once = true;
    mech.sample = "mech 1";
    rows.push_back(mech);

    auto title = statement("title", {text()}, "What the window and the report call the mechanism.");
    title.once = true;
    title.sample = "title \"Pendulum\"";
    rows.push_back(title);

    auto gravity = statement("gravity", three("x", "y", "z", "m/s²"),
                             "Acceleration of gravity in base axes; 0 0 -9.81 when absent.");
    gravity.once = true;
    gravity.sample = "gravity 0 0 -9.81";
    rows.push_back(gravity);

    auto stab =
        statement("stab", {fixedNum("T", "s").from(0)},
                  "Time over which loop errors decay, as (1 + t/T) e^(-t/T): at least 1e-6 s; 0 switches it off; 0.1 "
                  "when absent. Only loops read it.");
    stab.once = true;
    stab.sample = "stab 0.1";
    rows.push_back(stab);

    auto param =
        statement("param", {newName(NameSpace::value), num("value")},
                  "A named number. Its value may use other parameters; a circle is an error.",
                  {P("range", {fixedNum("lo"), fixedNum("hi")}, "", "what a slider shows and proof draws from"),
                   flag("live", "stays an input of the generated code, so that a slider moves it at run time"),
                   P("unit", {text()}, "", "for display only")});
    param.defines = NameSpace::value;
    param.sample = "param length 0.5  range 0.1 1";
    rows.push_back(param);

    auto let =
        statement("let", {newName(NameSpace::value), V(ValueKind::equals, "="), V(ValueKind::expression, "expression")},
                  "A named expression to the end of the line. It may use every parameter and the lets above it.");
    let.defines = NameSpace::value;
    let.sample = "let half = length/2";
    rows.push_back(let);
    return rows;
}

StatementSpec bodyStatement() {
    const std::vector<Choice> joints = {
        {"fixed", {}, "no motion"},
        {"revolute", {axis()}, "turns about the axis"},
        {"prismatic", {axis()}, "slides along the axis"},
        {"cylindrical", {axis()}, "turns about the axis, then slides along it"},
        {"screw", {axis(), word("pitch"), num("P", "m/rad")}, "turns, advancing P metres a radian"},
        {"universal", {axis("AXIS1"), axis("AXIS2")}, "turns about axis 1, then about axis 2 carried by it"},
        {"planar", {oneOf("NORMAL", {"x", "y", "z"})}, "slides in the plane across the normal, then turns about it"},
        {"spherical", {}, "turns freely; unit quaternion w x y z"},
        {"floating", {}, "free in space; a child of base without at or rot"},
    };
    auto s = statement(
        "body", {newName(NameSpace::body)}, "A rigid body, hung from its parent by a joint.",
        {P("parent", {body()}, "base", "the body that carries it"),
         P("joint", {choice("TYPE", joints)}, "fixed", "how it may move against its parent"),
         P("at", xyz(), "0 0 0", "the joint frame's origin in the parent"),
         P("rot", rpy(), "0 0 0", "the joint frame's turn in the parent: Rz(yaw) Ry(pitch) Rx(roll)"),
         P("mass", {notNegative("m", "kg")}, "", "mass").must("mass 1"),
         P("cg", xyz(), "0 0 0", "centre of mass, body axes"),
         P("inertia",
           {num("Ixx", "kg m²"), num("Iyy", "kg m²"), num("Izz", "kg m²"), num("Ixy", "kg m²"), num("Ixz", "kg m²"),
            num("Iyz", "kg m²")},
           "0 0 0 0 0 0", "inertia matrix about the cg, entries in body axes"),
         P("start", {list("q", "q")}, "0 or identity", "coordinates at the start; a quaternion is normalised"),
         P("rate", {list("v", "v")}, "0", "velocities at the start"), flag("fext", "takes an external wrench"),
         P("slider", {fixedNum("lo", "q"), fixedNum("hi", "q")}, "limits, else -pi pi or -1 1",
           "range that a slider shows; no force"),
         P("limits", {num("lo", "q").orInf(), num("hi", "q").orInf()}, "-inf inf",
           "range of a scalar joint; equal values lock it"),
         P("margin", {notNegative("m", "q")}, "0", "of the limits: distance at which they begin to act"),
         P("compliance", {notNegative("c")}, "0", "of the limits: give per force"),
         P("correction", {notNegative("e").to(1)}, "0.2", "of the limits: part of an error mended each step"),
         P("restitution", {notNegative("e").to(1)}, "0", "of the limits: how much of the speed returns"),
         P("joint-friction", {notNegative("F", "force")}, "0", "dry friction on each velocity of the joint"),
         P("joint-damping", {notNegative("d", "force per v")}, "0", "viscous damping on each velocity of the joint"),
         P("joint-armature", {notNegative("a", "inertia")}, "0",
           "inertia of the drive train, added for each velocity of the joint")});
    s.defines = NameSpace::body;
    s.sample = "body arm\n  joint revolute y\n  mass 1  cg 0.25 0 0\n  inertia 0 0.02 0.02 0 0 0";
    return s;
}

StatementSpec loopStatement() {
    const std::vector<Choice> types = {{"revolute", {}, "5 rows"},      {"prismatic", {}, "5 rows"},
                                       {"cylindrical", {}, "4 rows"},   {"spherical", {}, "3 rows"},
                                       {"point-on-line", {}, "2 rows"}, {"distance", {}, "1 row"}};
    const Properties turn = {P("rot", rpy(), "0 0 0", "turn of the loop frame in the body")};
    auto s = statement(
        "loop", {newName(NameSpace::loop)}, "Closes a loop between two bodies.",
        {P("type", {choice("TYPE", types)}, "", "what the closure forbids").must("type revolute"),
         P("from", bodyPoint(), "", "predecessor and its loop frame").must("from base 0 0 0").with(turn),
         P("to", bodyPoint(), "", "successor and its loop frame").must("to base 0 0 0").with(turn),
         P("axis", {axis()}, "", "free axis, in the predecessor's loop frame; not of spherical and distance loops"),
         P("length", {positive("L", "m")}, "", "of a distance loop: between the two points")});
    s.defines = NameSpace::loop;
    s.sample = "loop pin\n  type point-on-line\n  from arm 0.5 0 0\n  to base 0.3 0 0\n  axis y";
    return s;
}

std::vector<StatementSpec> elementStatements() {
    std::vector<StatementSpec> rows;
    auto poi =
        statement("poi", {newName(NameSpace::point)}, "A named point of a body: observed, and an end for springs.",
                  {P("on", {body()}, "", "the body that carries it").must("on base"),
                   P("at", xyz(), "", "where, body axes").must("at 0 0 0")});
    poi.defines = NameSpace::point;
    poi.sample = "poi tip on arm at 0.5 0 0";
    rows.push_back(poi);

    auto tsda = statement(
        "tsda", {newName(NameSpace::element)},
        "Spring, damper and actuator along the line between two points; tension is positive: "
        "f = k (l - l0) + c dl/dt + curve(l - l0) + damper-curve(dl/dt) + act.",
        {P("from", {point()}, "", "one end: a poi, or a body and a point").must("from base 0 0 0"),
         P("to", {point()}, "", "the other end").must("to base 0 0 1"),
         P("k", {notNegative("k", "N/m")}, "0", "stiffness"), P("c", {notNegative("c", "N s/m")}, "0", "damping"),
         P("l0", {notNegative("l", "m")}, "length at the start pose", "length without tension"),
         flag("input", "takes a force at run time, by `act`"),
         P("curve", {list("x f …", "m N")}, "",
           "added tension over the extension l - l0: straight between, end slopes kept"),
         P("damper-curve", {list("v f …", "m/s N")}, "", "added tension over dl/dt")});
    tsda.defines = NameSpace::element;
    tsda.sample = "tsda spring from base 0 0 1 to tip  k 100";
    rows.push_back(tsda);

    auto rsda = statement(
        "rsda", {newName(NameSpace::element)},
        "Spring, damper and actuator on a scalar joint: -k (q - q0) - c v - curve(q - q0) - damper-curve(v) + act.",
        {P("joint", {body()}, "", "the body whose joint it acts on").must("joint BODY"),
         P("k", {notNegative("k", "force per q")}, "0", "stiffness"),
         P("c", {notNegative("c", "force per v")}, "0", "damping"),
         P("q0", {num("q", "q")}, "0", "coordinate without force"),
         flag("input", "takes a torque (a force on a prismatic joint) at run time, by `act`"),
         P("curve", {list("x f …", "q force")}, "", "subtracted, over q - q0: a rising curve restores"),
         P("damper-curve", {list("v f …", "v force")}, "", "subtracted, over v")});
    rsda.defines = NameSpace::element;
    rsda.sample = "rsda spring joint arm  k 10";
    rows.push_back(rsda);

    auto drive = statement(
        "drive", {newName(NameSpace::drive)}, "A law that drives a joint; its expressions may use the time t.",
        {P("joint", {coordinate()}, "", "a scalar joint's body, or BODY.n for the n-th velocity").must("joint BODY"),
         P("torque", {timeNum("E", "force")}, "", "this torque (force)").in("law"),
         P("speed", {timeNum("E", "v")}, "", "gain (E - v)").in("law"),
         P("position", {timeNum("E", "q")}, "", "kp (E - q) + kd (dE/dt - v)").in("law"),
         P("prescribed", {timeNum("E", "q")}, "", "the motion itself is given; the force is a reading").in("law"),
         P("gain", {notNegative("g", "force per v")}, "", "of a speed drive"),
         P("kp", {notNegative("a", "force per q")}, "", "of a position drive"),
         P("kd", {notNegative("b", "force per v")}, "0", "of a position drive"),
         P("limit", {notNegative("F", "force").orInf()}, "inf", "the force stays within -F and F")});
    drive.defines = NameSpace::drive;
    drive.group_required = "law";
    drive.sample = "drive motor joint arm  speed 6.28  gain 20";
    rows.push_back(drive);
    return rows;
}

StatementSpec shapeStatement() {
    auto s = statement(
        "shape", {newName(NameSpace::shape)}, "What a body looks like, and with what it touches.",
        {P("on", {body()}, "", "the body that carries it").must("on base"),
         P("box", {positive("x", "m"), positive("y", "m"), positive("z", "m")}, "", "full edges").in("kind"),
         P("sphere", {positive("R", "m")}, "", "radius").in("kind"),
         P("capsule", {positive("R", "m"), positive("L", "m")}, "",
           "radius and length between the cap centres, along z")
             .in("kind"),
         P("cylinder", {positive("R", "m"), positive("L", "m")}, "", "radius and length along z").in("kind"),
         P("cone", {positive("R", "m"), positive("H", "m")}, "", "radius of the base at 0 and height along z")
             .in("kind"),
         P("mesh", {text("\"FILE\"")}, "", ".obj or .stl, relative to the .mech").in("kind"),
         P("scale", {positive("s")}, "1", "of a mesh"), P("at", xyz(), "0 0 0", "its origin, body axes"),
         P("rot", rpy(), "0 0 0", "its turn in the body: Rz(yaw) Ry(pitch) Rx(roll)"),
         P("color",
           {fixedNum("r").from(0).to(1), fixedNum("g").from(0).to(1), fixedNum("b").from(0).to(1),
            fixedNum("a").from(0).to(1).maybe()},
           "", "red, green, blue and opacity, 0 to 1"),
         flag("hidden", "not drawn"),
         P("density", {positive("rho", "kg/m³")}, "", "adds mass").is(Availability::unenforced),
         P("collide", {ref(NameSpace::material, "MATERIAL")}, "",
           "touches other shapes and the ground, as this material"),
         P("group", {count("n")}, "1",
           "0: meets nothing; positive: meets its own group and negative ones; negative: meets all but its own"),
         P("margin", {notNegative("m", "m")}, "0", "the surface, moved outward by it"),
         P("gap", {notNegative("m", "m")}, "0",
           "distance at which a contact is looked for, before the surfaces meet")});
    s.defines = NameSpace::shape;
    s.group_required = "kind";
    s.sample = "shape bar on arm  box 0.5 0.04 0.04  at 0.25 0 0";
    s.notes =
        "Two shapes may touch when both `collide`, their groups meet, their bodies are not excluded, do not move as "
        "one "
        "(fixed joints), and are not a body and its parent; only the base touches what hangs from it. Whatever moves "
        "and "
        "collides touches the ground.\n";
    return s;
}

std::vector<StatementSpec> contactStatements() {
    std::vector<StatementSpec> rows;
    auto material =
        statement("material", {newName(NameSpace::material)}, "How a surface touches.", materialProperties());
    material.defines = NameSpace::material;
    rows.push_back(material);
    material.sample = "material rubber\n  mu 1.1  restitution 0.3";
    material.notes = kReadBySolver;
    const auto either = [](const char* name) { return ref(NameSpace::material, name).orWord("ground"); };
    auto pair =
        statement("pair", {either("A"), either("B")},
                  "Values for two materials together, or for a material and the ground, in place of all mixing.",
                  materialProperties());
    pair.sample = "pair rubber ground\n  mu 0.9";
    pair.notes = "A value that the pair does not write is the mixture of the two.\n";
    rows.push_back(pair);
    auto exclude = statement("exclude", {body("A"), body("B")},
                             "Two bodies whose shapes never touch; `base` stands for its own shapes and the ground.");
    exclude.sample = "exclude palm tip";
    rows.push_back(exclude);

    auto sensor = statement(
        "sensor", {newName(NameSpace::sensor)}, "Sums the contact forces on a body.",
        {P("on", {body()}, "", "the body").must("on base"), P("against", {body()}, "", "only contacts with this body"),
         P("at", xyz(), "0 0 0", "reference point of the moment, body axes")});
    sensor.defines = NameSpace::sensor;
    sensor.availability = Availability::not_yet;
    rows.push_back(sensor);

    const auto onOff = [] { return oneOf("on/off", {"on", "off"}); };
    auto contact = statement(
        "contact", {}, "How contacts between shapes are solved.",
        {P("solver", {oneOf("NAME", {"penalty", "regularized", "anchored", "pgs", "xpbd", "soft", "avbd", "padmm"})},
           "pgs", "the solver; this version has pgs"),
         P("cone", {oneOf("NAME", {"disc", "box", "elliptic", "pyramid"})}, "disc",
           "shape of the friction cone; this version has disc and box"),
         P("mix", {oneOf("NAME", {"own", "mean", "geometric", "max", "min"})}, "mean", "how two materials make a pair"),
         P("iterations", {count("n").from(1)}, "50", "most sweeps of a solve: of a step, or of each of its substeps"),
         P("tolerance", {notNegative("e", "N s")}, "1e-8", "residual at which sweeping ends"),
         P("warm", {onOff()}, "on", "start from the last step's impulses"),
         P("relaxation", {positive("w").to(2)}, "the solver's own", "over-relaxation"),
         P("weighting", {onOff()}, "on", "mass weighting"),
         P("beta", {notNegative("b").to(1)}, "0.2", "part of a depth mended each step"),
         P("slop", {notNegative("m", "m")}, "5e-4", "depth that is left alone"),
         P("impratio", {positive("r")}, "1", "friction's impedance over the normal's"),
         P("substeps", {count("n").from(1).to(1000)}, "1", "solver steps in one step"),
         P("collide", {oneOf("WHEN", {"step", "substep"})}, "step", "when contacts are looked for"),
         P("capacity", {count("n").from(1)}, "4096", "most contacts")});
    contact.once = true;
    contact.sample = "contact\n  mix geometric  iterations 100  tolerance 1e-10";
    contact.notes =
        "It governs shapes that `collide`, tendons, limits and dry friction of joints; pads and rollers of tracks keep "
        "their own laws. Solver `pgs` with a `disc` or a `box` is what this version has; it reads `cone`, `mix`, "
        "`iterations`, `tolerance`, `warm`, `relaxation`, `beta`, `slop` and `capacity`.\n";
    rows.push_back(contact);
    return rows;
}

StatementSpec groundStatement() {
    auto s = statement(
        "ground", {},
        "Terrain: one field of heights, the sum of a plane and of whatever stands on it. The pads of tracks touch it.",
        {P("plane", {fixedNum("nx"), fixedNum("ny"), fixedNum("nz"), fixedNum("d", "m")}, "0 0 1 0",
           "points with n·p = d; the normal points up, its length does not matter"),
         P("wave", {fixedNum("amplitude", "m"), fixedNum("length", "m").above(0)}, "", "a sine of height")
             .many()
             .with({P("direction", {fixedNum("a", "rad")}, "0", "in which it runs, from x towards y")}),
         P("step", {fixedNum("height", "m"), word("at"), fixedNum("x", "m")}, "", "a step across x")
             .many()
             .with({P("width", {fixedNum("w", "m").from(0)}, "0", "over which it rises, smoothly")}),
         P("bump", {fixedNum("x", "m"), fixedNum("y", "m"), fixedNum("height", "m"), fixedNum("radius", "m").above(0)},
           "", "a round bump, level outside its radius")
             .many(),
         P("grid", {text("\"FILE\"")}, "", "heights from a file, relative to the .mech"),
         P("kn", {positive("k", "N/m")}, "the track's", "normal stiffness at a corner of a pad"),
         P("kt", {positive("k", "N/m")}, "kn", "tangential stiffness, of anchored friction"),
         P("zeta", {notNegative("zeta")}, "the track's", "damping ratio"),
         P("mu", {notNegative("mu")}, "the track's", "friction"),
         P("veps", {positive("v", "m/s")}, "the track's", "speed over which regularized friction rises"),
         P("friction", {oneOf("LAW", {"regularized", "anchored"})}, "regularized",
           "a function of the slip's speed, or a spring from where the pad stuck")});
    s.once = true;
    s.sample = "ground\n  plane 0 0 1 0\n  bump 4 0 0.1 0.6\n  mu 0.8";
    s.notes =
        "A material value that is absent is the track's. Waves, steps and bumps add to the plane's height; a step of "
        "width w rises from x - w/2 to x + w/2.\n\n"
        "A file of heights is plain text: numbers apart by spaces or line ends, `#` begins a comment. It begins with "
        "`heights nx ny x0 y0 dx dy`; then come nx ny heights in metres, row by row: the first nx are those at y0, "
        "from x0 on in steps of dx, the next nx those at y0 + dy. At least 2 by 2 of them and 4000000 at most; dx and "
        "dy are more than 0. Between them the surface is bicubic; outside it goes on level.\n\n"
        "```\nheights 3 2  0 -1  0.5 2    # x = 0 0.5 1, y = -1 1\n0 0.02 0\n0 0.05 0.01\n```\n";
    return s;
}

StatementSpec trackStatement() {
    auto s = statement(
        "track", {newName(NameSpace::track)}, "A band of shoes around rollers.",
        {P("root", {body()}, "", "the body that the rollers hang on").must("root base"),
         P("plane", {oneOf("PLANE", {"xz"})}, "xz", "plane of the belt in the root"),
         P("shoes", {count("N").from(3).to(10000)}, "", "how many").must("shoes 40"),
         P("pitch", {fixedNum("p", "m").above(0)}, "", "pin to pin, advisory: a link is perimeter / shoes long"),
         P("mass", {positive("m", "kg")}, "", "of a shoe").must("mass 1"),
         P("cg", xyz(), "0 0 0", "of a shoe, in its frame"),
         P("inertia",
           {num("Ixx", "kg m²"), num("Iyy", "kg m²"), num("Izz", "kg m²"), num("Ixy", "kg m²"), num("Ixz", "kg m²"),
            num("Iyz", "kg m²")},
           "0 0 0 0 0 0", "of a shoe, about its cg"),
         flag("fext", "the shoes take forces: without it none reaches them"),
         P("roller", {body(), fixedNum("radius", "m").above(0)}, "", "a round body inside the belt, in any order")
             .many()
             .with({flag("end", "the pins lie on it; otherwise it rolls on the shoes' inner face"),
                    flag("driven", "a sprocket: its teeth take the pins along"),
                    P("teeth", {count("n").from(3).to(1000)}, "", "of a driven roller")}),
         P("pad", {fixedNum("z", "m"), fixedNum("length", "m").above(0), fixedNum("width", "m").above(0)}, "",
           "ground side of the plate, in the shoe's frame, centred at half the link")
             .must("pad 0 0.1 0.1"),
         P("thickness", {fixedNum("t", "m").from(0)}, "0", "of the plate: its inner face lies at z = pad z + t"),
         P("kn", {positive("k", "N/m")}, "", "stiffness of a roller on the band").must("kn 1e6"),
         P("kt", {positive("k", "N/m")}, "", "tangential stiffness of a roller's stick").is(Availability::unused),
         P("mu", {notNegative("mu")}, "0.8", "friction of rollers that are not driven"),
         P("zeta", {notNegative("zeta")}, "0.2", "damping ratio"),
         P("veps", {positive("v", "m/s")}, "0.01", "speed over which friction rises"),
         P("fskip", {notNegative("F", "N")}, "2e4", "force on a pin at which a tooth skips"),
         P("gate", {fixedNum("g", "m").above(0)}, "0.03", "distance over which a tooth takes hold"),
         P("fade", {fixedNum("f", "m").above(0)}, "link/4",
           "over which one shoe's inner face takes over from the next, at most link/2"),
         P("guide", {notNegative("k", "N/m")}, "kn", "lateral stiffness of a roller's guide")});
    s.defines = NameSpace::track;
    s.sample =
        "track left\n  root hull\n  shoes 63  pitch 0.154\n  mass 18.02  cg 0.0752 0 0  inertia 0.22 0.04 0.25 0 0 "
        "0\n  fext\n  roller sprocket 0.245 end driven teeth 10\n  roller idler 0.255 end\n  roller wheel 0.305\n"
        "  pad -0.03 0.154 0.38  thickness 0.03\n  kn 2.5e6  mu 0.8";
    s.notes =
        "The belt is the tightest closed line around all rollers in the root's x-z plane; [tracks.md](tracks.md) says "
        "how it is laid and what becomes of a `track`: bodies `left.shoe0`, `left.shoe1`, … and the loop "
        "`left.closure`, which the text itself cannot name. A shoe's frame sits at its own pin: x along the walk to "
        "the next pin, z towards the rollers, y the root's. Every roller body needs `fext`, hangs on the root through "
        "any joints and turns about the root's y by a revolute joint of its own.\n\n"
        "Live parameters may stand in `mass`, `cg`, `inertia`, `kn`, `mu`, `zeta`, `veps`, `fskip` and `guide`; in "
        "anything that the belt is laid from they are an error.\n";
    return s;
}

StatementSpec tendonStatement() {
    auto s = statement(
        "tendon", {newName(NameSpace::tendon)},
        "A cable through sites and round guides, or weighted joint coordinates.",
        {flag("fixed", "weighted joint coordinates instead of a route"),
         P("width", {positive("w", "m")}, "0.004", "drawn radius"),
         P("color",
           {fixedNum("r").from(0).to(1), fixedNum("g").from(0).to(1), fixedNum("b").from(0).to(1),
            fixedNum("a").from(0).to(1).maybe()},
           "0.9 0.35 0.08 1", "red, green, blue and opacity, 0 to 1"),
         P("site", bodyPoint(), "", "a point it passes").many(),
         P("sphere", bodyPoint(), "", "a ball that it runs over")
             .many()
             .with(guideWords({P("radius", {positive("r", "m")}, "", "radius").must("radius 0.01")})),
         P("cylinder", bodyPoint(), "", "a drum, endless along its axis")
             .many()
             .with(guideWords({P("axis", {axis()}, "", "its axis").must("axis y"),
                               P("radius", {positive("r", "m")}, "", "radius").must("radius 0.01")})),
         P("ellipsoid", bodyPoint(), "", "an ellipsoid")
             .many()
             .with(guideWords({P("radii", {positive("a", "m"), positive("b", "m"), positive("c", "m")}, "", "half axes")
                                   .must("radii 0.01 0.01 0.01"),
                               P("rot", rpy(), "0 0 0", "its turn in the body")})),
         P("torus", bodyPoint(), "", "a ring")
             .many()
             .with(guideWords({P("axis", {axis()}, "", "its axis").must("axis y"),
                               P("radii", {positive("R", "m"), positive("r", "m")}, "", "of the ring and of its wire")
                                   .must("radii 0.02 0.005")})),
         P("pulley", {fixedNum("divisor").above(0)}, "", "starts a branch of this divisor").many(),
         P("term", {coordinate(), num("w")}, "", "a joint coordinate and its weight (fixed)").many(),
         P("stiffness", {notNegative("k", "N/m")}, "0", "of the spring"),
         P("damping", {notNegative("d", "N s/m")}, "0", "of the length's rate"),
         P("spring", {num("lo", "m").orInf(), num("hi", "m").orInf()}, "both reference",
           "lengths between which the spring has no force"),
         P("limits", {num("lo", "m").orInf(), num("hi", "m").orInf()}, "-inf inf",
           "least and greatest length; equal: a lock"),
         P("margin", {notNegative("m", "m")}, "0", "of the limits: moves both inwards"),
         P("compliance", {notNegative("c", "m/N")}, "0", "of the limits: give per force"),
         P("correction", {notNegative("e").to(1)}, "0.2",
           "part of an error mended each step: of the limits, of a rope that sticks to its guides"),
         P("friction", {notNegative("F", "N")}, "0", "dry friction"),
         P("friction-compliance", {notNegative("c", "m/N")}, "0", "its give"),
         P("armature", {notNegative("a", "kg")}, "0", "inertia of the length"),
         P("reference", {num("l", "m")}, "length at the start",
           "where the spring rests, and what couplings count from"),
         P("actuator", {timeNum("F", "N").orWord("input")}, "0",
           "force, positive lengthens; `input`: given at run time"),
         P("target", {timeNum("l", "m")}, "0", "of the servo: the length, not a change of it"),
         P("target-rate", {timeNum("v", "m/s")}, "0", "of the servo"),
         P("kp", {notNegative("a", "N/m")}, "0", "servo on the length"),
         P("kv", {notNegative("b", "N s/m")}, "0", "servo on the rate"),
         P("tau", {notNegative("T", "s")}, "0", "activation time of the actuator"),
         P("range", {num("lo", "N").orInf(), num("hi", "N").orInf()}, "-inf inf", "of actuator and servo together"),
         P("state", {num("F", "N")}, "0", "filtered actuator at the start; of a muscle its activation, 0 to 1"),
         P("feed", {timeNum("l", "m")}, "0", "a winch: length paid out"),
         P("side-rule", {oneOf("RULE", {"nearest", "barrier"})}, "nearest", "how a side site decides"),
         P("muscle",
           {positive("fmax", "N"), positive("lopt", "m"), positive("lslack", "m"), num("pennation", "rad"),
            positive("rise", "s").maybe(), positive("fall", "s").maybe()},
           "", "a Hill-type muscle, in the actuator's place"),
         P("excitation", {timeNum("E")}, "", "of the muscle, 0 to 1"),
         flag("off", "disabled")});
    s.defines = NameSpace::tendon;
    s.sample =
        "tendon flexor\n  site palm 0 0 0.01\n  cylinder knuckle 0 0 0  axis y  radius 0.012  side palm 0 0 0.03\n"
        "  site tip 0.02 0 0.005\n  stiffness 500  damping 1";
    s.notes =
        "A spatial tendon has path elements, each on a line of its own, in their order along the route; a `fixed` one "
        "has terms. [tendons.md](tendons.md) has every value with its range and what is refused, the routes and the "
        "laws. Live parameters may stand in every number but colours, axes and divisors.\n";
    return s;
}

StatementSpec couplingStatement() {
    auto s = statement(
        "coupling", {newName(NameSpace::coupling)},
        "Ties the length of one tendon to that of another by a polynomial, or holds it.",
        {P("first", {ref(NameSpace::tendon, "A")}, "", "the tendon that is held").must("first TENDON"),
         P("second", {ref(NameSpace::tendon, "B")}, "", "the tendon that leads; absent: held at reference + c0"),
         P("poly", {num("c0"), num("c1"), num("c2"), num("c3"), num("c4")}, "0 1 0 0 0", "its coefficients"),
         P("compliance", {notNegative("c")}, "0", "give per force"),
         P("correction", {notNegative("e").to(1)}, "0.2", "part of an error mended each step"),
         flag("off", "disabled")});
    s.defines = NameSpace::coupling;
    s.sample = "coupling mirror first left second right  poly 0 -1 0 0 0";
    s.notes =
        "Holds l1 - reference1 = f(l2 - reference2) with f(x) = c0 + c1 x + c2 x² + c3 x³ + c4 x⁴; without `second` "
        "l1 = reference1 + c0.\n";
    return s;
}

}  // namespace

std::vector<StatementSpec> keywordTable() {
    std::vector<StatementSpec> rows = headerStatements();
    const auto add = [&](std::vector<StatementSpec> more) { rows.insert(rows.end(), more.begin(), more.end()); };
    add({bodyStatement(), loopStatement()});
    add(elementStatements());
    add({shapeStatement()});
    add(contactStatements());
    add({groundStatement(), trackStatement(), tendonStatement(), couplingStatement()});
    return rows;
}

}  // namespace mw::mech
