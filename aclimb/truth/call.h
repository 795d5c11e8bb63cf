#pragma once

#include <compare>
#include <cstddef>
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
  // Of tensors, in row-major order, none of a new output; of arrays of floats.
  std::vector<double> values = {};
  // Arrays, also of flags; tensors of integers, where exact; the number of a scalar of integers.
  std::vector<int64_t> integers = {};
  double real = 0;      // kReal and scalars
  int64_t integer = 0;  // kBool and kInteger
  std::string text = {};
  std::vector<Given> elements = {};  // of lists: tensors or scalars

  int64_t ElementCount() const;
};

// The format in which a tensor for this parameter is created: ND where it is accepted.
int32_t FormatOf(const contract::Parameter& parameter);

// Where a tensor of a call stands: a parameter, or an element of a list.
struct Slot {
  int parameter = -1;
  int element = -1;  // of a list

  constexpr Slot(int of, int at = -1) : parameter(of), element(at) {}  // NOLINT: as parameters are
  auto operator<=>(const Slot&) const = default;  // NOLINT: clang-tidy 14 sees a null pointer
};

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
  Given& At(Slot slot);
  const Given& At(Slot slot) const { return const_cast<Call*>(this)->At(slot); }

  // Of a list; 0 of one that was not given.
  int ListSize(int p) const { return static_cast<int>(At(p).elements.size()); }
  // Every tensor that was given, those of lists among them, in order.
  std::vector<Slot> Tensors() const;
  // "self", or "tensors[3]".
  std::string NameOf(Slot slot) const;

  bool IsGiven(Slot slot) const { return At(slot).given; }
  bool Touched(Slot slot) const { return At(slot).given && At(slot).touched; }
  const std::vector<int64_t>& Shape(Slot slot) const { return At(slot).shape; }
  int64_t ElementCount(Slot slot) const { return At(slot).ElementCount(); }
  DType DTypeOf(Slot slot) const { return At(slot).dtype; }
  // Zeros of a tensor that the operator does not read, none of one that was not given. Also of an
  // array of floats.
  const std::vector<double>& Values(Slot slot) const { return At(slot).values; }
  // Of a tensor of integers, or an array.
  const std::vector<int64_t>& Ints(Slot slot) const { return At(slot).integers; }
  double Real(Slot slot) const { return At(slot).real; }
  // A scalar without its fraction, exactly if it is an integer; one of 64 bits without sign keeps
  // its bits.
  int64_t Whole(Slot slot) const {
    const Given& scalar = At(slot);
    return scalar.integers.empty() ? static_cast<int64_t>(scalar.real) : scalar.integers[0];
  }
  // A scalar as operators in float32 take it.
  float Float(Slot slot) const { return static_cast<float>(At(slot).real); }
  int64_t Integer(int p) const { return At(p).integer; }
  bool Bool(int p) const { return At(p).integer != 0; }
  // `fallback` when the program passed null.
  std::string Text(int p, const char* fallback) const {
    return At(p).given ? At(p).text : std::string(fallback);
  }

  // An input's values are rounded to its dtype; none make an output. `slot` may be an element of a
  // list that is long enough.
  Given& SetTensor(Slot slot, std::vector<int64_t> shape, DType dtype,
                   std::vector<double> values = {});
  // Of a dtype of integers, exactly.
  Given& SetIntegers(Slot slot, std::vector<int64_t> shape, DType dtype,
                     std::vector<int64_t> integers);
  void SetScalar(Slot slot, double value, DType dtype = DType::kFloat32);
  // So many elements, which are not given yet.
  void SetList(int p, int size);
  void SetInts(int p, std::vector<int64_t> values);
  void SetFloats(int p, const std::vector<double>& values);
  void SetReal(int p, double value);
  void SetInteger(int p, int64_t value);
  void SetText(int p, std::string text);

 private:
  const contract::Contract* contract_;
  std::vector<Given> given_;
};

}  // namespace aclimb::truth
