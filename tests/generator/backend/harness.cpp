// See harness.h.
#include "tests/generator/backend/harness.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/support/catch.h"

namespace mw::test {

std::vector<Kernel> everyBackEnd(const std::shared_ptr<const gen::Program>& program, const Model& model) {
    std::vector<Kernel> kernels;
    kernels.push_back(gen::interpreterKernel(program, model));
    kernels.push_back(gen::jitKernel(program, model, gen::Tier::fast));
    kernels.push_back(gen::jitKernel(program, model, gen::Tier::optimised));
    kernels.push_back(gen::cFileKernel(*program, model, "cc"));
    if (std::system("clang --version > /dev/null 2>&1") == 0) {
        kernels.push_back(gen::cFileKernel(*program, model, "clang"));
        kernels.back().maker = "c (clang)";
    }
    return kernels;
}

bool sameBits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

namespace {
double number(std::mt19937_64& random, bool wild) {
    if (wild && random() % 8 == 0) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const double special[] = {0.0,    -0.0,   kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                  1e-310, -1e300, 1e9,       0.5,        1.5};
        return special[random() % std::size(special)];
    }
    return std::uniform_real_distribution<double>(-3, 3)(random);
}
}  // namespace

Inputs randomInputs(const mw_kernel& kernel, std::mt19937_64& random, bool wild) {
    Inputs in;
    const auto fill = [&](std::vector<double>& values, int n) {
        values.resize(static_cast<std::size_t>(n));
        for (double& x : values) x = number(random, wild);
    };
    fill(in.q, kernel.nq);
    fill(in.v, kernel.nv);
    fill(in.tau, kernel.nv);
    fill(in.fext, 6 * kernel.nbody);
    fill(in.act, kernel.nact);
    fill(in.param, kernel.nparam);
    fill(in.rhs, in.nrhs * kernel.nv);
    in.null_forces = random() % 4 == 0;
    return in;
}

std::vector<double> runAll(const Kernel& kernel, const Inputs& in, int program_work) {
    const mw_kernel& k = *kernel.c;
    std::vector<double> all;
    std::vector<double> work = makeWork(kernel);
    const auto take = [&](int n, auto&& call) {
        std::vector<double> out(static_cast<std::size_t>(n) + 1, -7.25);
        call(out.data());
        all.insert(all.end(), out.begin(), out.end());
    };
    const double* tau = in.null_forces ? nullptr : in.tau.data();
    const double* fext = in.null_forces ? nullptr : in.fext.data();
    const double* act = in.null_forces ? nullptr : in.act.data();
    const double *q = in.q.data(), *v = in.v.data(), *param = k.nparam == 0 ? nullptr : in.param.data();
    double* w = work.data();
    take(k.nv, [&](double* out) {
        std::vector<double> lambda(static_cast<std::size_t>(k.nc) + 1);
        k.fwd_dyn(q, v, tau, fext, act, param, w, out, lambda.data());
    });
    k.factor(q, param, w);
    take(in.nrhs * k.nv, [&](double* out) { k.apply_inverse_mass(w, in.rhs.data(), in.nrhs, out); });
    take(k.nv, [&](double* out) { k.apply_inverse_mass(w, in.rhs.data(), 1, out); });
    take(k.nv, [&](double* out) { k.apply_inverse_mass(w, in.rhs.data(), 0, out); });
    take(12 * k.nbody, [&](double* out) {
        std::vector<double> V(static_cast<std::size_t>(6 * k.nbody) + 1, -7.25);
        k.kinematics(q, v, param, w, out, V.data());
        all.insert(all.end(), V.begin(), V.end());
    });
    take(k.nobs, [&](double* out) { k.observe(q, v, param, w, out); });
    take(k.nv * k.nv, [&](double* out) { k.mass_matrix(q, param, w, out); });
    take(k.nv, [&](double* out) { k.bias(q, v, param, w, out); });
    take(k.nc * k.nv, [&](double* out) { k.loop_jacobian(q, param, w, out); });
    all.insert(all.end(), work.begin() + gen::kWorkHeader, work.begin() + program_work);
    return all;
}

void compareBackEnds(const std::shared_ptr<const gen::Program>& program, const Model& model, int trials,
                     unsigned seed) {
    const std::vector<Kernel> kernels = everyBackEnd(program, model);
    std::mt19937_64 random(seed);
    for (int trial = 0; trial < trials; ++trial) {
        const Inputs inputs = randomInputs(*kernels[0].c, random, trial % 2 == 1);
        const std::vector<double> wanted = runAll(kernels[0], inputs, program->nwork);
        for (std::size_t k = 1; k < kernels.size(); ++k) {
            const std::vector<double> got = runAll(kernels[k], inputs, program->nwork);
            REQUIRE(got.size() == wanted.size());
            std::size_t differ = 0, first = 0;
            for (std::size_t j = 0; j < got.size(); ++j)
                if (!sameBits(got[j], wanted[j]) && differ++ == 0) first = j;
            INFO(kernels[k].maker << ", trial " << trial << ": " << differ << " numbers differ, the first at " << first
                                  << ": " << got[first] << " instead of " << wanted[first]);
            REQUIRE(differ == 0);
        }
    }
}

Model roomyModel() {
    Model model;
    model.title = "room */ for \"tests\"";
    for (int k = 0; k < 8; ++k) {
        Body body;
        body.name = "b" + std::to_string(k);
        body.joint.type = k < 2 ? JointType::floating : JointType::revolute;
        body.parent = k < 3 ? kBase : k - 1;
        body.mass = 1;
        model.bodies.push_back(body);
    }
    for (int k = 0; k < 2; ++k) {
        Rsda spring;
        spring.name = "s" + std::to_string(k);
        spring.body = 2 + k;
        spring.input = true;
        model.rsdas.push_back(spring);
    }
    Parameter parameter;
    parameter.name = "p";
    parameter.live = true;
    parameter.slot = 0;
    model.parameters.push_back(parameter);
    return model;
}

}  // namespace mw::test
