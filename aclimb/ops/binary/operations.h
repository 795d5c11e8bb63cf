#pragma once

namespace aclimb::binary {

// What the rows compute of two operands.
enum Operation : int {
  kAdd,   // x + alpha * y
  kSub,   // x - alpha * y
  kRsub,  // y - alpha * x
  kMul,
  kDiv,
  kDivMod,  // kDiv, kDivTrunc or kFloorDivide, by its mode
  kDivTrunc,
  kFloorDivide,
  kRemainder,  // with the sign of y
  kFmod,       // with the sign of x
  kMaximum,
  kMinimum,
  kPow,
  kAtan2,
  kLogAddExp,   // log(exp(x) + exp(y))
  kLogAddExp2,  // the same to the base 2
  kXLogY,       // x * log(y)
  kEq,
  kNe,
  kGt,
  kGe,
  kLt,
  kLe,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
};

constexpr bool TakesAlpha(Operation operation) { return operation <= kRsub; }
// Whether the result is true or false.
constexpr bool IsTest(Operation operation) { return operation >= kEq && operation <= kLogicalXor; }
// Whether a scalar is rounded to the dtype that is computed in, as PyTorch does it with these.
// Sums, products, quotients and powers have it in float32.
constexpr bool RoundsScalar(Operation operation) {
  return IsTest(operation) || operation == kRemainder || operation == kFmod;
}

// The operation that a DivMod of this mode is; it is in 0 to 2.
constexpr Operation OfMode(long long mode) {
  return mode == 0 ? kDiv : mode == 1 ? kDivTrunc : kFloorDivide;
}

}  // namespace aclimb::binary
