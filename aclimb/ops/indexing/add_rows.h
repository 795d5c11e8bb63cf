#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// Sums of rows, whose elements lie beside each other, of float32 or a half type.
namespace aclimb::indexing {

// totals[i] = begin[i] + alpha * the i-th elements of the rows, in their order; null begins with
// what the totals are.
void AddRowsToTotals(DType dtype, const void* begin, const void* const* rows, int64_t count,
                     double alpha, int64_t width, double* totals);
// to[i] += row[i], rounded once.
void AddRow(DType dtype, const void* row, int64_t width, void* to);

}  // namespace aclimb::indexing
