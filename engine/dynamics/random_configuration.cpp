// Draws the coordinates of a free joint.
#include "engine/dynamics/random_configuration.h"

#include <cmath>
#include <numbers>

namespace mw {
namespace {

double angle(Draw& draw) { return draw.between(-std::numbers::pi, std::numbers::pi); }
double length(Draw& draw) { return draw.between(-1, 1); }

// Uniform on the sphere of unit quaternions: rejection in the ball, then scaled.
void quaternion(Draw& draw, double* q) {
    double norm;
    do {
        norm = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = draw.between(-1, 1);
            norm += q[k] * q[k];
        }
    } while (norm > 1 || norm < 1e-3);
    norm = std::sqrt(norm);
    for (int k = 0; k < 4; k++) q[k] /= norm;
}

}  // namespace

void randomConfiguration(Draw& draw, JointType type, double* q) {
    switch (type) {
        case JointType::fixed: break;
        case JointType::revolute:
        case JointType::screw: q[0] = angle(draw); break;
        case JointType::prismatic: q[0] = length(draw); break;
        case JointType::cylindrical:
            q[0] = angle(draw);
            q[1] = length(draw);
            break;
        case JointType::universal:
            q[0] = angle(draw);
            q[1] = angle(draw);
            break;
        case JointType::planar:
            q[0] = length(draw);
            q[1] = length(draw);
            q[2] = angle(draw);
            break;
        case JointType::spherical: quaternion(draw, q); break;
        case JointType::floating:
            quaternion(draw, q);
            for (int k = 4; k < 7; k++) q[k] = length(draw);
            break;
    }
}

}  // namespace mw
