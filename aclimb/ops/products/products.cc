// The C functions of the rows in rows.inc, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/matmul/matmul.h"
#include "aclimb/ops/products/contracts.h"

namespace aclimb::products {
namespace {

matmul::Term TermOf(const contract::Arguments& arguments, int parameter) {
  return {.parameter = parameter, .view = arguments.Tensor(parameter).View()};
}

// A vector is a row on the left and a column on the right, whose dimension the output has not.
Result<PlanPointer> PlanProduct(const contract::Arguments& arguments, Planner& planner) {
  matmul::Call call = {
      .a = TermOf(arguments, kSelf), .b = TermOf(arguments, kMat2), .out = TermOf(arguments, kOut)};
  const bool row = call.a.view.rank == 1, column = call.b.view.rank == 1;
  if (row && column) call.out.view.rank = 0;
  if (column) {
    call.b.view = matmul::AsColumn(call.b.view);
    call.out.view = matmul::AsColumn(call.out.view);
  }
  if (row) {
    call.a.view = matmul::AsRow(call.a.view);
    call.out.view = matmul::AsRow(call.out.view);
  }
  return matmul::MakePlan(planner, call);
}

// Repeats what is 1 in the matrices of `view`, where the output has more.
TensorView Expanded(TensorView view, int dimension, int64_t extent) {
  if (view.shape[dimension] != 1 || extent == 1) return view;
  view.shape[dimension] = extent;
  view.stride[dimension] = 0;
  return view;
}

//   output  the parameter, which may be that of the addend
template <int kOutput, bool kAddsBatch>
Result<PlanPointer> PlanSum(const contract::Arguments& arguments, Planner& planner) {
  matmul::Call call = {.a = TermOf(arguments, kFirst),
                       .b = TermOf(arguments, kSecond),
                       .out = TermOf(arguments, kOutput),
                       .self = TermOf(arguments, kAddend),
                       .alpha = static_cast<double>(arguments.Scalar(kAlpha).ToFloat()),
                       .beta = static_cast<double>(arguments.Scalar(kBeta).ToFloat()),
                       .adds_batch = kAddsBatch};
  const TensorView& out = call.out.view;
  const int rank = call.a.view.rank;
  call.a.view = Expanded(call.a.view, rank - 2, out.shape[out.rank - 2]);
  call.b.view = Expanded(call.b.view, rank - 1, out.shape[out.rank - 1]);
  return matmul::MakePlan(planner, call);
}

}  // namespace
}  // namespace aclimb::products

#define ACLIMB_PRODUCT(name, Name, header, first, second, ...)                                     \
  namespace aclimb::products {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, PlanProduct);                     \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* first, const aclTensor* second, aclTensor* out, int8_t cubeMathType,        \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                         \
    return aclimb::Phase1(aclimb::products::k##Name##Operator, workspaceSize, executor, first,     \
                          second, out, cubeMathType);                                              \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                      \
                                     aclOpExecutor* executor, aclrtStream stream) {                \
    return aclimb::Phase2(aclimb::products::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                 \
  }
#define ACLIMB_SUM(name, Name, header, addend, first, second, shapes, shape_rule, adds_batch, ...) \
  namespace aclimb::products {                                                                     \
  constinit static Operator k##Name##Operator(k##Name##Contract, PlanSum<kSum, adds_batch>);       \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* addend, const aclTensor* first, const aclTensor* second,                    \
      const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType,          \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                         \
    return aclimb::Phase1(aclimb::products::k##Name##Operator, workspaceSize, executor, addend,    \
                          first, second, beta, alpha, out, cubeMathType);                          \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                      \
                                     aclOpExecutor* executor, aclrtStream stream) {                \
    return aclimb::Phase2(aclimb::products::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                 \
  }
#define ACLIMB_SUM_IN_PLACE(name, Name, header, addend, Addend, first, second, shapes, adds_batch, \
                            ...)                                                                   \
  namespace aclimb::products {                                                                     \
  constinit static Operator kInplace##Name##Operator(kInplace##Name##Contract,                     \
                                                     PlanSum<kAddend, adds_batch>);                \
  }                                                                                                \
  extern "C" aclnnStatus aclnnInplace##Name##GetWorkspaceSize(                                     \
      Addend addend, const aclTensor* first, const aclTensor* second, const aclScalar* beta,       \
      const aclScalar* alpha, int8_t cubeMathType, uint64_t* workspaceSize,                        \
      aclOpExecutor** executor) {                                                                  \
    return aclimb::Phase1(aclimb::products::kInplace##Name##Operator, workspaceSize, executor,     \
                          addend, first, second, beta, alpha, cubeMathType);                       \
  }                                                                                                \
  extern "C" aclnnStatus aclnnInplace##Name(void* workspace, uint64_t workspaceSize,               \
                                            aclOpExecutor* executor, aclrtStream stream) {         \
    return aclimb::Phase2(aclimb::products::kInplace##Name##Operator, workspace, workspaceSize,    \
                          executor, stream);                                                       \
  }
#include "aclimb/ops/products/rows.inc"
