// The C functions of the rows in rows.inc, and the plan between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/softmax/contracts.h"
#include "aclimb/ops/softmax/cpu.h"
#include "aclimb/rows/dense.h"

namespace aclimb::softmax {
namespace {

struct SoftmaxPlan final : Plan {
  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self, &output, &out}, [&] {
      Problem problem = shape;
      problem.self = self.Data(run);
      problem.output = output.Data(run);
      problem.out = out.Data(run);
      if (cut) problem.parts = run.Piece<Part>(parts);
      if (keeps) problem.exponentials = exponentials.Memory(run);
      return Solve(problem);
    });
  }

  rows::Dense self;
  rows::Dense output;
  rows::Dense out;
  bool cut = false;  // into parts
  WorkspacePiece parts;
  bool keeps = false;  // exponentials
  UnitScratch exponentials;
  Problem shape;  // without addresses
};

// The parameters of one of the two signatures.
struct Positions {
  int self;
  int output;  // -1: none
  int dim;
  int out;
};

Result<PlanPointer> MakePlanAt(const contract::Arguments& arguments, Planner& planner,
                               const Positions& at, bool logarithm) {
  if (arguments.Tensor(at.out).IsEmpty()) return PlanPointer();
  const TensorView self = arguments.Tensor(at.self).View();
  const TensorView out = arguments.Tensor(at.out).View();
  const int64_t dim = arguments.Integer(at.dim);
  const bool is_double = self.dtype == DType::kFloat64;
  auto plan = NewPlan<SoftmaxPlan>();
  Problem& problem = plan->shape;
  problem.logarithm = logarithm;
  problem.gradient = at.output >= 0;
  problem.in_dtype = self.dtype;
  problem.out_dtype = is_double ? DType::kFloat64 : rows::KernelDType(out.dtype);
  const TensorView operands[] = {self, out};
  problem.layout =
      rows::LayoutAlong(operands, static_cast<int>(WrapDimension(dim, out.rank)), kLeastInner);
  const rows::Order& order = problem.layout.order;
  plan->self = rows::Dense::Input(planner, at.self, self, self.dtype, order);
  double cycles = plan->self.CopyCycles();
  if (problem.gradient) {
    const TensorView output = arguments.Tensor(at.output).View();
    plan->output = rows::Dense::Input(planner, at.output, output, output.dtype, order);
    cycles += plan->output.CopyCycles();
  }
  plan->out = rows::Dense::Output(planner, at.out, out, problem.out_dtype, order);
  cycles += plan->out.CopyCycles();
  if (const int64_t count = PartCount(problem.layout, self.dtype); count > 0) {
    plan->cut = true;
    plan->parts = planner.workspace().Book(count, static_cast<int64_t>(sizeof(Part)));
  } else if (const int64_t bytes = ExponentialBytes(problem); bytes > 0) {
    plan->keeps = true;
    plan->exponentials.Book(planner, problem.layout.outer, bytes);
  }
  planner.Costs({.cycles = cycles + CyclesOf(problem) * static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

template <bool kLogarithm>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const bool forward = arguments.size() == kForwardParameters.size();
  return MakePlanAt(arguments, planner,
                    forward ? Positions{.self = kSelf, .output = -1, .dim = kDim, .out = kOut}
                            : Positions{.self = kGradOutput,
                                        .output = kOutput,
                                        .dim = kBackwardDim,
                                        .out = kGradInput},
                    kLogarithm);
}

}  // namespace
}  // namespace aclimb::softmax

#define ACLIMB_SOFTMAX_PHASE2(Name)                                                               \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                     \
                                     aclOpExecutor* executor, aclrtStream stream) {               \
    return aclimb::Phase2(aclimb::softmax::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                \
  }
#define ACLIMB_SOFTMAX_OPERATOR(Name, logarithm)                                       \
  namespace aclimb::softmax {                                                          \
  constinit static Operator k##Name##Operator(k##Name##Contract, MakePlan<logarithm>); \
  }
#define ACLIMB_SOFTMAX(name, Name, header, logarithm, ...)                                        \
  ACLIMB_SOFTMAX_OPERATOR(Name, logarithm)                                                        \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(const aclTensor* self, int64_t dim,        \
                                                       aclTensor* out, uint64_t* workspaceSize,   \
                                                       aclOpExecutor** executor) {                \
    return aclimb::Phase1(aclimb::softmax::k##Name##Operator, workspaceSize, executor, self, dim, \
                          out);                                                                   \
  }                                                                                               \
  ACLIMB_SOFTMAX_PHASE2(Name)
#define ACLIMB_SOFTMAX_BACKWARD(name, Name, header, logarithm, ...)                                \
  ACLIMB_SOFTMAX_OPERATOR(Name, logarithm)                                                         \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* gradOutput, const aclTensor* output, int64_t dim, aclTensor* out,           \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                         \
    return aclimb::Phase1(aclimb::softmax::k##Name##Operator, workspaceSize, executor, gradOutput, \
                          output, dim, out);                                                       \
  }                                                                                                \
  ACLIMB_SOFTMAX_PHASE2(Name)
#include "aclimb/ops/softmax/rows.inc"
