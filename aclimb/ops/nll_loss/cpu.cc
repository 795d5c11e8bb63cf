#include "aclimb/ops/nll_loss/cpu.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/copy/cast.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::nll_loss {
namespace {

// Positions are summed in at most so many blocks.
constexpr int64_t kBlocks = 256;
constexpr int64_t kSmallestBlock = 2048;
constexpr int64_t kZerosOfPiece = 65536;

template <typename T>
double Number(const TensorView& view, int64_t at = 0) {
  return ToFloat(view.As<const T>()[at]);
}
template <typename T>
void SetNumber(const TensorView& view, int64_t at, double value) {
  view.As<T>()[at] = RoundedOnce<T>(value);
}

// Where each position is in target, in self (its class 0) and in loss.
Walk<3> Positions(const Args& args) {
  TensorView self = args.self;
  --self.rank;
  for (int d = args.class_dim; d < self.rank; ++d) {
    self.shape[d] = self.shape[d + 1];
    self.stride[d] = self.stride[d + 1];
  }
  return Walk<3>::Make({&args.target, &self, args.per_position ? &args.loss : &args.target});
}

// Calls f(target, at_self, at_loss) for the positions [begin, end) that count, and none(at_loss)
// for the others. False if some targets are no class.
template <typename F, typename None>
bool Visit(const Args& args, const Walk<3>& walk, int64_t begin, int64_t end, F&& f, None&& none) {
  const int64_t classes = args.self.shape[args.class_dim];
  const int64_t class_stride = args.self.stride[args.class_dim];
  const int inner = walk.rank - 1;
  bool all_known = true;
  const auto visit = [&](const auto* targets) {
    walk.Visit(begin, end, [&, targets](const int64_t* offset, int64_t count) {
      const int64_t ignored = args.ignore_index, step = walk.stride[0][inner];
      const int64_t self_step = walk.stride[1][inner], loss_step = walk.stride[2][inner];
      bool run_known = true;
      for (int64_t i = 0; i < count; ++i) {
        const auto target = static_cast<int64_t>(targets[offset[0] + i * step]);
        const int64_t at_loss = offset[2] + i * loss_step;
        if (target == ignored || target < 0 || target >= classes) {
          none(at_loss);
          run_known = run_known && target == ignored;
        } else {
          f(target, offset[1] + i * self_step + target * class_stride, at_loss);
        }
      }
      all_known = all_known && run_known;
    });
  };
  switch (args.target.dtype) {
    case DType::kInt64:
      visit(args.target.As<const int64_t>());
      break;
    case DType::kInt32:
      visit(args.target.As<const int32_t>());
      break;
    default:
      visit(args.target.As<const uint8_t>());
  }
  return all_known;
}

struct Totals {
  double loss = 0;
  double weight = 0;
};

template <typename T>
bool Loss(const Args& args) {
  const Walk<3> walk = Positions(args);
  const int64_t length = std::max(kSmallestBlock, CeilDivide(walk.count, kBlocks));
  const int64_t blocks = CeilDivide(walk.count, length);
  Totals partials[kBlocks];
  std::atomic<bool> unknown = false;
  ParallelFor(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      Totals sum;
      const auto add = [&](int64_t target, int64_t at, int64_t at_loss) {
        const double weight = Number<T>(args.weight, target * args.weight.stride[0]);
        const double loss = -weight * Number<T>(args.self, at);
        if (args.per_position) SetNumber<T>(args.loss, at_loss, loss);
        sum.loss += loss;
        sum.weight += weight;
      };
      const auto none = [&](int64_t at_loss) {
        if (args.per_position) SetNumber<T>(args.loss, at_loss, 0);
      };
      const int64_t until = std::min(walk.count, (block + 1) * length);
      if (!Visit(args, walk, block * length, until, add, none)) {
        unknown.store(true, std::memory_order_relaxed);
      }
      partials[block] = sum;
    }
  });
  Totals total;
  for (int64_t block = 0; block < blocks; ++block) {
    total.loss += partials[block].loss;
    total.weight += partials[block].weight;
  }
  SetNumber<T>(args.total_weight, 0, total.weight);
  if (!args.per_position) {
    SetNumber<T>(args.loss, 0, args.mean ? total.loss / total.weight : total.loss);
  }
  return !unknown.load(std::memory_order_relaxed);
}

template <typename T>
bool FillWithZeros(const TensorView& view) {
  const Walk<1> walk = Walk<1>::Make({&view});
  const int64_t stride = walk.stride[0][walk.rank - 1];
  return ParallelForAll(walk.count, kZerosOfPiece, [&](int64_t begin, int64_t end) {
    walk.Visit(begin, end, [&](const int64_t* offset, int64_t count) {
      T* const to = view.As<T>() + offset[0];
      if (stride == 1) {
        std::memset(static_cast<void*>(to), 0, static_cast<size_t>(count) * sizeof(T));
        return;
      }
      for (int64_t i = 0; i < count; ++i) to[i * stride] = T{};
    });
  });
}

template <typename T>
bool Gradient(const Args& args) {
  if (!FillWithZeros<T>(args.self)) return true;
  const Walk<3> walk = Positions(args);
  const double common = args.per_position ? 0 : Number<T>(args.loss);
  const double divisor = args.mean ? Number<T>(args.total_weight) : 1;
  std::atomic<bool> unknown = false;
  ParallelFor(walk.count, kSmallestBlock, [&](int64_t begin, int64_t end) {
    const auto set = [&](int64_t target, int64_t at, int64_t at_loss) {
      const double gradient = args.per_position ? Number<T>(args.loss, at_loss) : common;
      const double weight = Number<T>(args.weight, target * args.weight.stride[0]);
      SetNumber<T>(args.self, at, weight * -(gradient / divisor));
    };
    if (!Visit(args, walk, begin, end, set, [](int64_t) {})) {
      unknown.store(true, std::memory_order_relaxed);
    }
  });
  return !unknown.load(std::memory_order_relaxed);
}

}  // namespace

bool ComputeLoss(const Args& args) {
  switch (args.self.dtype) {
    case DType::kFloat16:
      return Loss<Float16>(args);
    case DType::kBFloat16:
      return Loss<BFloat16>(args);
    default:
      return Loss<float>(args);
  }
}

bool ComputeGradient(const Args& args) {
  switch (args.self.dtype) {
    case DType::kFloat16:
      return Gradient<Float16>(args);
    case DType::kBFloat16:
      return Gradient<BFloat16>(args);
    default:
      return Gradient<float>(args);
  }
}

}  // namespace aclimb::nll_loss
