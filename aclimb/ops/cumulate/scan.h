#pragma once

#include <cstdint>

// Sums of neighbours, and sums and products of rows, in double or int64_t. Integers wrap. The order
// in which neighbours are added depends on the instruction set.
namespace aclimb::cumulate {

// y[i] becomes total + x[0] + ... + x[i]; y may be x. Returns the last of them, before it is
// rounded to an element of y, or `total` where there is none.
double RunningSums(const float* x, int64_t count, double total, float* y);
double RunningSums(const double* x, int64_t count, double total, double* y);
int64_t RunningSums(const int64_t* x, int64_t count, int64_t total, int64_t* y);

// Rows whose elements belong to `lines` lines side by side; the first elements of rows are so many
// elements apart there and here.
struct LineRows {
  int64_t count;
  int64_t lines;
  int64_t from;
  int64_t to;
};
// The totals of the lines, which take in one row after the other; after each they are a row of y,
// unless that is null; y may be x.
void SumRows(const float* x, const LineRows& rows, double* totals, float* y);
void SumRows(const double* x, const LineRows& rows, double* totals, double* y);
void SumRows(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y);
void MultiplyRows(const float* x, const LineRows& rows, double* totals, float* y);
void MultiplyRows(const double* x, const LineRows& rows, double* totals, double* y);
void MultiplyRows(const int64_t* x, const LineRows& rows, int64_t* totals, int64_t* y);

// x[0] + ... + x[count - 1].
double SumOf(const float* x, int64_t count);
double SumOf(const double* x, int64_t count);
int64_t SumOf(const int64_t* x, int64_t count);

}  // namespace aclimb::cumulate
