// Model and numbers of one instant -> the list of things to draw. Keeps what belongs to the model (solids made to
// measure) and what grows with time (trails); everything else is a function of its arguments.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "app/scene/body_parts.h"
#include "app/scene/mesh_file.h"
#include "app/scene/scene_item.h"
#include "app/scene/tendon_parts.h"
#include "app/scene/terrain_patch.h"
#include "engine/contact/contact.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/sim/row_readings.h"

namespace mw::scene {

/// One force or moment to show. The vector is in base axes, N or N m.
struct ForceReading {
    ItemId acts_on;
    ItemId made_by = {};        ///< what a click on the arrow selects; none: the arrow itself
    std::string name;           ///< "guide on slider"
    Vec3 point = Vec3::Zero();  ///< of action, base axes
    Vec3 vector = Vec3::Zero();
    Quantity quantity = Quantity::joint;
    ArrowKind kind = ArrowKind::force;
    bool on_top = false;   ///< its arrow lies inside what is drawn
    bool labelled = true;  ///< with name and value
};

/// The pull of the mouse: from a point of a body to the cursor.
struct PushPicture {
    Vec3 grabbed = Vec3::Zero(), target = Vec3::Zero();
    double newton = 0;
    Vec3 couple = Vec3::Zero();  ///< N m on the body, base axes
    double full_couple = 0;      ///< N m that is drawn a link long
    bool kinematic = false;      ///< a drag that moves the body without any force
};

/// Numbers of one instant, as the kernel gives them (kernel_abi.h): everything drawn comes from these.
struct SceneState {
    std::span<const double> X;      ///< 12 a body: rotation row by row, then the origin
    std::span<const double> param;  ///< live parameters; empty: the declared values
    std::span<const ForceReading> forces;
    std::span<const LoopReading> loops;  ///< one a loop; empty: not known whether they are closed
    std::optional<PushPicture> push;
    std::span<const ContactReading> contacts;  ///< of the instant, as Simulation::read gives them
    /// Contacts of shapes with what the last step gave them; their items follow those of `contacts`.
    std::span<const ShapeContactReading> shape_contacts;
    std::span<const TendonReading> tendons;  ///< one a tendon; empty: nothing is known of their forces
    bool solved = false;                     ///< a step has been solved: tensions and contacts have forces
    std::span<const char> tendon_off;        ///< by hand, one a tendon; empty: none
    std::span<const JointRowReading> joint_rows;
    /// Tension at the pins of every track, N (BandTension::pins); empty: not known.
    std::vector<std::span<const double>> tensions;
    double slope = 0;  ///< of the terrain (ContactSetup), rad
};

/// What is shown of contacts; each on its own. A contact, a shoe or a band that is selected shows its forces in any
/// case.
struct ContactLook {
    bool points = false, normals = false, normal_forces = false, friction = false;
    bool states = true;           ///< points have the colour and shape of their state
    bool only_selection = false;  ///< nothing of what is not selected
    int labels = 4;               ///< of the largest forces
    bool any() const { return points || normals || normal_forces || friction; }
};

enum class LabelMode : std::uint8_t { none, hover, bodies };

struct SceneOptions {
    ThemeKind theme = ThemeKind::dark;
    bool shapes = true;
    bool skeleton = false;  ///< links also on bodies with shapes (they show through when shapes are off)
    bool joints = true;
    bool springs = true;
    bool points = true;
    bool centres = false;  ///< cg signs
    bool inertia = false;  ///< inertia ellipsoids
    bool frames = false;   ///< body frames
    bool trails = true;
    bool gravity = false;  ///< weight of each body
    bool ground = true;
    bool legend = true;
    LabelMode labels = LabelMode::hover;
    double metres_per_newton = 0;  ///< 0: chosen so that the largest force is about a link long
    double force_scale = 1;        ///< times the chosen length
    bool logarithmic = false;      ///< arrow lengths
    ContactLook contact;
    bool tension = false;  ///< links of bands have the colour of their tension
    bool tendons = true;
    bool tendon_tension = true;  ///< tendons have the colour of their tension while there is one; else their own
    bool limits = true;          ///< a mark on joints that a limit holds
    float fade = 0;              ///< what is stale greys out
    std::vector<int> stale;      ///< bodies that are; empty: all
    std::vector<ItemId> selection;
    ItemId hover;
};

/// The top of a scale that follows a changing greatest value in round steps, without flickering between them.
class SteadyTop {
public:
    /// Notes the greatest value of an instant and gives the top: 1, 2 or 5 times a power of ten, at least the value.
    double follow(double greatest);
    double top() const { return top_; }

private:
    double top_ = 0;
};

class SceneBuilder {
public:
    /// `folder` is where the .mech lies, for mesh files.
    explicit SceneBuilder(std::shared_ptr<const Model> model, std::filesystem::path folder = {});
    ~SceneBuilder();

    Scene build(const SceneState& state, const SceneOptions& options);

    /// Adds one point to the trail of each traced point; call when time has moved on. Going back cuts them.
    void trace(const SceneState& state, double t);
    void clearTrails() { trails_.clear(); }
    /// Which points leave trails: points of interest by default, and cgs of these bodies.
    void setTraced(std::vector<int> points, std::vector<int> bodies);

    const Model& model() const { return *model_; }
    const Measures& measures() const { return measures_; }
    Vec3 up() const { return up_; }
    double groundHeight() const { return ground_; }

    /// What the mechanism occupies at an instant, and what one item occupies (empty when it is not shown).
    Box bounds(const SceneState& state);
    Box bodyBounds(const SceneState& state);  ///< of the bodies alone, without springs and signs
    Box boundsOf(const SceneState& state, const ItemId& item);
    /// Name as the user wrote it: "rod", "joint of rod", "base".
    std::string nameOf(const ItemId& item) const;
    /// A point that stands for the item: a body's cg, a joint's origin, the middle of a spring.
    Vec3 anchorOf(const SceneState& state, const ItemId& item);
    /// World place of a body (identity for the base).
    static Placement placeOf(std::span<const double> X, int body);
    /// Torn far enough to be seen.
    bool loopOpen(const SceneState& state, int loop) const;
    /// The band that a body is a shoe of; -1: none.
    int bandOf(int body) const { return body >= 0 ? band_[static_cast<std::size_t>(body)] : -1; }

private:
    void prepare(const SceneState& state);
    std::vector<Part> makeParts(bool with_shapes);
    void chooseGround(const SceneState& state);
    Vec3 pointOf(const SceneState& state, const BodyPoint& point) const;
    void addBodies(const SceneState& state, const SceneOptions& options, Scene& scene) const;
    void addSprings(const SceneState& state, const Theme& theme, Scene& scene);
    void addLoops(const SceneState& state, const SceneOptions& options, Scene& scene) const;
    void addSigns(const SceneState& state, const SceneOptions& options, Scene& scene) const;
    void addForces(const SceneState& state, const SceneOptions& options, Scene& scene);
    // scene_tendons.cpp
    void addTendons(const SceneState& state, const SceneOptions& options, Scene& scene);
    void addTubes(const SceneState& state, const SceneOptions& options, int tendon, const TendonLine& line,
                  Scene& scene);
    void addPath(const SceneState& state, const SceneOptions& options, int tendon, Scene& scene);
    void addGuide(const SceneState& state, const SceneOptions& options, int tendon, int element, Scene& scene);
    void addTendonForces(const SceneState& state, const SceneOptions& options, std::vector<ForceReading>& forces);
    void addLimits(const SceneState& state, const SceneOptions& options, Scene& scene) const;
    bool tendonShown(const SceneState& state, int tendon) const;
    MeshPtr tendonMesh(int tendon, int part, std::vector<Path> paths, double radius, bool contours);
    MeshPtr bead(double radius);

    // scene_contacts.cpp
    /// A contact of a band, of ground or of shapes, as it is drawn.
    struct Touch {
        int index = 0;  ///< of its item
        int a = kBase, b = kBase, track = -1;
        bool ground = false;  ///< A is the ground
        ContactState state = ContactState::open;
        Vec3 point, normal, friction, guide, force;
        double normal_force = 0;
    };
    std::vector<Touch> touches(const SceneState& state) const;
    struct ContactForce {
        int reading = 0;
        bool chosen = false, friction = false, labelled = false;
        std::string name;
        Vec3 at = Vec3::Zero(), vector = Vec3::Zero();
        Quantity quantity = Quantity::normal;
    };
    std::vector<ContactForce> contactForces(const SceneState& state, const SceneOptions& options, Scene& scene);
    void noteTension(const SceneState& state, const SceneOptions& options, Scene& scene);
    Color tensionColor(const SceneState& state, const Part& part, double top, const Color& without) const;
    // scene_terrain.cpp
    void addTerrain(const SceneState& state, Scene& scene);
    /// Its picture is made with the band's: a shoe, or a roller (whose axle needs no sign of a joint).
    bool drawnByBand(int body) const;
    void addLabels(const SceneState& state, const SceneOptions& options, Scene& scene);
    bool fineSprings() const { return model_->tsdas.size() + model_->rsdas.size() <= 8; }
    MeshPtr unitCylinder(double radius);
    MeshPtr coil(int thick, int turns, double length);  ///< radius 1.1^thick

    std::shared_ptr<const Model> model_;
    MeshFiles files_;
    std::vector<double> param_;
    bool prepared_ = false, ground_known_ = false;
    Measures measures_;
    Vec3 up_ = Vec3::UnitZ();
    double ground_ = 0;
    std::vector<Part> parts_, bare_parts_;  // with shapes, and without any
    std::vector<bool> has_shapes_;
    std::vector<int> tints_, band_;
    SteadyTop force_top_, tension_top_, tendon_top_, isoline_top_;
    Tendons tendons_;
    struct Tube {
        std::vector<Path> paths;  ///< relative to their first point
        double radius = 0;
        bool contours = false;
        MeshPtr mesh;
    };
    std::map<std::pair<int, int>, Tube> tubes_;            // by tendon and part
    std::map<std::pair<int, int>, MeshPtr> guide_meshes_;  // by tendon and element
    double terrain_slope_ = 0;
    std::unique_ptr<TerrainPatch> terrain_;
    std::map<std::tuple<int, int, int>, MeshPtr> coils_;  // (spring's turns, classes of length and radius)
    struct Traced {
        int body;
        BodyPoint point;
        std::deque<std::pair<double, Vec3>> path;
    };
    std::vector<int> traced_points_, traced_bodies_;
    std::vector<Traced> trails_;
};

/// As labels show it, with the unit: "184.2 N", "7.81 N", "0.305 m", "3.10e-07 J".
std::string formatQuantity(double value, const std::string& unit);
/// "184 N", "12.3 kN", "1.20 MN"
std::string formatForce(double newton);

}  // namespace mw::scene
