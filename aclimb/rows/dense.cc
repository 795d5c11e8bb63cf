#include "aclimb/rows/dense.h"

#include "aclimb/copy/copy.h"

namespace aclimb::rows {

Dense::Dense(Planner& planner, int parameter, const TensorView& view, DType dtype,
             const Order& order)
    : parameter_(parameter), dtype_(dtype), order_(order), count_(view.ElementCount()) {
  copied_ = view.dtype != dtype || !Permuted(view, order).IsContiguous();
  if (copied_) {
    piece_ = planner.workspace().Book(count_, static_cast<int64_t>(SizeOf(dtype)));
  }
}

Dense Dense::Input(Planner& planner, int parameter, const TensorView& view, DType dtype,
                   const Order& order) {
  Dense dense(planner, parameter, view, dtype, order);
  dense.reads_ = true;
  planner.Reads(parameter);
  return dense;
}

Dense Dense::Output(Planner& planner, int parameter, const TensorView& view, DType dtype,
                    const Order& order) {
  Dense dense(planner, parameter, view, dtype, order);
  dense.writes_ = true;
  planner.Writes(parameter);
  return dense;
}

Dense Dense::InOut(Planner& planner, int parameter, const TensorView& view, DType dtype,
                   const Order& order) {
  Dense dense = Input(planner, parameter, view, dtype, order);
  dense.writes_ = true;
  planner.Writes(parameter);
  return dense;
}

TensorView Dense::Copied(const RunContext& run) const {
  TensorView copied = DenseLike(Own(run), run.Piece<void>(piece_));
  copied.dtype = dtype_;
  return copied;
}

bool Dense::Fetch(const RunContext& run) const {
  return !copied_ || !reads_ || copy::Copy(Own(run), Copied(run));
}

bool Dense::Deliver(const RunContext& run) const {
  return !copied_ || !writes_ || copy::Copy(Copied(run), Own(run));
}

}  // namespace aclimb::rows
