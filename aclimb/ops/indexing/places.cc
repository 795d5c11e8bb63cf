#include "aclimb/ops/indexing/places.h"

#include <algorithm>

#include "aclimb/simd/parallel.h"

namespace aclimb::indexing {
namespace {

constexpr int64_t kGrain = 16 * 1024;

}  // namespace

TensorView RestOf(const TensorView& self, const Selection& selection) {
  TensorView rest = self;
  rest.rank = 0;
  for (const int d : selection.rest()) {
    rest.shape[rest.rank] = self.shape[d];
    rest.stride[rest.rank++] = self.stride[d];
  }
  return rest;
}

TensorView RestOfSelected(const TensorView& selected, const Selection& selection) {
  TensorView rest = selected;
  const int entries = static_cast<int>(selection.selected().size());
  for (int d = selection.first() + entries; d < selected.rank; ++d) {
    rest.shape[d - entries] = selected.shape[d];
    rest.stride[d - entries] = selected.stride[d];
  }
  rest.rank = selected.rank - entries;
  return rest;
}

Places::Places(const contract::Arguments& arguments, Planner& planner, int list,
               const Selection& selection, const TensorView& self, const TensorView& selected)
    : list_(list) {
  const TensorView entries = ViewOfShape(selection.selected());
  count_ = entries.ElementCount();
  for (const int d : selection.indexed()) {
    const auto element = static_cast<size_t>(d);
    const TensorView own = arguments.Tensor(list, element).View();
    const TensorView wide = BroadcastTo(own, entries);
    indices_[dimensions_++] = {.element = element,
                               .dtype = own.dtype,
                               .extent = self.shape[d],
                               .step = self.stride[d],
                               .walk = Walk<2>::Make({&wide, &entries})};
  }
  TensorView own = entries;
  std::copy_n(selected.stride + selection.first(), entries.rank, own.stride);
  view_ = Walk<2>::Make({&own, &entries});
  in_tensor_ = planner.workspace().Book(count_, sizeof(int64_t));
  const TensorView rest = RestOfSelected(selected, selection);
  const int64_t step = view_.rank == 1 ? view_.stride[0][0] : 0;
  const bool is_further =
      std::all_of(rest.stride, rest.stride + rest.rank, [step](int64_t s) { return s <= step; });
  if (step > 0 && is_further) {
    view_step_ = step;
  } else {
    in_view_ = planner.workspace().Book(count_, sizeof(int64_t));
  }
}

template <bool kAdds, typename T>
void Places::Put(const Indices& indices, const T* data, int64_t begin, int64_t end,
                 int64_t* places) {
  const int64_t extent = indices.extent, step = indices.step;
  const int64_t inner = indices.walk.stride[0][indices.walk.rank - 1];
  indices.walk.Visit(begin, end, [&](const int64_t(&at)[2], int64_t n) {
    const T* const from = data + at[0];
    int64_t* const to = places + begin;
    for (int64_t i = 0; i < n; ++i) {
      int64_t k = from[i * inner];
      if (k < 0 && k >= -extent) k += extent;
      const bool known = static_cast<uint64_t>(k) < static_cast<uint64_t>(extent);
      if constexpr (kAdds) {
        to[i] = known && to[i] != kNowhere ? to[i] + k * step : kNowhere;
      } else {
        to[i] = known ? k * step : kNowhere;
      }
    }
    begin += n;
  });
}

template <bool kAdds>
void Places::Put(const RunContext& run, const Indices& indices, int64_t begin, int64_t end) const {
  const void* const data = run.Data(list_, indices.element);
  auto* const places = run.Piece<int64_t>(in_tensor_);
  if (indices.dtype == DType::kInt64) {
    Put<kAdds>(indices, static_cast<const int64_t*>(data), begin, end, places);
  } else {
    Put<kAdds>(indices, static_cast<const int32_t*>(data), begin, end, places);
  }
}

void Places::Find(const RunContext& run, int64_t begin, int64_t end) const {
  if (dimensions_ > 0) {
    Put<false>(run, indices_[0], begin, end);
  } else {
    // All of the tensor, as the only entry.
    auto* const places = run.Piece<int64_t>(in_tensor_);
    std::fill(places + begin, places + end, 0);
  }
  for (int k = 1; k < dimensions_; ++k) Put<true>(run, indices_[k], begin, end);
  if (view_step_ != 0) return;
  auto* const in_view = run.Piece<int64_t>(in_view_);
  const int64_t inner = view_.stride[0][view_.rank - 1];
  view_.Visit(begin, end, [&](const int64_t(&at)[2], int64_t n) {
    for (int64_t i = 0; i < n; ++i) in_view[begin + i] = at[0] + i * inner;
    begin += n;
  });
}

bool Places::Find(const RunContext& run) const {
  return ParallelForAll(count_, kGrain, [&](int64_t begin, int64_t end) { Find(run, begin, end); });
}

}  // namespace aclimb::indexing
