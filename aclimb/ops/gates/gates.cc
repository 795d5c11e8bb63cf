// Operators whose input is cut into two halves: the C entry points and the plans.

#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/gates/contract.h"
#include "aclimb/ops/gates/formulas.h"

namespace aclimb::gates {
namespace {

// A tensor, or one of its halves.
struct Operand {
  int place;
  int half = -1;
};

// Formulas of whole tensors and halves, one after the other.
class HalvesPlan final : public Plan {
 public:
  HalvesPlan(const Arguments& arguments, const Cut& cut) : arguments_(&arguments), cut_(cut) {}

  void Add(Planner& planner, Number formula, std::initializer_list<Operand> inputs, Operand out) {
    Part part = {.problem = {}, .addresses = {}};
    std::vector<TensorView> views;
    for (const Operand& input : inputs) {
      planner.Reads(input.place);
      views.push_back(ViewOf(input, part.addresses.emplace_back()));
    }
    planner.Writes(out.place);
    const TensorView output = ViewOf(out, part.addresses.emplace_back());
    part.problem.emplace_back(elementwise::Formula{&FormulaRuns, formula}, views, output,
                              arguments_->Tensor(cut_.whole.place).dtype);
    cycles_ += part.problem.front().cycles;
    parts_.push_back(std::move(part));
  }
  // Nothing of the call is looked at any more.
  PlanPointer Finished(Planner& planner, std::shared_ptr<HalvesPlan> self) {
    arguments_ = nullptr;
    planner.Costs({.cycles = cycles_});
    return self;
  }

  void Run(const RunContext& run) const override {
    for (const Part& part : parts_) {
      elementwise::Addresses addresses;
      const size_t inputs = part.addresses.size() - 1;
      for (size_t i = 0; i < inputs; ++i) addresses.input[i] = part.addresses[i].At(run);
      addresses.output = part.addresses[inputs].At(run);
      elementwise::Solve(part.problem.front(), addresses);
    }
  }

 private:
  struct Address {
    int place = -1;
    int64_t bytes = 0;  // to the half
    char* At(const RunContext& run) const { return static_cast<char*>(run.Data(place)) + bytes; }
  };
  struct Part {
    std::vector<elementwise::Problem> problem;  // one
    std::vector<Address> addresses;             // the output's last
  };

  TensorView ViewOf(const Operand& operand, Address& address) const {
    TensorView view = arguments_->Tensor(operand.place).View();
    address.place = operand.place;
    if (operand.half < 0) return view;
    const size_t d = WrapDimension(arguments_->Integer(cut_.dim.place), view.rank);
    view.shape[d] /= 2;
    address.bytes =
        operand.half * view.shape[d] * view.stride[d] * static_cast<int64_t>(SizeOf(view.dtype));
    return view;
  }

  const Arguments* arguments_;
  Cut cut_;
  std::vector<Part> parts_;
  double cycles_ = 0;
};

// `add(plan)` adds the formulas.
template <typename Add>
Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner, const Cut& cut,
                             const Add& add) {
  if (arguments.Tensor(cut.whole.place).IsEmpty()) return PlanPointer();
  const auto plan = NewPlan<HalvesPlan>(arguments, cut);
  add(*plan);
  return plan->Finished(planner, plan);
}

Result<PlanPointer> PlanSwiGlu(const Arguments& arguments, Planner& planner) {
  using namespace swi_glu;  // NOLINT: its positions
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, kSwiGlu, {{kX, 0}, {kX, 1}}, {kOut});
  });
}

Result<PlanPointer> PlanSwiGluGrad(const Arguments& arguments, Planner& planner) {
  using namespace swi_glu_grad;  // NOLINT: its positions
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, kSwiGluGradFirst, {{kGrad}, {kX, 0}, {kX, 1}}, {kOut, 0});
    plan.Add(planner, kSwiGluGradSecond, {{kGrad}, {kX, 0}}, {kOut, 1});
  });
}

Result<PlanPointer> PlanGlu(const Arguments& arguments, Planner& planner) {
  using namespace glu;  // NOLINT: its positions
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, kGlu, {{kSelf, 0}, {kSelf, 1}}, {kOut});
  });
}

Result<PlanPointer> PlanGluBackward(const Arguments& arguments, Planner& planner) {
  using namespace glu_backward;  // NOLINT: its positions
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, kGlu, {{kGrad}, {kSelf, 1}}, {kOut, 0});
    plan.Add(planner, kGluGradSecond, {{kGrad}, {kSelf, 0}, {kSelf, 1}}, {kOut, 1});
  });
}

Result<PlanPointer> PlanGeGlu(const Arguments& arguments, Planner& planner) {
  using namespace ge_glu;  // NOLINT: its positions
  const bool tanh = arguments.Integer(kApproximate) == 1;
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, tanh ? kGeluByTanh : kGeluByErf, {{kSelf, 1}}, {kOutGelu});
    plan.Add(planner, tanh ? kGeGluByTanh : kGeGluByErf, {{kSelf, 0}, {kSelf, 1}}, {kOut});
  });
}

Result<PlanPointer> PlanGeGluV3(const Arguments& arguments, Planner& planner) {
  using namespace ge_glu_v3;  // NOLINT: its positions
  const bool tanh = arguments.Integer(kApproximate) == 1;
  const int active = arguments.Bool(kActivateLeft) ? 0 : 1;
  return MakePlan(arguments, planner, kCut, [&](HalvesPlan& plan) {
    plan.Add(planner, tanh ? kGeluByTanh : kGeluByErf, {{kSelf, active}}, {kOutGelu});
    plan.Add(planner, tanh ? kGeGluByTanh : kGeGluByErf, {{kSelf, 1 - active}, {kSelf, active}},
             {kOut});
  });
}

constinit Operator swi_glu_operator(swi_glu::kContract, PlanSwiGlu);
constinit Operator swi_glu_grad_operator(swi_glu_grad::kContract, PlanSwiGluGrad);
constinit Operator glu_operator(glu::kContract, PlanGlu);
constinit Operator glu_backward_operator(glu_backward::kContract, PlanGluBackward);
constinit Operator ge_glu_operator(ge_glu::kContract, PlanGeGlu);
constinit Operator ge_glu_v3_operator(ge_glu_v3::kContract, PlanGeGluV3);

}  // namespace
}  // namespace aclimb::gates

extern "C" {

aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dimOptional,
                                        const aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::swi_glu_operator, workspaceSize, executor, x, dimOptional,
                        out);
}

aclnnStatus aclnnSwiGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                        aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::swi_glu_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x,
                                            int64_t dimOptional, const aclTensor* out,
                                            uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::swi_glu_grad_operator, workspaceSize, executor, yGrad, x,
                        dimOptional, out);
}

aclnnStatus aclnnSwiGluGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::swi_glu_grad_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnGluGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::glu_operator, workspaceSize, executor, self, dim, out);
}

aclnnStatus aclnnGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                     aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::glu_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGluBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* self,
                                             int64_t dim, const aclTensor* out,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::glu_backward_operator, workspaceSize, executor, gradOut,
                        self, dim, out);
}

aclnnStatus aclnnGluBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::glu_backward_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
                                       aclTensor* out, aclTensor* outGelu, uint64_t* workspaceSize,
                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::ge_glu_operator, workspaceSize, executor, self, dim,
                        approximate, out, outGelu);
}

aclnnStatus aclnnGeGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                       aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::ge_glu_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
                                         bool activateLeft, aclTensor* out, aclTensor* outGelu,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::gates::ge_glu_v3_operator, workspaceSize, executor, self, dim,
                        approximate, activateLeft, out, outGelu);
}

aclnnStatus aclnnGeGluV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return aclimb::Phase2(aclimb::gates::ge_glu_v3_operator, workspace, workspaceSize, executor,
                        stream);
}

}  // extern "C"
