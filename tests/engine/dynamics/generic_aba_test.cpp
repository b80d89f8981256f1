// The run-time algorithm that generated code is measured against must give the same answers as the reference.
#include "engine/dynamics/generic_aba.h"

#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

TEST_CASE("the generic articulated-body algorithm agrees with the reference", "[dynamics]") {
    std::vector<Model> models = {elbow(), satellite(), springpend()};
    for (int seed = 1; seed <= 150; seed++) {
        TreeOptions options;
        options.bodies = 1 + seed % 9;
        options.chain = seed % 3 == 0;
        options.elements = seed % 2 == 0;
        options.dissipation = seed % 4 < 2;
        options.live = seed % 5 == 0;
        models.push_back(randomTree(seed, options));
    }
    for (std::size_t m = 0; m < models.size(); m++) {
        const Model& model = models[m];
        const Layout layout = layoutOf(model);
        Caller reference(makeReferenceKernel(model));
        GenericAba generic(model);
        Random random(m);
        for (int trial = 0; trial < 3; trial++) {
            Numbers q, v, tau(layout.nv), fext(6 * layout.nbody), act(layout.nact), param = model.liveValues();
            randomState(model, layout, random, q, v);
            for (Numbers* inputs : {&tau, &fext, &act})
                for (double& x : *inputs) x = random.between(-10, 10);
            for (double& x : param) x *= random.between(0.7, 1.3);
            for (int i = 0; i < layout.nbody; i++)
                if (!model.bodies[i].fext)
                    for (int k = 0; k < 6; k++) fext[6 * i + k] = std::numeric_limits<double>::quiet_NaN();
            Numbers vdot(layout.nv);
            generic.fwdDyn(q.data(), v.data(), tau.data(), fext.data(), act.data(), param.data(), vdot.data());
            CAPTURE(m, trial);
            CHECK(scaledError(vdot, reference.fwdDyn(q, v, tau, fext, act, param)) < 1e-9);
            generic.fwdDyn(q.data(), v.data(), nullptr, nullptr, nullptr, param.data(), vdot.data());
            CHECK(scaledError(vdot, reference.fwdDyn(q, v, {}, {}, {}, param)) < 1e-9);
        }
    }
}
