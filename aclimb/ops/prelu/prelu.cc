// aclnnPrelu and aclnnPreluBackward: the plans and the C entry points.

#include <algorithm>

#include "aclimb/contract/promotion.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/prelu/contracts.h"
#include "aclimb/ops/prelu/formulas.h"
#include "aclimb/reduction/problem.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::prelu {
namespace {

using contract::Arguments;

// The weight of each element of self: a step leads from channel to channel.
TensorView SpreadOver(const TensorView& self, const TensorView& weight) {
  TensorView spread = self;
  spread.dtype = weight.dtype;
  std::fill_n(spread.stride, spread.rank, 0);
  for (int d = 0; d < weight.rank; ++d) {
    if (weight.shape[d] > 1) spread.stride[1] = weight.stride[d];
  }
  return spread;
}

struct PreluPlan final : Plan {
  explicit PreluPlan(const elementwise::Problem& planned)
      : problem(planned), of_channels(HasLongChannels(planned)) {}

  void Run(const RunContext& run) const override {
    if (of_channels) return RunChannels(run);
    elementwise::Solve(problem, {.input = {run.Data(forward::kSelf), run.Data(forward::kWeight)},
                                 .output = run.Data(forward::kOut)});
  }

  // Whether long runs of elements, which stay in the cache, have one weight each.
  static bool HasLongChannels(const elementwise::Problem& problem) {
    using elementwise::kOutput;
    const auto& walk = problem.walk;
    const int inner = walk.rank - 1;
    const DType* const dtype = problem.dtype;
    const bool is_float = dtype[0] == DType::kFloat32 && dtype[1] == DType::kFloat32 &&
                          dtype[kOutput] == DType::kFloat32;
    return is_float && walk.extent[inner] >= elementwise::kShortRow && walk.stride[0][inner] == 1 &&
           walk.stride[1][inner] == 0 && walk.stride[kOutput][inner] == 1 &&
           walk.count <= CacheShareBytes() / (2 * int64_t{sizeof(float)});
  }
  void RunChannels(const RunContext& run) const {
    const auto* const self = static_cast<const float*>(run.Data(forward::kSelf));
    const auto* const weight = static_cast<const float*>(run.Data(forward::kWeight));
    auto* const out = static_cast<float*>(run.Data(forward::kOut));
    const elementwise::Run row = FormulaRuns(kPreluOfChannel).of[StorageIndex(DType::kFloat32)];
    ParallelFor(problem.walk.count, problem.grain, [&](int64_t begin, int64_t end) {
      problem.walk.Visit(begin, end, [&](const int64_t(&at)[elementwise::kOperands], int64_t n) {
        const void* const in[] = {self + at[0]};
        const ChannelWeight channel = {weight[at[1]]};
        row(in, out + at[elementwise::kOutput], n, false, &channel);
      });
    });
  }

  const elementwise::Problem problem;
  const bool of_channels;
};

Result<PlanPointer> PlanForward(const Arguments& arguments, Planner& planner) {
  using namespace forward;  // NOLINT: the positions
  if (arguments.Tensor(kSelf).IsEmpty()) return PlanPointer();
  const TensorView self = arguments.Tensor(kSelf).View();
  const TensorView weight = arguments.Tensor(kWeight).View();
  planner.Reads(kSelf);
  planner.Reads(kWeight);
  planner.Writes(kOut);
  const TensorView views[] = {self, SpreadOver(self, weight)};
  const DType promoted =
      contract::PromoteTensors(self.dtype, weight.dtype).value_or(DType::kFloat32);
  const elementwise::Problem problem({&FormulaRuns, kPrelu}, views, arguments.Tensor(kOut).View(),
                                     promoted);
  planner.Costs({.cycles = problem.cycles});
  return PlanPointer(NewPlan<PreluPlan>(problem));
}

// Terms of the gradient of the weight are summed in float32 and rounded once.
struct BackwardPlan final : Plan {
  BackwardPlan(const Arguments& arguments, Planner& planner)
      : gradient(GradientOf(arguments)), terms(TermsOf(arguments)), sums(SumsOf(arguments)) {
    terms_piece =
        planner.workspace().Book(arguments.Tensor(backward::kSelf).ElementCount(), sizeof(float));
    const int64_t bytes = sums.ScratchBytes();
    if (bytes > 0) scratch = planner.workspace().Book(bytes);
    planner.Costs({.cycles = gradient.cycles + terms.cycles + sums.cycles});
  }

  void Run(const RunContext& run) const override {
    using namespace backward;  // NOLINT: the positions
    const void* const g = run.Data(kGradOutput);
    const void* const x = run.Data(kSelf);
    elementwise::Solve(gradient,
                       {.input = {g, x, run.Data(kWeight)}, .output = run.Data(kGradInput)});
    if (IsCancelled()) return;
    elementwise::Solve(terms, {.input = {g, x}, .output = run.Piece(terms_piece)});
    if (IsCancelled()) return;
    reduction::Solve(sums, {run.Piece(terms_piece), {run.Data(kGradWeight)}, run.Piece(scratch)});
  }

  static TensorView DenseTerms(const Arguments& arguments) {
    TensorView view = DenseLike(arguments.Tensor(backward::kSelf).View(), nullptr);
    view.dtype = DType::kFloat32;
    return view;
  }
  // The gradient of the result, broadcast to the shape of self.
  static TensorView GradOutput(const Arguments& arguments) {
    return BroadcastTo(arguments.Tensor(backward::kGradOutput).View(),
                       arguments.Tensor(backward::kSelf).View());
  }
  static elementwise::Problem GradientOf(const Arguments& arguments) {
    const TensorView self = arguments.Tensor(backward::kSelf).View();
    const TensorView views[] = {GradOutput(arguments), self,
                                SpreadOver(self, arguments.Tensor(backward::kWeight).View())};
    return {{&FormulaRuns, kGradient},
            views,
            arguments.Tensor(backward::kGradInput).View(),
            self.dtype};
  }
  static elementwise::Problem TermsOf(const Arguments& arguments) {
    const TensorView views[] = {GradOutput(arguments), arguments.Tensor(backward::kSelf).View()};
    return {{&FormulaRuns, kTerms}, views, DenseTerms(arguments), DType::kFloat32};
  }
  static reduction::Problem SumsOf(const Arguments& arguments) {
    const TensorView input = DenseTerms(arguments);
    TensorView output = arguments.Tensor(backward::kGradWeight).View();
    const bool together = output.ElementCount() == 1;
    uint32_t reduced = (1u << input.rank) - 1;
    if (together) {
      output.rank = 0;
    } else {
      reduced &= ~2u;
    }
    reduction::Request request = {
        .fold = reduction::Fold::kSum,
        .input = backward::kSelf,
        .reduced = reduced,
        .outputs = {reduction::Output{.parameter = backward::kGradWeight}}};
    return {request, input, {output, output}};
  }

  const elementwise::Problem gradient;
  const elementwise::Problem terms;
  const reduction::Problem sums;
  WorkspacePiece terms_piece;
  WorkspacePiece scratch;
};

// Of nothing the gradient of a weight is 0.
struct ZeroPlan final : Plan {
  void Run(const RunContext& run) const override {
    (void)copy::FillWithZeros(run.View(backward::kGradWeight));
  }
};

Result<PlanPointer> PlanBackward(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  planner.Writes(kGradWeight);
  if (arguments.Tensor(kSelf).IsEmpty()) {
    if (arguments.Tensor(kGradWeight).IsEmpty()) return PlanPointer();
    return PlanPointer(NewPlan<ZeroPlan>());
  }
  planner.Reads(kGradOutput);
  planner.Reads(kSelf);
  planner.Reads(kWeight);
  planner.Writes(kGradInput);
  return PlanPointer(NewPlan<BackwardPlan>(arguments, planner));
}

constinit Operator prelu_operator(forward::kContract, PlanForward);
constinit Operator prelu_backward_operator(backward::kContract, PlanBackward);

}  // namespace
}  // namespace aclimb::prelu

extern "C" aclnnStatus aclnnPreluGetWorkspaceSize(const aclTensor* self, const aclTensor* weight,
                                                  aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::prelu::prelu_operator, workspaceSize, executor, self, weight, out);
}

extern "C" aclnnStatus aclnnPrelu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(aclimb::prelu::prelu_operator, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnPreluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* weight,
    aclTensor* gradInput, aclTensor* gradWeight, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::prelu::prelu_backward_operator, workspaceSize, executor, gradOutput,
                        self, weight, gradInput, gradWeight);
}

extern "C" aclnnStatus aclnnPreluBackward(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::prelu::prelu_backward_operator, workspace, workspaceSize, executor,
                        stream);
}
