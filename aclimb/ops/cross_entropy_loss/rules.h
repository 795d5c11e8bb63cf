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

}  // namespace aclimb::cross_entropy_loss
