// The largest of some numbers in every order: a NaN among them is the answer.
#include "engine/base/largest.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/catch.h"

TEST_CASE("a NaN stays the largest, wherever it comes; else it is std::max", "[largest]") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    std::vector<double> numbers = {-1, 0, 2, inf};
    do {
        double plain = numbers[0], largest = numbers[0];
        for (const double x : numbers) plain = std::max(plain, x), mw::raise(largest, x);
        CHECK(largest == plain);
        for (std::size_t at = 0; at <= numbers.size(); at++) {
            std::vector<double> with = numbers;
            with.insert(with.begin() + static_cast<std::ptrdiff_t>(at), nan);
            double found = 0;
            for (const double x : with) mw::raise(found, x);
            CHECK(std::isnan(found));
        }
    } while (std::next_permutation(numbers.begin(), numbers.end()));
}
