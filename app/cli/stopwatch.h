// Timing by many short batches in turns: what is measured side by side sees the same clock, caches and neighbours, and
// the median does not hear the batches in which the machine was busy with something else.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mw::cli {

/// Something to be timed: `call(i)` does its work once, on the i-th of a pool of inputs.
struct Candidate {
    std::string name;
    std::function<void(int)> call;
    double ns = 0;  ///< median time of a call
};

/// Fills in every candidate's `ns`. `pool`: how many inputs there are. Each batch takes about `batch_ns`.
void race(std::vector<Candidate>& candidates, int pool, int batches = 61, double batch_ns = 4e5);

double median(std::vector<double> values);

/// Clock of this core just now, GHz: a chain of dependent additions takes one cycle each.
double clockGHz();
/// The processor as it calls itself.
std::string processorName();

}  // namespace mw::cli
