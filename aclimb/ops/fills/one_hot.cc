// aclnnOneHot: the C functions, the plan and the loop over indices, behind a fill with offValue.

#include <algorithm>
#include <cstring>

#include "aclimb/copy/copy.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/fills/contracts.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::fills {
namespace {

using namespace one_hot;  // NOLINT: the positions

// Indices that a thread reads at once.
constexpr int64_t kGrain = 16 * 1024;

struct OneHotPlan final : Plan {
  // `self` and `first` are equally shaped: the indices, and the elements of class 0.
  OneHotPlan(const TensorView& self, const TensorView& first, int64_t stride, int64_t count)
      : walk(Walk<2>::Make({&self, &first})),
        wide(self.dtype == DType::kInt64),
        bytes(SizeOf(first.dtype)),
        class_stride(stride),
        classes(count) {}

  void Run(const RunContext& run) const override {
    switch (bytes) {
      case 2:
        return Write<uint16_t>(run);
      case 4:
        return Write<uint32_t>(run);
      default:
        return Write<uint64_t>(run);
    }
  }

  template <typename T>
  void Write(const RunContext& run) const {
    TensorView off = run.View(kOut);
    off.data = run.Data(kOffValue);
    std::fill_n(off.stride, off.rank, 0);
    if (!copy::Copy(off, run.View(kOut))) return;
    T on;
    std::memcpy(&on, run.Data(kOnValue), sizeof(on));
    T* const out = static_cast<T*>(run.Data(kOut));
    const void* const self = run.Data(kSelf);
    const int64_t inner[2] = {walk.stride[0][walk.rank - 1], walk.stride[1][walk.rank - 1]};
    ParallelFor(walk.count, kGrain, [&](int64_t begin, int64_t end) {
      walk.Visit(begin, end, [&](const int64_t* at, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          T* const row = out + at[1] + i * inner[1];
          const int64_t place = at[0] + i * inner[0];
          const int64_t index = wide ? static_cast<const int64_t*>(self)[place]
                                     : static_cast<const int32_t*>(self)[place];
          if (index >= 0 && index < classes) row[index * class_stride] = on;
        }
      });
    });
  }

  const Walk<2> walk;
  const bool wide;
  const size_t bytes;
  const int64_t class_stride;
  const int64_t classes;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorView out = arguments.Tensor(kOut).View();
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  const int64_t given = arguments.Integer(kAxis);
  const int axis = given < 0 ? out.rank - 1 : static_cast<int>(given);
  TensorView first = out;
  --first.rank;
  for (int d = axis; d < first.rank; ++d) {
    first.shape[d] = out.shape[d + 1];
    first.stride[d] = out.stride[d + 1];
  }
  for (const int input : {kSelf, kOnValue, kOffValue}) planner.Reads(input);
  planner.Writes(kOut);
  planner.Costs({.cycles = static_cast<double>(out.ElementCount())});
  return PlanPointer(NewPlan<OneHotPlan>(arguments.Tensor(kSelf).View(), first, out.stride[axis],
                                         out.shape[axis]));
}

constinit Operator one_hot_operator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::fills

aclnnStatus aclnnOneHotGetWorkspaceSize(const aclTensor* self, int numClasses,
                                        const aclTensor* onValue, const aclTensor* offValue,
                                        int64_t axis, aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::fills::one_hot_operator, workspaceSize, executor, self, numClasses,
                        onValue, offValue, axis, out);
}
aclnnStatus aclnnOneHot(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                        aclrtStream stream) {
  return aclimb::Phase2(aclimb::fills::one_hot_operator, workspace, workspaceSize, executor,
                        stream);
}
