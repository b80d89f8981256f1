// The run-time algorithm that generated code is measured against must give the same answers as the reference.
#include "engine/dynamics/generic_aba.h"

#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"
#include "tests/support/random_loops.h"

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

TEST_CASE("the generic algorithm closes loops as the reference does", "[dynamics][loops]") {
    int sound = 0;
    for (int seed = 1; seed <= 200; seed++) {
        TreeOptions options;
        options.bodies = 3 + seed % 6;
        options.chain = seed % 4 == 0;
        options.live = seed % 3 == 0;
        options.elements = seed % 2 == 0;
        options.dissipation = seed % 5 < 2;
        const LoopedTree made = randomLooped(seed, options, 1 + seed % 3, seed % 2 ? 0.02 : 0);
        const Layout layout = layoutOf(made.model);
        Caller reference(makeReferenceKernel(made.model));
        GenericAba generic(made.model);
        const Numbers K = reference.loopJacobian(made.q, made.param);
        if (layout.nc == 0 || independence(K, layout.nc, layout.nv) < 1e-2) continue;
        sound++;
        Random random(seed);
        Numbers tau(layout.nv), fext(6 * layout.nbody), act(layout.nact);
        for (Numbers* inputs : {&tau, &fext, &act})
            for (double& x : *inputs) x = random.between(-10, 10);
        Numbers vdot(layout.nv), lambda(layout.nc);
        CAPTURE(seed);
        generic.fwdDyn(made.q.data(), made.v.data(), tau.data(), fext.data(), act.data(), made.param.data(),
                       vdot.data(), lambda.data());
        CHECK(scaledError(vdot, reference.fwdDyn(made.q, made.v, tau, fext, act, made.param)) < 1e-9);
        CHECK(scaledError(lambda, reference.lambda(made.q, made.v, tau, fext, act, made.param)) < 1e-9);
        generic.fwdDyn(made.q.data(), made.v.data(), nullptr, nullptr, nullptr, made.param.data(), vdot.data());
        CHECK(scaledError(vdot, reference.fwdDyn(made.q, made.v, {}, {}, {}, made.param)) < 1e-9);
    }
    CHECK(sound > 100);
}

TEST_CASE("the generic algorithm gives NaN where rows are dependent", "[dynamics][loops]") {
    LoopedTree made;
    for (int seed = 1; made.model.loops.empty(); seed++) made = randomLooped(seed, {}, 1, 0);
    made.model.loops.push_back(made.model.loops[0]);
    Numbers vdot(layoutOf(made.model).nv);
    GenericAba(made.model).fwdDyn(made.q.data(), made.v.data(), nullptr, nullptr, nullptr, nullptr, vdot.data());
    for (const double x : vdot) CHECK(std::isnan(x));
}
