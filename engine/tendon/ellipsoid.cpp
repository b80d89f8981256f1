// A rope between two points over one ellipsoid.
#include "engine/tendon/chain.h"

namespace mw {

void routeOverEllipsoid(const Vector3& a, const Vector3& b, const SpanGuide&, SpanResult& result) {
    straightSpan(a, b, 1, result);
}

}  // namespace mw
