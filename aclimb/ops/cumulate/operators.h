#pragma once

#include <cmath>

#include "aclimb/ops/cumulate/contract.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::cumulate {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = call.Integer(kDim) < 0 ? call.Integer(kDim) + rank : call.Integer(kDim);
  size_t step = 1;
  for (int64_t d = dim + 1; d < rank; ++d) step *= static_cast<size_t>(shape[size_t(d)]);
  const size_t length = rank == 0 ? 1 : static_cast<size_t>(shape[size_t(dim)]);
  const DType dtype = call.DTypeOf(kOut);
  if (!IsFloating(dtype)) {
    std::vector<int64_t> whole = call.Ints(kSelf);
    for (size_t i = 0; i < whole.size(); ++i) {
      const int64_t before = i / step % length == 0 ? 0 : whole[i - step];
      whole[i] = truth::CastInteger(
          static_cast<int64_t>(static_cast<uint64_t>(whole[i]) + static_cast<uint64_t>(before)),
          dtype);
    }
    return outputs.SetIntegers(kOut, std::move(whole));
  }
  std::vector<double> sums = call.Values(kSelf), allowed(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = truth::CastValue(sums[i], call.DTypeOf(kSelf), dtype);
    double size = std::fabs(sums[i]);
    if (i / step % length != 0) {
      sums[i] += sums[i - step];
      size += allowed[i - step];
    }
    allowed[i] = size;
  }
  // Until now the size of all that was added.
  for (size_t i = 0; i < sums.size(); ++i) {
    const double rounding = std::isfinite(sums[i]) ? std::fabs(sums[i]) : 0;
    allowed[i] = std::isfinite(allowed[i]) ? 1e-13 * allowed[i] : 0;
    allowed[i] += rounding * truth::RoundingOf(dtype) + truth::LeastOf(dtype);
  }
  outputs.Set(kOut, std::move(sums), std::move(allowed));
}

inline constexpr truth::OperatorEntry kOperators[] = {truth::WithExactIntegers(
    truth::Entry<decltype(aclnnCumsumGetWorkspaceSize)>(kContract, &Truth))};

}  // namespace aclimb::cumulate
