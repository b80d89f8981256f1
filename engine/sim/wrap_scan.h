// A tendon over one joint's range: length, moment arm, its finite difference, and where the route changes.
#pragma once

#include <optional>
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
    std::string joint, tendon, unit_q, unit_length;
    std::vector<std::string> guides;
    std::vector<Sample> samples;
    double worst = 0;     ///< largest |moment_arm - difference| away from jumps and changes
    bool closed = true;   ///< loops could be closed at every sample
    std::string problem;  ///< why there is no scan; usually empty
};
/// Loops are kept closed as the joint is moved.
WrapScan wrapScan(const Model& model, const Layout& layout, const Kernel& kernel, const WrapScanRequest& request);
/// Comma separated, with `#` lines for units; 17 digits.
std::string wrapScanCsv(const WrapScan& scan);

}  // namespace mw
