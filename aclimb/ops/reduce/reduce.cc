// The C functions of the rows in rows.inc, and the plans between them.

#include <cmath>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/reduce/contracts.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::reduce {
namespace {

using contract::Arguments;
using reduction::Finish;
using reduction::Finishing;
using reduction::Fold;
using reduction::Slot;
using enum reduction::Fold;

// Means of integers lose their fraction; those of none are 0.
void ToMean(const Finishing& of, int64_t count, Slot* first, Slot*) {
  for (int64_t i = 0; i < count; ++i) {
    if (of.whole) {
      first[i].whole = of.reduced == 0 ? 0 : first[i].whole / of.reduced;
    } else {
      first[i].real /= static_cast<double>(of.reduced);
    }
  }
}

void ToLogSum(const Finishing& of, int64_t count, Slot* first, Slot*) {
  for (int64_t i = 0; i < count; ++i) first[i].real = std::log(first[i].real) + of.shift[i];
}

// Elements are converted to `dtype`, and results rounded to it.
//   dims, out  parameter positions; dims -1 for all dimensions
Result<PlanPointer> PlanAs(Planner& planner, const Arguments& arguments, Fold fold, Finish finish,
                           DType dtype, int dims, int out) {
  // What a sum and a product of truth values are.
  if (dtype == DType::kBool && fold == kSum) fold = kAny;
  if (dtype == DType::kBool && fold == kProduct) fold = kAll;
  return reduction::MakePlan(planner, arguments,
                             {.fold = fold,
                              .input = kSelf,
                              .reduced = contract::ReducedDimensions(arguments, kSelf, dims),
                              .compute = dtype,
                              .outputs = {reduction::Output{.parameter = out, .as = dtype}},
                              .finish = finish});
}

template <Fold kFold, Finish kFinish>
Result<PlanPointer> ReduceAs(const Arguments& arguments, Planner& planner) {
  return PlanAs(planner, arguments, kFold, kFinish, DType(arguments.Integer(kAttribute)), kDims,
                kOutAfterAttribute);
}

template <Fold kFold, Finish kFinish>
Result<PlanPointer> Reduce(const Arguments& arguments, Planner& planner) {
  const bool in_float = kFold == kExponentials;
  return reduction::MakePlan(planner, arguments,
                             {.fold = kFold,
                              .input = kSelf,
                              .reduced = contract::ReducedDimensions(arguments, kSelf, kDims),
                              .compute = in_float ? DType::kFloat32 : DType::kUndefined,
                              .outputs = {reduction::Output{.parameter = kOut}},
                              .finish = kFinish});
}

template <Fold kFold>
Result<PlanPointer> ReduceAll(const Arguments& arguments, Planner& planner) {
  return PlanAs(planner, arguments, kFold, nullptr, arguments.Tensor(kSelf).dtype, -1, kOutOfAll);
}

Result<PlanPointer> Product(const Arguments& arguments, Planner& planner) {
  return PlanAs(planner, arguments, kProduct, nullptr, DType(arguments.Integer(kDTypeOfAll)), -1,
                kOutOfProduct);
}

Result<PlanPointer> ProductDim(const Arguments& arguments, Planner& planner) {
  return PlanAs(planner, arguments, kProduct, nullptr, DType(arguments.Integer(kAttribute)), kDims,
                kOutAfterAttribute);
}

Result<PlanPointer> ReduceOrNot(const Arguments& arguments, Planner& planner) {
  const bool none = arguments.Ints(kDims).empty() && arguments.Bool(kAttribute);
  return reduction::MakePlan(
      planner, arguments,
      {.fold = kSum,
       .input = kSelf,
       .reduced = none ? 0 : contract::ReducedDimensions(arguments, kSelf, kDims),
       .outputs = {reduction::Output{.parameter = kOutAfterAttribute}},
       .finish = &ToMean});
}

}  // namespace
}  // namespace aclimb::reduce

// Takes the plan function of the row, then the parameters' declarations and their names.
#define ACLIMB_UNPACK(...) __VA_ARGS__
#define ACLIMB_FUNCTIONS(Name, Plan, parameters, ...)                                            \
  namespace aclimb::reduce {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, ACLIMB_UNPACK Plan);            \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                          \
      ACLIMB_UNPACK parameters, uint64_t* workspaceSize, aclOpExecutor** executor) {             \
    return aclimb::Phase1(aclimb::reduce::k##Name##Operator, workspaceSize, executor,            \
                          __VA_ARGS__);                                                          \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                    \
                                     aclOpExecutor* executor, aclrtStream stream) {              \
    return aclimb::Phase2(aclimb::reduce::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                               \
  }
#define ACLIMB_REDUCE_AS(name, Name, header, dims, keep, fold, finish, ...)                       \
  ACLIMB_FUNCTIONS(Name, (ReduceAs<fold, finish>),                                                \
                   (const aclTensor* self, const aclIntArray* dims, bool keep, aclDataType dtype, \
                    aclTensor* out),                                                              \
                   self, dims, keep, dtype, out)
#define ACLIMB_REDUCE(name, Name, header, keep, Keep, fold, finish, ...)                       \
  ACLIMB_FUNCTIONS(Name, (Reduce<fold, finish>),                                               \
                   (const aclTensor* self, const aclIntArray* dim, Keep keep, aclTensor* out), \
                   self, dim, keep, out)
#define ACLIMB_REDUCE_ALL(name, Name, header, fold, sentence) \
  ACLIMB_FUNCTIONS(Name, (ReduceAll<fold>), (const aclTensor* self, aclTensor* out), self, out)
#define ACLIMB_PRODUCT(name, Name, header, sentence)                                              \
  ACLIMB_FUNCTIONS(Name, (Product),                                                               \
                   (const aclTensor* self, const aclDataType dtype, aclTensor* out), self, dtype, \
                   out)
#define ACLIMB_PRODUCT_DIM(name, Name, header, sentence)                                           \
  ACLIMB_FUNCTIONS(                                                                                \
      Name, (ProductDim),                                                                          \
      (const aclTensor* self, int64_t dim, bool keepDim, const aclDataType dtype, aclTensor* out), \
      self, dim, keepDim, dtype, out)
#define ACLIMB_REDUCE_OR_NOT(name, Name, header, sentence)                       \
  ACLIMB_FUNCTIONS(Name, (ReduceOrNot),                                          \
                   (const aclTensor* self, const aclIntArray* dim, bool keepDim, \
                    bool noopWithEmptyAxes, aclTensor* out),                     \
                   self, dim, keepDim, noopWithEmptyAxes, out)
#include "aclimb/ops/reduce/rows.inc"
