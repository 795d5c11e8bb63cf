// aclnnConvolutionBackward from a byte string.

#include <memory>

#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr int64_t kBatches[] = {1, 2, 3, 0, 1, 2, 5, 1};
constexpr int64_t kGroups[] = {1, 1, 2, 3, 4, 1, 8, 1};
constexpr int64_t kChannels[] = {2, 1, 3, 4, 8, 16, 17, 32};
constexpr int64_t kExtents[] = {5, 1, 4, 8, 2, 11, 16, 27};

// The geometry of a forward convolution that the call is the gradient of.
struct Geometry {
  std::vector<int64_t> in, out, kernel, stride, padding, dilation, output_padding;
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t in_channels = 1;   // of the tensor named input
  int64_t out_channels = 1;  // of gradOutput
  bool transposed = false;
};

Geometry AnyGeometry(Draw& draw) {
  Geometry g;
  const auto dims = static_cast<size_t>(draw.Pick({2, 1, 2, 3}));
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

std::vector<int64_t> With(int64_t first, int64_t second, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> shape;
  shape.push_back(first);
  shape.push_back(second);
  for (const int64_t extent : spatial) shape.push_back(extent);
  return shape;
}

double Product(const std::vector<int64_t>& values) {
  double product = 1;
  for (const int64_t value : values) product *= static_cast<double>(value);
  return product;
}

// The documented forms of a list: whole, or one number for all; seldom a wrong one.
std::vector<int64_t> Listed(Draw& draw, std::vector<int64_t> values) {
  const uint8_t byte = draw.Byte();
  bool equal = true;
  for (const int64_t value : values) equal = equal && value == values[0];
  if (byte < 240) return equal && byte >= 128 ? std::vector<int64_t>{values[0]} : values;
  draw.MarkStrange();
  if (byte % 4 == 0) values.push_back(draw.Number(0, 3));
  if (byte % 4 == 1) values.clear();
  if (byte % 4 >= 2)
    values[static_cast<size_t>(draw.Below(static_cast<int64_t>(values.size())))] = draw.Wild();
  return values;
}

aclFormat FormatOf(Draw& draw, size_t dims) {
  constexpr aclFormat kByDims[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  return draw.Flip() ? ACL_FORMAT_ND : kByDims[dims - 1];
}

}  // namespace

void RunTarget(Draw& draw) {
  ChooseSettings(draw);
  const Geometry g = AnyGeometry(draw);
  const size_t dims = g.in.size();
  const DType dtype = draw.Pick(kFloats);
  const auto type = [&] { return draw.Byte() < 192 ? dtype : draw.Pick(kFloats); };
  const auto weight_shape = g.transposed ? With(g.in_channels, g.out_channels / g.groups, g.kernel)
                                         : With(g.out_channels, g.in_channels / g.groups, g.kernel);
  View grad_output(
      draw, {Role::kInput, With(g.batch, g.out_channels, g.out), type(), FormatOf(draw, dims)});
  View input(draw,
             {Role::kInput, With(g.batch, g.in_channels, g.in), type(), FormatOf(draw, dims)});
  View weight(draw, {Role::kInput, weight_shape, type(), FormatOf(draw, dims)});
  grad_output.FillReals(draw);
  input.FillReals(draw);
  weight.FillReals(draw);
  // What an empty batch allows beside success is a page of its own.
  if (g.batch == 0) draw.MarkStrange();

  const uint8_t mask = draw.Byte();
  int64_t count = 3;
  if (mask >= 248) {
    count = draw.Below(5);
    draw.MarkStrange();
  }
  std::vector<uint8_t> flags;
  for (int64_t i = 0; i < count; ++i) flags.push_back(i < 3 && (mask >> i & 1) != 0 ? 0 : 1);
  std::unique_ptr<View> outputs[3];
  const auto output = [&](size_t i, const std::vector<int64_t>& shape, DType output_type,
                          aclFormat format) {
    // Given or not when it is not wanted; missing although wanted is a mistake.
    const bool wanted = i < flags.size() && flags[i] != 0;
    if (wanted ? draw.Byte() < 248 : draw.Flip()) {
      const Role role = wanted ? Role::kOutput : Role::kInput;
      outputs[i] = std::make_unique<View>(draw, ViewSpec{role, shape, output_type, format});
    } else if (wanted) {
      draw.MarkStrange();
    }
  };
  output(0, input.shape(), input.dtype(), FormatOf(draw, dims));
  output(1, weight.shape(), weight.dtype(), FormatOf(draw, dims));
  output(2, {g.out_channels}, grad_output.dtype(), ACL_FORMAT_ND);

  const Ints bias_sizes(draw.Byte() < 248 ? std::vector<int64_t>{g.out_channels}
                                          : std::vector<int64_t>{draw.Wild()});
  const Ints stride(Listed(draw, g.stride));
  std::vector<int64_t> pads = g.padding;
  if (dims == 2 && draw.Byte() >= 224) pads = {pads[0], pads[0], pads[1], pads[1]};
  const Ints padding(Listed(draw, pads));
  const Ints dilation(Listed(draw, g.dilation));
  const Ints output_padding(Listed(draw, g.output_padding));
  const Bools output_mask(flags);
  const int groups =
      draw.Byte() >= 248 ? static_cast<int>(draw.Wild()) : static_cast<int>(g.groups);
  const auto math = static_cast<int8_t>(draw.Number(0, 3));
  const aclTensor* go = Spoilt(draw, grad_output.handle());
  const aclTensor* in = Spoilt(draw, input.handle());
  const aclTensor* we = Spoilt(draw, weight.handle());
  const aclIntArray* st = Spoilt(draw, stride.handle);
  const aclBoolArray* ma = Spoilt(draw, output_mask.handle);
  const auto handle = [&](size_t i) { return outputs[i] ? outputs[i]->handle() : nullptr; };

  OperatorCall call;
  call.views = {&grad_output, &input, &weight};
  for (const auto& view : outputs) {
    if (view) call.views.push_back(view.get());
  }
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnConvolutionBackwardGetWorkspaceSize(
        go, in, we, bias_sizes.handle, st, padding.handle, dilation.handle, g.transposed,
        output_padding.handle, groups, ma, math, handle(0), handle(1), handle(2), size, executor);
  };
  call.run = &aclnnConvolutionBackward;
  call.operations =
      Product(g.transposed ? g.in : g.out) * Product(weight_shape) * static_cast<double>(g.batch);
  Check(draw, call);
}

}  // namespace aclimb::fuzz
