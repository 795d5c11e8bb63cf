#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aclimb/ops/cumulate/contract.h"
#include "aclimb/ops/cumulate/extreme_contracts.h"
#include "aclimb/ops/cumulate/product_contracts.h"
#include "aclimb/ops/cumulate/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::cumulate {

// The dimension is a scalar of integers. kResult is kSelf in place.
template <int kResult>
void DrawProduct(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  const std::vector<int64_t> shape = call.Shape(kSelf);
  const auto rank = static_cast<int64_t>(std::max<size_t>(1, shape.size()));
  const int64_t dim = draw.Below(2 * rank) - rank;
  call.SetScalar(kDim, static_cast<double>(dim), draw.Flip() ? DType::kInt32 : DType::kInt64);
  if (kResult != kSelf) {
    truth::DrawTensor(draw, call, kResult, shape);
    call.SetInteger(kDType, static_cast<int64_t>(call.DTypeOf(kResult)));
  }
  truth::MarkUnlessObeyed(draw, call);
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::WithExactIntegers(
        truth::Entry<decltype(aclnnCumsumGetWorkspaceSize)>(kContract, &SumTruth)),
    truth::WithExactIntegers(truth::Entry<decltype(aclnnCumprodGetWorkspaceSize)>(
        cumprod::kContract, &ProductTruth<kOut>, &DrawProduct<kOut>)),
    truth::WithExactIntegers(truth::Entry<decltype(aclnnInplaceCumprodGetWorkspaceSize)>(
        inplace_cumprod::kContract, &ProductTruth<kSelf>, &DrawProduct<kSelf>)),
    truth::WithExactIntegers(
        truth::Entry<decltype(aclnnCummaxGetWorkspaceSize)>(kCummaxContract, &ExtremeTruth<true>)),
    truth::WithExactIntegers(truth::Entry<decltype(aclnnCumminGetWorkspaceSize)>(
        kCumminContract, &ExtremeTruth<false>))};

}  // namespace aclimb::cumulate
