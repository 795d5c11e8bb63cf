// The C functions of the rows in rows.inc, and the plans between them.

#include <algorithm>
#include <cmath>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/variance/contracts.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::variance {
namespace {

using reduction::Finishing;
using reduction::Output;
using reduction::Slot;

// Of sums of differences to a shift, and of their squares: the shift is an element, so that the
// squares' mean is at most as many times the variance as there are elements.
double VarianceOf(const Finishing& of, const Slot& sum, const Slot& squares) {
  const auto count = static_cast<double>(of.reduced);
  const double all = squares.real - sum.real * sum.real / count;
  return (all < 0 ? 0 : all) / std::max(0.0, count - of.number);
}

void ToVariance(const Finishing& of, int64_t count, Slot* first, Slot* second) {
  for (int64_t i = 0; i < count; ++i) first[i].real = VarianceOf(of, first[i], second[i]);
}

void ToDeviation(const Finishing& of, int64_t count, Slot* first, Slot* second) {
  for (int64_t i = 0; i < count; ++i) {
    first[i].real = std::sqrt(VarianceOf(of, first[i], second[i]));
  }
}

void ToVarianceAndMean(const Finishing& of, int64_t count, Slot* first, Slot* second) {
  for (int64_t i = 0; i < count; ++i) {
    const double mean = of.shift[i] + first[i].real / static_cast<double>(of.reduced);
    first[i].real = VarianceOf(of, first[i], second[i]);
    second[i].real = mean;
  }
}

void ToDeviationAndMean(const Finishing& of, int64_t count, Slot* first, Slot* second) {
  ToVarianceAndMean(of, count, first, second);
  for (int64_t i = 0; i < count; ++i) first[i].real = std::sqrt(first[i].real);
}

reduction::Request RequestOf(const contract::Arguments& arguments, reduction::Finish finish) {
  return {.fold = reduction::Fold::kMoments,
          .input = kSelf,
          .reduced = contract::ReducedDimensions(arguments, kSelf, kDim),
          .outputs = {Output{.parameter = kOut}},
          .finish = finish,
          .number = static_cast<double>(arguments.Integer(kCorrection))};
}

template <reduction::Finish kFinish>
Result<PlanPointer> Variance(const contract::Arguments& arguments, Planner& planner) {
  return reduction::MakePlan(planner, arguments, RequestOf(arguments, kFinish));
}

template <reduction::Finish kFinish>
Result<PlanPointer> VarianceAndMean(const contract::Arguments& arguments, Planner& planner) {
  reduction::Request request = RequestOf(arguments, kFinish);
  request.outputs[request.output_count++] = {.parameter = kMeanOut, .second = true};
  return reduction::MakePlan(planner, arguments, request);
}

}  // namespace
}  // namespace aclimb::variance

#define ACLIMB_PHASE2(Name, Plan)                                                                  \
  namespace aclimb::variance {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, Plan);                            \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                      \
                                     aclOpExecutor* executor, aclrtStream stream) {                \
    return aclimb::Phase2(aclimb::variance::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                 \
  }
#define ACLIMB_VARIANCE(name, Name, header, last, Last, on, finish, sentence)                      \
  ACLIMB_PHASE2(Name, Variance<finish>)                                                            \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* self, const aclIntArray* dim, Last last, bool keepdim, aclTensor* out,      \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                         \
    return aclimb::Phase1(aclimb::variance::k##Name##Operator, workspaceSize, executor, self, dim, \
                          last, keepdim, out);                                                     \
  }
#define ACLIMB_VARIANCE_AND_MEAN(name, Name, header, first_out, finish, sentence)                  \
  ACLIMB_PHASE2(Name, VarianceAndMean<finish>)                                                     \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,             \
      aclTensor* first_out, aclTensor* meanOut, uint64_t* workspaceSize,                           \
      aclOpExecutor** executor) {                                                                  \
    return aclimb::Phase1(aclimb::variance::k##Name##Operator, workspaceSize, executor, self, dim, \
                          correction, keepdim, first_out, meanOut);                                \
  }
#include "aclimb/ops/variance/rows.inc"
