// Batches, medians and the machine's clock.
#include "app/cli/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>

namespace mw::cli {

namespace {

double nowNs() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double batchNs(const Candidate& candidate, int calls, int pool) {
    const double begin = nowNs();
    for (int i = 0, at = 0; i < calls; ++i) {
        candidate.call(at);
        if (++at == pool) at = 0;
    }
    return (nowNs() - begin) / calls;
}

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void race(std::vector<Candidate>& candidates, int pool, int batches, double batch_ns) {
    // Enough calls for a batch of the wanted length; this also warms caches and branch predictors.
    std::vector<int> calls;
    for (const Candidate& one : candidates) {
        int n = pool;
        double each = batchNs(one, n, pool);
        while (each * n < batch_ns / 4 && n < (1 << 24)) each = batchNs(one, n *= 4, pool);
        calls.push_back(std::max(1, static_cast<int>(std::lround(batch_ns / std::max(each, 0.1)))));
    }
    std::vector<std::vector<double>> times(candidates.size());
    for (int b = 0; b < batches; ++b)
        for (std::size_t k = 0; k < candidates.size(); ++k) times[k].push_back(batchNs(candidates[k], calls[k], pool));
    for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].ns = median(times[k]);
}

double clockGHz() {
    // The compiler must neither fold nor reorder the chain: each addition reads what the one before wrote.
    constexpr int kTurns = 20000, kEach = 16;
    std::vector<double> all;
    for (int repeat = 0; repeat < 15; ++repeat) {
        std::uint64_t x = 1;
        const double begin = nowNs();
        for (int i = 0; i < kTurns; ++i) {
#if defined(__x86_64__)
            __asm__ volatile(
                "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, "
                "%0\n"
                "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, "
                "%0\n"
                : "+r"(x));
#else
            for (int k = 0; k < kEach; ++k) {
                x += 1;
                __asm__ volatile("" : "+r"(x));
            }
#endif
        }
        all.push_back(double(kTurns) * kEach / (nowNs() - begin));
    }
    return median(all);
}

std::string processorName() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.rfind("model name", 0) == 0) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
    return "unknown";
}

}  // namespace mw::cli
