// Geodesics on the guides of a route.
#include "engine/tendon/geodesic.h"

namespace mw {

void geodesicCurve(const SpanGuide&, const GuideContact& contact, double, std::vector<Vector3>& points) {
    points.push_back(contact.first);
    points.push_back(contact.last);
}

}  // namespace mw
