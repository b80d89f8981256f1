// The mechanism as its author wrote it: plain values in file order, each knowing its range of the text.
//
// A Model is what the reader makes of a text (engine/model/read.h), what expansion turns into another Model (track
// bands), and what both derivations of the equations start from. It has no behaviour and owns nothing but its values.
// Units are SI and radians; frames, signs and the meaning of every q and v are those of docs/conventions.md.
// References are indices into the vectors below; the base (the world) is body -1.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/base/hash.h"
#include "engine/model/expression.h"

namespace mw {

constexpr int kBase = -1;

using Number3 = std::array<Number, 3>;
using Vector3d = std::array<double, 3>;

/// Where something comes from: its statement in the text, and its place in a group when expansion made it.
struct Origin {
    TextRange range;  ///< the whole statement with its property lines
    TextRange name;   ///< the name's own text
    int index = -1;   ///< index within an expanded group, -1 when written by hand
};

struct Parameter {
    std::string name;
    double value = 0;
    std::optional<std::array<double, 2>> range;  ///< what a slider shows, and what proof draws from
    bool live = false;
    int slot = -1;          ///< slot in the kernel's `param` when live
    std::string unit;       ///< for display
    TextRange value_range;  ///< the value's own text, for patches
    Origin origin;
};

enum class JointType { fixed, revolute, prismatic, cylindrical, screw, universal, planar, spherical, floating };

struct Joint {
    JointType type = JointType::fixed;
    Vector3d axis{0, 0, 1};  ///< unit vector in the joint frame; the normal of a planar joint
    Vector3d axis2{
        0, 1,
        0};  ///< second axis of a universal joint, perpendicular to the first, in the frame that the first has turned
    Number pitch;  ///< screw: metres per radian
};

/// Sizes of a joint's coordinates and velocities.
int jointNq(JointType type);
int jointNv(JointType type);
/// "revolute", "planar", ... as written in the text.
const char* jointTypeName(JointType type);

/// Limits of a scalar joint: two one-sided rows, equal ones a lock (docs/rows.md).
struct JointLimits {
    Number lower = -std::numeric_limits<double>::infinity();
    Number upper = std::numeric_limits<double>::infinity();
    Number margin = 0, compliance = 0, correction = 0.2, restitution = 0;
};

struct Body {
    std::string name;
    int parent = kBase;
    Joint joint;
    Number3 at{};                     ///< joint frame's origin in the parent, m
    Number3 rot{};                    ///< roll, pitch, yaw of the joint frame: R = Rz(yaw) Ry(pitch) Rx(roll), rad
    Number mass;                      ///< kg
    Number3 cg{};                     ///< centre of mass in body axes, m
    std::array<Number, 6> inertia{};  ///< Ixx Iyy Izz Ixy Ixz Iyz about the cg, matrix entries in body axes, kg m^2
    std::vector<Number> start;  ///< nq values (quaternion w x y z normalised); filled with zeros / identity when absent
    std::vector<Number> rate;   ///< nv values; zeros when absent
    bool fext = false;          ///< takes an external wrench
    std::optional<std::array<Number, 2>> slider;
    std::optional<JointLimits> limits;
    Number joint_friction;  ///< N m or N, dry friction on each velocity of the joint: a row
    Number joint_damping;   ///< N m s/rad or N s/m, on each velocity of the joint: a force -d v
    Number joint_armature;  ///< kg m^2 or kg, added to M's diagonal for each velocity of the joint
    Origin origin;
    TextRange start_range;  ///< the `start` property's values, empty when not written (patches use it)
};

enum class LoopType { revolute, prismatic, cylindrical, spherical, point_on_line, distance };

/// Constraint rows of a loop: 5 5 4 3 2 1.
int loopRows(LoopType type);
/// "revolute", "point-on-line", ... as written in the text.
const char* loopTypeName(LoopType type);
/// The type has a free axis (all but spherical and distance).
bool hasAxis(LoopType type);

/// A loop frame fixed to a body.
struct LoopFrame {
    int body = kBase;
    Number3 at{};   ///< origin in the body, m
    Number3 rot{};  ///< roll, pitch, yaw of the frame in the body: R = Rz(yaw) Ry(pitch) Rx(roll), rad
};

/// A closure of two chains of the tree. Closed, the two frames coincide but for the free motion about or along the
/// axis; `distance`: their origins are `length` apart. Rows, signs, errors and wrenches: docs/conventions.md, "Loops".
struct Loop {
    std::string name;
    LoopType type = LoopType::revolute;
    LoopFrame from, to;      ///< predecessor, successor
    Vector3d axis{0, 0, 1};  ///< unit vector in the predecessor's loop frame
    Number length;           ///< m, of a distance loop
    Origin origin;
    TextRange type_range;  ///< the type's own word, for patches
};

/// A point fixed to a body.
struct BodyPoint {
    int body = kBase;
    Number3 at{};  ///< body axes, m
};

struct PointOfInterest {
    std::string name;
    BodyPoint point;
    Origin origin;
};

/// Piecewise linear force law: x strictly rising; the end slopes continue outside.
struct Curve {
    std::vector<Number> x, f;
    bool empty() const { return x.empty(); }
};

/// Translational spring-damper-actuator: tension f = k (l - l0) + c dl/dt + curve(l - l0) + damper_curve(dl/dt) + act,
/// pulling positive.
struct Tsda {
    std::string name;
    BodyPoint from, to;
    Number k, c;
    Number l0;           ///< the reader fills in the length at the start pose where the text has none
    bool input = false;  ///< has a slot in `act`
    Curve curve, damper_curve;
    Origin origin;
};

/// Rotational (on a prismatic joint: translational) spring-damper-actuator on a scalar joint:
/// joint force -k (q - q0) - c v - curve(q - q0) - damper_curve(v) + act.
struct Rsda {
    std::string name;
    int body = 0;
    Number k, c, q0;
    bool input = false;
    Curve curve, damper_curve;
    Origin origin;
};

/// A law of the simulation (the kernel has no time): adds to tau.
struct Drive {
    enum class Kind { torque, speed, position, prescribed };
    std::string name;
    int body = 0;
    int coordinate = 0;  ///< which velocity of the body's joint (0 for scalar joints)
    Kind kind = Kind::torque;
    ExpressionPtr expression;                                ///< E(t, live parameters)
    Number gain;                                             ///< speed: g (E - v)
    Number kp, kd;                                           ///< position: kp (E - q) + kd (dE/dt - v)
                                                             ///< prescribed: q, v and a are those of E
    Number limit = std::numeric_limits<double>::infinity();  ///< |force| is clipped to it
    Origin origin;
};

struct Shape {
    enum class Kind { box, sphere, capsule, cylinder, cone, mesh };
    std::string name;
    int body = kBase;
    Kind kind = Kind::box;
    std::array<Number, 3> size{};  ///< box: full edges; sphere: R; capsule, cylinder: R L; cone: R H; mesh: scale
    std::string file;              ///< mesh: path relative to the .mech
    Number3 at{};
    Number3 rot{};
    std::optional<std::array<double, 4>> color;  ///< r g b a, 0..1; absent: the body's quiet tint
    bool hidden = false;
    Number density;      ///< kg/m^3; read, adds mass in a later capability
    int material = -1;   ///< index into Model::materials; -1: it collides with nothing
    int group = 1;       ///< 0: off; positive meets its own and negative; negative meets all but its own
    Number margin, gap;  ///< m: the surface moved outward; detection before it (docs/rows.md)
    /// Of a mesh that collides: its file's vertices, each once, without the scale; null: not read. What collides is
    /// their convex hull.
    std::shared_ptr<const std::vector<Vector3d>> vertices;
    Origin origin;
};

/// Values of a contact between two shapes; which solver reads which: docs/rows.md.
struct ContactValues {
    Number mu = 0.8, mu_torsion = 0, mu_rolling = 0;     ///< -, m, m
    Number restitution = 0, restitution_speed = 0.5;     ///< -, m/s
    Number kn = 2e5, kt = 2e5, zeta = 0.2, veps = 0.01;  ///< N/m, N/m, -, m/s
    Number adhesion = 0;                                 ///< N
    std::array<double, 2> solref{0.02, 1};               ///< s and -, or minus stiffness and damping
    std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};
    int priority = 0;
};
struct Material {
    std::string name;
    ContactValues values;
    Origin origin;
};
/// What two materials make together, in place of all mixing. Index -1: the ground.
struct MaterialPair {
    int a = 0, b = 0;
    ContactValues values;              ///< what the pair does not write is the mixture of the two
    std::vector<std::string> written;  ///< the properties that it writes
    Origin origin;
};
/// Two bodies (kBase: the world, the ground with it) whose shapes are never tested against each other.
struct Exclude {
    int a = kBase, b = kBase;
    Origin origin;
};

/// The `contact` statement: how rows of contacts are solved.
struct ContactOptions {
    enum class Solver { penalty, regularized, anchored, pgs, xpbd, soft, avbd, padmm };
    enum class Cone { disc, box, elliptic, pyramid };
    enum class Mix { own, mean, geometric, max, min };
    Solver solver = Solver::pgs;
    Cone cone = Cone::disc;
    Mix mix = Mix::mean;
    int iterations = 50;
    double tolerance = 1e-8;  ///< N s
    bool warm = true;
    std::optional<double> relaxation;  ///< absent: the solver's own, 1 of pgs
    bool weighting = true;
    double beta = 0.2, slop = 5e-4;  ///< -, m
    double impratio = 1;
    int substeps = 1;
    bool collide_each_substep = false;
    int capacity = 4096;
    Origin origin;  ///< empty range: not written
};

/// Which law holds a pad on the ground: a function of the slip's speed, or a spring from where it stuck.
enum class Friction { regularized, anchored };
/// "regularized", "anchored" as written in the text.
const char* frictionName(Friction friction);

/// Sampled heights: z of (x0 + i dx, y0 + j dy) is heights[j nx + i], m.
struct HeightGrid {
    double x0 = 0, y0 = 0, dx = 1, dy = 1;
    int nx = 0, ny = 0;
    std::vector<double> heights;
};

/// The terrain: one height field, the sum of a plane and of whatever stands on it, and the material of it. Base axes, z
/// up. A material value that is absent is the track's.
struct Ground {
    Vector3d normal{0, 0, 1};  ///< of the plane n.p = offset, unit, normal z > 0
    double offset = 0;         ///< m
    struct Wave {
        double amplitude = 0, length = 1, direction = 0;  ///< m, m, rad from x; amplitude sin(2 pi s / length)
    };
    struct Step {
        double height = 0, at = 0, width = 0;  ///< m; rises over `width` about x = at, smoothly
    };
    struct Bump {
        double x = 0, y = 0, height = 0, radius = 1;  ///< m; smooth, zero outside the radius
    };
    std::vector<Wave> waves;
    std::vector<Step> steps;
    std::vector<Bump> bumps;
    std::shared_ptr<const HeightGrid> grid;  ///< null: none
    std::string grid_file;                   ///< as written
    std::optional<Number> kn, kt, zeta, mu, veps;
    Friction friction = Friction::regularized;
    Origin origin;
};

/// A band of shoes around rollers, as its author wrote it; expansion (engine/track) fills in what the shoes became.
/// Laws and values: docs/contact.md.
struct Track {
    std::string name;
    int root = kBase;  ///< body whose x-z plane (moved along y) the band lies in
    int shoes = 0;
    double pitch = 0;  ///< declared pin to pin, m; advisory
    Number mass;       ///< of a shoe, kg
    Number3 cg{};      ///< of a shoe in its frame, m
    std::array<Number, 6> inertia{};
    bool fext = false;  ///< the shoes take external wrenches: without it no force reaches them
    struct Roller {
        int body = kBase;
        double radius = 0;    ///< m
        bool end = false;     ///< carried by the pins; else rolls on the shoes' inner face
        bool driven = false;  ///< a sprocket
        int teeth = 0;
        TextRange range;  ///< its line in the text
        /// Filled in by expansion, of a driven roller: where its pockets lie in its own frame (angle about +y from -z,
        /// rad), so that at the start pose the pins in its wrap sit in them.
        double phase = 0;
    };
    std::vector<Roller> rollers;
    double pad_z = 0, pad_length = 0, pad_width = 0;  ///< shoe frame, centred at half the link, m
    double thickness = 0;                             ///< inner face at z = pad_z + thickness
    Number kn, kt;
    Number mu, zeta, veps, fskip, guide;
    double gate = 0.03;  ///< m
    double fade = 0;     ///< m; link / 4 when not written
    Origin origin;

    // Filled in by expansion; first_shoe < 0: not expanded.
    int first_shoe = -1;                       ///< body of the anchor; the others follow in the order of the walk
    int closure = -1;                          ///< loop that ties the last shoe's far pin to the anchor's own
    double link = 0;                           ///< pin to pin, m: perimeter / shoes
    double perimeter = 0;                      ///< of the belt at the start pose, m
    double lateral = 0;                        ///< y of the band's plane in the root's frame, m
    std::vector<std::array<double, 2>> axles;  ///< x z of each roller in the root's frame at the start pose, m
};

/// One element of a spatial tendon's path, in the order of the text.
struct PathElement {
    enum class Kind { site, sphere, cylinder, ellipsoid, torus, pulley };
    Kind kind = Kind::site;
    BodyPoint point;                ///< the site, or the guide's centre
    Vector3d axis{0, 0, 1};         ///< cylinder, torus: unit, body axes
    std::array<Number, 3> radii{};  ///< sphere, cylinder: [0]; ellipsoid: half axes; torus: ring, wire; m
    Number3 rot{};                  ///< ellipsoid: roll, pitch, yaw in the body
    std::optional<BodyPoint> side;  ///< where the route runs; inside the guide: the path must meet it
    Number mu;                      ///< of a guide: capstan friction; 0: none
    double divisor = 1;             ///< of a pulley: of the branch that it starts, absolute
    TextRange range;                ///< its line in the text

    bool isGuide() const { return kind != Kind::site && kind != Kind::pulley; }
};
/// "site", "sphere", "pulley", ... as written in the text.
const char* pathElementName(PathElement::Kind kind);

/// How a side site decides on which way round a guide the route runs (docs/tendons.md): N and B there.
enum class SideRule { nearest, barrier };
const char* sideRuleName(SideRule rule);

/// A weighted joint coordinate of a fixed tendon.
struct TendonTerm {
    int body = 0;
    int coordinate = 0;  ///< which velocity of the body's joint; every one of revolute, prismatic, cylindrical,
                         ///< screw, universal, planar is a scalar with a coordinate of its own
    Number weight = 1;
    TextRange range;
};

/// A Hill-type muscle in a tendon's place of the actuator (docs/tendons.md).
struct Muscle {
    Number fmax, lopt, lslack;        ///< N, m, m
    Number pennation;                 ///< rad, at the optimal fibre length
    Number rise = 0.01, fall = 0.04;  ///< s, of activation after excitation
    ExpressionPtr excitation;         ///< E(t, live parameters), clamped to 0..1
};

/// A tendon: one scalar coordinate, its length, with laws on it. Signed force F: positive lengthens; tension = -F.
/// All values, units, defaults and rejections: docs/tendons.md.
struct Tendon {
    std::string name;
    bool fixed = false;             ///< weighted joint coordinates instead of a route
    std::vector<PathElement> path;  ///< of a spatial one
    std::vector<TendonTerm> terms;  ///< of a fixed one
    Number width = 0.004;           ///< drawn radius, m
    std::array<double, 4> color{0.9, 0.35, 0.08, 1};
    bool color_written = false;
    Number stiffness, damping;                                ///< N/m, N s/m
    std::optional<std::array<Number, 2>> spring;              ///< m; absent: both ends are the reference length
    Number lower = -std::numeric_limits<double>::infinity();  ///< m; equal to upper: a lock
    Number upper = std::numeric_limits<double>::infinity();
    Number margin, compliance, correction = 0.2;  ///< m, m/N, -; of the limits
    Number friction, friction_compliance;         ///< N, m/N
    Number armature;                              ///< kg
    std::optional<Number> reference;              ///< m; absent: the length at the start pose
    ExpressionPtr actuator;                       ///< N, positive lengthens; null: no force of its own
    bool input = false;                           ///< `actuator input`: the force comes from outside at run time
    ExpressionPtr target, target_rate;            ///< m, m/s; null: 0
    Number kp, kv, tau;                           ///< N/m, N s/m, s
    Number range_lower = -std::numeric_limits<double>::infinity();  ///< N, of actuator and servo together
    Number range_upper = std::numeric_limits<double>::infinity();
    Number activation;   ///< N, `state`: the filtered actuator at the start
    ExpressionPtr feed;  ///< m, length paid out by a winch; null: 0
    SideRule side_rule = SideRule::nearest;
    std::optional<Muscle> muscle;
    bool off = false;
    Origin origin;
};

/// C = l1 - l1_ref - f(l2 - l2_ref) = 0 with the polynomial f; without a second tendon C = l1 - l1_ref - c0.
struct Coupling {
    std::string name;
    int first = 0, second = -1;  ///< tendons
    std::array<Number, 5> poly{Number(0), Number(1), Number(0), Number(0), Number(0)};
    Number compliance, correction = 0.2;
    bool off = false;
    Origin origin;
};

/// A run of bodies that differ only in their index (made by expansion).
struct Repeat {
    int first = 0;  ///< index of the first body
    int count = 0;
    Origin origin;
};

struct Model {
    std::string title;
    Number3 gravity{Number(0), Number(0), Number(-9.81)};
    std::vector<Parameter> parameters;
    std::vector<Body> bodies;  ///< file order; a parent may come after its child in the text, see `order`
    double stab = 0.1;         ///< s; loop errors decay as (1 + t/T) e^(-t/T); 0: not stabilised
    std::vector<Loop> loops;   ///< file order
    std::vector<PointOfInterest> points;
    std::vector<Tsda> tsdas;
    std::vector<Rsda> rsdas;
    std::vector<Drive> drives;
    std::vector<Shape> shapes;
    std::optional<Ground> ground;
    std::vector<Track> tracks;  ///< file order
    std::vector<Material> materials;
    std::vector<MaterialPair> pairs;
    std::vector<Exclude> excludes;
    ContactOptions contact;
    std::vector<Tendon> tendons;  ///< file order
    std::vector<Coupling> couplings;
    std::vector<Repeat> repeats;

    /// Bodies with every parent before its children; among equals, file order.
    std::vector<int> order() const;
    /// Declared values of the live parameters, by slot.
    std::vector<double> liveValues() const;
    int findBody(const std::string& name) const;  ///< -1 = base for "base", -2 when unknown
};

/// Some law of the model is a row: an enabled tendon, a shape that collides, a joint's limit or dry friction, a
/// prescribed drive. Such a model steps semi-implicitly (docs/rows.md). `why` names the first of them.
bool hasRows(const Model& model, std::string* why = nullptr);
/// Two shapes can meet: materials on both, groups, not excluded, not on one body nor on a body and its parent.
bool canCollide(const Model& model, int shape_a, int shape_b);
/// A shape can meet the ground, when there is one.
bool meetsGround(const Model& model, int shape);

/// Of all that enters the generated equations (not titles, shapes, start states, sliders, drives, comments or places).
Hash dynamicsHash(const Model& model);
/// Of all that enters a run: dynamics, start state, drives, parameter values.
Hash modelHash(const Model& model);

}  // namespace mw
