// The arm of the models folder against MuJoCo's own sample of it, loaded as it comes: lengths and moment arms of the
// six tendons, mass matrix and bias over the joints' ranges.
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mujoco/mujoco.h>
#include <random>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/sim/motion_axes.h"
#include "engine/track/expand.h"
#include "tests/crosscheck/tendons.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::cross;

TEST_CASE("The arm of two links and six muscles is MuJoCo's arm26 at a thousand poses") {
    if (!std::filesystem::exists(MW_ARM26)) {
        WARN("MuJoCo's samples are not installed: " MW_ARM26);
        return;
    }
    char words[500] = "";
    const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> m(mj_loadXML(MW_ARM26, nullptr, words, sizeof words),
                                                                mj_deleteModel);
    INFO(words);
    REQUIRE(m);
    const std::unique_ptr<mjData, decltype(&mj_deleteData)> d(mj_makeData(m.get()), mj_deleteData);

    std::ifstream in(MW_SOURCE_DIR "/models/arm26.mech");
    const ReadResult read = readMechanism(std::string{std::istreambuf_iterator<char>(in), {}});
    REQUIRE(read.ok());
    const Model& model = read.model;
    const Layout layout = layoutOf(model);
    REQUIRE(layout.nv == 2);
    REQUIRE(m->nv == 2);
    REQUIRE(model.tendons.size() == 6);
    REQUIRE(m->ntendon == 6);

    const Kernel kernel = makeReferenceKernel(model, ReferenceRoute::crba);
    std::vector<double> work = makeWork(kernel);
    const std::vector<double> param = model.liveValues();
    const Tendons tendons(model, layout);
    MotionAxes axes;
    TendonRoute route;
    double worst_length = 0, worst_arm = 0, worst_mass = 0, worst_bias = 0;
    int compared = 0, most_skipped = 0;
    std::map<std::string, int> skipped;
    std::map<std::string, int> by_tendon;
    const auto raise = [](double& worst, double gap) {
        if (!(gap <= worst)) worst = gap;  // not a number counts as the worst
    };
    const auto apart = [](double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); };

    std::mt19937_64 random(26);
    std::uniform_real_distribution<double> any(0, 1);
    for (int pose = 0; pose < 1000; ++pose) {
        const double q[2] = {m->jnt_range[0] + any(random) * (m->jnt_range[1] - m->jnt_range[0]),
                             m->jnt_range[2] + any(random) * (m->jnt_range[3] - m->jnt_range[2])};
        const double v[2] = {4 * any(random) - 2, 4 * any(random) - 2};
        for (int i = 0; i < 2; ++i) d->qpos[i] = q[i], d->qvel[i] = v[i];
        mj_forward(m.get(), d.get());

        double X[24], V[12], M[4], bias[2], full[4];
        kernel.c->kinematics(q, v, param.data(), work.data(), X, V);
        kernel.c->mass_matrix(q, param.data(), work.data(), M);
        kernel.c->bias(q, v, param.data(), work.data(), bias);
        mj_fullM(m.get(), full, d->qM);
        for (int i = 0; i < 4; ++i) raise(worst_mass, apart(M[i], full[i]));
        for (int i = 0; i < 2; ++i) raise(worst_bias, apart(bias[i], d->qfrc_bias[i]));

        fillMotionAxes(model, layout, q, X, param, axes);
        for (int t = 0; t < 6; ++t) {
            const Tendon& tendon = model.tendons[static_cast<std::size_t>(t)];
            REQUIRE(unlike(tendon) == nullptr);
            if (const char* why = unlikeNow(tendon, param, X)) {
                ++skipped[why];
                most_skipped = std::max(most_skipped, ++by_tendon[tendon.name]);
                continue;
            }
            tendons.route(t, q, X, &axes, route);
            const int theirs = mj_name2id(m.get(), mjOBJ_TENDON, tendon.name.c_str());
            REQUIRE(theirs >= 0);
            const double* row = d->ten_J + 2 * theirs;
            if (!mj_isSparse(m.get())) {
                for (std::size_t i = 0; i < 2; ++i) raise(worst_arm, apart(route.gradient[i], row[i]));
            } else {
                double dense[2] = {0, 0};
                for (int i = 0; i < d->ten_J_rownnz[theirs]; ++i)
                    dense[d->ten_J_colind[d->ten_J_rowadr[theirs] + i]] = d->ten_J[d->ten_J_rowadr[theirs] + i];
                for (std::size_t i = 0; i < 2; ++i) raise(worst_arm, apart(route.gradient[i], dense[i]));
            }
            raise(worst_length, apart(route.length, d->ten_length[theirs]));
            ++compared;
        }
    }
    for (const auto& [why, count] : skipped) UNSCOPED_INFO(count << " routes not compared: " << why);
    INFO(fmt::format("length {:.2e}, arms {:.2e}, mass {:.2e}, bias {:.2e} over {} routes", worst_length, worst_arm,
                     worst_mass, worst_bias, compared));
    CHECK(worst_length < 1e-9);
    CHECK(worst_arm < 1e-9);
    CHECK(worst_mass < 1e-9);
    CHECK(worst_bias < 1e-9);
    CHECK(compared > 5400);
    CHECK(most_skipped < 500);
}
