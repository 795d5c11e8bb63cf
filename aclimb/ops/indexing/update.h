#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/executor/plan.h"
#include "aclimb/simd/walk.h"

namespace aclimb::indexing {

// kCount adds 1 to integers and has no source.
enum class Operation : uint8_t { kReplace, kAdd, kMultiply, kCount };

// What is done to the elements of an output that indices name. The output is seen as lines, side by
// side, to each of which `count` entries come one after the other:
//   out[line + index[s] * out_step] = source[line + s * source_step], or += or *=
// Indices outside of [0, extent) are skipped. Equal ones take effect in the order of their entries.
struct UpdateShape {
  DType dtype = DType::kUndefined;
  Operation operation = Operation::kReplace;
  int64_t count = 0;
  int64_t extent = 0;
  int64_t places = 0;  // that indices name, if that is not all of the extent
  int64_t index_step = 1;
  int64_t out_step = 1;
  int64_t source_step = 1;
  // Of the lines: out, source, index. The last has strides of 0 where lines share their indices.
  Walk<3> lines;

  bool SharesIndices() const;
  // Whether neighbouring lines are closer to each other than their entries are.
  bool IsAcross() const;
  // What becomes of the output.
  Moved Moves() const;
  // Sums and products of the half types, and of float32 where places have many entries on average,
  // are made in double and rounded once: for each place of a line (totals.h), or where entries are
  // few or many lines share them, from entries that are sorted by where they go. All others are
  // made in the order of their entries, each rounded.
  bool InDouble() const;
  bool HasTotals() const;
  // What Apply() needs; called once, when all else is known.
  int64_t ScratchBytes();

  int64_t lanes = 1;  // threads for which there is scratch
  int64_t width = 1;  // lines side by side that have totals together
};

struct UpdateData {
  void* out = nullptr;
  const void* source = nullptr;
  const int64_t* index = nullptr;
  // Where entries have their sources, in place of s * source_step; null for that.
  const int64_t* sources = nullptr;
  void* scratch = nullptr;
  double alpha = 1;         // factor of the source in sums, of floats
  int64_t whole_alpha = 1;  // and of integers
};

// The bits of the result do not depend on the number of threads. On those that the calling one may
// have. False when indices were skipped.
[[nodiscard]] bool Apply(const UpdateShape& shape, const UpdateData& data);

}  // namespace aclimb::indexing
