// The interface's promises: absent inputs are zero, a body without `fext` never reads its slot, and right-hand sides do
// not see each other.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/proof/checks.h"

namespace mw::proof {

namespace {

class Rules : public TrialCheck {
public:
    explicit Rules(const Subject& subject) : subject_(subject) {
        for (const Body& b : subject.model.bodies) undeclared_ = undeclared_ || !b.fext;
    }

    void look(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs,
              const std::vector<double>& rhs) override {
        const int nv = subject_.layout.nv;
        const auto count = [&](Meter& meter, const std::vector<double>& a, const std::vector<double>& b,
                               const char* what) {
            int different = 0, first = 0;
            for (std::size_t i = 0; i < b.size(); i++) {
                if (a[i] == b[i]) continue;  // +0 and -0 are the same answer
                if (different++ == 0) first = static_cast<int>(i);
            }
            meter.take(different, trial.q, trial.v, [&] {
                if (first >= nv) return atRow(subject_.model, number, first - nv) + what;
                return atTrial(subject_.model, number, nv > 0 ? subject_.layout.body_of_v[first] : kBase) + what;
            });
        };

        // One input at a time absent, and zeros in its place.
        zeros_.assign(std::max({trial.tau.size(), trial.fext.size(), trial.act.size(), std::size_t{1}}), 0.0);
        const double *tau = trial.tau.data(), *fext = trial.fext.data(), *act = trial.act.data();
        const struct {
            const double *with[3], *without[3];
            const char* what;
        } cases[] = {{{zeros_.data(), fext, act}, {nullptr, fext, act}, ", tau absent"},
                     {{tau, zeros_.data(), act}, {tau, nullptr, act}, ", fext absent"},
                     {{tau, fext, zeros_.data()}, {tau, fext, nullptr}, ", act absent"}};
        for (const auto& c : cases) {
            answer(speaker, trial, c.with[0], c.with[1], c.with[2], a_);
            answer(speaker, trial, c.without[0], c.without[1], c.without[2], b_);
            count(null_, b_, a_, c.what);
        }

        if (number == 0 && subject_.layout.nc > 0) lookAtSingularStates(speaker, outputs, rhs);

        // Not-a-number in every undeclared slot.
        poisoned_ = trial.fext;
        for (std::size_t i = 0; i < subject_.model.bodies.size(); i++)
            if (!subject_.model.bodies[i].fext)
                for (int k = 0; k < 6; k++) poisoned_[6 * i + k] = std::numeric_limits<double>::quiet_NaN();
        answer(speaker, trial, tau, poisoned_.data(), act, a_);
        b_ = outputs.vdot;
        b_.insert(b_.end(), outputs.lambda.begin(), outputs.lambda.end());
        count(undeclared_slots_, a_, b_, "");

        // The last of several right-hand sides, alone.
        if (nv > 0 && rhs.size() >= 2 * static_cast<std::size_t>(nv)) {
            const std::vector<double> last(rhs.end() - nv, rhs.end());
            const std::vector<double> expected(outputs.inverse.end() - nv, outputs.inverse.end());
            a_.resize(nv);
            speaker.kernel()->factor(trial.q.data(), trial.param.data(), speaker.work());
            speaker.kernel()->apply_inverse_mass(speaker.work(), last.data(), 1, a_.data());
            count(right_hand_sides_, a_, expected, "");
        }
    }

    bool failed() const override {
        return null_.failed() || undeclared_slots_.failed() || right_hand_sides_.failed() || singular_.failed();
    }

    void finish(std::vector<Gate>& gates) override {
        if (!undeclared_) undeclared_slots_.skip("every body of this model takes an external wrench");
        for (const Meter* m : {&null_, &undeclared_slots_, &right_hand_sides_}) gates.push_back(m->finish());
        if (subject_.layout.nc == 0) return;
        if (found_ == 0) singular_.skip("no state was found at which rows of the loops depend on each other");
        gates.push_back(singular_.finish());
    }

private:
    /// Where rows of the loops depend on each other there is no answer, and a kernel must not make up one that could be
    /// taken for one: not a number, or multipliers beyond all measure where rounding leaves a pivot something.
    void lookAtSingularStates(Speaker& speaker, const Outputs& regular, const std::vector<double>& rhs) {
        const auto finite = [](const std::vector<double>& x) {
            return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
        };
        constexpr double kBeyond = 1e6;  // times what multipliers are elsewhere
        double usual = 1;
        for (const double x : regular.lambda) usual = std::max(usual, std::abs(x));
        const std::vector<Trial> states = subject_.states.singular();
        found_ = static_cast<int>(states.size());
        Outputs out;
        for (std::size_t i = 0; i < states.size(); i++) {
            speaker.speak(states[i], rhs, out);
            const bool numbers = finite(out.vdot) && finite(out.lambda);
            const bool beyond = std::any_of(out.lambda.begin(), out.lambda.end(),
                                            [&](double x) { return std::abs(x) > kBeyond * usual; });
            // M^-1 stands on the same pivots.
            const bool made_up = numbers ? !beyond : finite(out.inverse);
            singular_.take(made_up ? 1 : 0, states[i].q, states[i].v,
                           [&] { return fmt::format("singular state {} of {}", i + 1, states.size()); });
        }
    }

    /// Accelerations, then multipliers.
    void answer(Speaker& speaker, const Trial& trial, const double* tau, const double* fext, const double* act,
                std::vector<double>& out) {
        speaker.accelerations(trial, tau, fext, act, out, lambda_);
        out.insert(out.end(), lambda_.begin(), lambda_.end());
    }

    Subject subject_;
    bool undeclared_ = false;
    std::vector<double> zeros_, poisoned_, a_, b_, lambda_;
    Meter null_{"rules.absent-inputs", 0}, undeclared_slots_{"rules.undeclared-fext", 0},
        right_hand_sides_{"rules.right-hand-sides", 0}, singular_{"rules.singular-rows", 0};
    int found_ = 0;
};

}  // namespace

std::unique_ptr<TrialCheck> rulesCheck(const Subject& subject) { return std::make_unique<Rules>(subject); }

}  // namespace mw::proof
