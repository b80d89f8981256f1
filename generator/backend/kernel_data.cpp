// The parts of mw_kernel that do not depend on how the code runs.
#include "generator/backend/kernel_data.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "engine/kernel/describe.h"

namespace mw::gen {

bool EntryShape::nrhs() const { return std::find(arrays.begin(), arrays.end(), Array::rhs) != arrays.end(); }

const std::vector<EntryShape>& entryShapes() {
    using enum Array;
    static const std::vector<EntryShape> shapes{
        {"fwd_dyn", {q, v, tau, fext, act, param, work, vdot, lambda}},
        {"factor", {q, param, work}},
        {"apply_inverse_mass", {work, rhs, out}},
        {"kinematics", {q, v, param, work, X, V}},
        {"observe", {q, v, param, work, obs}},
        {"mass_matrix", {q, param, work, M}},
        {"bias", {q, v, param, work, c}},
        {"loop_jacobian", {q, param, work, K}},
    };
    return shapes;
}

bool mayBeNull(Array array) {
    return array == Array::tau || array == Array::fext || array == Array::act || array == Array::param;
}

bool isOutput(Array array) {
    switch (array) {
        case Array::vdot:
        case Array::lambda:
        case Array::out:
        case Array::X:
        case Array::V:
        case Array::obs:
        case Array::M:
        case Array::c:
        case Array::K: return true;
        default: return false;
    }
}

ArraySizes arraySizes(const Layout& layout, int nc, int nwork) {
    ArraySizes sizes;
    sizes[Array::q] = layout.nq;
    sizes[Array::v] = layout.nv;
    sizes[Array::tau] = layout.nv;
    sizes[Array::fext] = 6 * layout.nbody;
    sizes[Array::act] = layout.nact;
    sizes[Array::param] = layout.nparam;
    sizes[Array::work] = nwork;
    sizes[Array::vdot] = layout.nv;
    sizes[Array::lambda] = nc;
    sizes[Array::rhs] = layout.nv;
    sizes[Array::out] = layout.nv;
    sizes[Array::X] = 12 * layout.nbody;
    sizes[Array::V] = 6 * layout.nbody;
    sizes[Array::obs] = layout.nobs;
    sizes[Array::M] = layout.nv * layout.nv;
    sizes[Array::c] = layout.nv;
    sizes[Array::K] = nc * layout.nv;
    return sizes;
}

int zeroSize(const Layout& layout) { return std::max({layout.nv, 6 * layout.nbody, layout.nact, layout.nparam, 1}); }

std::vector<NamedSlot> namedSlots(const Model& model, const Layout& layout) {
    std::vector<NamedSlot> slots;
    const auto add = [&](const char* kind, const std::string& name) {
        const int slot = findSlot(model, layout, kind, name);
        if (slot >= 0) slots.push_back({kind, name, slot});
    };
    for (const Body& body : model.bodies) add("body", body.name);
    for (const std::string& name : layout.q_names) add("q", name);
    for (const std::string& name : layout.v_names) add("v", name);
    for (const PointOfInterest& point : model.points) add("poi", point.name);
    for (const Tsda& tsda : model.tsdas) add("tsda", tsda.name);
    for (const Rsda& rsda : model.rsdas) add("rsda", rsda.name);
    for (const Tsda& tsda : model.tsdas) add("act", tsda.name);
    for (const Rsda& rsda : model.rsdas) add("act", rsda.name);
    for (const Parameter& parameter : model.parameters) add("param", parameter.name);
    for (const mw::Loop& loop : model.loops) add("loop", loop.name);
    return slots;
}

namespace {

int findName(const mw_kernel* self, const char* kind, const char* name) {
    const auto* data = static_cast<const KernelData*>(self->context);
    if (kind == nullptr || name == nullptr) return -1;
    for (const NamedSlot& slot : data->names)
        if (slot.name == name && std::strcmp(slot.kind, kind) == 0) return slot.slot;
    return -1;
}

void initNothing(const mw_kernel* self, double* work) { std::fill(work, work + self->nwork, 0.0); }

}  // namespace

KernelData::KernelData(const Program& program, const Model& model) {
    const Layout layout = layoutOf(model);
    names = namedSlots(model, layout);
    zero.assign(static_cast<std::size_t>(zeroSize(layout)), 0.0);
    describeKernel(c, sizesOf(layout, program.nwork), program.model_hash, program.hash());
    c.context = this;
    c.init_work = initNothing;
    c.find = findName;
    ArraySizes sizes = arraySizes(layout, c.nc, program.nwork);
    if (const std::string fault = verify(program, sizes); !fault.empty())
        throw std::invalid_argument("malformed program: " + fault);
}

}  // namespace mw::gen
