#pragma once

#include <cmath>

#include "aclimb/ops/products/contracts.h"
#include "aclimb/ops/products/draw.h"
#include "aclimb/ops/products/truth.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::products {

inline void ProductTruth(const truth::Call& call, truth::Outputs& outputs) {
  Compute(call, {.first = kSelf, .second = kMat2, .out = kOut}, outputs);
}

inline void DotTruth(const truth::Call& call, truth::Outputs& outputs) {
  const DType dtype = call.DTypeOf(kSelf);
  if (IsFloating(dtype)) return ProductTruth(call, outputs);
  uint32_t sum = 0;
  for (size_t i = 0; i < call.Values(kSelf).size(); ++i) {
    sum += static_cast<uint32_t>(static_cast<int64_t>(call.Values(kSelf)[i]) *
                                 static_cast<int64_t>(call.Values(kMat2)[i]));
  }
  const double value = dtype == DType::kInt8    ? static_cast<int8_t>(sum)
                       : dtype == DType::kUInt8 ? static_cast<uint8_t>(sum)
                                                : static_cast<int32_t>(sum);
  outputs.Set(kOut, {value}, truth::Allowance{});
}

template <int kOutput, bool kAddsBatch>
void SumTruth(const truth::Call& call, truth::Outputs& outputs) {
  Compute(call,
          {.first = kFirst,
           .second = kSecond,
           .out = kOutput,
           .self = kAddend,
           .alpha = static_cast<double>(call.Float(kAlpha)),
           .beta = static_cast<double>(call.Float(kBeta)),
           .adds_batch = kAddsBatch},
          outputs);
}

// In DOUBLE as in float32 but for the tolerance; integers wrap, and BOOL knows no number.
inline void AddmvTruth(const truth::Call& call, truth::Outputs& outputs) {
  const double alpha = call.Real(kAddmvAlpha), beta = call.Real(kAddmvBeta);
  const DType dtype = call.DTypeOf(kAddmvOut);
  truth::Outputs sums;
  Compute(call,
          {.first = kMat,
           .second = kVec,
           .out = kAddmvOut,
           .self = kAddmvSelf,
           .alpha = IsFloating(dtype) ? alpha : 1,
           .beta = IsFloating(dtype) ? beta : 0},
          sums);
  std::vector<double> values = sums.Find(kAddmvOut)->values;
  if (IsFloating(dtype)) {
    const std::vector<double>& allowed = sums.Find(kAddmvOut)->allowed;
    return outputs.Set(kAddmvOut, std::move(values), allowed);
  }
  const std::vector<double>& self = call.Values(kAddmvSelf);
  for (size_t m = 0; m < values.size(); ++m) {
    const double addend = self[self.size() == 1 ? 0 : m];
    if (dtype == DType::kBool) {
      values[m] = (values[m] != 0 && alpha != 0) || (addend != 0 && beta != 0) ? 1 : 0;
      continue;
    }
    const double whole = std::trunc(alpha) * values[m] + std::trunc(beta) * addend;
    values[m] = truth::CastValue(whole, DType::kInt64, dtype);
  }
  outputs.Set(kAddmvOut, std::move(values), truth::Allowance{});
}

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_PRODUCT(name, Name, header, first, second, shapes, ...)                    \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, &ProductTruth, \
                                                        &DrawProduct<k##Name##Contract>),
#define ACLIMB_SUM(name, Name, header, addend, first, second, shapes, shape_rule, adds_batch, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(                                           \
      k##Name##Contract, &SumTruth<kSum, adds_batch>, &DrawSum<k##Name##Contract, adds_batch>),
#define ACLIMB_SUM_IN_PLACE(name, Name, header, addend, Addend, first, second, shapes, adds_batch, \
                            ...)                                                                   \
  truth::Entry<decltype(aclnnInplace##Name##GetWorkspaceSize)>(                                    \
      kInplace##Name##Contract, &SumTruth<kAddend, adds_batch>,                                    \
      &DrawSum<kInplace##Name##Contract, adds_batch>),
#include "aclimb/ops/products/rows.inc"
#undef ACLIMB_PRODUCT
#undef ACLIMB_SUM
#undef ACLIMB_SUM_IN_PLACE
    truth::Entry<decltype(aclnnDotGetWorkspaceSize)>(kDotContract, &DotTruth, &DrawDot),
    truth::Entry<decltype(aclnnAddmvGetWorkspaceSize)>(kAddmvContract, &AddmvTruth, &DrawAddmv),
};

}  // namespace aclimb::products
