#pragma once

#include <array>
#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/reduction/fold.h"
#include "aclimb/reduction/search.h"
#include "aclimb/simd/walk.h"

namespace aclimb::reduction {

// Results that a task computes at most.
inline constexpr int64_t kBlock = 512;

inline constexpr int kMostOutputs = 2;

// What is known when results are made of what was folded.
struct Finishing {
  int64_t reduced;      // elements of a result
  double number;        // the operator's own
  bool whole;           // which of a slot's numbers counts
  const double* shift;  // of folds that have one
};
// Makes `count` results in place.
using Finish = void (*)(const Finishing& of, int64_t count, Slot* first, Slot* second);

// Which number of a fold an output gets, and the dtype that it is rounded to before it becomes the
// output's.
struct Output {
  int parameter = -1;  // of the contract
  bool second = false;
  DType as = DType::kUndefined;  // that of the output itself
};

// What an operator asks for.
struct Request {
  Fold fold = Fold::kSum;
  int input = 0;                      // parameter of the contract
  uint32_t reduced = 0;               // dimensions of it, a bit each
  DType compute = DType::kUndefined;  // what elements are converted to first; that of the input
  std::array<Output, kMostOutputs> outputs = {};
  int output_count = 1;
  Finish finish = nullptr;  // null: what was folded is the result
  double number = 0;        // the exponent of kPowers, and for `finish`
  // The second number of kMax and kMin is where the first such element is, counted along the
  // dimension, of which there is one.
  bool finds = false;
};

// All that a run needs but the addresses.
struct Problem {
  // No address is looked at. The dtypes are those of copy/storage.h; the input is not empty, nor
  // are the outputs.
  Problem(const Request& request, const TensorView& input,
          const TensorView (&outputs)[kMostOutputs]);

  Request request;
  bool whole;
  DType read;     // in memory
  DType compute;  // what the kernel reads
  Kernel kernel;  // for the instruction set in use
  Kernel peak;    // of kExponentials: the largest elements are the shifts
  Search search;
  copy::Converter reading;   // to what the operator asks for
  copy::Converter widening;  // and from that to `compute`
  bool converts;
  copy::Converter rounding[kMostOutputs];
  copy::Converter storing[kMostOutputs];
  DType rounded[kMostOutputs];
  int64_t output_size[kMostOutputs];

  // Operands: the outputs, then the input, by whose strides the dimensions are sorted.
  static constexpr int kInput = kMostOutputs;
  Walk<kMostOutputs + 1> kept;
  Walk<1> reduced;

  // How elements are read: neighbours of one result, or neighbours that belong to different ones.
  bool by_columns;
  bool transposes;  // by columns of which each lies in memory as a row
  bool direct;      // as they lie in memory
  int64_t width;    // results of a task at most
  // Tasks: blocks of results, and chunks of what is reduced to each. Both follow from the shape, so
  // that results do not depend on who computes them.
  int64_t blocks;
  int64_t chunk;
  int64_t chunks;
  int64_t grain;  // blocks that a thread takes at once
  double cycles;  // of all elements, on one core

  bool HasSecond() const { return request.finds || request.fold == Fold::kMoments; }
  // Bytes of what is kept between the chunks and what comes after them; 0 if there is one chunk.
  int64_t ScratchBytes() const;
};

struct Addresses {
  const void* input;
  void* output[kMostOutputs];
  void* scratch;
};

// Computes the problem on the threads that the calling one may have (simd/parallel.h).
void Solve(const Problem& problem, const Addresses& addresses);

}  // namespace aclimb::reduction
