#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// Sums of rows, whose elements lie beside each other, of float32 or a half type.
namespace aclimb::indexing {

// totals[i] = begin[i] + alpha * the i-th elements of the rows, in their order; null begins with
// what the totals are.
void AddRowsToTotals(DType dtype, const void* begin, const void* const* rows, int64_t count,
                     double alpha, int64_t width, double* totals);
// to[i] += the i-th elements of the rows, in their order. Half types are added in float32, which
// errs by less than they can tell while the rows are few, and rounded once.
inline constexpr int64_t kFewRows = 16;
void AddFewRows(DType dtype, const void* const* rows, int64_t count, int64_t width, void* to);

}  // namespace aclimb::indexing
