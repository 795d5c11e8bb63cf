#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"

// Products of bfloat16 matrices on tiles (AMX), summed in float32. A product is computed in blocks
// of kSide x kSide sums, kSide products of each in a step. The operands of a block are panels:
//   left   [step][half of the rows][16 rows][kSide of the sum]
//   right  [step][half of the columns][kSide / 2 pairs of the sum][16 columns][2]
// What rows, columns and the sum do not fill is zero in both panels.
//
// Callers make sure that the processor has AMX with bfloat16, and that the process may use it.
// Panels and sums are 64-byte aligned, everything else need not be; strides are in elements.
namespace aclimb::convolution_backward::tiles {

inline constexpr int64_t kSide = 32;
inline constexpr int64_t kStep = kSide * kSide;  // elements of one step of a panel

// Steps of a left operand that stay in the first cache while one right operand after the other
// meets it.
inline constexpr int64_t kResident = 8;

inline int64_t Blocks(int64_t extent) { return CeilDivide(extent, kSide); }

// Asks the operating system, once, on behalf of the process.
bool Permitted();

// A left operand: a panel, or whole steps of kSide rows of from[row][depth] as they are in memory.
struct Left {
  const BFloat16* data;
  int64_t stride;  // from one row to the next
  int64_t step;    // from one step to the next
  int64_t half;    // from row 0 to row 16

  Left At(int64_t first_step) const { return {data + first_step * step, stride, step, half}; }
  static Left Panel(const BFloat16* panel) { return {panel, kSide, kStep, kStep / 2}; }
  static Left Rows(const BFloat16* from, int64_t stride) {
    return {from, stride, kSide, kSide / 2 * stride};
  }
};

// While one lives, the calling thread may call Multiply.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// Up to kSide rows of from[row][depth], in CeilDivide(depth, kSide) steps.
void PackLeft(const BFloat16* from, int64_t stride, int64_t rows, int64_t depth, BFloat16* panel);
// The same of from[depth][row].
void PackLeftTransposed(const BFloat16* from, int64_t stride, int64_t rows, int64_t depth,
                        BFloat16* panel);

// Up to kSide columns of from[depth][column]. In the panel, and in the sums, every second four of
// them come first, as StoreRows expects.
void PackRight(const BFloat16* from, int64_t stride, int64_t columns, int64_t depth,
               BFloat16* panel);
// Columns of from[column][depth], in order.
void PackRightTransposed(const BFloat16* from, int64_t stride, int64_t columns, int64_t depth,
                         BFloat16* panel);

// sums[row][column] = left * right, or is increased by it.
void Multiply(Left left, const BFloat16* right, int64_t steps, bool add, float* sums);

// to[row][column], rounded to nearest even; `zipped` as PackRight leaves the columns.
void StoreRows(const float* sums, bool zipped, int64_t rows, int64_t columns, BFloat16* to,
               int64_t stride);
// to[column][row]; the columns are in order.
void StoreColumns(const float* sums, int64_t rows, int64_t columns, BFloat16* to, int64_t stride);

}  // namespace aclimb::convolution_backward::tiles
