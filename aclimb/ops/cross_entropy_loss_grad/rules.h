#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/text.h"

// The rules that relate arguments of aclnnCrossEntropyLossGrad; contract.h lists them in order.
namespace aclimb::cross_entropy_loss_grad {

// Parameter positions, in the order of the C function.
enum : int {
  kGradLoss,
  kLogProb,
  kTarget,
  kWeight,
  kGradZloss,
  kLseForZloss,
  kReduction,
  kIgnoreIndex,
  kLabelSmoothing,
  kLseSquareScale,
  kXGradOut
};

using Violation = std::optional<std::string>;

// A null reduction means "mean", the default of the operator's attribute.
inline std::string_view ReductionOf(const contract::Arguments& arguments) {
  return arguments.String(kReduction, "mean");
}

// Null and zero-element z-loss tensors alike count as not given.
inline bool ZlossGiven(const contract::Arguments& arguments, int index) {
  return arguments.Given(index) && !arguments.Tensor(index).IsEmpty();
}

inline std::string ShapeOf(const contract::Arguments& arguments, int index) {
  const TensorDescriptor& tensor = arguments.Tensor(index);
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

// From here on the z-loss tensors are looked at only where they are read.
inline bool UsesZloss(const contract::Arguments& arguments) {
  return arguments.Real(kLseSquareScale) != 0 && !arguments.Tensor(kLogProb).IsEmpty();
}

inline Violation MissingLse(const contract::Arguments& arguments) {
  if (!UsesZloss(arguments) || ZlossGiven(arguments, kLseForZloss)) return std::nullopt;
  return Cat("lseSquareScaleForZloss is ", arguments.Real(kLseSquareScale),
             " and lseForZlossOptional is ", arguments.Given(kLseForZloss) ? "empty" : "null",
             "; expected lseForZlossOptional of shape [N] when the scale is not 0.");
}

inline Violation ZlossDType(const contract::Arguments& arguments) {
  if (!UsesZloss(arguments)) return std::nullopt;
  const DType expected = arguments.Tensor(kGradLoss).dtype;
  for (int index : {kGradZloss, kLseForZloss}) {
    if (!ZlossGiven(arguments, index)) continue;
    const DType dtype = arguments.Tensor(index).dtype;
    if (dtype == expected) continue;
    return Cat(index == kGradZloss ? "gradZlossOptional" : "lseForZlossOptional", ".dtype is ",
               NameOf(dtype), " but gradLoss.dtype is ", NameOf(expected),
               "; expected equal dtypes.");
  }
  return std::nullopt;
}

inline Violation NoColumns(const contract::Arguments& arguments) {
  if (arguments.Tensor(kLogProb).shape[1] > 0) return std::nullopt;
  return Cat("logProb.shape is ", ShapeOf(arguments, kLogProb), "; expected [N, C] with C > 0.");
}

// What a gradient of the loss must look like: one element per row, or one in all.
inline Violation LossShape(const contract::Arguments& arguments, int index, const char* name) {
  const std::string_view reduction = ReductionOf(arguments);
  const auto& shape = arguments.Tensor(index).shape;
  const int64_t rows = arguments.Tensor(kLogProb).shape[0];
  if (reduction == "none") {
    if (shape.size() == 1 && shape[0] == rows) return std::nullopt;
    return Cat(name, ".shape is ", ShapeOf(arguments, index),
               " but reduction is \"none\" and logProb.shape is ", ShapeOf(arguments, kLogProb),
               "; expected [", rows, "].");
  }
  if (shape.empty() || (shape.size() == 1 && shape[0] == 1)) return std::nullopt;
  return Cat(name, ".shape is ", ShapeOf(arguments, index), " but reduction is \"", reduction,
             "\"; expected rank 0 or [1].");
}

inline Violation GradZlossShape(const contract::Arguments& arguments) {
  if (!UsesZloss(arguments) || !ZlossGiven(arguments, kGradZloss)) return std::nullopt;
  return LossShape(arguments, kGradZloss, "gradZlossOptional");
}
inline Violation LseShape(const contract::Arguments& arguments) {
  if (!UsesZloss(arguments)) return std::nullopt;
  const auto& shape = arguments.Tensor(kLseForZloss).shape;
  const int64_t rows = arguments.Tensor(kLogProb).shape[0];
  if (shape.size() == 1 && shape[0] == rows) return std::nullopt;
  return Cat("lseForZlossOptional.shape is ", ShapeOf(arguments, kLseForZloss),
             " but logProb.shape is ", ShapeOf(arguments, kLogProb), "; expected [", rows, "].");
}

}  // namespace aclimb::cross_entropy_loss_grad
