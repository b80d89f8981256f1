// The kernel against the dense reference, the reference's two routes against each other, and further kernels bit for
// bit.
#include <cmath>
#include <fmt/format.h>

#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/checks.h"

namespace mw::proof {

namespace {

class Agreement : public TrialCheck {
public:
    explicit Agreement(const Subject& subject)
        : subject_(subject),
          crba_(makeReferenceKernel(subject.model, ReferenceRoute::crba)),
          aba_(makeReferenceKernel(subject.model, ReferenceRoute::aba)),
          bound_(agreementBound(subject.model)) {
        for (const Kernel& kernel : subject.options.same_bits) others_.emplace_back(kernel);
    }

    void look(const Trial& trial, int number, Speaker&, const Outputs& mine, const std::vector<double>& rhs) override {
        crba_.speak(trial, rhs, dense_);
        const int nv = subject_.layout.nv;
        const auto ofV = [&](int i) { return nv > 0 ? subject_.layout.body_of_v[i % nv] : kBase; };
        const auto ofRow = [&](int i) { return nv > 0 ? subject_.layout.body_of_v[i / nv] : kBase; };
        compare(accelerations_, mine.vdot, dense_.vdot, trial, number, ofV);
        compareRows(loop_forces_, mine.lambda, dense_.lambda, trial, number, 1);
        compareRows(loop_jacobian_, mine.K, dense_.K, trial, number, nv);
        compare(inverse_mass_, mine.inverse, dense_.inverse, trial, number, ofV);
        compare(mass_matrix_, mine.M, dense_.M, trial, number, ofRow);
        compare(bias_, mine.c, dense_.c, trial, number, ofV);
        compare(kinematics_, mine.X, dense_.X, trial, number, [](int i) { return i / 12; });
        compare(kinematics_, mine.V, dense_.V, trial, number, [](int i) { return i / 6; });
        compare(observation_, mine.obs, dense_.obs, trial, number, [](int) { return kBase; });

        // The reference against itself, by routes that share no recursion.
        aba_.speak(trial, rhs, other_);
        compare(reference_, other_.vdot, dense_.vdot, trial, number, ofV);
        compareRows(reference_, other_.lambda, dense_.lambda, trial, number, 1);
        compareRows(reference_, other_.K, dense_.K, trial, number, nv);
        compare(reference_, other_.inverse, dense_.inverse, trial, number, ofV);
        compare(reference_, other_.M, dense_.M, trial, number, ofRow);
        compare(reference_, other_.c, dense_.c, trial, number, ofV);

        for (Speaker& speaker : others_) {
            speaker.speak(trial, rhs, other_);
            int different = 0;
            std::string first;
            const auto count = [&](const char* what, const std::vector<double>& a, const std::vector<double>& b) {
                int index = 0;
                const int n = differentBits(a, b, &index);
                if (n > 0 && different == 0) first = fmt::format("{}[{}]", what, index);
                different += n;
            };
            count("vdot", other_.vdot, mine.vdot);
            count("lambda", other_.lambda, mine.lambda);
            count("K", other_.K, mine.K);
            count("M^-1 rhs", other_.inverse, mine.inverse);
            count("M", other_.M, mine.M);
            count("bias", other_.c, mine.c);
            count("X", other_.X, mine.X);
            count("V", other_.V, mine.V);
            count("obs", other_.obs, mine.obs);
            same_bits_.take(different, trial.q, trial.v, [&] {
                return fmt::format("trial {}, {} numbers of {} differ from {}'s, first {}", number, different,
                                   speaker.kernel().maker, subject_.kernel.maker, first);
            });
        }
    }

    bool failed() const override {
        for (const Meter* m : all())
            if (m->failed()) return true;
        return false;
    }

    void finish(std::vector<Gate>& gates) override {
        if (others_.empty()) {
            same_bits_.skip("no other implementation of this CPU class was given");
        } else if (same_bits_.value() == 0) {
            std::string names;
            for (const Speaker& speaker : others_) names += (names.empty() ? "" : ", ") + speaker.kernel().maker;
            same_bits_.say(fmt::format("{} and {} give the same bits", subject_.kernel.maker, names));
        }
        if (subject_.layout.nobs == 0) observation_.skip("nothing is observed in this model");
        for (const Meter* m : all()) gates.push_back(m->finish());
    }

private:
    std::vector<const Meter*> all() const {
        std::vector<const Meter*> meters = {&reference_, &accelerations_, &inverse_mass_, &mass_matrix_,
                                            &bias_,      &kinematics_,    &observation_,  &same_bits_};
        // Of mechanisms with loops alone.
        if (subject_.layout.nc > 0) meters.insert(meters.begin() + 2, {&loop_forces_, &loop_jacobian_});
        return meters;
    }

    template <class BodyOf>
    void compare(Meter& meter, const std::vector<double>& a, const std::vector<double>& b, const Trial& trial,
                 int number, BodyOf bodyOf) {
        int index = 0;
        const double error = scaledError(a, b, &index);
        meter.take(error, trial.q, trial.v, [&] { return atTrial(subject_.model, number, bodyOf(index)); });
    }

    /// Numbers by the loops' rows, `each` a row.
    void compareRows(Meter& meter, const std::vector<double>& a, const std::vector<double>& b, const Trial& trial,
                     int number, int each) {
        if (b.empty()) return;
        int index = 0;
        const double error = scaledError(a, b, &index);
        meter.take(error, trial.q, trial.v, [&] { return atRow(subject_.model, number, index / each); });
    }

    Subject subject_;
    Speaker crba_, aba_;
    std::vector<Speaker> others_;
    double bound_;
    Outputs dense_, other_;
    Meter reference_{"agreement.reference", bound_}, accelerations_{"agreement.accelerations", bound_},
        loop_forces_{"agreement.loop-forces", bound_}, loop_jacobian_{"agreement.loop-jacobian", bound_},
        inverse_mass_{"agreement.inverse-mass", bound_}, mass_matrix_{"agreement.mass-matrix", bound_},
        bias_{"agreement.bias", bound_}, kinematics_{"agreement.kinematics", bound_},
        observation_{"agreement.observation", bound_}, same_bits_{"agreement.same-bits", 0};
};

}  // namespace

std::unique_ptr<TrialCheck> agreementCheck(const Subject& subject) { return std::make_unique<Agreement>(subject); }

}  // namespace mw::proof
