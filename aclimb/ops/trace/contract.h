#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_trace.h"

namespace aclimb::trace {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kOut };

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);
inline constexpr auto kSums =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt64);

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kTypes, "a matrix"), 2, 2),
    contract::WithRank(
        contract::Output("out", kSums,
                         "one number; INT64 of integers and BOOL, else the dtype of self"),
        0, 1),
};

inline std::optional<std::string> OtherDType(const contract::Arguments& arguments) {
  const DType self = arguments.Tensor(kSelf).dtype, out = arguments.Tensor(kOut).dtype;
  const DType expected = IsFloating(self) ? self : DType::kInt64;
  if (out == expected) return std::nullopt;
  return Cat("out.dtype is ", NameOf(out), " and self.dtype is ", NameOf(self), "; expected ",
             NameOf(expected), ".");
}

inline constexpr contract::Rule kRules[] = {
    contract::Custom("dtype/out", &OtherDType,
                     "out is INT64 of integers and BOOL, else of the dtype of self",
                     "allocate out with that dtype"),
    contract::Reduces("shape/out", kOut, kSelf, -1, -1),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnTrace",
    .folder = "trace",
    .summary = "The sum of a matrix's diagonal.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnTraceGetWorkspaceSize)>(kContract));

}  // namespace aclimb::trace
