// Catch2 has other headers in version 2 (Debian 12) and 3 (Debian 13): the one place that knows.
#pragma once

#if MW_CATCH2_VERSION >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
