#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"

// What the contracts of the products find wrong beyond the kinds of rules that all operators have.
namespace aclimb::products {

using Finding = std::optional<std::string>;
using Dims = std::vector<int64_t>;

// The shape of a product as torch.matmul has it; nothing where the factors do not fit.
std::optional<Dims> MatmulShape(const Dims& first, const Dims& second);

// A tensor parameter, and its name for messages.
struct NamedTensor {
  int parameter;
  const char* name;
};

// The output has the dtype to which all inputs are promoted, or is FLOAT where that is FLOAT16.
//   inputs  two or three; of no name where there are two
Finding WrongResultDType(const contract::Arguments& arguments, const NamedTensor (&inputs)[3],
                         const NamedTensor& out);
// FLOAT, which the older chips multiply after rounding alone, asks for it there.
Finding CubeMathTypeOfAnotherProduct(const contract::Arguments& arguments,
                                     const NamedTensor (&inputs)[3], int cube_math_type);
// The shapes of torch.matmul: of the factors, then of `out`, which for two vectors has rank 0 or
// one element.
Finding WrongMatmulFactors(const contract::Arguments& arguments);
Finding WrongMatmulShapes(const contract::Arguments& arguments);
// The output has the shape to which self and the products broadcast, either of which may be the
// larger one.
Finding WrongSumOfBatches(const contract::Arguments& arguments);

// The dtype of aclnnAddmv's output: three tensors and two scalars promoted.
DType AddmvDType(const DType (&tensors)[3], const DType (&scalars)[2]);
Finding WrongAddmvDType(const contract::Arguments& arguments);
Finding WrongAddmvMathType(const contract::Arguments& arguments);
// Without a product there is nothing to broadcast to.
Finding AddmvBroadcastsToNothing(const contract::Arguments& arguments);

}  // namespace aclimb::products
