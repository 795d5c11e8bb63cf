#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/cross_entropy_loss_grad/cpu.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/cross_entropy_loss_grad/dense-inl.h"
#include "aclimb/ops/cross_entropy_loss_grad/tiles-inl.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss_grad {
namespace HWY_NAMESPACE {

// Elements of a piece: enough to make the partial lines at its ends rare, small enough to notice
// an abort within a tenth of a millisecond.
constexpr int64_t kDensePiece = 65536;
constexpr int64_t kTiledPiece = 32768;
template <bool kStream, class T>
void RunDense(const Args& args, const RowTable& table) {
  const T* from = args.log_prob.As<const T>();
  T* to = args.x_grad.As<T>();
  const int64_t rows = args.log_prob.shape[0];
  const int64_t columns = args.log_prob.shape[1];
  const float* weights = table.IsSpreadByWeight() ? args.weight.As<const float>() : nullptr;
  ParallelFor(rows * columns, kDensePiece, [&](int64_t begin, int64_t end) {
    if (columns < ShortRows<kStream, T>::kLimit) {
      ShortRows<kStream, T>(table, weights, from, to, columns).Run(begin, end);
    } else if (weights == nullptr) {
      LongRows<kStream, false, T>(table, weights, from, to, rows, columns).Run(begin, end);
    } else {
      LongRows<kStream, true, T>(table, weights, from, to, rows, columns).Run(begin, end);
    }
  });
}

template <class T>
void RunTyped(const Args& args) {
  const RowTable table(args);
  const bool dense_weights = !table.IsSpreadByWeight() || args.weight.IsContiguous();
  if (!args.log_prob.IsContiguous() || !args.x_grad.IsContiguous() || !dense_weights) {
    const Tiles<T> tiles(args, table);
    const int64_t grain = std::max<int64_t>(1, kTiledPiece / tiles.ElementsOfOne());
    ParallelFor(tiles.Count(), grain, [&](int64_t first, int64_t last) { tiles.Run(first, last); });
    return;
  }
  const int64_t bytes = args.x_grad.ElementCount() * static_cast<int64_t>(sizeof(T));
  if (bytes > (args.stream_above < 0 ? CacheShareBytes() : args.stream_above)) {
    RunDense<true, T>(args, table);
  } else {
    RunDense<false, T>(args, table);
  }
}

void RunAnyType(const Args& args) {
  switch (args.log_prob.dtype) {
    case DType::kFloat16:
      return RunTyped<Float16>(args);
    case DType::kBFloat16:
      return RunTyped<BFloat16>(args);
    default:
      return RunTyped<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss_grad
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::cross_entropy_loss_grad {
namespace {
HWY_EXPORT(RunAnyType);
}  // namespace

void RunOnCpu(const Args& args) {
  if (args.x_grad.ElementCount() == 0) return;
  HWY_DYNAMIC_DISPATCH(RunAnyType)(args);
}

}  // namespace aclimb::cross_entropy_loss_grad
#endif
