#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/walk.h"

namespace aclimb::convolution_backward {

// A copy between equally shaped views that are contiguous in different dimensions, as into a
// blocked layout and out of it. It moves whole vectors, which are transposed in registers.
class TransposingCopy {
 public:
  // Nothing when it is no such copy, or the two dimensions are shorter than vectors are worth:
  // Convert knows the rest. Pairs are known for equal dtypes, in float32 only without columns.
  static std::optional<TransposingCopy> Find(const TensorView& from, const TensorView& to);

  // Views with the shapes, strides and dtypes that it was found for. float16 and bfloat16 are
  // rounded to nearest even; equal dtypes are copied bit by bit.
  //   parallel  false keeps it on the calling thread
  //   look      called with each piece of `to`, on the thread that wrote it
  void Run(const TensorView& from, const TensorView& to, bool parallel,
           const std::function<void(const TensorView&)>& look = nullptr) const;

  // How rows of `from` become columns of `to`.
  enum class Kind : uint8_t {
    kPlanes,  // row by row
    kZip,     // two rows become one, in turns: the pairs of oneDNN's weights for bfloat16
    kUnzip,   // one row becomes two
  };

  // What an instruction set's kernel copies: `outer` planes. Element (i, j) of a plane is
  // from[i + j * from_step] and goes to to[i * to_step + j]. With pairs the paired side is twice as
  // wide, and `pair_step` the distance of the two rows on the other; without columns (0) each
  // row is one run.
  struct Piece {
    Kind kind;
    int64_t outer, rows, columns;
    int64_t from_outer, to_outer, from_step, to_step, pair_step;
  };

 private:
  Walk<2> walk_;
  Kind kind_ = Kind::kPlanes;
  // Dimensions of the walk: contiguous in `from`, in `to` (the same where pairs are all that
  // changes), the two of a pair, and the one that pieces have many planes of; -1: none.
  int from_ = -1, to_ = -1, pair_ = -1, outer_ = -1;
};

}  // namespace aclimb::convolution_backward
