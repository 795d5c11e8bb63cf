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

inline constexpr auto kElements =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt32,
                          DType::kInt64, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool);
inline constexpr auto kSums =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt64);

// What a sum of elements of a dtype has.
inline DType SumDType(DType dtype) { return IsFloating(dtype) ? dtype : DType::kInt64; }

inline std::optional<std::string> OtherDType(const contract::Arguments& arguments) {
  const DType self = arguments.Tensor(kSelf).dtype, out = arguments.Tensor(kOut).dtype;
  if (out == SumDType(self)) return std::nullopt;
  return Cat("out.dtype is ", NameOf(out), " but self.dtype is ", NameOf(self), "; expected ",
             NameOf(SumDType(self)), ".");
}
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("self", kElements, "a matrix"), 2, 2),
    contract::WithRank(contract::Output("out", kSums, "one element"), 0, 1)};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("dtype/out", &OtherDType,
                     "out has the dtype of self, INT64 where self has integers or BOOL",
                     "create out with the dtype of the sum"),
    contract::Reduces("shape/out", kOut, kSelf, -1, -1, "allocate out with one element")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnTrace",
    .folder = "trace",
    .summary = "The sum of the elements of a matrix's diagonal.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnTraceGetWorkspaceSize)>(kContract));

}  // namespace aclimb::trace
