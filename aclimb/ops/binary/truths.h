#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/core/dtype.h"
#include "aclimb/ops/binary/operations.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/outputs.h"

// What the operations give: of integers in int64, whose last bits are those of any narrower
// integer, of all else in double.
namespace aclimb::binary::truths {

inline int64_t FloorQuotient(int64_t x, int64_t y) {
  const auto exact = static_cast<__int128>(x) / y;
  return static_cast<int64_t>(exact - (static_cast<__int128>(x) % y != 0 && (x < 0) != (y < 0)));
}

// From the exponent's highest bit down.
inline int64_t Power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t power = 1;
  for (int bit = 62; bit >= 0; --bit) {
    power *= power;
    if ((y >> bit & 1) != 0) power *= static_cast<uint64_t>(x);
  }
  return static_cast<int64_t>(power);
}

// What may be added to x.
inline int64_t Product(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

template <typename T>
bool Test(Operation operation, T x, T y) {
  switch (operation) {
    case kEq:
      return x == y;
    case kNe:
      return !(x == y);
    case kGt:
      return x > y;
    case kGe:
      return x >= y;
    case kLt:
      return x < y;
    case kLe:
      return x <= y;
    case kLogicalAnd:
      return x != 0 && y != 0;
    case kLogicalOr:
      return x != 0 || y != 0;
    default:
      return (x != 0) != (y != 0);
  }
}

// Of integers and BOOLs, which are 0 and 1; the rest is cut off.
inline int64_t OfWhole(Operation operation, int64_t x, int64_t y, int64_t alpha, bool is_bool) {
  switch (operation) {
    case kAdd:
      if (is_bool) return x != 0 || (alpha != 0 && y != 0);
      return static_cast<int64_t>(static_cast<uint64_t>(x) +
                                  static_cast<uint64_t>(Product(alpha, y)));
    case kSub:
      if (is_bool) return (x != 0) != (alpha != 0 && y != 0);
      return static_cast<int64_t>(static_cast<uint64_t>(x) -
                                  static_cast<uint64_t>(Product(alpha, y)));
    case kRsub:
      return OfWhole(kSub, y, x, alpha, is_bool);
    case kMul:
      return Product(x, y);
    case kDivTrunc:
      return y == 0 ? 0 : static_cast<int64_t>(static_cast<__int128>(x) / y);
    case kFloorDivide:
      return y == 0 ? 0 : FloorQuotient(x, y);
    case kRemainder:
      return y == 0 ? x : static_cast<int64_t>(x - static_cast<__int128>(FloorQuotient(x, y)) * y);
    case kFmod:
      return y == 0 ? x : static_cast<int64_t>(static_cast<__int128>(x) % y);
    case kMaximum:
      return x < y ? y : x;
    case kMinimum:
      return x < y ? x : y;
    case kPow:
      return Power(x, y);
    case kBitwiseAnd:
      return x & y;
    case kBitwiseOr:
      return x | y;
    case kBitwiseXor:
      return x ^ y;
    default:
      return Test(operation, x, y) ? 1 : 0;
  }
}

inline double Remainder(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// The whole number that is not above x / y.
inline double FloorQuotient(double x, double y) {
  if (y == 0) return x / y;
  return std::nearbyint((x - std::fmod(x, y)) / y) - (Remainder(x, y) != std::fmod(x, y) ? 1 : 0);
}

// log(base^x + base^y) to the base, and what is infinite as it is.
inline double LogOfSum(double x, double y, double base) {
  if (std::isnan(x) || std::isnan(y)) return NAN;
  const double larger = std::fmax(x, y);
  if (std::isinf(larger)) return larger;
  return larger + std::log1p(std::pow(base, std::fmin(x, y) - larger)) / std::log(base);
}

// Of the rest, in double; PyTorch cuts a quotient that is rounded already.
inline double OfReal(Operation operation, double x, double y, double alpha, bool is_double) {
  switch (operation) {
    case kAdd:
      return x + alpha * y;
    case kSub:
      return x - alpha * y;
    case kRsub:
      return y - alpha * x;
    case kMul:
      return x * y;
    case kDiv:
      return x / y;
    case kDivTrunc:
      if (!is_double) return std::trunc(static_cast<float>(x) / static_cast<float>(y));
      return std::trunc(x / y);
    case kFloorDivide:
      return std::isinf(x) && y != 0 ? NAN : FloorQuotient(x, y);
    case kRemainder:
      return Remainder(x, y);
    case kFmod:
      return std::fmod(x, y);
    case kMaximum:
      return std::isnan(x) || std::isnan(y) ? NAN : std::fmax(x, y);
    case kMinimum:
      return std::isnan(x) || std::isnan(y) ? NAN : std::fmin(x, y);
    case kPow:
      return std::pow(x, y);
    case kAtan2:
      return std::atan2(x, y);
    case kLogAddExp:
      return LogOfSum(x, y, M_E);
    case kLogAddExp2:
      return LogOfSum(x, y, 2);
    case kXLogY:
      return std::isnan(y) ? NAN : x == 0 ? 0 : x * std::log(y);
    default:
      return Test(operation, x, y) ? 1 : 0;
  }
}

// A few units of the last place, of what cancels in sums; of a half type, one rounding.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {5e-7, 1e-44};
    case DType::kFloat16:
      return {5e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-40};
    case DType::kFloat64:
      return {5e-16, 1e-320};
    default:
      return {};
  }
}

// The operands of a call as numbers of the dtype that they have in common.
class Operands {
 public:
  explicit Operands(const truth::Call& call) : call_(call) {
    for (const int p : {0, 1}) is_scalar_[p] = call.ParameterAt(p).kind == contract::Kind::kScalar;
    const DType a = call.DTypeOf(0), b = call.DTypeOf(1);
    common_ = *(is_scalar_[0]   ? contract::PromoteTensorAndScalar(b, a)
                : is_scalar_[1] ? contract::PromoteTensorAndScalar(a, b)
                                : contract::PromoteTensors(a, b));
  }

  DType common() const { return common_; }
  bool are_tensors() const { return !is_scalar_[0] && !is_scalar_[1]; }
  int tensor() const { return is_scalar_[0] ? 1 : 0; }
  bool is_scalar(int p) const { return is_scalar_[p]; }

  int64_t Whole(int p, size_t at) const {
    const truth::Given& given = call_.At(p);
    if (is_scalar_[p]) return truth::CastInteger(call_.Whole(p), common_);
    const bool exact = at < given.integers.size();
    return truth::CastInteger(exact ? given.integers[at] : static_cast<int64_t>(given.values[at]),
                              common_);
  }
  double Real(int p, size_t at, bool rounds_scalar) const {
    const truth::Given& given = call_.At(p);
    if (!IsFloating(common_)) return static_cast<float>(is_scalar_[p] ? given.real : Whole(p, at));
    const bool keeps = is_scalar_[p] && !rounds_scalar && common_ != DType::kFloat64;
    const double value = is_scalar_[p] ? given.real : given.values[at];
    return truth::Rounded(value, keeps ? DType::kFloat32 : common_);
  }

 private:
  const truth::Call& call_;
  bool is_scalar_[2] = {};
  DType common_ = DType::kUndefined;
};

// For each element of the result, which elements of the operands it comes from.
inline std::vector<std::array<size_t, 2>> PlacesOf(const truth::Call& call,
                                                   const Operands& operands) {
  if (operands.are_tensors()) return truth::BroadcastPlaces(call, {0, 1});
  std::vector<std::array<size_t, 2>> places;
  const auto count = static_cast<size_t>(call.ElementCount(operands.tensor()));
  for (size_t i = 0; i < count; ++i) places.push_back({i, i});
  return places;
}

inline void Compute(Operation operation, bool in_place, const truth::Call& call,
                    truth::Outputs& outputs) {
  const Operands operands(call);
  const int output = in_place ? 0 : call.size() - 1;
  const DType common = operands.common(), out = call.DTypeOf(output);
  if (operation == kDivMod) operation = OfMode(call.Integer(2));
  const bool has_alpha = TakesAlpha(operation);
  // Of whole numbers, these give floats.
  const bool in_floats =
      operation == kDiv || operation == kAtan2 || operation == kXLogY || IsFloating(common);
  const DType computed = in_floats && !IsFloating(common) ? DType::kFloat32 : common;
  const double alpha = !has_alpha                  ? 0
                       : common == DType::kFloat64 ? call.Real(2)
                                                   : static_cast<double>(call.Float(2));
  const truth::Allowance of_common = IsTest(operation) ? truth::Allowance() : AllowanceOf(computed);
  const truth::Allowance of_out =
      out == computed || IsTest(operation) ? truth::Allowance() : AllowanceOf(out);
  std::vector<double> values, allowed;
  for (const auto& [a, b] : PlacesOf(call, operands)) {
    if (!in_floats) {
      const int64_t whole = OfWhole(operation, operands.Whole(0, a), operands.Whole(1, b),
                                    has_alpha ? call.Whole(2) : 0, common == DType::kBool);
      const int64_t wrapped = IsTest(operation) ? whole : truth::CastInteger(whole, common);
      values.push_back(
          static_cast<double>(IsFloating(out) ? wrapped : truth::CastInteger(wrapped, out)));
      allowed.push_back(of_out.absolute + of_out.relative * std::fabs(values.back()));
      continue;
    }
    const double x = operands.Real(0, a, RoundsScalar(operation));
    const double y = operands.Real(1, b, RoundsScalar(operation));
    double value = OfReal(operation, x, y, alpha, common == DType::kFloat64);
    // PyTorch takes a root, which differs for -inf and -0.
    if (operation == kPow && operands.is_scalar(1) && std::fabs(y) == 0.5) {
      value = y > 0 ? std::sqrt(x) : 1 / std::sqrt(x);
    }
    if (!IsFloating(out) && !IsTest(operation)) {
      values.push_back(truth::CastValue(static_cast<float>(value), DType::kFloat32, out));
      allowed.push_back(0);
      continue;
    }
    // What a half type cannot hold is infinite before it becomes the output.
    if (!std::isfinite(truth::Rounded(value, computed))) value = truth::Rounded(value, computed);
    // What terms that may cancel lose in float32, or in double.
    double terms = 0;
    if (has_alpha) terms = (1 + std::fabs(alpha)) * (std::fabs(x) + std::fabs(y));
    // The larger exponent and what the other adds, which is at most 1.
    const bool adds_exponents = operation == kLogAddExp || operation == kLogAddExp2;
    if (adds_exponents && std::isfinite(value)) terms = std::fabs(std::fmax(x, y)) + 1;
    const DType exact = computed == DType::kFloat64 ? computed : DType::kFloat32;
    values.push_back(value);
    allowed.push_back(of_common.absolute + AllowanceOf(exact).relative * terms + of_out.absolute +
                      (of_common.relative + of_out.relative) * std::fabs(value));
  }
  outputs.Set(output, std::move(values), std::move(allowed));
}

}  // namespace aclimb::binary::truths
