// From the Model to prepared tendons: numbers resolved, branches told apart, reference lengths captured, memory laid
// out.
#include <algorithm>
#include <cmath>

#include "engine/model/start_pose.h"
#include "engine/tendon/tendons.h"

namespace mw {

namespace {

Vector3 at(const Number3& n, std::span<const double> param) { return {n[0].at(param), n[1].at(param), n[2].at(param)}; }

/// A right-handed frame whose z is the axis; a fixed rule, so that routes depend on nothing else.
Matrix3 frameAlong(const Vector3d& axis) {
    const Vector3 z = Vector3(axis[0], axis[1], axis[2]).normalized();
    int smallest = 0;
    z.cwiseAbs().minCoeff(&smallest);
    const Vector3 x = (Vector3::Unit(smallest) - z[smallest] * z).normalized();
    Matrix3 frame;
    frame.col(0) = x, frame.col(1) = z.cross(x), frame.col(2) = z;
    return frame;
}

PreparedElement prepareElement(const PathElement& element, int index, std::span<const double> param) {
    PreparedElement e;
    e.kind = element.kind, e.element = index, e.body = element.point.body;
    e.local = at(element.point.at, param);
    if (!element.isGuide()) return e;
    for (std::size_t i = 0; i < 3; ++i) e.radii[i] = element.radii[i].at(param);
    if (element.kind == PathElement::Kind::ellipsoid)
        e.axes = rotationRollPitchYaw(element.rot[0].at(param), element.rot[1].at(param), element.rot[2].at(param));
    else if (element.kind != PathElement::Kind::sphere) e.axes = frameAlong(element.axis);
    if (element.side) e.has_side = true, e.side_body = element.side->body, e.side = at(element.side->at, param);
    e.mu = element.mu.at(param);
    return e;
}

void prepareBranches(const Tendon& tendon, std::span<const double> param, PreparedTendon& out) {
    out.branches.assign(1, {});
    for (std::size_t i = 0; i < tendon.path.size(); ++i) {
        const PathElement& element = tendon.path[i];
        if (element.kind == PathElement::Kind::pulley) {
            if (!out.branches.back().elements.empty()) out.branches.emplace_back();
            out.branches.back().divisor = element.divisor;
        } else {
            out.branches.back().elements.push_back(prepareElement(element, static_cast<int>(i), param));
        }
    }
    std::erase_if(out.branches, [](const PreparedBranch& b) { return b.elements.empty(); });
}

void prepareTerms(const Tendon& tendon, const Layout& layout, std::span<const double> param, PreparedTendon& out) {
    out.terms.clear(), out.joint_terms.clear();
    for (const TendonTerm& term : tendon.terms) {
        const auto body = static_cast<std::size_t>(term.body);
        out.terms.push_back({layout.q_of_body[body] + term.coordinate, layout.v_of_body[body] + term.coordinate,
                             term.weight.at(param)});
    }
    // Repeated terms are one: their weights are summed before anything else is made of them.
    for (const PreparedTerm& term : out.terms) {
        const auto same =
            std::ranges::find_if(out.joint_terms, [&](const PreparedTerm& known) { return known.v == term.v; });
        if (same == out.joint_terms.end()) out.joint_terms.push_back(term);
        else same->weight += term.weight;
    }
    std::ranges::sort(out.joint_terms, {}, &PreparedTerm::v);
}

}  // namespace

Tendons::Tendons(const Model& model, const Layout& layout)
    : tendons_(model.tendons), couplings_(model.couplings), layout_(layout) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const JointType type = model.bodies[b].joint.type;
        joints_.push_back({model.bodies[b].parent, layout.v_of_body[b], jointNv(type), type,
                           type == JointType::spherical || type == JointType::floating});
    }
    const std::vector<double> param = model.liveValues();
    prepare(param);

    // Numbers carried from step to step: of every tendon its activation, of a muscle its fibre, then two for each guide
    // with friction: how far stuck rope has crept, and how fast it did in the last step.
    for (std::size_t i = 0; i < tendons_.size(); ++i) {
        prepared_[i].memory = memory_;
        memory_ += prepared_[i].muscle ? 2 : 1;
        for (PreparedBranch& branch : prepared_[i].branches)
            for (PreparedElement& e : branch.elements)
                if (e.isGuide() && !tendons_[i].path[static_cast<std::size_t>(e.element)].mu.isZero())
                    e.flow = static_cast<int>(memory_), memory_ += 2;
    }

    // Reference lengths, at the start pose with the declared parameters.
    const std::vector<double> q = startQ(model, layout, param);
    std::vector<double> X;
    for (const Placement& body : bodyPlacements(model, q, param)) {
        X.insert(X.end(), body.rotation.begin(), body.rotation.end());
        X.insert(X.end(), body.position.begin(), body.position.end());
    }
    TendonRoute at_start;
    for (int i = 0; i < size(); ++i) {
        route(i, q, X, nullptr, at_start);
        reference_.push_back(at_start.length);
    }
}

void Tendons::setParameters(std::span<const double> param) {
    if (tendons_.empty()) return;
    std::vector<PreparedTendon> old = std::move(prepared_);
    prepared_.clear();
    prepare(param);
    for (std::size_t i = 0; i < old.size(); ++i) {
        prepared_[i].memory = old[i].memory;
        for (std::size_t b = 0; b < old[i].branches.size(); ++b)
            for (std::size_t e = 0; e < old[i].branches[b].elements.size(); ++e)
                prepared_[i].branches[b].elements[e].flow = old[i].branches[b].elements[e].flow;
    }
}

void Tendons::prepare(std::span<const double> param) {
    param_.assign(param.begin(), param.end());
    for (const Tendon& tendon : tendons_) {
        PreparedTendon p;
        p.fixed = tendon.fixed;
        if (tendon.fixed) prepareTerms(tendon, layout_, param, p);
        else prepareBranches(tendon, param, p);
        p.rule = tendon.side_rule;
        p.stiffness = tendon.stiffness.at(param), p.damping = tendon.damping.at(param);
        if (tendon.spring) p.spring = {(*tendon.spring)[0].at(param), (*tendon.spring)[1].at(param)};
        p.lower = tendon.lower.at(param), p.upper = tendon.upper.at(param), p.margin = tendon.margin.at(param);
        p.compliance = tendon.compliance.at(param), p.correction = tendon.correction.at(param);
        p.friction = tendon.friction.at(param), p.friction_compliance = tendon.friction_compliance.at(param);
        p.armature = tendon.armature.at(param);
        if (tendon.reference) p.written_reference = tendon.reference->at(param);
        p.kp = tendon.kp.at(param), p.kv = tendon.kv.at(param), p.tau = tendon.tau.at(param);
        p.range_lower = tendon.range_lower.at(param), p.range_upper = tendon.range_upper.at(param);
        p.state = tendon.activation.at(param);
        p.actuator = tendon.actuator, p.target = tendon.target, p.target_rate = tendon.target_rate;
        p.input = tendon.input, p.off = tendon.off;
        if (tendon.muscle) {
            MuscleLaw law;
            law.fmax = tendon.muscle->fmax.at(param), law.lopt = tendon.muscle->lopt.at(param);
            law.lslack = tendon.muscle->lslack.at(param), law.pennation = tendon.muscle->pennation.at(param);
            law.rise = tendon.muscle->rise.at(param), law.fall = tendon.muscle->fall.at(param);
            p.muscle = law, p.excitation = tendon.muscle->excitation;
        }
        if (tendon.feed) {
            p.feed = tendon.feed;
            p.feed_rate = timeDerivative(tendon.feed);
            p.feed_acceleration = timeDerivative(p.feed_rate);
        }
        prepared_.push_back(std::move(p));
    }
}

bool Tendons::isAngle(int body, int coordinate) const {
    switch (joints_[static_cast<std::size_t>(body)].type) {
        case JointType::prismatic: return false;
        case JointType::cylindrical: return coordinate == 0;
        case JointType::planar: return coordinate == 2;
        default: return true;
    }
}

double Tendons::reference(int tendon) const {
    return of(tendon).written_reference.value_or(reference_[static_cast<std::size_t>(tendon)]);
}

std::size_t Tendons::memorySize() const { return memory_; }

void Tendons::start(std::span<double> memory) const {
    std::ranges::fill(memory, 0.0);
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
        const PreparedTendon& tendon = prepared_[i];
        memory[tendon.memory] = tendon.state;
        if (!tendon.muscle) continue;
        // A run starts with the muscle at rest, at the start pose's length.
        const double activation = std::clamp(tendon.state, 0.0, 1.0);
        memory[tendon.memory] = activation;
        memory[tendon.memory + 1] = muscleFibreAtRest(*tendon.muscle, reference_[i], activation);
    }
}

void Tendons::carry(const Tendons& from, std::span<const double> old_memory, std::span<double> memory) const {
    start(memory);
    for (std::size_t i = 0; i < tendons_.size(); ++i) {
        const auto same =
            std::ranges::find_if(from.tendons_, [&](const Tendon& old) { return old.name == tendons_[i].name; });
        if (same == from.tendons_.end()) continue;
        const PreparedTendon& source = from.prepared_[static_cast<std::size_t>(same - from.tendons_.begin())];
        if (prepared_[i].muscle.has_value() != source.muscle.has_value()) continue;
        memory[prepared_[i].memory] = old_memory[source.memory];
        if (source.muscle) memory[prepared_[i].memory + 1] = old_memory[source.memory + 1];
        // Rope over guides: only where the path is the same one, guide by guide.
        std::vector<int> here, there;
        const auto flows = [](const PreparedTendon& tendon, std::vector<int>& list) {
            for (const PreparedBranch& branch : tendon.branches)
                for (const PreparedElement& e : branch.elements)
                    if (e.isGuide()) list.push_back(e.flow);
        };
        flows(prepared_[i], here), flows(source, there);
        if (here.size() != there.size()) continue;
        for (std::size_t g = 0; g < here.size(); ++g)
            if (here[g] >= 0 && there[g] >= 0)
                for (int n = 0; n < 2; ++n)
                    memory[static_cast<std::size_t>(here[g] + n)] = old_memory[static_cast<std::size_t>(there[g] + n)];
    }
}

Tendons::Units Tendons::units(int tendon) const {
    const Tendon& t = tendons_[static_cast<std::size_t>(tendon)];
    if (!t.fixed) return {"m", "N"};
    // A weight has no unit of its own: it is read as 1 where all coordinates are angles, or all lengths.
    bool angles = false, lengths = false;
    for (const TendonTerm& term : t.terms) (isAngle(term.body, term.coordinate) ? angles : lengths) = true;
    if (angles && lengths) return {"user units", "user units"};
    return angles ? Units{"rad", "N m"} : Units{"m", "N"};
}

}  // namespace mw
