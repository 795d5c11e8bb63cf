// What frameworks call by type name: Conv2D, Conv2DTranspose, Conv2DBackpropInput,
// Conv2DBackpropFilter, and the same of three dimensions.

#include "aclimb/executor/by_type.h"

#include <limits>
#include <string>
#include <vector>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"

namespace aclimb::convolution_backward {
namespace {

// The attributes in the form of aclnnop/.
struct Sizes {
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  const aclIntArray* output_padding;
  int64_t groups;
};

Status Has(TypedCall& call, int least_inputs, int most_inputs, bool transposed) {
  // Only transposed ones have paddings of the output.
  const char* const last = transposed ? "output_padding" : "data_format";
  return call.Has(least_inputs, most_inputs, 1,
                  {"strides", "pads", "dilations", "groups", "data_format", last});
}

// Of N, C and the spatial dimensions those of the latter; N and C have to have `others`.
template <int kDims>
Result<const aclIntArray*> Spatial(TypedCall& call, const char* name, int64_t others,
                                   bool required) {
  Result<std::vector<int64_t>> values =
      call.Ints(name, required ? std::vector<int64_t>() : std::vector<int64_t>(kDims + 2, others));
  if (!values.ok()) return values.TakeStatus();
  const std::vector<int64_t>& all = values.value();
  if (all.size() != kDims + 2 || all[0] != others || all[1] != others) {
    return call.Unsupported(Cat("the attribute ", name, " with ", kDims + 2,
                                " entries, of which the first two are ", others));
  }
  return call.Array(std::vector<int64_t>(all.begin() + 2, all.end()));
}

// Both ends of each dimension. Only two dimensions may have different ones.
template <int kDims>
Result<const aclIntArray*> Padding(TypedCall& call) {
  Result<std::vector<int64_t>> values = call.Ints("pads", {});
  if (!values.ok()) return values.TakeStatus();
  const std::vector<int64_t>& pads = values.value();
  if (pads.size() != 2 * kDims) {
    return call.Unsupported(Cat("the attribute pads with ", 2 * kDims, " entries"));
  }
  if constexpr (kDims == 2) return call.Array(pads);
  std::vector<int64_t> padding;
  for (size_t d = 0; d < kDims; ++d) {
    if (pads[2 * d] != pads[2 * d + 1]) {
      return call.Unsupported("as much padding before as behind in each dimension");
    }
    padding.push_back(pads[2 * d]);
  }
  return call.Array(padding);
}

template <int kDims>
Status Read(TypedCall& call, bool transposed, Sizes* sizes) {
  Result<std::string> format = call.Text("data_format", kDims == 2 ? "NCHW" : "NCDHW");
  if (!format.ok()) return format.TakeStatus();
  if (format.value() != (kDims == 2 ? "NCHW" : "NCDHW")) {
    return call.Unsupported(Cat("the attribute data_format to be ", kDims == 2 ? "NCHW" : "NCDHW"));
  }
  Result<const aclIntArray*> stride = Spatial<kDims>(call, "strides", 1, true);
  if (!stride.ok()) return stride.TakeStatus();
  Result<const aclIntArray*> padding = Padding<kDims>(call);
  if (!padding.ok()) return padding.TakeStatus();
  Result<const aclIntArray*> dilation = Spatial<kDims>(call, "dilations", 1, false);
  if (!dilation.ok()) return dilation.TakeStatus();
  Result<const aclIntArray*> output_padding =
      transposed ? Spatial<kDims>(call, "output_padding", 0, false)
                 : Result<const aclIntArray*>(call.Array(std::vector<int64_t>(kDims, 0)));
  if (!output_padding.ok()) return output_padding.TakeStatus();
  Result<int64_t> groups = call.Integer("groups", 1);
  if (!groups.ok()) return groups.TakeStatus();
  // aclnnConvolutionBackward takes an int.
  if (groups.value() < 1 || groups.value() > std::numeric_limits<int>::max()) {
    return call.Unsupported("the attribute groups from 1 to 2147483647");
  }
  *sizes = {stride.value(), padding.value(), dilation.value(), output_padding.value(),
            groups.value()};
  return Ok();
}

// x, filter and an optional bias; transposed, behind a shape.
template <int kDims, bool kTransposed>
Status AnswerForward(TypedCall& call) {
  constexpr int kFirst = kTransposed ? 1 : 0;
  if (Status bad = Has(call, kFirst + 2, kFirst + 3, kTransposed); !bad.ok()) return bad;
  if constexpr (kTransposed) {
    if (Status bad = call.InputNamesOutput(0); !bad.ok()) return bad;
  }
  Sizes sizes;
  if (Status bad = Read<kDims>(call, kTransposed, &sizes); !bad.ok()) return bad;
  Result<const aclTensor*> x = call.InputTensor(kFirst);
  if (!x.ok()) return x.TakeStatus();
  Result<const aclTensor*> filter = call.InputTensor(kFirst + 1);
  if (!filter.ok()) return filter.TakeStatus();
  Result<const aclTensor*> bias = nullptr;
  if (call.HasInput(kFirst + 2)) bias = call.InputTensor(kFirst + 2);
  if (!bias.ok()) return bias.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  RunOperator<&aclnnConvolutionGetWorkspaceSize, &aclnnConvolution>(
      call, x.value(), filter.value(), bias.value(), sizes.stride, sizes.padding, sizes.dilation,
      kTransposed, sizes.output_padding, sizes.groups, y.value(), int8_t{0});
  return Ok();
}

enum class Gradient { kInput, kFilter };

// Of input and weight the one whose gradient is wanted has the shape and dtype of the output; it is
// not read.
template <int kDims, Gradient kGradient>
Status AnswerGradient(TypedCall& call) {
  constexpr bool kOfInput = kGradient == Gradient::kInput;
  if (Status bad = Has(call, 3, 3, false); !bad.ok()) return bad;
  if (Status bad = call.InputNamesOutput(kOfInput ? 0 : 1); !bad.ok()) return bad;
  Sizes sizes;
  if (Status bad = Read<kDims>(call, false, &sizes); !bad.ok()) return bad;
  Result<const aclTensor*> other = call.InputTensor(kOfInput ? 1 : 0);
  if (!other.ok()) return other.TakeStatus();
  Result<const aclTensor*> grad_output = call.InputTensor(2);
  if (!grad_output.ok()) return grad_output.TakeStatus();
  Result<aclTensor*> gradient = call.OutputTensor(0);
  if (!gradient.ok()) return gradient.TakeStatus();
  RunOperator<&aclnnConvolutionBackwardGetWorkspaceSize, &aclnnConvolutionBackward>(
      call, grad_output.value(), kOfInput ? gradient.value() : other.value(),
      kOfInput ? other.value() : gradient.value(), nullptr, sizes.stride, sizes.padding,
      sizes.dilation, false, sizes.output_padding, static_cast<int>(sizes.groups),
      call.Array({kOfInput, !kOfInput, false}), int8_t{0}, kOfInput ? gradient.value() : nullptr,
      kOfInput ? nullptr : gradient.value(), nullptr);
  return Ok();
}

const ByType kConv2D("Conv2D", &AnswerForward<2, false>);
const ByType kConv3D("Conv3D", &AnswerForward<3, false>);
const ByType kConv2DTranspose("Conv2DTranspose", &AnswerForward<2, true>);
const ByType kConv3DTranspose("Conv3DTranspose", &AnswerForward<3, true>);
const ByType kConv2DInput("Conv2DBackpropInput", &AnswerGradient<2, Gradient::kInput>);
const ByType kConv3DInput("Conv3DBackpropInput", &AnswerGradient<3, Gradient::kInput>);
const ByType kConv2DFilter("Conv2DBackpropFilter", &AnswerGradient<2, Gradient::kFilter>);
const ByType kConv3DFilter("Conv3DBackpropFilter", &AnswerGradient<3, Gradient::kFilter>);

}  // namespace
}  // namespace aclimb::convolution_backward
