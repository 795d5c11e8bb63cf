#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/dtype.h"

namespace aclimb::truth {

// What one parameter was given; what its kind does not have stays empty.
struct Given {
  bool given = false;               // not null
  bool touched = true;              // tensors: the operator reads or writes it
  DType dtype = DType::kUndefined;  // of tensors and scalars
  std::vector<int64_t> shape = {};
  int32_t format = contract::kNd;
  std::vector<double> values = {};     // of tensors, in row-major order; none of a new output
  std::vector<int64_t> integers = {};  // arrays, also of flags; tensors of integers, where exact
  double real = 0;                     // kReal and scalars
  int64_t integer = 0;                 // kBool and kInteger
  std::string text = {};

  int64_t ElementCount() const;
};

// The format in which a tensor for this parameter is created: ND where it is accepted.
int32_t FormatOf(const contract::Parameter& parameter);

// One call of an operator as the host sees it: plain numbers by the contract's parameters, without
// handles, strides and addresses.
class Call {
 public:
  explicit Call(const contract::Contract& contract)
      : contract_(&contract), given_(contract.parameters.size()) {}

  const contract::Contract& contract() const { return *contract_; }
  int size() const { return static_cast<int>(given_.size()); }
  const contract::Parameter& ParameterAt(int p) const {
    return contract_->parameters[static_cast<size_t>(p)];
  }
  Given& At(int p) { return given_[static_cast<size_t>(p)]; }
  const Given& At(int p) const { return given_[static_cast<size_t>(p)]; }

  bool IsGiven(int p) const { return At(p).given; }
  bool Touched(int p) const { return At(p).given && At(p).touched; }
  const std::vector<int64_t>& Shape(int p) const { return At(p).shape; }
  int64_t ElementCount(int p) const { return At(p).ElementCount(); }
  DType DTypeOf(int p) const { return At(p).dtype; }
  // Zeros of a tensor that the operator does not read, none of one that was not given.
  const std::vector<double>& Values(int p) const { return At(p).values; }
  // Of a tensor of integers, or an array.
  const std::vector<int64_t>& Ints(int p) const { return At(p).integers; }
  double Real(int p) const { return At(p).real; }
  // A scalar as operators in float32 take it.
  float Float(int p) const { return static_cast<float>(At(p).real); }
  int64_t Integer(int p) const { return At(p).integer; }
  bool Bool(int p) const { return At(p).integer != 0; }
  // `fallback` when the program passed null.
  std::string Text(int p, const char* fallback) const {
    return At(p).given ? At(p).text : std::string(fallback);
  }

  // An input's values are rounded to its dtype; none make an output.
  Given& SetTensor(int p, std::vector<int64_t> shape, DType dtype, std::vector<double> values = {});
  void SetScalar(int p, double value, DType dtype = DType::kFloat32);
  void SetInts(int p, std::vector<int64_t> values);
  void SetReal(int p, double value);
  void SetInteger(int p, int64_t value);
  void SetText(int p, std::string text);

 private:
  const contract::Contract* contract_;
  std::vector<Given> given_;
};

}  // namespace aclimb::truth
