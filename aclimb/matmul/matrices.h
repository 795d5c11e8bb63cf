#pragma once

#include <cstdint>

#include "aclimb/matmul/plan.h"

// Products of matrices by oneDNN. The output is cut into blocks, and long sums into parts, by sizes
// that the problem alone decides; one thread computes a block.
namespace aclimb::matmul {

// Whether the rows should become columns, so that the output's rows have neighbours side by side.
bool MatricesSwap(const Problem& problem);

// Whether rows lie further apart, in a dense copy too, than oneDNN's code generators can say: they
// count the bytes of some dozens of rows in an int.
bool MatricesReachTooFar(const Problem& problem);

// Whether oneDNN reads matrices of so many rows and columns where they are.
bool MatricesRead(const Operand& operand, int64_t rows, int64_t columns);

// Whether a copy of `a` by rows gains: where both are transposed, oneDNN's product takes half as
// long again for a block of them.
bool MatricesGainByRows(const Problem& problem);

// `a` and `b` are both float32 or both bfloat16, and oneDNN reads them.
PlanPointer MakeMatricesPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
