// Sizes of joints, the order of bodies, and the hashes that say which code and which run belong to which mechanism.
#include "engine/model/model.h"

#include "engine/model/layout.h"

namespace mw {

int jointNq(JointType type) {
    switch (type) {
        case JointType::fixed: return 0;
        case JointType::revolute:
        case JointType::prismatic:
        case JointType::screw: return 1;
        case JointType::cylindrical:
        case JointType::universal: return 2;
        case JointType::planar: return 3;
        case JointType::spherical: return 4;
        case JointType::floating: return 7;
    }
    return 0;
}

int jointNv(JointType type) {
    if (type == JointType::spherical) return 3;
    if (type == JointType::floating) return 6;
    return jointNq(type);
}

const char* jointTypeName(JointType type) {
    switch (type) {
        case JointType::fixed: return "fixed";
        case JointType::revolute: return "revolute";
        case JointType::prismatic: return "prismatic";
        case JointType::cylindrical: return "cylindrical";
        case JointType::screw: return "screw";
        case JointType::universal: return "universal";
        case JointType::planar: return "planar";
        case JointType::spherical: return "spherical";
        case JointType::floating: return "floating";
    }
    return "fixed";
}

int loopRows(LoopType type) {
    switch (type) {
        case LoopType::revolute:
        case LoopType::prismatic: return 5;
        case LoopType::cylindrical: return 4;
        case LoopType::spherical: return 3;
        case LoopType::point_on_line: return 2;
        case LoopType::distance: return 1;
    }
    return 0;
}

const char* frictionName(Friction friction) { return friction == Friction::anchored ? "anchored" : "regularized"; }

const char* loopTypeName(LoopType type) {
    switch (type) {
        case LoopType::revolute: return "revolute";
        case LoopType::prismatic: return "prismatic";
        case LoopType::cylindrical: return "cylindrical";
        case LoopType::spherical: return "spherical";
        case LoopType::point_on_line: return "point-on-line";
        case LoopType::distance: return "distance";
    }
    return "revolute";
}

bool hasAxis(LoopType type) { return type != LoopType::spherical && type != LoopType::distance; }

const char* pathElementName(PathElement::Kind kind) {
    switch (kind) {
        case PathElement::Kind::site: return "site";
        case PathElement::Kind::sphere: return "sphere";
        case PathElement::Kind::cylinder: return "cylinder";
        case PathElement::Kind::ellipsoid: return "ellipsoid";
        case PathElement::Kind::torus: return "torus";
        case PathElement::Kind::pulley: return "pulley";
    }
    return "site";
}

const char* sideRuleName(SideRule rule) { return rule == SideRule::barrier ? "barrier" : "nearest"; }

std::vector<int> Model::order() const {
    // Repeated passes would be quadratic on a chain written backwards: children lists and a stack instead.
    const std::size_t n = bodies.size();
    std::vector<std::vector<int>> children(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const int parent = bodies[i].parent;
        children[parent >= 0 && static_cast<std::size_t>(parent) < n ? static_cast<std::size_t>(parent) + 1 : 0]
            .push_back(static_cast<int>(i));
    }
    std::vector<int> order;
    order.reserve(n);
    std::vector<int> stack(children[0].rbegin(), children[0].rend());
    while (!stack.empty()) {
        const int body = stack.back();
        stack.pop_back();
        order.push_back(body);
        const auto& own = children[static_cast<std::size_t>(body) + 1];
        stack.insert(stack.end(), own.rbegin(), own.rend());
    }
    return order;
}

std::vector<double> Model::liveValues() const {
    std::vector<double> values;
    for (const Parameter& parameter : parameters)
        if (parameter.live) {
            if (values.size() <= static_cast<std::size_t>(parameter.slot))
                values.resize(static_cast<std::size_t>(parameter.slot) + 1);
            values[static_cast<std::size_t>(parameter.slot)] = parameter.value;
        }
    return values;
}

int Model::findBody(const std::string& name) const {
    if (name == "base") return kBase;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        if (bodies[i].name == name) return static_cast<int>(i);
    return -2;
}

namespace {

void add(Hasher& hasher, const ExpressionPtr& expression) {
    if (!expression) {
        hasher.add(std::int64_t{-1});
        return;
    }
    hasher.add(static_cast<std::int64_t>(expression->op))
        .add(expression->value)
        .add(static_cast<std::int64_t>(expression->parameter));
    if (expression->a) add(hasher, expression->a);
    if (expression->b) add(hasher, expression->b);
}

// A live number counts by its expression, not by today's value: moving a live parameter is not another mechanism.
void add(Hasher& hasher, const Number& number) {
    add(hasher, number.live);
    if (!number.live) hasher.add(number.value);
}

template <class Numbers>
void addAll(Hasher& hasher, const Numbers& numbers) {
    hasher.add(static_cast<std::int64_t>(std::size(numbers)));
    for (const auto& number : numbers) add(hasher, Number(number));
}

void add(Hasher& hasher, const BodyPoint& point) {
    hasher.add(static_cast<std::int64_t>(point.body));
    addAll(hasher, point.at);
}

void add(Hasher& hasher, const Curve& curve) {
    addAll(hasher, curve.x);
    addAll(hasher, curve.f);
}

void addDynamics(Hasher& hasher, const Model& model) {
    addAll(hasher, model.gravity);
    for (const Parameter& parameter : model.parameters)
        if (parameter.live) hasher.add(parameter.name).add(static_cast<std::int64_t>(parameter.slot));
    for (const Body& body : model.bodies) {
        hasher.add(body.name)
            .add(static_cast<std::int64_t>(body.parent))
            .add(static_cast<std::int64_t>(body.joint.type));
        addAll(hasher, body.joint.axis);
        addAll(hasher, body.joint.axis2);
        add(hasher, body.joint.pitch);
        addAll(hasher, body.at);
        addAll(hasher, body.rot);
        add(hasher, body.mass);
        addAll(hasher, body.cg);
        addAll(hasher, body.inertia);
        hasher.add(static_cast<std::int64_t>(body.fext));
        add(hasher, body.joint_damping);
        add(hasher, body.joint_armature);
    }
    if (!model.loops.empty()) hasher.add("loop").add(model.stab);
    for (const Loop& loop : model.loops) {
        hasher.add(loop.name).add(static_cast<std::int64_t>(loop.type));
        for (const LoopFrame* frame : {&loop.from, &loop.to}) {
            hasher.add(static_cast<std::int64_t>(frame->body));
            addAll(hasher, frame->at), addAll(hasher, frame->rot);
        }
        addAll(hasher, loop.axis);
        add(hasher, loop.length);
    }
    // Code rolls over repeated bodies, so that it differs where they are not known as such.
    for (const Repeat& repeat : model.repeats)
        hasher.add("repeat").add(static_cast<std::int64_t>(repeat.first)).add(static_cast<std::int64_t>(repeat.count));
    hasher.add("poi");
    for (const PointOfInterest& poi : model.points) {
        hasher.add(poi.name);
        add(hasher, poi.point);
    }
    hasher.add("tsda");
    for (const Tsda& tsda : model.tsdas) {
        hasher.add(tsda.name).add(static_cast<std::int64_t>(tsda.input));
        add(hasher, tsda.from), add(hasher, tsda.to);
        add(hasher, tsda.k), add(hasher, tsda.c), add(hasher, tsda.l0);
        add(hasher, tsda.curve), add(hasher, tsda.damper_curve);
    }
    hasher.add("rsda");
    for (const Rsda& rsda : model.rsdas) {
        hasher.add(rsda.name).add(static_cast<std::int64_t>(rsda.input)).add(static_cast<std::int64_t>(rsda.body));
        add(hasher, rsda.k), add(hasher, rsda.c), add(hasher, rsda.q0);
        add(hasher, rsda.curve), add(hasher, rsda.damper_curve);
    }
}

void add(Hasher& hasher, const std::optional<Number>& number) {
    hasher.add(static_cast<std::int64_t>(number.has_value()));
    if (number) add(hasher, *number);
}

void add(Hasher& hasher, const Ground& ground) {
    hasher.add("ground").add(ground.offset).add(static_cast<std::int64_t>(ground.friction));
    addAll(hasher, ground.normal);
    hasher.add(static_cast<std::int64_t>(ground.waves.size()));
    for (const Ground::Wave& w : ground.waves) hasher.add(w.amplitude).add(w.length).add(w.direction);
    hasher.add(static_cast<std::int64_t>(ground.steps.size()));
    for (const Ground::Step& s : ground.steps) hasher.add(s.height).add(s.at).add(s.width);
    hasher.add(static_cast<std::int64_t>(ground.bumps.size()));
    for (const Ground::Bump& b : ground.bumps) hasher.add(b.x).add(b.y).add(b.height).add(b.radius);
    if (const HeightGrid* grid = ground.grid.get()) {
        hasher.add("grid").add(grid->x0).add(grid->y0).add(grid->dx).add(grid->dy);
        hasher.add(static_cast<std::int64_t>(grid->nx)).add(static_cast<std::int64_t>(grid->ny));
        hasher.add(std::span<const double>(grid->heights));
    }
    for (const std::optional<Number>* value : {&ground.kn, &ground.kt, &ground.zeta, &ground.mu, &ground.veps})
        add(hasher, *value);
}

void add(Hasher& hasher, const Track& track) {
    hasher.add("track").add(track.name).add(static_cast<std::int64_t>(track.root));
    hasher.add(static_cast<std::int64_t>(track.shoes));
    add(hasher, track.mass);
    addAll(hasher, track.cg), addAll(hasher, track.inertia);
    hasher.add(static_cast<std::int64_t>(track.fext)).add(static_cast<std::int64_t>(track.rollers.size()));
    for (const Track::Roller& roller : track.rollers)
        hasher.add(static_cast<std::int64_t>(roller.body))
            .add(roller.radius)
            .add(static_cast<std::int64_t>(roller.end))
            .add(static_cast<std::int64_t>(roller.driven))
            .add(static_cast<std::int64_t>(roller.teeth))
            .add(roller.phase);
    hasher.add(track.pad_z).add(track.pad_length).add(track.pad_width).add(track.thickness);
    for (const Number* value : {&track.kn, &track.mu, &track.zeta, &track.veps, &track.fskip, &track.guide})
        add(hasher, *value);
    hasher.add(track.gate).add(track.fade).add(track.link).add(static_cast<std::int64_t>(track.first_shoe));
}

void add(Hasher& hasher, const ContactValues& values) {
    for (const Number* value :
         {&values.mu, &values.mu_torsion, &values.mu_rolling, &values.restitution, &values.restitution_speed,
          &values.kn, &values.kt, &values.zeta, &values.veps, &values.adhesion})
        add(hasher, *value);
    for (const double value : values.solref) hasher.add(value);
    for (const double value : values.solimp) hasher.add(value);
    hasher.add(static_cast<std::int64_t>(values.priority));
}

// Shapes count as far as they touch something: what is only looked at is no part of a run.
void addContacts(Hasher& hasher, const Model& model) {
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        const Shape& shape = model.shapes[i];
        if (shape.material < 0) continue;
        hasher.add("shape").add(static_cast<std::int64_t>(i)).add(static_cast<std::int64_t>(shape.body));
        hasher.add(static_cast<std::int64_t>(shape.kind)).add(shape.file);
        addAll(hasher, shape.size), addAll(hasher, shape.at), addAll(hasher, shape.rot);
        hasher.add(static_cast<std::int64_t>(shape.material)).add(static_cast<std::int64_t>(shape.group));
        add(hasher, shape.margin), add(hasher, shape.gap);
        if (shape.vertices)
            for (const Vector3d& p : *shape.vertices) hasher.add(std::span<const double>(p));
    }
    for (const Material& material : model.materials) {
        hasher.add("material").add(material.name);
        add(hasher, material.values);
    }
    for (const MaterialPair& pair : model.pairs) {
        hasher.add("pair").add(static_cast<std::int64_t>(pair.a)).add(static_cast<std::int64_t>(pair.b));
        add(hasher, pair.values);
        for (const std::string& word : pair.written) hasher.add(word);
    }
    for (const Exclude& e : model.excludes)
        hasher.add("exclude").add(static_cast<std::int64_t>(e.a)).add(static_cast<std::int64_t>(e.b));
    const ContactOptions& o = model.contact;
    if (o.origin.range.begin == o.origin.range.end) return;
    hasher.add("contact").add(static_cast<std::int64_t>(o.solver)).add(static_cast<std::int64_t>(o.cone));
    hasher.add(static_cast<std::int64_t>(o.mix)).add(static_cast<std::int64_t>(o.iterations)).add(o.tolerance);
    hasher.add(static_cast<std::int64_t>(o.warm)).add(o.relaxation.value_or(0));
    hasher.add(static_cast<std::int64_t>(o.weighting)).add(o.beta).add(o.slop).add(o.impratio);
    hasher.add(static_cast<std::int64_t>(o.substeps)).add(static_cast<std::int64_t>(o.collide_each_substep));
    hasher.add(static_cast<std::int64_t>(o.capacity));
}

void add(Hasher& hasher, const PathElement& element) {
    hasher.add(static_cast<std::int64_t>(element.kind));
    add(hasher, element.point);
    addAll(hasher, element.axis), addAll(hasher, element.radii), addAll(hasher, element.rot);
    hasher.add(static_cast<std::int64_t>(element.side.has_value()));
    if (element.side) add(hasher, *element.side);
    add(hasher, element.mu);
    hasher.add(element.divisor);
}

void add(Hasher& hasher, const Tendon& tendon) {
    hasher.add("tendon").add(tendon.name).add(static_cast<std::int64_t>(tendon.fixed));
    hasher.add(static_cast<std::int64_t>(tendon.path.size())).add(static_cast<std::int64_t>(tendon.terms.size()));
    for (const PathElement& element : tendon.path) add(hasher, element);
    for (const TendonTerm& term : tendon.terms) {
        hasher.add(static_cast<std::int64_t>(term.body)).add(static_cast<std::int64_t>(term.coordinate));
        add(hasher, term.weight);
    }
    hasher.add(static_cast<std::int64_t>(tendon.spring.has_value()));
    if (tendon.spring) addAll(hasher, *tendon.spring);
    add(hasher, tendon.reference);
    for (const Number* value :
         {&tendon.stiffness, &tendon.damping, &tendon.lower, &tendon.upper, &tendon.margin, &tendon.compliance,
          &tendon.correction, &tendon.friction, &tendon.friction_compliance, &tendon.armature, &tendon.kp, &tendon.kv,
          &tendon.tau, &tendon.range_lower, &tendon.range_upper, &tendon.activation})
        add(hasher, *value);
    for (const ExpressionPtr* law : {&tendon.actuator, &tendon.target, &tendon.target_rate, &tendon.feed})
        add(hasher, *law);
    hasher.add(static_cast<std::int64_t>(tendon.input)).add(static_cast<std::int64_t>(tendon.off));
    hasher.add(static_cast<std::int64_t>(tendon.side_rule)).add(static_cast<std::int64_t>(tendon.muscle.has_value()));
    if (!tendon.muscle) return;
    const Muscle& m = *tendon.muscle;
    for (const Number* value : {&m.fmax, &m.lopt, &m.lslack, &m.pennation, &m.rise, &m.fall}) add(hasher, *value);
    add(hasher, m.excitation);
}

void add(Hasher& hasher, const Coupling& coupling) {
    hasher.add("coupling").add(coupling.name);
    hasher.add(static_cast<std::int64_t>(coupling.first)).add(static_cast<std::int64_t>(coupling.second));
    addAll(hasher, coupling.poly);
    add(hasher, coupling.compliance), add(hasher, coupling.correction);
    hasher.add(static_cast<std::int64_t>(coupling.off));
}

}  // namespace

Hash dynamicsHash(const Model& model) {
    Hasher hasher;
    addDynamics(hasher, model);
    return hasher.finish();
}

Hash modelHash(const Model& model) {
    Hasher hasher;
    addDynamics(hasher, model);
    hasher.add("run");
    for (const Body& body : model.bodies) {
        addAll(hasher, body.start);
        addAll(hasher, body.rate);
        add(hasher, body.joint_friction);
        hasher.add(static_cast<std::int64_t>(body.limits.has_value()));
        if (!body.limits) continue;
        const JointLimits& limits = *body.limits;
        for (const Number* value : {&limits.lower, &limits.upper, &limits.margin, &limits.compliance,
                                    &limits.correction, &limits.restitution})
            add(hasher, *value);
    }
    for (const Drive& drive : model.drives) {
        hasher.add(drive.name)
            .add(static_cast<std::int64_t>(drive.body))
            .add(static_cast<std::int64_t>(drive.coordinate));
        hasher.add(static_cast<std::int64_t>(drive.kind));
        add(hasher, drive.expression);
        add(hasher, drive.gain), add(hasher, drive.kp), add(hasher, drive.kd), add(hasher, drive.limit);
    }
    if (model.ground) add(hasher, *model.ground);
    for (const Track& track : model.tracks) add(hasher, track);
    addContacts(hasher, model);
    for (const Tendon& tendon : model.tendons) add(hasher, tendon);
    for (const Coupling& coupling : model.couplings) add(hasher, coupling);
    for (const Parameter& parameter : model.parameters)
        if (parameter.live) hasher.add(parameter.value);
    return hasher.finish();
}

}  // namespace mw
