// Any strides: small tiles go through a float32 buffer.
// Included once per instruction set.
#if defined(ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_TILES_INL_H_
#undef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_TILES_INL_H_
#else
#define ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_TILES_INL_H_
#endif

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/cross_entropy_loss_grad/block-inl.h"
#include "aclimb/ops/cross_entropy_loss_grad/rows.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss_grad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes the same bits as the dense kernels, element by element.
template <class T>
class Tiles {
 public:
  explicit Tiles(const Args& args, const RowTable& table)
      : args_(args),
        table_(table),
        rows_(args.log_prob.shape[0]),
        columns_(args.log_prob.shape[1]) {
    // A view that is dense along its rows' index wants tiles some cache lines high.
    const bool upright = RunsDown(args.log_prob) || RunsDown(args.x_grad);
    width_ = std::min<int64_t>(columns_, upright ? 64 : kBuffer);
    pitch_ = RoundUp(width_, kLanes);
    height_ = std::min(rows_, kBuffer / pitch_);
    across_ = CeilDivide(columns_, width_);
  }

  int64_t Count() const { return across_ * CeilDivide(rows_, height_); }
  int64_t ElementsOfOne() const { return width_ * height_; }

  void Run(int64_t first, int64_t last) const {
    float buffer[kBuffer] = {};
    float weights[kBuffer] = {};
    for (int64_t tile = first; tile < last; ++tile) {
      const int64_t row = tile / across_ * height_;
      const int64_t column = tile % across_ * width_;
      const int64_t height = std::min(height_, rows_ - row);
      const int64_t width = std::min(width_, columns_ - column);
      Read(row, column, height, width, buffer);
      const bool weighted = table_.IsSpreadByWeight();
      if (weighted) {
        const int64_t stride = args_.weight.stride[0];
        GatherF32(args_.weight.As<const float>() + column * stride, stride, width, weights);
      }
      for (int64_t r = 0; r < height; ++r) {
        Compute(table_.Of(row + r), column, width, weighted ? weights : nullptr,
                buffer + r * pitch_);
      }
      Write(row, column, height, width, buffer);
    }
  }

 private:
  static constexpr int64_t kLanes = static_cast<int64_t>(HWY_LANES(float));
  static constexpr int64_t kBuffer = 1024;

  static bool RunsDown(const TensorView& view) {
    return view.shape[0] > 1 && view.shape[1] > 1 && view.stride[0] < view.stride[1];
  }

  void Read(int64_t row, int64_t column, int64_t height, int64_t width, float* buffer) const {
    const TensorView& view = args_.log_prob;
    const T* from = view.As<const T>() + row * view.stride[0] + column * view.stride[1];
    if (RunsDown(view)) {
      for (int64_t c = 0; c < width; ++c) {
        const T* at = from + c * view.stride[1];
        for (int64_t r = 0; r < height; ++r) {
          buffer[r * pitch_ + c] = ToFloat(at[r * view.stride[0]]);
        }
      }
    } else {
      for (int64_t r = 0; r < height; ++r) {
        GatherF32(from + r * view.stride[0], view.stride[1], width, buffer + r * pitch_);
      }
    }
  }

  void Write(int64_t row, int64_t column, int64_t height, int64_t width,
             const float* buffer) const {
    const TensorView& view = args_.x_grad;
    T* to = view.As<T>() + row * view.stride[0] + column * view.stride[1];
    if (RunsDown(view)) {
      for (int64_t c = 0; c < width; ++c) {
        T* at = to + c * view.stride[1];
        for (int64_t r = 0; r < height; ++r) {
          at[r * view.stride[0]] = FromFloat<T>(buffer[r * pitch_ + c]);
        }
      }
    } else {
      for (int64_t r = 0; r < height; ++r) {
        ScatterF32(buffer + r * pitch_, width, to + r * view.stride[0], view.stride[1]);
      }
    }
  }

  // One row of a tile, in place. The lanes past its width hold whatever they held.
  static void Compute(const Row& row, int64_t column, int64_t width, const float* weights,
                      float* values) {
    const F32 d;
    const I32 di;
    if (!row.kept) {
      std::fill_n(values, width, 0.0f);
      return;
    }
    const VF scale = hn::Set(d, row.scale);
    const VF level = hn::Set(d, row.level);
    const VF pull = hn::Set(d, row.pull);
    const int64_t target = row.target - column;
    const VI lane = hn::Set(di, target >= 0 && target < width ? static_cast<int32_t>(target) : -1);
    for (int64_t c = 0; c < width; c += kLanes) {
      VF less = weights == nullptr ? level : hn::Mul(level, hn::LoadU(d, weights + c));
      const auto is_target = hn::Eq(hn::Iota(di, static_cast<int32_t>(c)), lane);
      less = hn::IfThenElse(hn::RebindMask(d, is_target), pull, less);
      const VF p = Exp<T>(d, hn::LoadU(d, values + c));
      hn::StoreU(hn::MulSub(p, scale, less), d, values + c);
    }
  }

  const Args& args_;
  const RowTable& table_;
  int64_t rows_;
  int64_t columns_;
  int64_t width_;  // of a tile
  int64_t height_;
  int64_t pitch_;   // of the buffer's rows, whole vectors
  int64_t across_;  // tiles beside each other
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss_grad
HWY_AFTER_NAMESPACE();

#endif
