#pragma once

#include <cstdint>

// Sums of neighbours. Integers wrap. The order of the additions depends on the instruction set.
namespace aclimb::cumulate {

// x[i] becomes total + x[0] + ... + x[i]. Returns the last of them, or `total` where there is none.
double RunningSums(double* x, int64_t count, double total);
int64_t RunningSums(int64_t* x, int64_t count, int64_t total);

// x[0] + ... + x[count - 1].
double SumOf(const double* x, int64_t count);
int64_t SumOf(const int64_t* x, int64_t count);

}  // namespace aclimb::cumulate
