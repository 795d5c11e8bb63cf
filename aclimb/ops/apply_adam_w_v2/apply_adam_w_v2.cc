// aclnnApplyAdamWV2: the C entry points and the plan between them.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/apply_adam_w_v2/contract.h"
#include "aclimb/ops/apply_adam_w_v2/step.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::apply_adam_w_v2 {
namespace {

constexpr int64_t kChunk = 1024;
constexpr int64_t kGrain = 16;  // chunks

class AdamWPlan final : public Plan {
 public:
  explicit AdamWPlan(const contract::Arguments& arguments)
      : lr_(arguments.Real(kLr)),
        beta1_(arguments.Real(kBeta1)),
        beta2_(arguments.Real(kBeta2)),
        decay_(arguments.Real(kWeightDecay)),
        eps_(arguments.Real(kEps)),
        amsgrad_(arguments.Bool(kAmsgrad)),
        maximize_(arguments.Bool(kMaximize)) {
    TensorView views[kTensors];
    for (int n = 0; n < kTensors; ++n) {
      const int parameter = n == kMax && !amsgrad_ ? kVar : n;
      views[n] = arguments.Tensor(parameter).View();
      dtypes_[n] = views[n].dtype;
    }
    walk_ = Walk<kTensors>::Make({&views[0], &views[1], &views[2], &views[3], &views[4]});
    for (int n = 0; n < kTensors; ++n) dense_[n] = walk_.IsDense(n);
    is_direct_ = std::all_of(dense_, dense_ + kTensors, [](bool dense) { return dense; }) &&
                 std::count(dtypes_, dtypes_ + kTensors, dtypes_[kVar]) == kTensors;
  }

  int64_t count() const { return walk_.count; }

  void Run(const RunContext& run) const override {
    const TensorView before = run.View(kStep);
    const double t =
        1 + (before.dtype == DType::kInt64 ? static_cast<double>(*before.As<const int64_t>())
                                           : static_cast<double>(*before.As<const float>()));
    const Step step = {
        .beta1 = static_cast<float>(beta1_),
        .beta2 = static_cast<float>(beta2_),
        .eps = static_cast<float>(eps_),
        .decay = static_cast<float>(lr_ * decay_),
        .rate = static_cast<float>(lr_ / (1 - std::pow(beta1_, t))),
        .scale = static_cast<float>(1 / (1 - std::pow(beta2_, t))),
        .sign = maximize_ ? -1.0f : 1.0f,
    };
    copy::Converter load[kTensors], store[kTensors];
    void* data[kTensors];
    for (int n = 0; n < kTensors; ++n) {
      load[n] = copy::Converter(dtypes_[n], DType::kFloat32);
      store[n] = copy::Converter(DType::kFloat32, dtypes_[n]);
      data[n] = n == kMax && !amsgrad_ ? nullptr : run.Data(n);
    }
    ParallelFor(CeilDivide(walk_.count, kChunk), kGrain, [&](int64_t first, int64_t last) {
      if (is_direct_) {
        const int64_t begin = first * kChunk, end = std::min(last * kChunk, walk_.count);
        void* x[kTensors];
        for (int n = 0; n < kTensors; ++n) {
          const int64_t offset = begin * static_cast<int64_t>(SizeOf(dtypes_[n]));
          x[n] = data[n] == nullptr ? nullptr : static_cast<char*>(data[n]) + offset;
        }
        return Update(step, dtypes_[kVar], end - begin, {x[kVar], x[kM], x[kV], x[kMax], x[kGrad]});
      }
      alignas(64) float loaded[kTensors][kChunk];
      for (int64_t chunk = first; chunk < last; ++chunk) {
        const int64_t begin = chunk * kChunk, count = std::min(kChunk, walk_.count - begin);
        float* x[kTensors];
        for (int n = 0; n < kTensors; ++n) {
          x[n] = data[n] == nullptr ? nullptr
                 : IsDirect(n)      ? static_cast<float*>(data[n]) + begin
                                    : loaded[n];
          if (x[n] == loaded[n]) Load(n, load[n], data[n], begin, count, x[n]);
        }
        Update(step, DType::kFloat32, count, {x[kVar], x[kM], x[kV], x[kMax], x[kGrad]});
        for (int n = 0; n < kGrad; ++n) {
          if (x[n] == loaded[n]) Store(n, store[n], data[n], begin, count, x[n]);
        }
      }
    });
  }

 private:
  static constexpr int kTensors = kGrad + 1;

  // Whether a tensor is updated where it lies.
  bool IsDirect(int n) const { return dense_[n] && dtypes_[n] == DType::kFloat32; }
  copy::Place PlaceOf(int n, void* data, int64_t begin) const {
    return {.at = static_cast<char*>(data),
            .axes = {walk_.rank, walk_.extent, walk_.stride[n]},
            .begin = begin};
  }
  void Load(int n, const copy::Converter& converter, void* data, int64_t begin, int64_t count,
            float* x) const {
    alignas(64) char gathered[kChunk * sizeof(float)];
    const size_t size = SizeOf(dtypes_[n]);
    const char* from = static_cast<char*>(data) + begin * static_cast<int64_t>(size);
    if (!dense_[n]) {
      copy::Gather(size, PlaceOf(n, data, begin), count, gathered);
      from = gathered;
    }
    converter.Changes() ? converter.Run(from, count, x)
                        : void(std::memcpy(x, from, static_cast<size_t>(count) * size));
  }
  void Store(int n, const copy::Converter& converter, void* data, int64_t begin, int64_t count,
             const float* x) const {
    alignas(64) char converted[kChunk * sizeof(float)];
    const size_t size = SizeOf(dtypes_[n]);
    char* const to =
        dense_[n] ? static_cast<char*>(data) + begin * static_cast<int64_t>(size) : converted;
    converter.Changes() ? converter.Run(x, count, to)
                        : void(std::memcpy(to, x, static_cast<size_t>(count) * size));
    if (!dense_[n]) copy::Scatter(size, converted, count, PlaceOf(n, data, begin));
  }

  const double lr_, beta1_, beta2_, decay_, eps_;
  const bool amsgrad_;
  const bool maximize_;
  Walk<kTensors> walk_;
  DType dtypes_[kTensors];
  bool dense_[kTensors];
  bool is_direct_;  // all tensors are updated where they lie
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kVar).IsEmpty()) return PlanPointer();
  for (const int tensor : {kVar, kM, kV}) planner.Writes(tensor);
  if (arguments.Bool(kAmsgrad)) planner.Writes(kMax);
  planner.Reads(kGrad);
  planner.Reads(kStep);
  auto plan = NewPlan<AdamWPlan>(arguments);
  planner.Costs({.cycles = 6.0 * static_cast<double>(plan->count())});
  return PlanPointer(std::move(plan));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::apply_adam_w_v2

extern "C" aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(
    aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef,
    const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2,
    float weightDecay, float eps, bool amsgrad, bool maximize, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::apply_adam_w_v2::kOperator, workspaceSize, executor, varRef, mRef,
                        vRef, maxGradNormOptionalRef, grad, step, lr, beta1, beta2, weightDecay,
                        eps, amsgrad, maximize);
}

extern "C" aclnnStatus aclnnApplyAdamWV2(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::apply_adam_w_v2::kOperator, workspace, workspaceSize, executor,
                        stream);
}
