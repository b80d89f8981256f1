// A tendon over one joint's range: length, moment arm, its finite difference, and where the route changes.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

struct WrapScanRequest {
    int tendon = 0;
    int velocity = 0;         ///< slot of the scalar joint coordinate that is moved
    double from = 0, to = 0;  ///< rad or m
    int samples = 201;
    std::vector<double> q;      ///< pose of all the others; empty: the start pose
    std::vector<double> param;  ///< empty: declared
};
struct WrapScan {
    struct Sample {
        double q = 0, length = 0;
        double moment_arm = 0;      ///< dl/dq by the gradient, m/rad or -
        double difference = 0;      ///< dl/dq by a central difference of the length
        std::vector<char> touched;  ///< per guide of the path
        std::vector<double> sweep;  ///< rad, per guide
        bool jump = false;          ///< the length or the moment arm leaps between here and the sample before
        bool change = false;        ///< a guide was taken up or let go between here and the sample before
    };
    /// Where the route changes between two samples, narrowed down to rounding.
    struct Event {
        enum class Kind { taken, left, jump };  ///< a guide is taken up, let go (q rising); length or moment arm leaps
        Kind kind = Kind::jump;
        double q = 0;
        int sample = 0;  ///< the one after it
        int guide = -1;  ///< index into `guides`; -1: of a jump in one way of passing
        double length_before = 0, length_after = 0, arm_before = 0, arm_after = 0;
        bool leaps = false;  ///< length or moment arm are not continuous there
    };
    std::string joint, tendon, unit_q, unit_length;
    std::vector<std::string> guides;
    std::vector<Sample> samples;
    std::vector<Event> events;
    double worst = 0;      ///< largest |moment_arm - difference| away from jumps and changes
    std::string unit_arm;  ///< "m/rad", "m/m", ...
    bool closed = true;    ///< loops could be closed at every sample
    std::string problem;   ///< why there is no scan; usually empty
};
/// Whether a velocity's coordinate can be scanned (one number of its own), and over which range where nobody says: its
/// joint's limits, its slider, a full turn or +-1 m.
std::optional<std::array<double, 2>> scanRange(const Model& model, const Layout& layout, int velocity,
                                               std::span<const double> param);
/// Loops are kept closed as the joint is moved: of all the ways in which the others may follow, the one of least
/// kinetic energy. `stop`: somebody else may ask it to give up; it then ends within a sample and has none.
WrapScan wrapScan(const Model& model, const Layout& layout, const Kernel& kernel, const WrapScanRequest& request,
                  std::stop_token stop = {});
/// Comma separated, with `#` lines for units; 17 digits.
std::string wrapScanCsv(const WrapScan& scan);

}  // namespace mw
