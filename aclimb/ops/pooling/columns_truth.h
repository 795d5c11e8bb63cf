#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/pooling/columns_contracts.h"
#include "aclimb/ops/pooling/draw.h"
#include "aclimb/ops/pooling/truths.h"

namespace aclimb::pooling {

// A dimension of the planes and its windows, read without the code of the kernels.
template <int kFirst>
Axis CalledColumns(const truth::Call& call, const std::vector<int64_t>& planes, size_t d) {
  using At = ColumnWindows<kFirst>;
  Axis axis = {.in = planes[planes.size() - 2 + d],
               .kernel = call.Ints(At::kKernelSize)[d],
               .stride = call.Ints(At::kStride)[d],
               .pad_begin = call.Ints(At::kPadding)[d],
               .dilation = call.Ints(At::kDilation)[d]};
  const int64_t room = axis.in + 2 * axis.pad_begin - axis.dilation * (axis.kernel - 1) - 1;
  axis.out = room / axis.stride + 1;
  return axis;
}

// Calls use(element of all columns, element of all planes or -1) for all of the former.
template <int kFirst, typename Use>
void EachOfColumns(const truth::Call& call, const std::vector<int64_t>& planes, Use use) {
  const Axis height = CalledColumns<kFirst>(call, planes, 0);
  const Axis width = CalledColumns<kFirst>(call, planes, 1);
  int64_t at = 0, count = 1;
  for (size_t d = 0; d + 2 < planes.size(); ++d) count *= planes[d];
  for (int64_t plane = 0; plane < count; ++plane) {
    for (int64_t tap = 0; tap < height.kernel * width.kernel; ++tap) {
      for (int64_t o = 0; o < height.out * width.out; ++o) {
        const int64_t y = FirstOf(height, o / width.out) + tap / width.kernel * height.dilation;
        const int64_t x = FirstOf(width, o % width.out) + tap % width.kernel * width.dilation;
        const bool inside = y >= 0 && y < height.in && x >= 0 && x < width.in;
        use(at++, inside ? (plane * height.in + y) * width.in + x : -1);
      }
    }
  }
}

inline void ColumnsTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace columns;  // NOLINT: the positions
  std::vector<double> values;
  EachOfColumns<kKernelSize>(call, call.Shape(kSelf), [&](int64_t, int64_t element) {
    values.push_back(element < 0 ? 0 : call.Values(kSelf)[static_cast<size_t>(element)]);
  });
  outputs.Set(kOut, std::move(values), truth::Allowance{});
}

inline void ColumnsGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace columns_backward;  // NOLINT: the positions
  Sums sums(call.ElementCount(kOut));
  EachOfColumns<kKernelSize>(call, call.Shape(kOut), [&](int64_t at, int64_t element) {
    if (element < 0) return;
    sums.Add(element, call.Values(kGradOutput)[static_cast<size_t>(at)]);
  });
  sums.Put(call, kOut, outputs);
}

template <int kFirst>
Windows ColumnWindowsOf(const truth::Call& call, const std::vector<int64_t>& planes) {
  using At = ColumnWindows<kFirst>;
  return WindowsOf(planes, 2,
                   {.kernel = call.Ints(At::kKernelSize),
                    .stride = call.Ints(At::kStride),
                    .padding = call.Ints(At::kPadding),
                    .dilation = &call.Ints(At::kDilation),
                    .ceil = false});
}

template <int kFirst>
void DrawColumnWindows(truth::Draw& draw, truth::Call& call, const std::vector<int64_t>& planes) {
  using At = ColumnWindows<kFirst>;
  std::vector<int64_t> kernel, dilation, padding, stride;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t in = planes[planes.size() - 2 + d];
    dilation.push_back(1 + draw.Below(8) / 6);
    padding.push_back(draw.Below(8) / 3);
    stride.push_back(1 + draw.Below(3));
    int64_t size = 1 + draw.Below(16) % 5;
    while (dilation[d] * (size - 1) + 1 > in + 2 * padding[d]) --size;
    kernel.push_back(size);
  }
  call.SetInts(At::kKernelSize, std::move(kernel));
  call.SetInts(At::kDilation, std::move(dilation));
  call.SetInts(At::kPadding, std::move(padding));
  call.SetInts(At::kStride, std::move(stride));
}

inline void DrawColumns(truth::Draw& draw, truth::Call& call) {
  using namespace columns;  // NOLINT: the positions
  const std::vector<int64_t> planes = DrawPlanes(draw);
  DrawColumnWindows<kKernelSize>(draw, call, planes);
  const Windows windows = ColumnWindowsOf<kKernelSize>(call, planes);
  truth::DrawTensor(draw, call, kSelf, planes);
  truth::DrawTensor(draw, call, kOut, ColumnShape(planes, windows), call.DTypeOf(kSelf));
  SetCost(draw, windows);
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawColumnsGradient(truth::Draw& draw, truth::Call& call) {
  using namespace columns_backward;  // NOLINT: the positions
  const std::vector<int64_t> planes = DrawPlanes(draw);
  DrawColumnWindows<kKernelSize>(draw, call, planes);
  const Windows windows = ColumnWindowsOf<kKernelSize>(call, planes);
  call.SetInts(kInputSize, {planes[planes.size() - 2], planes.back()});
  truth::DrawTensor(draw, call, kGradOutput, ColumnShape(planes, windows));
  truth::DrawTensor(draw, call, kOut, planes, call.DTypeOf(kGradOutput));
  SetCost(draw, windows);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::pooling
