// Principal inertias against their matrix, and the search for motions without mass against the mass matrix itself.
#include <algorithm>
#include <cmath>
#include <random>

#include "engine/model/check_inertia.h"
#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/model/start_pose.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::mech;

namespace {

int faults(const std::string& text) {
    int count = 0;
    for (const Diagnostic& d : readModel("mech 1\n" + text).diagnostics) count += d.code == "no-inertia" ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("Principal values and axes put together give the matrix again") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-1, 1);
    for (int trial = 0; trial < 200; ++trial) {
        std::array<double, 6> m{};
        for (double& entry : m) entry = u(random) * (trial % 3 == 0 ? 1e-6 : 1);
        if (trial % 5 == 0) m[3] = m[4] = 0;
        const PrincipalInertia p = principalInertia(m);
        CHECK(p.value[0] <= p.value[1]);
        CHECK(p.value[1] <= p.value[2]);
        const std::size_t rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        for (std::size_t e = 0; e < 6; ++e) {
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k)
                sum += p.axes[3 * rows[e] + k] * p.value[k] * p.axes[3 * columns[e] + k];
            CHECK(sum == Approx(m[e]).margin(1e-14));
        }
    }
}

TEST_CASE("A joint needs mass across its motion, and no more than that") {
    // A point mass on an arm turns about the joint's axis; about its own line it does not.
    CHECK(faults("body b\n  joint revolute y\n  mass 1\n  cg 1 0 0\n") == 0);
    CHECK(faults("body b\n  joint revolute x\n  mass 1\n  cg 1 0 0\n") == 1);
    CHECK(faults("body b\n  joint prismatic x\n  mass 1\n") == 0);
    CHECK(faults("body b\n  joint prismatic x\n  mass 0\n") == 1);
    CHECK(faults("body b\n  joint spherical\n  mass 1\n  cg 1 0 0\n") == 1);
    CHECK(faults("body b\n  joint floating\n  mass 1\n") == 1);
    CHECK(faults("body b\n  joint planar z\n  mass 1\n") == 1);
    CHECK(faults("body b\n  joint planar z\n  mass 1\n  inertia 0 0 1e-9 0 0 0\n") == 0);
    CHECK(faults("body b\n  joint revolute x\n  mass 0\n  joint-armature 0.01\n") == 0);
    // Massless carriers with mass behind them.
    CHECK(faults("body a\n joint prismatic x\n mass 0\nbody b\n parent a\n joint prismatic y\n mass 0\nbody c\n parent "
                 "b\n joint prismatic z\n mass 1\n") == 0);
    CHECK(faults("body a\n joint prismatic x\n mass 0\nbody b\n parent a\n joint prismatic x\n mass 1\n") == 1);
    CHECK(faults("body a\n joint revolute z\n mass 0\nbody b\n parent a\n joint revolute z\n mass 1\n cg 1 0 0\n") ==
          1);
    CHECK(faults("body a\n joint revolute z\n mass 0\nbody b\n parent a\n joint revolute z\n at 1 0 0\n mass 1\n "
                 "inertia 0 0 1 0 0 0\n") == 0);
    // Two links of massless rods with one point mass at the end: two motions, one of them along the rod.
    CHECK(faults("body a\n joint revolute z\n mass 0\nbody b\n parent a\n joint revolute z\n at 1 0 0\n mass 1\n cg 1 "
                 "0 0\n") == 0);
}

TEST_CASE("Massless joints are found exactly where the mass matrix is singular") {
    // The mass matrix of point masses, by finite differences of their places: M = sum m J^T J.
    std::mt19937 random(11);
    int singular = 0, regular = 0;
    for (int trial = 0; trial < 300; ++trial) {
        std::string text;
        const int n = 2 + static_cast<int>(random() % 3);
        for (int i = 0; i < n; ++i) {
            const char* axes[] = {"x", "y", "z"};
            text += "body b" + std::to_string(i) + "\n";
            if (i > 0) text += "  parent b" + std::to_string(i - 1) + "\n";
            text += std::string("  joint ") + (random() % 2 ? "revolute " : "prismatic ") + axes[random() % 3] + "\n";
            text += "  at " + std::to_string(random() % 2) + " " + std::to_string(random() % 2) + " 0\n";
            text += std::string("  mass ") + (random() % 2 ? "1" : "0") + "\n  cg 0 " + std::to_string(random() % 2) +
                    " 0\n";
        }
        Model model;
        {
            ReadResult read = readModel("mech 1\n" + text);
            for (const Diagnostic& d : read.diagnostics)
                REQUIRE((d.code == "no-inertia" || d.code == "singular-start"));
            model = read.model;
        }
        std::vector<double> q(static_cast<std::size_t>(n));
        for (double& c : q) c = static_cast<double>(random()) / 4294967296.0 * 2 - 1;
        const auto places = [&](const std::vector<double>& at) {
            std::vector<double> all;
            const std::vector<Placement> pose = bodyPlacements(model, at, {});
            for (std::size_t i = 0; i < pose.size(); ++i) {
                const Vector3d c = transform(
                    pose[i], {model.bodies[i].cg[0].value, model.bodies[i].cg[1].value, model.bodies[i].cg[2].value});
                for (const double x : c) all.push_back(x * std::sqrt(model.bodies[i].mass.value));
            }
            return all;
        };
        const std::size_t size = q.size();
        std::vector<std::vector<double>> columns;
        for (std::size_t j = 0; j < size; ++j) {
            std::vector<double> up = q, down = q;
            up[j] += 1e-5;
            down[j] -= 1e-5;
            std::vector<double> a = places(up);
            const std::vector<double> b = places(down);
            for (std::size_t k = 0; k < a.size(); ++k) a[k] = (a[k] - b[k]) / 2e-5;
            columns.push_back(a);
        }
        // Rank of J by Gram-Schmidt.
        double least = 1;
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                double along = 0, square = 0;
                for (std::size_t i = 0; i < columns[j].size(); ++i) {
                    along += columns[j][i] * columns[k][i];
                    square += columns[k][i] * columns[k][i];
                }
                if (square > 1e-9)
                    for (std::size_t i = 0; i < columns[j].size(); ++i) columns[j][i] -= along / square * columns[k][i];
            }
            double norm = 0;
            for (const double x : columns[j]) norm += x * x;
            least = std::min(least, std::sqrt(norm));
        }
        if (least > 1e-7 && least < 1e-3) continue;  // neither one nor the other
        const bool is_singular = least <= 1e-7;
        (is_singular ? singular : regular)++;
        INFO(text << " least " << least);
        CHECK(masslessJoints(model, q, {}).empty() == !is_singular);
    }
    CHECK(singular > 30);
    CHECK(regular > 30);
}
