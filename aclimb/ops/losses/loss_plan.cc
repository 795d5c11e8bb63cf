#include "aclimb/ops/losses/loss_plan.h"

#include <algorithm>
#include <array>

#include "aclimb/contract/broadcast.h"
#include "aclimb/copy/cast.h"
#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::losses {
namespace {

// A lane adds up 32 elements at most, so that float32 is precise enough.
constexpr int64_t kLanes = 32;
constexpr int64_t kChunk = 32 * kLanes;
// The chunks are summed in at most so many blocks.
constexpr int64_t kBlocks = 256;
constexpr int kOut = kMostOperands;  // of the walk

constexpr std::array<float, kChunk> Ones() {
  std::array<float, kChunk> ones = {};
  ones.fill(1);
  return ones;
}
constexpr std::array<float, kChunk> kOnes = Ones();

TensorView Together(const contract::Arguments& arguments, std::span<const int> tensors) {
  TensorView shape;
  size_t rank = 0;
  for (const int tensor : tensors) {
    if (tensor >= 0) contract::BroadcastInto(arguments.Tensor(tensor).shape, shape.shape, rank);
  }
  shape.rank = static_cast<int>(rank);
  return shape;
}

double SumOfChunk(const float* x, int64_t count) {
  float lanes[kLanes] = {};
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += x[i + k];
  }
  for (int64_t i = whole; i < count; ++i) lanes[i - whole] += x[i];
  double sum = 0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

// Terms are added up in the order in which the first operand lies that is as large as all together.
TensorView InMemoryOrder(std::span<const TensorView> operands, const TensorView& shape) {
  for (const TensorView& operand : operands) {
    if (std::find(operand.stride, operand.stride + operand.rank, 0) ==
        operand.stride + operand.rank) {
      return operand;
    }
  }
  return DenseLike(shape, nullptr);
}

class LossPlan final : public Plan {
 public:
  LossPlan(const contract::Arguments& arguments, const LossTask& task) : task_(task) {
    const TensorView shape =
        Together(arguments, std::span(task.operands, static_cast<size_t>(task.operand_count)));
    TensorView views[kMostOperands + 1];
    for (int n = 0; n < kMostOperands; ++n) {
      const int parameter = n < task.operand_count ? task.operands[n] : -1;
      views[n] =
          BroadcastTo(parameter < 0 ? TensorView() : arguments.Tensor(parameter).View(), shape);
      dtypes_[n] = parameter < 0 ? DType::kFloat32 : arguments.Tensor(parameter).dtype;
    }
    views[kOut] = task.sums ? InMemoryOrder({views, kMostOperands}, shape)
                            : arguments.Tensor(task.out).View();
    dtypes_[kOut] = arguments.Tensor(task.out).dtype;
    walk_ = Walk<kMostOperands + 1>::Make(
        {&views[0], &views[1], &views[2], &views[3], &views[4], &views[5]});
    for (int n = 0; n <= kMostOperands; ++n) dense_[n] = walk_.IsDense(n);
  }

  int64_t count() const { return walk_.count; }

  void Run(const RunContext& run) const override {
    const Converters converters(dtypes_);
    void* data[kMostOperands] = {};
    for (int n = 0; n < task_.operand_count; ++n) {
      if (task_.operands[n] >= 0) data[n] = run.Data(task_.operands[n]);
    }
    const int64_t chunks = CeilDivide(walk_.count, kChunk);
    const auto count_of = [&](int64_t chunk) {
      return std::min(kChunk, walk_.count - chunk * kChunk);
    };
    if (!task_.sums) {
      char* const out = static_cast<char*>(run.Data(task_.out));
      ParallelFor(chunks, 16, [&](int64_t begin, int64_t end) {
        alignas(64) float results[kChunk];
        for (int64_t chunk = begin; chunk < end; ++chunk) {
          const int64_t count = count_of(chunk);
          Compute(converters, data, chunk * kChunk, count, results);
          if (task_.factor != 1) {
            const auto factor = static_cast<float>(task_.factor);
            for (int64_t i = 0; i < count; ++i) results[i] *= factor;
          }
          Store(converters, results, chunk * kChunk, count, out);
        }
      });
      return;
    }
    double sums[kBlocks] = {};
    const int64_t length = std::max<int64_t>(32, CeilDivide(chunks, kBlocks));
    const int64_t blocks = CeilDivide(chunks, length);
    const bool whole = ParallelForAll(blocks, 1, [&](int64_t first, int64_t last) {
      alignas(64) float results[kChunk];
      for (int64_t block = first; block < last; ++block) {
        const int64_t end = std::min(chunks, (block + 1) * length);
        for (int64_t chunk = block * length; chunk < end; ++chunk) {
          Compute(converters, data, chunk * kChunk, count_of(chunk), results);
          sums[block] += SumOfChunk(results, count_of(chunk));
        }
      }
    });
    if (!whole) return;
    double total = 0;
    for (int64_t block = 0; block < blocks; ++block) total += sums[block];
    // The mean of nothing is NaN, as 0 times infinity.
    StoreRoundedOnce(total * task_.factor, run.View(task_.out));
  }

 private:
  struct Converters {
    explicit Converters(const DType (&dtypes)[kMostOperands + 1]) {
      for (int n = 0; n < kMostOperands; ++n) of[n] = copy::Converter(dtypes[n], DType::kFloat32);
      of[kOut] = copy::Converter(DType::kFloat32, dtypes[kOut]);
    }
    copy::Converter of[kMostOperands + 1];
  };

  // Elements [begin, begin + count) of the walk's order.
  void Compute(const Converters& converters, void* const* data, int64_t begin, int64_t count,
               float* results) const {
    alignas(64) float buffers[kMostOperands][kChunk];
    const float* x[kMostOperands] = {};
    for (int n = 0; n < task_.operand_count; ++n) {
      x[n] = data[n] == nullptr ? kOnes.data()
                                : Load(n, converters.of[n], data[n], begin, count, buffers[n]);
    }
    task_.formula(x, count, task_.attribute, results);
  }

  const float* Load(int n, const copy::Converter& converter, void* data, int64_t begin,
                    int64_t count, float* buffer) const {
    alignas(64) char gathered[kChunk * sizeof(float)];
    const size_t size = SizeOf(dtypes_[n]);
    const char* from = static_cast<char*>(data) + begin * static_cast<int64_t>(size);
    if (!dense_[n]) {
      char* const to = converter.Changes() ? gathered : reinterpret_cast<char*>(buffer);
      copy::Gather(size, PlaceOf(n, data, begin), count, to);
      from = to;
    }
    if (!converter.Changes()) return reinterpret_cast<const float*>(from);
    converter.Run(from, count, buffer);
    return buffer;
  }

  void Store(const Converters& converters, const float* results, int64_t begin, int64_t count,
             char* out) const {
    alignas(64) char converted[kChunk * sizeof(float)];
    const size_t size = SizeOf(dtypes_[kOut]);
    char* const to = dense_[kOut] ? out + begin * static_cast<int64_t>(size) : converted;
    const copy::Converter& converter = converters.of[kOut];
    const void* from = results;
    if (converter.Changes()) {
      converter.Run(results, count, to);
      from = to;
    } else if (dense_[kOut]) {
      std::copy_n(results, count, reinterpret_cast<float*>(to));
    }
    if (!dense_[kOut]) copy::Scatter(size, from, count, PlaceOf(kOut, out, begin));
  }

  copy::Place PlaceOf(int n, void* data, int64_t begin) const {
    return {.at = static_cast<char*>(data),
            .axes = {walk_.rank, walk_.extent, walk_.stride[n]},
            .begin = begin};
  }

  const LossTask task_;
  DType dtypes_[kMostOperands + 1];
  Walk<kMostOperands + 1> walk_;  // of the operands and out
  bool dense_[kMostOperands + 1];
};

}  // namespace

PlanPointer MakeLossPlan(const contract::Arguments& arguments, Planner& planner,
                         const LossTask& task) {
  if (!task.sums && arguments.Tensor(task.out).IsEmpty()) return PlanPointer();
  for (const int operand : task.operands) {
    if (operand >= 0) planner.Reads(operand);
  }
  planner.Writes(task.out);
  auto plan = NewPlan<LossPlan>(arguments, task);
  planner.Costs({.cycles = 20.0 * static_cast<double>(plan->count())});
  return plan;
}

double BroadcastCount(const contract::Arguments& arguments, std::initializer_list<int> tensors) {
  return static_cast<double>(
      Together(arguments, std::span(tensors.begin(), tensors.size())).ElementCount());
}

}  // namespace aclimb::losses
