#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/text.h"

// The rules that relate arguments of aclnnCrossEntropyLoss; contract.h lists them in order.
namespace aclimb::cross_entropy_loss {

// Parameter positions, in the order of the C function.
enum : int {
  kInput,
  kTarget,
  kWeight,
  kReduction,
  kIgnoreIndex,
  kLabelSmoothing,
  kLseSquareScale,
  kReturnZloss,
  kLossOut,
  kLogProbOut,
  kZlossOut,
  kLseForZlossOut
};

using Violation = std::optional<std::string>;

// A null reduction means "mean", the default of the operator's attribute.
inline std::string_view ReductionOf(const contract::Arguments& arguments) {
  return arguments.String(kReduction, "mean");
}

inline std::string ShapeOf(const contract::Arguments& arguments, int index) {
  const TensorDescriptor& tensor = arguments.Tensor(index);
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

inline Violation NoColumns(const contract::Arguments& arguments) {
  if (arguments.Tensor(kInput).shape[1] > 0) return std::nullopt;
  return Cat("input.shape is ", ShapeOf(arguments, kInput), "; expected [N, C] with C > 0.");
}

// One element for each row, or one in all.
inline Violation LossShape(const contract::Arguments& arguments, int index, const char* name) {
  const std::string_view reduction = ReductionOf(arguments);
  const auto& shape = arguments.Tensor(index).shape;
  const int64_t rows = arguments.Tensor(kInput).shape[0];
  if (reduction == "none") {
    if (shape.size() == 1 && shape[0] == rows) return std::nullopt;
    return Cat(name, ".shape is ", ShapeOf(arguments, index),
               " but reductionOptional is \"none\" and input.shape is ", ShapeOf(arguments, kInput),
               "; expected [", rows, "].");
  }
  if (shape.empty() || (shape.size() == 1 && shape[0] == 1)) return std::nullopt;
  return Cat(name, ".shape is ", ShapeOf(arguments, index), " but reductionOptional is \"",
             reduction, "\"; expected rank 0 or [1].");
}
inline Violation LossOutShape(const contract::Arguments& arguments) {
  return LossShape(arguments, kLossOut, "lossOut");
}

inline Violation ReservedZloss(const contract::Arguments& arguments) {
  if (!arguments.Bool(kReturnZloss) || arguments.extensions()) return std::nullopt;
  return "returnZloss is true; expected false, the only value that the operator's document "
         "supports so far (ACLIMB_EXTENSIONS=1 accepts true).";
}

// Null and zero-element tensors alike count as not given.
inline bool ZlossGiven(const contract::Arguments& arguments, int index) {
  return arguments.Given(index) && !arguments.Tensor(index).IsEmpty();
}

inline Violation MissingZloss(const contract::Arguments& arguments) {
  if (!arguments.Bool(kReturnZloss)) return std::nullopt;
  for (const int index : {kZlossOut, kLseForZlossOut}) {
    // Without rows both may be empty.
    if (arguments.Given(index) &&
        (ZlossGiven(arguments, index) || arguments.Tensor(kInput).shape[0] == 0)) {
      continue;
    }
    return Cat("returnZloss is true and ", index == kZlossOut ? "zlossOut" : "lseForZlossOut",
               arguments.Given(index) ? " is empty" : " is null", "; expected both outputs.");
  }
  return std::nullopt;
}

inline Violation ZlossDType(const contract::Arguments& arguments) {
  const DType expected = arguments.Tensor(kInput).dtype;
  for (const int index : {kZlossOut, kLseForZlossOut}) {
    if (!ZlossGiven(arguments, index)) continue;
    const DType dtype = arguments.Tensor(index).dtype;
    if (dtype == expected) continue;
    return Cat(index == kZlossOut ? "zlossOut" : "lseForZlossOut", ".dtype is ", NameOf(dtype),
               " but input.dtype is ", NameOf(expected), "; expected equal dtypes.");
  }
  return std::nullopt;
}

inline Violation ZlossShape(const contract::Arguments& arguments) {
  if (!ZlossGiven(arguments, kZlossOut)) return std::nullopt;
  return LossShape(arguments, kZlossOut, "zlossOut");
}

inline Violation LseShape(const contract::Arguments& arguments) {
  if (!ZlossGiven(arguments, kLseForZlossOut)) return std::nullopt;
  const auto& shape = arguments.Tensor(kLseForZlossOut).shape;
  const int64_t rows = arguments.Tensor(kInput).shape[0];
  if (shape.size() == 1 && shape[0] == rows) return std::nullopt;
  return Cat("lseForZlossOut.shape is ", ShapeOf(arguments, kLseForZlossOut),
             " but input.shape is ", ShapeOf(arguments, kInput), "; expected [", rows, "].");
}

}  // namespace aclimb::cross_entropy_loss
