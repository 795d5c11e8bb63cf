// What frameworks call by type name: the largest and the mean of windows, and their gradients.

#include "aclimb/executor/by_type.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_zero.h"
#include "pooling_headers.h"

namespace aclimb::pooling::by_type {
namespace {

using Pair = std::vector<int64_t>;

// Two of an attribute's four numbers, from the `first`-th on. The others are 1, which torch_npu
// gives pads too, or of pads 0.
Result<Pair> PairOf(TypedCall& call, const char* name, size_t first,
                    const std::vector<int64_t>& otherwise = {}) {
  Result<std::vector<int64_t>> all = call.Ints(name, otherwise);
  if (!all.ok()) return all.TakeStatus();
  if (all.value().size() != 4)
    return call.Unsupported(Cat("the attribute ", name, " with 4 entries"));
  const auto begin = all.value().begin() + static_cast<std::ptrdiff_t>(first);
  for (auto each = all.value().begin(); each != all.value().end(); ++each) {
    const bool says_nothing = *each == 1 || (*each == 0 && std::string_view(name) == "pads");
    if ((each < begin || each >= begin + 2) && !says_nothing) {
      return call.Unsupported(Cat("the attribute ", name, " with 1 for the other dimensions"));
    }
  }
  return Pair(begin, begin + 2);
}

struct Windows {
  Pair kernel, stride, padding, dilation;
  bool ceil = false;
};

// Where the attributes of the largest elements' windows have height and width.
Status ReadMax(TypedCall& call, const char* dilation_name, Windows* windows) {
  const struct {
    const char* name;
    Pair* pair;
  } pairs[] = {{"ksize", &windows->kernel},
               {"strides", &windows->stride},
               {"pads", &windows->padding},
               {dilation_name, &windows->dilation}};
  for (const auto& each : pairs) {
    const bool spreads = each.pair == &windows->dilation;
    Result<Pair> pair =
        PairOf(call, each.name, 1, spreads ? Pair{1, 1, 1, 1} : std::vector<int64_t>());
    if (!pair.ok()) return pair.TakeStatus();
    *each.pair = pair.value();
  }
  Result<bool> ceil = call.Flag("ceil_mode", false);
  if (!ceil.ok()) return ceil.TakeStatus();
  windows->ceil = ceil.value();
  return Ok();
}

// The mask by which aclnnMaxPool2dWithMask says where the largest elements of y are.
Result<aclTensor*> Mask(TypedCall& call, const AclimbOpTensor& y, const Pair& kernel) {
  const int64_t places = y.dims[y.rank - 2] * y.dims[y.rank - 1];
  int64_t dims[] = {y.dims[0], y.dims[1], 0, 0};
  int64_t bytes = 1;
  bool fits = kernel[0] > 0 && kernel[1] > 0 &&
              !__builtin_mul_overflow(kernel[0], kernel[1], &dims[2]) &&
              !__builtin_mul_overflow(places / 16 + (places % 16 > 0 ? 1 : 0) + 1, 32, &dims[3]);
  for (const int64_t d : dims) {
    fits = fits && !__builtin_mul_overflow(bytes, std::max<int64_t>(d, 1), &bytes);
  }
  if (!fits) {
    return call.Unsupported(
        "the attribute ksize with a height and a width of 1 or more, and windows of fewer than "
        "2^63 elements in all");
  }
  AclimbOpTensor mask = {};
  mask.dtype = ACL_INT8;
  mask.rank = 4;
  mask.dims = dims;
  mask.data = call.Scratch(static_cast<uint64_t>(bytes));
  return call.Describe(mask);
}

void RunMax(TypedCall& call, const Windows& windows, const aclTensor* x, aclTensor* y,
            aclTensor* mask) {
  RunOperator<&aclnnMaxPool2dWithMaskGetWorkspaceSize, &aclnnMaxPool2dWithMask>(
      call, x, call.Array(windows.kernel), call.Array(windows.stride), call.Array(windows.padding),
      call.Array(windows.dilation), windows.ceil, y, mask);
}

// The mask that the call asks for is zeros: its bits are the chip's, and the gradient, which has x,
// looks for the largest again.
Status AnswerMax(TypedCall& call) {
  if (Status bad = call.Has(1, 1, 2, {"ksize", "strides", "pads", "dilation", "ceil_mode"});
      !bad.ok()) {
    return bad;
  }
  Windows windows;
  if (Status bad = ReadMax(call, "dilation", &windows); !bad.ok()) return bad;
  Result<const aclTensor*> x = call.InputTensor(0);
  if (!x.ok()) return x.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  const AclimbOpTensor& mask = call.Output(1);
  if (call.Input(0).rank != 4 || call.Output(0).rank != 4 || mask.dtype != ACL_UINT16) {
    return call.Unsupported("x and y of four dimensions, and a mask of UINT16");
  }
  const std::vector<int64_t> all(mask.storage_dims, mask.storage_dims + mask.storage_rank);
  const bool known =
      mask.on_host == 0 && std::all_of(all.begin(), all.end(), [](int64_t d) { return d >= 0; });
  // None where a stride does not fit either.
  const std::optional<int64_t> count = known ? ElementCountOf(all) : std::nullopt;
  if (!count || static_cast<uint64_t>(*count) > mask.bytes / sizeof(uint16_t)) {
    return call.Unsupported("a mask in device memory, with a buffer that holds it");
  }
  Result<aclTensor*> places = Mask(call, call.Output(0), windows.kernel);
  if (!places.ok()) return places.TakeStatus();
  RunMax(call, windows, x.value(), y.value(), places.value());
  RunOperator<&aclnnInplaceZeroGetWorkspaceSize, &aclnnInplaceZero>(
      call, ScopedTensor(mask.data, mask.dtype, all));
  return Ok();
}

Status AnswerMaxGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors =
      call.Open(3, 1, {"ksize", "strides", "pads", "dilations", "ceil_mode"}, 2);
  if (!tensors.ok()) return tensors.TakeStatus();
  Windows windows;
  if (Status bad = ReadMax(call, "dilations", &windows); !bad.ok()) return bad;
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor& grad = call.Input(1);
  if (call.Input(0).rank != 4 || grad.rank != 4) return call.Unsupported("x of four dimensions");
  const std::vector<int64_t> dims(grad.dims, grad.dims + grad.rank);
  Result<aclTensor*> mask = Mask(call, grad, windows.kernel);
  if (!mask.ok()) return mask.TakeStatus();
  RunMax(call, windows, inputs[0], ScopedTensor(call.Scratch(grad.bytes), grad.dtype, dims),
         mask.value());
  RunOperator<&aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize, &aclnnMaxPool2dWithMaskBackward>(
      call, inputs[1], inputs[0], mask.value(), call.Array(windows.kernel),
      call.Array(windows.stride), call.Array(windows.padding), call.Array(windows.dilation),
      windows.ceil, outputs[0]);
  return Ok();
}

struct Mean {
  Windows windows;
  bool counts_padding = false;
  int64_t divisor = 0;
};

// Whether there is as much padding behind as before, or, where `ceil` rounds the number of windows
// up, as much as they reach into: torch_npu passes that.
bool IsPaddingOf(int64_t before, int64_t behind, bool ceil, int64_t in, int64_t out, int64_t kernel,
                 int64_t stride) {
  // Attributes may be any numbers: without a sign they wrap.
  const auto whole = [](int64_t n) { return static_cast<uint64_t>(n); };
  const uint64_t reach = whole(out - 1) * whole(stride) + whole(kernel);
  return behind == before || (ceil && whole(behind) == reach - whole(in) - whole(before));
}

//   x, y  whose last two dimensions are those of a plane and of its means
Status ReadMean(TypedCall& call, const AclimbOpTensor& x, const AclimbOpTensor& y, Mean* mean) {
  Result<Pair> kernel = PairOf(call, "ksize", 2);
  if (!kernel.ok()) return kernel.TakeStatus();
  Result<Pair> stride = PairOf(call, "strides", 2);
  if (!stride.ok()) return stride.TakeStatus();
  Result<std::vector<int64_t>> pads = call.Ints("pads", {0, 0, 0, 0});
  if (!pads.ok()) return pads.TakeStatus();
  const std::vector<int64_t>& ends = pads.value();
  Result<bool> ceil = call.Flag("ceil_mode", false);
  if (!ceil.ok()) return ceil.TakeStatus();
  bool is_padding = ends.size() == 4 && x.rank >= 2 && y.rank >= 2;
  for (int d = 0; is_padding && d < 2; ++d) {
    const auto at = static_cast<size_t>(d);
    is_padding = IsPaddingOf(ends[2 * at], ends[2 * at + 1], ceil.value(), x.dims[x.rank - 2 + d],
                             y.dims[y.rank - 2 + d], kernel.value()[at], stride.value()[at]);
  }
  if (!is_padding) {
    return call.Unsupported(
        "the attribute pads with as much behind as before in each of two dimensions, or with as "
        "much behind as windows reach into, if ceil_mode is true");
  }
  Result<bool> exclusive = call.Flag("exclusive", true);
  if (!exclusive.ok()) return exclusive.TakeStatus();
  Result<bool> global = call.Flag("global_pooling", false);
  if (!global.ok()) return global.TakeStatus();
  if (global.value()) return call.Unsupported("the attribute global_pooling to be false");
  Result<int64_t> divisor = call.Integer("divisor_override", 0);
  if (!divisor.ok()) return divisor.TakeStatus();
  for (const auto& [name, only] :
       {std::pair("padding_mode", "CALCULATED"), std::pair("data_format", "NCHW")}) {
    Result<std::string> text = call.Text(name, only);
    if (!text.ok()) return text.TakeStatus();
    if (text.value() != only) return call.Unsupported(Cat("the attribute ", name, " to be ", only));
  }
  mean->windows = {kernel.value(), stride.value(), {ends[0], ends[2]}, {}, ceil.value()};
  mean->counts_padding = !exclusive.value();
  mean->divisor = divisor.value();
  return Ok();
}

Status AnswerMean(TypedCall& call) {
  Result<TypedCall::Tensors> tensors =
      call.Open(1, 1,
                {"ksize", "strides", "padding_mode", "pads", "data_format", "global_pooling",
                 "ceil_mode", "exclusive", "divisor_override"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Mean mean;
  if (Status bad = ReadMean(call, call.Input(0), call.Output(0), &mean); !bad.ok()) return bad;
  const auto& [inputs, outputs] = tensors.value();
  const Windows& windows = mean.windows;
  RunOperator<&aclnnAvgPool2dGetWorkspaceSize, &aclnnAvgPool2d>(
      call, inputs[0], call.Array(windows.kernel), call.Array(windows.stride),
      call.Array(windows.padding), windows.ceil, mean.counts_padding, mean.divisor, int8_t{0},
      outputs[0]);
  return Ok();
}

// Of x, whose shape is input 0, which is the output's.
Status AnswerMeanGradient(TypedCall& call) {
  if (Status bad = call.Has(2, 2, 1,
                            {"ksize", "strides", "padding_mode", "pads", "data_format",
                             "global_pooling", "ceil_mode", "exclusive"});
      !bad.ok()) {
    return bad;
  }
  Mean mean;
  if (Status bad = call.InputNamesOutput(0); !bad.ok()) return bad;
  if (Status bad = ReadMean(call, call.Output(0), call.Input(1), &mean); !bad.ok()) return bad;
  Result<const aclTensor*> grad = call.InputTensor(1);
  if (!grad.ok()) return grad.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  const Windows& windows = mean.windows;
  // Of x only the shape is read.
  RunOperator<&aclnnAvgPool2dBackwardGetWorkspaceSize, &aclnnAvgPool2dBackward>(
      call, grad.value(), static_cast<const aclTensor*>(y.value()), call.Array(windows.kernel),
      call.Array(windows.stride), call.Array(windows.padding), windows.ceil, mean.counts_padding,
      int64_t{0}, int8_t{0}, y.value());
  return Ok();
}

// Means of as many windows as the output has elements.
Status AnswerAdaptiveMean(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"output_size"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> size = call.Ints("output_size", {});
  if (!size.ok()) return size.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnAdaptiveAvgPool2dGetWorkspaceSize, &aclnnAdaptiveAvgPool2d>(
      call, inputs[0], call.Array(size.value()), outputs[0]);
  return Ok();
}

// Of x, whose shape is the attribute, which is the output's.
Status AnswerAdaptiveMeanGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"orig_input_shape"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> shape = call.Ints("orig_input_shape", {});
  if (!shape.ok()) return shape.TakeStatus();
  if (Status bad = call.NamesOutput("the attribute orig_input_shape", shape.value()); !bad.ok()) {
    return bad;
  }
  const auto& [inputs, outputs] = tensors.value();
  // Of x only the shape is read.
  RunOperator<&aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize, &aclnnAdaptiveAvgPool2dBackward>(
      call, inputs[0], static_cast<const aclTensor*>(outputs[0]), outputs[0]);
  return Ok();
}

const ByType kAdaptiveMean("AdaptiveAvgPool2d", &AnswerAdaptiveMean);
const ByType kAdaptiveMeanGrad("AdaptiveAvgPool2dGrad", &AnswerAdaptiveMeanGradient);
const ByType kMax("MaxPoolWithArgmaxV1", &AnswerMax);
const ByType kMaxGrad("MaxPoolGradWithArgmaxV1", &AnswerMaxGradient);
const ByType kMean("AvgPoolV2", &AnswerMean);
const ByType kMeanGrad("AvgPoolV2Grad", &AnswerMeanGradient);

}  // namespace
}  // namespace aclimb::pooling::by_type
