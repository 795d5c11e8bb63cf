#pragma once

#include <cstdint>

// Sums of neighbours, in double or int64_t. Integers wrap. The order of the additions depends on
// the instruction set.
namespace aclimb::cumulate {

// y[i] becomes total + x[0] + ... + x[i]; y may be x. Returns the last of them, before it is
// rounded to an element of y, or `total` where there is none.
double RunningSums(const float* x, int64_t count, double total, float* y);
double RunningSums(const double* x, int64_t count, double total, double* y);
int64_t RunningSums(const int64_t* x, int64_t count, int64_t total, int64_t* y);

// x[0] + ... + x[count - 1].
double SumOf(const float* x, int64_t count);
double SumOf(const double* x, int64_t count);
int64_t SumOf(const int64_t* x, int64_t count);

}  // namespace aclimb::cumulate
