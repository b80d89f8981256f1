// Several guides in a row: what the routes over them share.
#pragma once

#include "engine/tendon/span.h"

namespace mw {

/// The straight span past `guides` guides, none of them touched.
void straightSpan(const Vector3& a, const Vector3& b, std::size_t guides, SpanResult& result);

}  // namespace mw
