// aclnnDropoutDoMask: the plan, the loop and the C functions.

#include <algorithm>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/random/contracts.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::random {
namespace {

using namespace dropout_do_mask;  // NOLINT: the positions

constexpr int64_t kChunk = 1024;
constexpr int64_t kGrain = 16;  // chunks

struct DoMaskPlan final : Plan {
  DoMaskPlan(const Arguments& arguments, Planner& planner)
      : count(arguments.Tensor(kSelf).ElementCount()),
        from_bytes(static_cast<int64_t>(SizeOf(arguments.Tensor(kSelf).dtype))),
        to_bytes(static_cast<int64_t>(SizeOf(arguments.Tensor(kOut).dtype))),
        widening(arguments.Tensor(kSelf).dtype, DType::kFloat32),
        rounding(DType::kFloat32, arguments.Tensor(kOut).dtype),
        // Nothing is kept with the probability 1, whatever the mask says.
        scale(arguments.Real(kProb) < 1 ? static_cast<float>(1 / (1 - arguments.Real(kProb))) : 0),
        self(rows::Dense::Input(planner, kSelf, arguments.Tensor(kSelf).View())),
        mask(rows::Dense::Input(planner, kMask, arguments.Tensor(kMask).View())),
        out(rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View())) {}

  void Run(const RunContext& run) const override {
    const char* const from = self.Read<char>(run);
    const auto* const bits = mask.Read<uint8_t>(run);
    if (from == nullptr || bits == nullptr) return;
    char* const to = static_cast<char*>(out.Data(run));
    const bool whole =
        ParallelForAll(CeilDivide(count, kChunk), kGrain, [&](int64_t begin, int64_t end) {
          alignas(64) float widened[kChunk], results[kChunk];
          for (int64_t chunk = begin; chunk < end; ++chunk) {
            const int64_t first = chunk * kChunk, n = std::min(kChunk, count - first);
            const void* x = from + first * from_bytes;
            if (widening.Changes()) {
              widening.Run(x, n, widened);
              x = widened;
            }
            void* const at = to + first * to_bytes;
            float* const y = rounding.Changes() ? results : static_cast<float*>(at);
            Drop(static_cast<const float*>(x), bits + first / 8, n, y);
            if (rounding.Changes()) rounding.Run(y, n, at);
          }
        });
    if (whole) (void)out.Deliver(run);
  }

  void Drop(const float* x, const uint8_t* bits, int64_t n, float* y) const {
    if (scale == 0) {
      std::fill_n(y, n, 0.0f);
      return;
    }
    const float kept = scale;
    const auto drop = [kept](float value, int bit) { return bit != 0 ? value * kept : 0.0f; };
    for (int64_t i = 0; i < n / 8; ++i) {
      const int byte = bits[i];
      for (int bit = 0; bit < 8; ++bit) y[8 * i + bit] = drop(x[8 * i + bit], byte & (1 << bit));
    }
    for (int64_t i = n / 8 * 8; i < n; ++i) y[i] = drop(x[i], bits[i / 8] & (1 << (i % 8)));
  }

  const int64_t count;
  const int64_t from_bytes;
  const int64_t to_bytes;
  const copy::Converter widening;
  const copy::Converter rounding;
  const float scale;
  const rows::Dense self;
  const rows::Dense mask;
  const rows::Dense out;
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kSelf).IsEmpty()) return PlanPointer();
  planner.Costs({.cycles = static_cast<double>(arguments.Tensor(kSelf).ElementCount())});
  return PlanPointer(NewPlan<DoMaskPlan>(arguments, planner));
}

constinit Operator do_mask_operator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::random

using namespace aclimb::random;  // NOLINT: the operator

aclnnStatus aclnnDropoutDoMaskGetWorkspaceSize(const aclTensor* self, const aclTensor* mask,
                                               double prob, aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor) {
  return aclimb::Phase1(do_mask_operator, workspaceSize, executor, self, mask, prob, out);
}
aclnnStatus aclnnDropoutDoMask(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(do_mask_operator, workspace, workspaceSize, executor, stream);
}
