// What can be asked before any state: names, references, inertias, and whether the kernel is of this model at all.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "engine/dynamics/topology.h"
#include "engine/proof/checks.h"

namespace mw::proof {

namespace {

/// Collects faults; the first few are told.
class Faults {
public:
    void add(std::string what) {
        if (count_++ < 3) text_ += (text_.empty() ? "" : "; ") + what;
    }
    Gate gate(const std::string& name, const std::string& good) const {
        Gate g;
        g.name = name;
        g.value = count_;
        g.pass = count_ == 0;
        g.detail = count_ == 0 ? good : text_;
        return g;
    }
    int count() const { return count_; }

private:
    int count_ = 0;
    std::string text_;
};

template <class Items>
void checkUnique(const Items& items, const char* kind, Faults& faults) {
    std::set<std::string> seen;
    for (const auto& item : items) {
        if (item.name.empty()) faults.add(fmt::format("a {} has no name", kind));
        else if (!seen.insert(item.name).second)
            faults.add(fmt::format("two of kind {} are called '{}'", kind, item.name));
    }
}

Gate references(const Model& model) {
    Faults faults;
    const int n = static_cast<int>(model.bodies.size());
    const auto isBody = [n](int i) { return i >= 0 && i < n; };
    checkUnique(model.bodies, "body", faults);
    checkUnique(model.points, "poi", faults);
    checkUnique(model.tsdas, "tsda", faults);
    checkUnique(model.rsdas, "rsda", faults);
    checkUnique(model.loops, "loop", faults);
    checkUnique(model.parameters, "param", faults);
    for (int i = 0; i < n; i++) {
        const Body& b = model.bodies[i];
        int steps = 0, at = i;
        while (isBody(at) && steps <= n) at = model.bodies[at].parent, steps++;
        if (steps > n) faults.add(fmt::format("body '{}' hangs on itself through its parents", b.name));
        else if (at != kBase) faults.add(fmt::format("body '{}' has a parent that does not exist", b.name));
        if (b.joint.type == JointType::floating && b.parent != kBase)
            faults.add(fmt::format("floating body '{}' is not a child of base", b.name));
    }
    const auto checkPoint = [&](const BodyPoint& p, const std::string& owner) {
        if (p.body != kBase && !isBody(p.body)) faults.add(fmt::format("'{}' is on a body that does not exist", owner));
    };
    for (const PointOfInterest& p : model.points) checkPoint(p.point, p.name);
    for (const Tsda& t : model.tsdas) {
        checkPoint(t.from, t.name);
        checkPoint(t.to, t.name);
        if (t.curve.x.size() != t.curve.f.size() || t.damper_curve.x.size() != t.damper_curve.f.size())
            faults.add(fmt::format("a curve of '{}' has not one force for each place", t.name));
    }
    for (const Rsda& r : model.rsdas) {
        if (!isBody(r.body) || jointNv(model.bodies[r.body].joint.type) != 1)
            faults.add(fmt::format("rsda '{}' is not on a joint of one coordinate", r.name));
        if (r.curve.x.size() != r.curve.f.size() || r.damper_curve.x.size() != r.damper_curve.f.size())
            faults.add(fmt::format("a curve of '{}' has not one force for each place", r.name));
    }
    for (const Loop& l : model.loops) {
        for (const LoopFrame* end : {&l.from, &l.to})
            if (end->body != kBase && !isBody(end->body))
                faults.add(fmt::format("loop '{}' ends on a body that does not exist", l.name));
        if (l.from.body == l.to.body) faults.add(fmt::format("both ends of loop '{}' are on the same body", l.name));
    }
    for (const Drive& d : model.drives)
        if (!isBody(d.body) || d.coordinate < 0 || d.coordinate >= jointNv(model.bodies[d.body].joint.type))
            faults.add(fmt::format("drive '{}' is not on a coordinate of a joint", d.name));
    return faults.gate("structure.references", "names are unique and every reference resolves");
}

Gate kernelFits(const Subject& subject) {
    Faults faults;
    const Kernel& kernel = subject.kernel;
    const Layout& layout = subject.layout;
    const auto check = [&](const Kernel& k) {
        if (!k) return faults.add("there is no kernel");
        if (k->abi_version != MW_KERNEL_ABI_VERSION)
            return faults.add(fmt::format("{} has interface version {}, this program {}", k.maker, k->abi_version,
                                          MW_KERNEL_ABI_VERSION));
        if (k.modelHash() != dynamicsHash(subject.model))
            faults.add(fmt::format("{} was made for another model", k.maker));
        const struct {
            const char* what;
            int has, wants;
        } sizes[] = {{"nq", k->nq, layout.nq},
                     {"nv", k->nv, layout.nv},
                     {"nbody", k->nbody, layout.nbody},
                     {"nact", k->nact, layout.nact},
                     {"nparam", k->nparam, layout.nparam},
                     {"nobs", k->nobs, layout.nobs},
                     {"nc", k->nc, layout.nc},
                     {"nloop", k->nloop, layout.nloop}};
        for (const auto& s : sizes)
            if (s.has != s.wants)
                faults.add(fmt::format("{} says {} = {}, the model {}", k.maker, s.what, s.has, s.wants));
        if (k->nwork < 0) faults.add(fmt::format("{} asks for a negative workspace", k.maker));
        if (!k->init_work || !k->fwd_dyn || !k->factor || !k->apply_inverse_mass || !k->kinematics || !k->observe ||
            !k->mass_matrix || !k->bias || !k->loop_jacobian || !k->find)
            faults.add(fmt::format("{} lacks an entry", k.maker));
    };
    check(kernel);
    for (const Kernel& k : subject.options.same_bits) check(k);
    return faults.gate("structure.kernel", "the kernel's hash, version and sizes are the model's");
}

Matrix3 inertiaOf(const Body& b, const std::vector<double>& param) {
    double e[6];
    for (int k = 0; k < 6; k++) e[k] = b.inertia[k].at(param);
    Matrix3 I;
    I << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
    return I;
}

/// Masses and principal inertias, with the declared parameters and at both ends of every live one's range.
Gate inertias(const Model& model) {
    std::vector<std::vector<double>> points = {model.liveValues()};
    for (const Parameter& p : model.parameters)
        if (p.live && p.range)
            for (const double end : *p.range) {
                points.push_back(model.liveValues());
                points.back()[p.slot] = end;
            }

    Gate gate;
    gate.name = "structure.inertia";
    gate.bound = 1e-12;
    gate.detail = "no mass and no principal inertia is negative";
    std::string note;
    double broken = 0;
    for (const std::vector<double>& param : points)
        for (const Body& b : model.bodies) {
            const double mass = b.mass.at(param);
            const Matrix3 I = inertiaOf(b, param);
            if (!std::isfinite(mass) || !I.allFinite()) {
                gate.value = kNotFinite;
                gate.detail = fmt::format("mass or inertia of body {} is not a finite number", b.name);
                continue;
            }
            const Vector3 principal = I.selfadjointView<Eigen::Lower>().eigenvalues();
            const double scale = principal.cwiseAbs().maxCoeff();
            const double negative = std::max(mass < 0 ? 1.0 : 0.0, scale > 0 ? -principal[0] / scale : 0.0);
            if (negative > gate.value) {
                gate.value = negative;
                gate.detail = mass < 0 ? fmt::format("mass of body {} is {:g}", b.name, mass)
                                       : fmt::format("smallest principal inertia of body {} is {:.4g} kg m^2", b.name,
                                                     principal[0]);
            }
            const double excess = scale > 0 ? (principal[2] - principal[0] - principal[1]) / scale : 0;
            if (excess > 1e-9 && excess > broken) {
                broken = excess;
                note = fmt::format(
                    "warning: body {} is not physically possible, its largest principal inertia exceeds the sum of the "
                    "others by {:.2g} %",
                    b.name, 100 * excess);
            }
        }
    gate.pass = gate.value <= gate.bound;
    if (!note.empty()) gate.detail += "; " + note;
    return gate;
}

}  // namespace

bool checkReferences(const Subject& subject, std::vector<Gate>& gates) {
    gates.push_back(references(subject.model));
    return gates.back().pass;
}

bool checkStructure(const Subject& subject, std::vector<Gate>& gates) {
    gates.push_back(kernelFits(subject));
    if (!gates.back().pass) return false;
    gates.push_back(inertias(subject.model));
    return true;
}

void checkNames(const Subject& subject, std::vector<Gate>& gates) {
    const Model& model = subject.model;
    const Layout& layout = subject.layout;
    Faults faults;
    const auto expect = [&](const char* kind, const std::string& name, int slot) {
        const int got = subject.kernel->find(subject.kernel.c, kind, name.c_str());
        if (got != slot) faults.add(fmt::format("{} '{}' is found at {} and lies at {}", kind, name, got, slot));
    };
    for (int i = 0; i < layout.nbody; i++) expect("body", model.bodies[i].name, i);
    for (int i = 0; i < layout.nq; i++) expect("q", layout.q_names[i], i);
    for (int i = 0; i < layout.nv; i++) expect("v", layout.v_names[i], i);
    for (std::size_t i = 0; i < model.points.size(); i++) expect("poi", model.points[i].name, layout.obs_of_point[i]);
    for (std::size_t i = 0; i < model.tsdas.size(); i++) {
        expect("tsda", model.tsdas[i].name, layout.obs_of_tsda[i]);
        if (model.tsdas[i].input) expect("act", model.tsdas[i].name, layout.act_of_tsda[i]);
    }
    for (std::size_t i = 0; i < model.rsdas.size(); i++) {
        expect("rsda", model.rsdas[i].name, layout.obs_of_rsda[i]);
        if (model.rsdas[i].input) expect("act", model.rsdas[i].name, layout.act_of_rsda[i]);
    }
    for (std::size_t i = 0; i < model.loops.size(); i++) expect("loop", model.loops[i].name, layout.row_of_loop[i]);
    for (const Parameter& p : model.parameters) expect("param", p.name, p.live ? p.slot : -1);

    // Unknown names, an unknown kind, and a name one letter longer than a real one.
    for (const char* kind : {"body", "q", "v", "poi", "tsda", "rsda", "act", "param", "loop", "colour"})
        for (const char* name : {"no such name", "", "."}) expect(kind, name, -1);
    if (layout.nbody > 0) expect("body", model.bodies[0].name + "\x01", -1);
    Gate gate = faults.gate("names.round-trip", "every name finds its slot, unknown names find none");
    gates.push_back(gate);
}

}  // namespace mw::proof
