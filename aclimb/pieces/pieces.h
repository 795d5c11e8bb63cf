#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclimb/copy/copy.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/recycler.h"
#include "aclimb/executor/plan.h"
#include "aclimb/pieces/view.h"

// Operators that only move elements: their plan is a list of parts, each of which is copied to
// another one or filled with a number.
//
//   Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
//     Pieces pieces;
//     pieces.Copy(View(arguments, kSelf).Flip(0), View(arguments, kOut));
//     return pieces.Finish(planner);
//   }
namespace aclimb::pieces {

// Where elements are in both parts, outermost dimension first; of a number to fill with, the source
// has strides of 0.
struct Axis {
  int64_t extent;
  int64_t from;
  int64_t to;
};

struct Piece {
  struct End {
    int parameter = -1;  // of the source: -1 for a number
    int element = -1;    // of a list
    int64_t offset = 0;  // bytes
    DType dtype = DType::kUndefined;
  };

  End from = {};
  End to = {};
  alignas(8) std::array<std::byte, 8> number = {};
  int rank = 0;
  std::array<Axis, View::kMostRank> axes = {};
  int64_t outer = 1;   // how often the dimensions before the last ones are gone through
  int64_t chunks = 0;  // of all
};

class Pieces {
 public:
  // Copies equally shaped parts; Converter (copy/convert.h) says how another dtype is made. Pieces
  // run in any order: no element may be written by two, or written by one and read by another.
  void Copy(const View& from, const View& to);
  // Writes the number, converted to the part's dtype.
  void Fill(const ScalarValue& number, const View& to);
  void Fill(double number, const View& to);

  // The next pieces run when those before are done.
  void Then();

  // Books what is read and written. Null when nothing is to be done.
  Result<PlanPointer> Finish(Planner& planner);

 private:
  void Add(Piece piece, const View* from, const View& to);

  std::vector<Piece, RecyclingAllocator<Piece>> pieces_;
  std::vector<size_t, RecyclingAllocator<size_t>> stages_;  // the piece after each
  double cycles_ = 0;
};

}  // namespace aclimb::pieces
