// Repetitions whose numbers are in a tensor: the plan and the C functions.

#include <algorithm>
#include <cstring>

#include "aclimb/core/codes.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/lines.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/repeats/by_tensor_contracts.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::repeats {
namespace {

using contract::Arguments;

// Elements that a thread takes at once.
constexpr int64_t kGrain = 32 * 1024;

class InterleavePlan final : public Plan {
 public:
  // Of a dimension; -1 for all elements in row-major order.
  //   self_at, repeats_at, out_at  parameters
  InterleavePlan(const Arguments& arguments, Planner& planner, int dim, int self_at, int repeats_at,
                 int out_at)
      : self_at_(self_at), repeats_at_(repeats_at), out_at_(out_at) {
    TensorView self = arguments.Tensor(self_at).View();
    if (dim < 0) {
      dense_ = rows::Dense::Input(planner, self_at, self);
      self = AsOneLine(self);
      dim = 0;
    } else if (self.rank == 0) {
      self = AsOneLine(self);
    }
    const TensorView out = arguments.Tensor(out_at).View();
    bytes_ = static_cast<int64_t>(SizeOf(self.dtype));
    extent_ = self.shape[dim];
    count_ = out.shape[dim];
    from_step_ = self.stride[dim];
    to_step_ = out.stride[dim];
    const TensorView from = Without(self, dim), to = Without(out, dim);
    slices_ = Walk<2>::Make({&to, &from});
    const TensorView repeats = arguments.Tensor(repeats_at).View();
    wide_ = repeats.dtype == DType::kInt64;
    single_ = repeats.ElementCount() == 1;
    repeats_step_ = repeats.rank == 0 || single_ ? 0 : repeats.stride[0];
    if (slices_.count > 0) sources_ = planner.workspace().Book(count_, sizeof(int64_t));
    planner.Reads(self_at);
    planner.Reads(repeats_at);
    planner.Writes(out_at);
    planner.Costs({.cycles = 2.0 * static_cast<double>(out.ElementCount())});
  }

  void Run(const RunContext& run) const override {
    if (dense_.given() && !dense_.Fetch(run)) return;
    const void* const self = dense_.given() ? dense_.Data(run) : run.Data(self_at_);
    auto* const sources = slices_.count > 0 ? run.Piece<int64_t>(sources_) : nullptr;
    const bool right = wide_ ? Find(static_cast<const int64_t*>(run.Data(repeats_at_)), sources)
                             : Find(static_cast<const int32_t*>(run.Data(repeats_at_)), sources);
    switch (bytes_) {
      case 1:
        Copy<uint8_t>(self, run.Data(out_at_), sources);
        break;
      case 2:
        Copy<uint16_t>(self, run.Data(out_at_), sources);
        break;
      case 4:
        Copy<uint32_t>(self, run.Data(out_at_), sources);
        break;
      default:
        Copy<uint64_t>(self, run.Data(out_at_), sources);
    }
    if (!right) throw RunFailure{.code = kRtAicoreException, .why = kWrongRepeats};
  }

 private:
  // Which index each place of out is made of; -1 for those that are left over. False if the
  // numbers are wrong.
  //   sources  null where slices have no elements
  template <typename T>
  bool Find(const T* repeats, int64_t* sources) const {
    int64_t filled = 0;
    if (sources == nullptr && single_) {
      return *repeats >= 0 && !__builtin_mul_overflow(extent_, int64_t{*repeats}, &filled) &&
             filled == count_;
    }
    bool right = true;
    for (int64_t i = 0; i < extent_; ++i) {
      const int64_t times = repeats[i * repeats_step_], room = count_ - filled;
      right = right && times >= 0 && times <= room;
      const int64_t n = std::clamp<int64_t>(times, 0, room);
      if (sources != nullptr) std::fill_n(sources + filled, n, i);
      filled += n;
    }
    if (sources != nullptr) std::fill(sources + filled, sources + count_, -1);
    return right && filled == count_;
  }

  template <typename T>
  void Copy(const void* self, void* out, const int64_t* sources) const {
    if (sources == nullptr) return;
    const T* const from = static_cast<const T*>(self);
    T* const to = static_cast<T*>(out);
    const int inner = slices_.rank - 1;
    const int64_t to_inner = slices_.stride[0][inner], from_inner = slices_.stride[1][inner];
    const int64_t width = std::min(slices_.count, kGrain);
    const int64_t parts = CeilDivide(slices_.count, width);
    ParallelFor(count_ * parts, std::max<int64_t>(1, kGrain / width),
                [&](int64_t begin, int64_t end) {
                  for (int64_t task = begin; task < end; ++task) {
                    const int64_t place = task / parts, first = task % parts * width;
                    const int64_t source = sources[place];
                    slices_.Visit(first, std::min(slices_.count, first + width),
                                  [&](const int64_t(&at)[2], int64_t n) {
                                    T* const write = to + place * to_step_ + at[0];
                                    if (source < 0) {
                                      for (int64_t i = 0; i < n; ++i) write[i * to_inner] = 0;
                                      return;
                                    }
                                    const T* const read = from + source * from_step_ + at[1];
                                    for (int64_t i = 0; i < n; ++i)
                                      write[i * to_inner] = read[i * from_inner];
                                  });
                  }
                });
  }

  const int self_at_;
  const int repeats_at_;
  const int out_at_;
  int64_t bytes_;
  int64_t extent_;  // of the dimension of self
  int64_t count_;   // of that of out
  int64_t from_step_;
  int64_t to_step_;
  int64_t repeats_step_;
  bool wide_;
  bool single_;     // one number for all
  Walk<2> slices_;  // of out, of self
  rows::Dense dense_;
  WorkspacePiece sources_;
};

Result<PlanPointer> PlanAll(const Arguments& arguments, Planner& planner) {
  using namespace interleave_by_tensor;  // NOLINT: the positions
  return PlanPointer(
      NewPlan<InterleavePlan>(arguments, planner, -1, int{kSelf}, int{kRepeats}, int{kOut}));
}
Result<PlanPointer> PlanDim(const Arguments& arguments, Planner& planner) {
  using namespace interleave_dim_by_tensor;  // NOLINT: the positions
  const size_t rank = interleave::Shape(arguments.Tensor(kSelf)).size();
  const auto dim = static_cast<int>(WrapDimension(arguments.Integer(kDim), rank));
  return PlanPointer(
      NewPlan<InterleavePlan>(arguments, planner, dim, int{kSelf}, int{kRepeats}, int{kOut}));
}

constinit Operator all_operator(interleave_by_tensor::kContract, PlanAll);
constinit Operator dim_operator(interleave_dim_by_tensor::kContract, PlanDim);

}  // namespace
}  // namespace aclimb::repeats

using namespace aclimb::repeats;  // NOLINT: the operators

aclnnStatus aclnnRepeatInterleaveGetWorkspaceSize(const aclTensor* self, const aclTensor* repeats,
                                                  int64_t outputSize, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(all_operator, workspaceSize, executor, self, repeats, outputSize, out);
}
aclnnStatus aclnnRepeatInterleave(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(all_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRepeatInterleaveWithDimGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* repeats, int64_t dim,
                                                         int64_t outputSize, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return aclimb::Phase1(dim_operator, workspaceSize, executor, self, repeats, dim, outputSize, out);
}
aclnnStatus aclnnRepeatInterleaveWithDim(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(dim_operator, workspace, workspaceSize, executor, stream);
}
