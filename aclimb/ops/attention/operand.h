#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/attention/layout.h"
#include "aclimb/ops/attention/problem.h"
#include "aclimb/rows/dense.h"

namespace aclimb::attention {

// A tensor parameter for kernels that want the elements of a row side by side: as it lies in memory
// where it has that, else a dense copy.
class Operand {
 public:
  Operand() = default;  // not given

  // Those of queries, keys, values and results.
  static Operand Input(Planner& planner, int parameter, const TensorView& view,
                       std::string_view layout, int64_t heads) {
    return Operand(planner, parameter, view, ByHeads(view, layout, heads), false, layout, heads);
  }
  static Operand Output(Planner& planner, int parameter, const TensorView& view,
                        std::string_view layout, int64_t heads) {
    return Operand(planner, parameter, view, ByHeads(view, layout, heads), true, layout, heads);
  }
  // [B, N, Sq, Skv], [B, Sq, Skv] or [Sq, Skv], or 1 in place of the first three; [B, Skv] of one
  // query.
  static Operand Weights(Planner& planner, int parameter, const TensorView& view,
                         bool one_query = false) {
    return Operand(planner, parameter, view, ByWeights(view, one_query), false, {}, 0, one_query);
  }

  static Operand WeightsTo(Planner& planner, int parameter, const TensorView& view) {
    return Operand(planner, parameter, view, ByWeights(view, false), true);
  }

  bool given() const { return parameter_ >= 0; }
  bool copied() const { return copied_; }
  const TensorView& by_heads() const { return by_heads_; }
  double CopyCycles() const { return copied_ ? dense_.CopyCycles() : 0; }

  [[nodiscard]] bool Fetch(const RunContext& run) const { return !copied_ || dense_.Fetch(run); }
  [[nodiscard]] bool Deliver(const RunContext& run) const {
    return !copied_ || dense_.Deliver(run);
  }
  // `starts`: the first row of each batch, where all are in one.
  Rows At(const RunContext& run, std::span<const int64_t> starts = {}) const {
    if (!given()) return {};
    const auto stride = [&](int d) {
      return by_heads_.shape[d] == 1 ? int64_t{0} : by_heads_.stride[d];
    };
    return {.data = static_cast<char*>(copied_ ? dense_.Data(run) : run.Data(parameter_)),
            .dtype = by_heads_.dtype,
            .size = static_cast<int64_t>(SizeOf(by_heads_.dtype)),
            .batch = stride(0),
            .head = stride(1),
            .row = stride(2),
            .starts = starts.empty() ? nullptr : starts.data()};
  }

 private:
  Operand(Planner& planner, int parameter, const TensorView& view, const TensorView& by_heads,
          bool writes, std::string_view layout = {}, int64_t heads = 0, bool one_query = false)
      : parameter_(parameter), by_heads_(by_heads) {
    copied_ = by_heads.shape[3] > 1 && by_heads.stride[3] != 1;
    if (!copied_) {
      writes ? planner.Writes(parameter) : planner.Reads(parameter);
      return;
    }
    const rows::Order order = rows::OwnOrder(view.rank);
    dense_ = writes ? rows::Dense::Output(planner, parameter, view, view.dtype, order)
                    : rows::Dense::Input(planner, parameter, view, view.dtype, order);
    const TensorView dense = DenseLike(view, nullptr);
    by_heads_ = layout.empty() ? ByWeights(dense, one_query) : ByHeads(dense, layout, heads);
  }

  static TensorView ByWeights(const TensorView& view, bool one_query) {
    TensorView weights = {.data = view.data, .dtype = view.dtype, .rank = 4};
    for (int d = 0; d < 4; ++d) {
      // Three dimensions are for all heads, two for all batches or for their one query.
      int from = d - (4 - view.rank);
      if (view.rank == 3 && d <= 1) from = d == 0 ? 0 : -1;
      if (view.rank == 2 && one_query && d <= 2) from = d == 0 ? 0 : -1;
      weights.shape[d] = from < 0 ? 1 : view.shape[from];
      weights.stride[d] = from < 0 ? 0 : view.stride[from];
    }
    return weights;
  }

  int parameter_ = -1;
  TensorView by_heads_;
  bool copied_ = false;
  rows::Dense dense_;
};

}  // namespace aclimb::attention
