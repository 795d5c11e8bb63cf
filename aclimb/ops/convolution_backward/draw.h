#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/layer.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::convolution_backward {

// A layer of a net: large enough for every way to compute it, with a window that is the same along
// all dimensions.
inline Layer DrawLayerOfNet(truth::Draw& draw, size_t dims) {
  struct Window {
    int64_t kernel, stride, padding, dilation;
  };
  constexpr Window kWindows[] = {{3, 1, 1, 1}, {1, 1, 0, 1}, {3, 2, 1, 1}, {5, 1, 2, 1},
                                 {2, 2, 0, 1}, {5, 2, 2, 1}, {1, 2, 0, 1}, {3, 1, 9, 9},
                                 {3, 1, 0, 1}, {7, 1, 3, 1}, {4, 4, 0, 1}, {3, 1, 2, 2}};
  constexpr int64_t kChannels[] = {32, 16, 24, 20, 48, 33, 17, 64};
  constexpr int64_t kExtents[] = {14, 28, 13, 7, 30, 17, 20, 10};
  const Window& window = draw.Pick(kWindows);
  Layer g;
  g.transposed = draw.Byte() >= 192;
  g.batch = draw.Pick({1, 2, 3, 2});
  g.in_channels = draw.Pick(kChannels);
  const uint8_t groups = draw.Byte();
  g.groups = groups >= 192 ? g.in_channels : groups >= 144 ? draw.Pick({2, 4}) : 1;
  const bool depthwise = g.groups == g.in_channels;
  if (!depthwise) g.in_channels *= g.groups;
  g.out_channels = depthwise ? g.groups : draw.Pick(kChannels) * g.groups;
  for (size_t d = 0; d < dims; ++d) {
    const int64_t extent = draw.Pick(kExtents);
    g.in.push_back(dims == 1 ? 8 * extent : dims == 2 ? extent : extent / 3 + 2);
    g.kernel.push_back(window.kernel);
    g.stride.push_back(window.stride);
    g.padding.push_back(window.padding);
    g.dilation.push_back(window.dilation);
    // The window fits.
    g.in[d] = std::max(g.in[d], window.dilation * (window.kernel - 1) + 1);
  }
  g.FindOut();
  return g;
}

inline Layer DrawLayer(truth::Draw& draw) {
  const uint8_t kind = draw.Byte();
  const size_t dims = kind % 4 == 1 ? 1 : kind % 4 == 3 ? 3 : 2;
  const int64_t most = draw.most_elements();
  if (most >= 100'000 || (most >= 1000 && kind >= 144)) return DrawLayerOfNet(draw, dims);
  constexpr int64_t kBatches[] = {1, 2, 3, 0, 1, 2, 5, 1};
  constexpr int64_t kGroups[] = {1, 1, 2, 3, 4, 1, 8, 1};
  constexpr int64_t kChannels[] = {2, 1, 3, 4, 8, 16, 17, 32};
  constexpr int64_t kExtents[] = {5, 1, 4, 8, 2, 11, 16, 27};
  Layer g;
  g.transposed = draw.Byte() >= 192;
  g.batch = draw.Pick(kBatches);
  g.groups = draw.Pick(kGroups);
  g.in_channels = draw.Pick(kChannels) * g.groups;
  g.out_channels =
      draw.Byte() >= 128 && g.in_channels == g.groups ? g.groups : draw.Pick(kChannels) * g.groups;
  const uint8_t pattern = draw.Byte();
  for (size_t d = 0; d < dims; ++d) {
    int64_t kernel = 3, stride = 1, padding = 1, dilation = 1;  // the commonest one
    if (pattern >= 192) {
      kernel = 1;
      padding = 0;
    } else if (pattern >= 64) {
      kernel = 1 + draw.Below(5);
      stride = 1 + draw.Below(3);
      padding = draw.Below(4);
      dilation = 1 + draw.Below(3);
    }
    const int64_t reach = dilation * (kernel - 1) + 1;
    int64_t large = draw.Pick(kExtents);  // the side that the kernel moves over
    if (large + 2 * padding < reach) large = reach;
    const int64_t small = (large + 2 * padding - reach) / stride + 1;
    g.in.push_back(g.transposed ? small : large);
    g.out.push_back(g.transposed ? large : small);
    g.kernel.push_back(kernel);
    g.stride.push_back(stride);
    g.padding.push_back(padding);
    g.dilation.push_back(dilation);
    g.output_padding.push_back(g.transposed ? (large + 2 * padding - reach) % stride : 0);
  }
  return g;
}

// What both functions have: a tensor with spatial dimensions, and the attributes.
class CallDrawer {
 public:
  CallDrawer(truth::Draw& draw, truth::Call& call, const Positions& at)
      : layer(DrawLayer(draw)),
        dtype(truth::DrawDType(draw, kParameters[kInput].dtypes[draw.product()])),
        draw_(draw),
        call_(call),
        at_(at) {}

  void Format(int parameter) {
    constexpr int32_t kByDims[] = {contract::kNcl, contract::kNchw, contract::kNcdhw};
    if (draw_.Flip()) call_.At(parameter).format = kByDims[layer.in.size() - 1];
  }
  void Input(int parameter, std::vector<int64_t> shape, DType own) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    call_.SetTensor(parameter, std::move(shape), own, truth::DrawValues(draw_, own, count));
  }
  void Attributes() {
    const Layer& g = layer;
    List(at_.stride, g.stride);
    if (g.in.size() == 2 && draw_.Byte() >= 224) {
      call_.SetInts(at_.padding, {g.padding[0], g.padding[0], g.padding[1], g.padding[1]});
    } else {
      List(at_.padding, g.padding);
    }
    List(at_.dilation, g.dilation);
    List(at_.output_padding, g.output_padding);
    call_.SetInteger(at_.transposed, g.transposed ? 1 : 0);
    call_.SetInteger(at_.groups, g.groups);
    double cost = static_cast<double>(g.batch);
    for (const int64_t extent : g.transposed ? g.in : g.out) cost *= static_cast<double>(extent);
    for (const int64_t extent : g.WeightShape()) cost *= static_cast<double>(extent);
    draw_.SetCost(cost);
  }

  const Layer layer;
  const DType dtype;

 private:
  // A list may be one number for all.
  void List(int parameter, const std::vector<int64_t>& values) {
    const bool equal = std::count(values.begin(), values.end(), values[0]) ==
                       static_cast<std::ptrdiff_t>(values.size());
    const bool one = equal && draw_.Flip();
    call_.SetInts(parameter, one ? std::vector<int64_t>{values[0]} : values);
  }

  truth::Draw& draw_;
  truth::Call& call_;
  const Positions& at_;
};

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  CallDrawer drawer(draw, call, kAt);
  const Layer& g = drawer.layer;
  const auto input = [&](int parameter, std::vector<int64_t> shape) {
    const DType own = draw.Byte() < 192
                          ? drawer.dtype
                          : truth::DrawDType(draw, kParameters[kInput].dtypes[draw.product()]);
    drawer.Input(parameter, std::move(shape), own);
    drawer.Format(parameter);
  };
  input(kGradOutput, g.OutputShape());
  input(kInput, g.InputShape());
  input(kWeight, g.WeightShape());
  // Older chips refuse empty tensors.
  const bool is_old =
      draw.product() == Product::kInference310P || draw.product() == Product::kTraining910;
  if (g.batch == 0 && is_old) draw.MarkStrange();

  const uint8_t mask = draw.Byte();
  std::vector<int64_t> wanted;
  const auto output = [&](int parameter, std::vector<int64_t> shape, DType own) {
    const bool is_wanted = (mask >> wanted.size() & 1) == 0;
    wanted.push_back(is_wanted ? 1 : 0);
    // One that is not wanted may be given too.
    if (!is_wanted && draw.Flip()) return;
    call.SetTensor(parameter, std::move(shape), own).touched = is_wanted;
    if (parameter != kGradBias) drawer.Format(parameter);
  };
  output(kGradInput, call.Shape(kInput), call.DTypeOf(kInput));
  output(kGradWeight, call.Shape(kWeight), call.DTypeOf(kWeight));
  output(kGradBias, {g.out_channels}, call.DTypeOf(kGradOutput));
  call.SetInts(kOutputMask, std::move(wanted));
  if (call.Ints(kOutputMask)[2] != 0 || draw.Flip()) call.SetInts(kBiasSizes, {g.out_channels});
  drawer.Attributes();
  call.SetInteger(kCubeMathType, draw.Below(4));
}

}  // namespace aclimb::convolution_backward
