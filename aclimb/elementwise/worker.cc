#include "aclimb/elementwise/worker.h"

#include <algorithm>
#include <utility>

namespace aclimb::elementwise {

Worker::Worker(const Problem& problem) : problem_(problem) {
  const DType output = problem.dtype[kOutput];
  if (problem.computed != problem.result && problem.result != output) {
    rounding_ = copy::Converter(problem.computed, problem.result);
    storing_ = copy::Converter(problem.result, output);
  } else {
    storing_ = copy::Converter(problem.computed, output);
  }
  converts_ = storing_.Changes();
  auto widest = static_cast<int64_t>(
      std::max({SizeOf(problem.compute), SizeOf(problem.computed), SizeOf(problem.result)}));
  for (int n = 0; n < kOperands; ++n) widest = std::max(widest, problem.size[n]);
  block_ = kBufferBytes / widest;
  for (int n = 0; n < problem.inputs; ++n) {
    const bool rounds = problem.RoundsInput(n);
    if (rounds) rounded_[n] = copy::Converter(problem.dtype[n], problem.promoted);
    from_[n] = copy::Converter(rounds ? problem.promoted : problem.dtype[n], problem.Reads(n));
    converts_ = converts_ || rounded_[n].Changes() || from_[n].Changes();
  }
}

void Worker::Compute(const Place (&place)[kOperands], int64_t count, bool stream) {
  const void* in[kMostInputs];
  for (int n = 0; n < problem_.inputs; ++n) in[n] = Input(n, place[n], count);
  const Place& output = place[kOutput];
  if (output.consecutive && !storing_.Changes()) {
    problem_.run(in, output.at, count, stream, problem_.attributes);
    return;
  }
  problem_.run(in, result_[0], count, false, problem_.attributes);
  Store(output, count);
}

// The elements of an input side by side in the dtype that the formula reads.
const void* Worker::Input(int n, const Place& place, int64_t count) {
  const bool rounds = rounded_[n].Changes(), converts = from_[n].Changes() || rounds;
  if (place.consecutive && !converts) return place.at;
  if (place.repeats && repeated_[n] == place.at && repeated_count_[n] >= count) return input_[n];
  repeated_[n] = place.repeats ? place.at : nullptr;
  repeated_count_[n] = count;
  const void* raw = place.at;
  if (!place.consecutive) {
    // The results' buffer is free while inputs are read.
    char* const to = converts ? result_[0] : input_[n];
    copy::Gather(static_cast<size_t>(problem_.size[n]), place, count, to);
    raw = to;
  }
  if (rounds) {
    char* const to = from_[n].Changes() ? result_[1] : input_[n];
    rounded_[n].Run(raw, count, to);
    raw = to;
  }
  if (from_[n].Changes()) from_[n].Run(raw, count, input_[n]);
  return input_[n];
}

void Worker::Store(const Place& place, int64_t count) {
  char* made = result_[0];
  char* other = result_[1];
  if (rounding_.Changes()) {
    rounding_.Run(made, count, other);
    std::swap(made, other);
  }
  if (storing_.Changes()) {
    char* const to = place.consecutive ? place.at : other;
    storing_.Run(made, count, to);
    made = to;
  }
  if (place.consecutive) return;
  copy::Scatter(static_cast<size_t>(problem_.size[kOutput]), made, count, place);
}

}  // namespace aclimb::elementwise
