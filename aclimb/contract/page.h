#pragma once

#include <string>
#include <string_view>

#include "aclimb/contract/contract.h"

namespace aclimb::contract {

// Of an output the inputs that it may be: ", may be self or other".
std::string InPlaceText(const Contract& contract, const Parameter& parameter);

// "FLOAT or FLOAT16", or that the product has no such operator. Dtypes that depend on other
// arguments, and an argument that has to be null, are a rule's matter.
std::string DTypesOn(const Contract& contract, const Parameter& parameter, Product product);

// The operator's page in Markdown: its declaration, parameters, dtypes per product, and every rule
// with its code and fix, all but the first read from the table that the checks read.
//   header  "aclnn_add.h"
//   phase1  the declaration of its first function, without a semicolon
std::string Page(const Contract& contract, std::string_view header, std::string_view phase1);

}  // namespace aclimb::contract
