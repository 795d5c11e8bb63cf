#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/product.h"

namespace aclimb::cli {

// "tensor, in, rank 1 to 8, any plain format"
std::string KindText(const contract::Contract& contract, const contract::Parameter& parameter);

// The first tensor of an operator, whose dtypes stand for it in the list.
const contract::Parameter& MainTensor(const contract::Contract& contract);

// "FLOAT, FLOAT16 or BFLOAT16 on Atlas A2 ..., Atlas A3 ...", one line for all products that accept
// the same; with a product what that one accepts.
std::string DTypeText(const contract::Contract& contract, const contract::Parameter& parameter,
                      std::optional<Product> product);

struct RuleLine {
  std::string id;
  int code;
  std::string statement;
  std::string fix;
};
// The operator's own rules, in the order of their checks.
std::vector<RuleLine> RuleLines(const contract::Contract& contract);

// The same for programs; of one product, or of all when none is given.
std::string OperatorJson(const contract::Contract& contract, std::optional<Product> product);
std::string OperatorsJson(const std::vector<const contract::Contract*>& contracts,
                          std::optional<Product> product);

}  // namespace aclimb::cli
