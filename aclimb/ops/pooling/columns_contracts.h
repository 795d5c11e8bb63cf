#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/shapes.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_im2col_backward.h"

// Contracts of the operators that make a column of each window, and planes of columns.
namespace aclimb::pooling {

inline constexpr auto kColumnFormats =
    contract::Formats(contract::kNchw, contract::kNcl, contract::kNd);

constexpr contract::Parameter Columns(contract::Parameter parameter) {
  return contract::WithFormats(contract::WithRank(parameter, 2, 3), kColumnFormats);
}

// Where the attributes stand; those of the input and those of its gradient follow each other alike.
template <int kFirst>
struct ColumnWindows {
  enum : int {
    kKernelSize = kFirst,
    kDilation = kFirst + 1,
    kPadding = kFirst + 2,
    kStride = kFirst + 3
  };
  // Over planes of this shape.
  static Windows Over(const Arguments& arguments, const std::vector<int64_t>& shape) {
    return WindowsOf(shape, 2,
                     {.kernel = arguments.Ints(kKernelSize),
                      .stride = arguments.Ints(kStride),
                      .padding = arguments.Ints(kPadding),
                      .dilation = &arguments.Ints(kDilation),
                      .ceil = false});
  }
  static std::string Text(const Arguments& arguments) {
    return Cat("kernelSize ", contract::IntsText(arguments.Ints(kKernelSize)), ", dilation ",
               contract::IntsText(arguments.Ints(kDilation)), ", padding ",
               contract::IntsText(arguments.Ints(kPadding)), " and stride ",
               contract::IntsText(arguments.Ints(kStride)));
  }
};

// [N, C, H, W] to [N, C * kH * kW, windows].
inline std::vector<int64_t> ColumnShape(const std::vector<int64_t>& planes,
                                        const Windows& windows) {
  std::vector<int64_t> shape(planes.begin(), planes.end() - 2);
  shape.back() = contract::ExtentTimes(
      shape.back(), contract::ExtentTimes(windows.height.kernel, windows.width.kernel));
  shape.push_back(contract::ExtentTimes(windows.height.out, windows.width.out));
  return shape;
}

template <int kFirst>
inline constexpr contract::Rule kColumnRules[] = {
    contract::Count("count/kernelSize", kFirst, contract::Exactly(2), "pass two numbers"),
    contract::Count("count/dilation", kFirst + 1, contract::Exactly(2), "pass two numbers"),
    contract::Count("count/padding", kFirst + 2, contract::Exactly(2), "pass two numbers"),
    contract::Count("count/stride", kFirst + 3, contract::Exactly(2), "pass two numbers"),
    KernelInRange(kFirst),
    DilationInRange(kFirst + 1),
    PaddingInRange(kFirst + 2),
    StrideInRange(kFirst + 3),
};

namespace columns {

enum : int { kSelf, kKernelSize, kDilation, kPadding, kStride, kOut };

inline constexpr Places kPlaces = {.self = {kSelf, "self"}};
using At = ColumnWindows<kKernelSize>;

inline Finding OtherShape(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const Windows windows = At::Over(arguments, self.shape);
  const std::string reason =
      Cat("self.shape ", contract::ShapeText(self), ", ", At::Text(arguments));
  if (windows.height.out < 1 || windows.width.out < 1) {
    return Cat("out.shape is ", contract::ShapeText(arguments.Tensor(kOut)),
               "; expected windows that fit into the planes, but there are none with ", reason,
               ".");
  }
  return contract::OtherShape("out", arguments.Tensor(kOut), ColumnShape(self.shape, windows),
                              reason);
}

inline constexpr contract::Parameter kParameters[] = {
    Planes(contract::Input("self", kDTypes, contract::kPlanesShape<2>)),
    contract::Attribute("kernelSize", Kind::kIntArray, "height and width of windows"),
    contract::Attribute("dilation", Kind::kIntArray, "from element to element of a window"),
    contract::Attribute("padding", Kind::kIntArray, "zeros that are put around planes"),
    contract::Attribute("stride", Kind::kIntArray, "from window to window"),
    Columns(
        contract::Output("out", kDTypes, "[N, C * kH * kW, windows], or without N; dtype of self")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    kColumnRules<kKernelSize>[0],
    kColumnRules<kKernelSize>[1],
    kColumnRules<kKernelSize>[2],
    kColumnRules<kKernelSize>[3],
    kColumnRules<kKernelSize>[4],
    kColumnRules<kKernelSize>[5],
    kColumnRules<kKernelSize>[6],
    kColumnRules<kKernelSize>[7],
    HasPlanes<kPlaces, false>(),
    contract::Custom("shape/out", &OtherShape,
                     "out has the shape [N, C * kH * kW, windows], or without N", kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnIm2col",
    .folder = "im2col",
    .summary =
        "Sliding windows as columns, one of the elements of each window "
        "(torch.nn.functional.unfold).",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIm2colGetWorkspaceSize)>(kContract));

}  // namespace columns

namespace columns_backward {

enum : int { kGradOutput, kInputSize, kKernelSize, kDilation, kPadding, kStride, kOut };

using At = ColumnWindows<kKernelSize>;

// The shape of what the columns were made of; the number of channels is rounded down.
inline std::vector<int64_t> InputShape(const std::vector<int64_t>& columns,
                                       const std::vector<int64_t>& size, int64_t taps) {
  std::vector<int64_t> shape(columns.begin(), columns.end() - 1);
  shape.back() /= taps;
  shape.insert(shape.end(), size.begin(), size.end());
  return shape;
}
inline std::vector<int64_t> InputShape(const Arguments& arguments) {
  const IntArrayValue& kernel = arguments.Ints(kKernelSize);
  return InputShape(arguments.Tensor(kGradOutput).shape, arguments.Ints(kInputSize),
                    contract::ExtentProduct(kernel[0], kernel[1]));
}

inline Finding OtherColumns(const Arguments& arguments) {
  const TensorDescriptor& grad = arguments.Tensor(kGradOutput);
  const std::vector<int64_t> input = InputShape(arguments);
  const Windows windows = At::Over(arguments, input);
  const IntArrayValue& kernel = arguments.Ints(kKernelSize);
  const bool fits = windows.height.out >= 1 && windows.width.out >= 1;
  if (fits && grad.shape == ColumnShape(input, windows)) return std::nullopt;
  return Cat("gradOutput.shape is ", contract::ShapeText(grad), ", inputSize is ",
             contract::IntsText(arguments.Ints(kInputSize)), ", kernelSize is ",
             contract::IntsText(kernel), ", dilation is ",
             contract::IntsText(arguments.Ints(kDilation)), ", padding is ",
             contract::IntsText(arguments.Ints(kPadding)), " and stride is ",
             contract::IntsText(arguments.Ints(kStride)), "; expected a multiple of ",
             contract::ExtentProduct(kernel[0], kernel[1]), " rows and ",
             fits ? Cat(contract::ExtentProduct(windows.height.out, windows.width.out), " columns.")
                  : std::string("windows that fit."));
}
inline Finding OtherShape(const Arguments& arguments) {
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), InputShape(arguments),
      Cat("gradOutput.shape ", contract::ShapeText(arguments.Tensor(kGradOutput)), ", inputSize ",
          contract::IntsText(arguments.Ints(kInputSize)), " and kernelSize ",
          contract::IntsText(arguments.Ints(kKernelSize))));
}

inline constexpr contract::Parameter kParameters[] = {
    Columns(contract::Input("gradOutput", kDTypes, "[N, C * kH * kW, windows], or without N")),
    contract::Attribute("inputSize", Kind::kIntArray, "height and width of planes"),
    contract::Attribute("kernelSize", Kind::kIntArray, "height and width of windows"),
    contract::Attribute("dilation", Kind::kIntArray, "from element to element of a window"),
    contract::Attribute("padding", Kind::kIntArray, "of planes; what is in it is left out"),
    contract::Attribute("stride", Kind::kIntArray, "from window to window"),
    Planes(contract::Output("out", kDTypes, "[N, C, H, W] or [C, H, W]; dtype of gradOutput")),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kGradOutput,
                        "allocate out with the dtype of gradOutput"),
    contract::Count("count/inputSize", kInputSize, contract::Exactly(2), "pass two numbers"),
    kColumnRules<kKernelSize>[0],
    kColumnRules<kKernelSize>[1],
    kColumnRules<kKernelSize>[2],
    kColumnRules<kKernelSize>[3],
    contract::InRange("range/inputSize", kInputSize, kSizes, "pass 1 or more"),
    kColumnRules<kKernelSize>[4],
    kColumnRules<kKernelSize>[5],
    kColumnRules<kKernelSize>[6],
    kColumnRules<kKernelSize>[7],
    contract::Custom("shape/gradOutput", &OtherColumns,
                     "gradOutput has kH * kW rows for each channel and a column for each window of "
                     "planes of inputSize",
                     "pass what was made of planes of that size"),
    contract::Custom("shape/out", &OtherShape,
                     "out has N and C of gradOutput and the size in inputSize", kPooledFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnIm2colBackward",
    .folder = "im2col_backward",
    .summary =
        "Columns of sliding windows added up into planes, where they came from "
        "(torch.nn.functional.fold).",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIm2colBackwardGetWorkspaceSize)>(kContract));

}  // namespace columns_backward

}  // namespace aclimb::pooling
