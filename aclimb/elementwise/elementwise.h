#pragma once

#include <cstdint>
#include <initializer_list>

#include "aclimb/contract/arguments.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/executor/plan.h"

// Operators that compute out[i] = f(a[i], b[i], c[i]). An operator, or a family of them, gives
// formulas; broadcasting, dtypes and their conversions, strides, tiles of transposed views, tails,
// streaming stores, in place and threads are here. Nothing here is compiled again for a formula.
//
// One file of the operator's folder, formulas.cc, has them all:
//
//   #include "aclimb/ops/scaled_sum/formulas.h"
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "aclimb/ops/scaled_sum/formulas.cc"
//   #include <hwy/foreach_target.h>
//   // foreach_target.h first: the rest is compiled once per instruction set.
//   #include "aclimb/elementwise/elementwise-inl.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace aclimb::scaled_sum {
//   namespace HWY_NAMESPACE {
//   namespace hn = hwy::HWY_NAMESPACE;
//   using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox
//   using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf
//
//   struct ScaledSum : Attributes {           // left out by formulas without attributes
//     static constexpr int kInputs = 2;       // 1 to 3
//
//     // Of an element; half of that or double is good enough. A formula of 0.5 and less takes
//     // float32 by vectors of 32 bytes (elementwise-inl.h says why).
//     static constexpr float kCycles = 0.5f;
//     using Vectors = elementwise::Floats;
//     using Scalars = elementwise::Types<double, int32_t, int64_t>;
//
//     template <class T, class D, class V>
//     HWY_INLINE V operator()(D d, V x, V y) const {
//       return hn::MulAdd(hn::Set(d, static_cast<hn::TFromD<D>>(factor)), x, y);
//     }
//     template <class T>
//     T Scalar(T x, T y) const {
//       return static_cast<T>(static_cast<T>(factor) * x + y);
//     }
//   };
//
//   const elementwise::Runs& RunsOfNumber(int number) {
//     static constexpr elementwise::Runs kRuns[] = {RunsOf<ScaledSum>()};  // one for each formula
//     return kRuns[number];
//   }
//
//   }  // namespace HWY_NAMESPACE
//   }  // namespace aclimb::scaled_sum
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace aclimb::scaled_sum {
//
//   HWY_EXPORT(RunsOfNumber);
//
//   const elementwise::Runs& FormulaRuns(int number) {
//     return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
//   }
//
//   }  // namespace aclimb::scaled_sum
//   #endif
//
// formulas.h has `struct Attributes { double factor; };`, trivially copyable and at most
// kMostAttributeBytes long, and declares FormulaRuns. The plan is
//
//   Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
//     const Attributes attributes = {...};
//     return elementwise::MakePlan(planner, arguments, {.inputs = {kSelf, kOther}, .output = kOut},
//                                  {&FormulaRuns, 0}, attributes);
//   }
//
// Vectors   types of the formula on vectors. T is the type in memory, which decides how precise
//           Exp<T> has to be. Half types come as float32 lanes; all others as their own.
// Scalars   types of Scalar(), of which the compiler makes vectors. Bool comes as bool. Signed
//           integers must not overflow: compute in unsigned ones where they may.
// kMask     the input that chooses among the others, if there is one: of BOOL or UINT8, which comes
//           as a mask of lanes, or as bool. Half types then come as lanes of their bits.
// Results   have the type that is computed in. A Scalar() that returns bool for numbers (a
//           comparison) gives a BOOL for every type: it needs no Vectors, since half types are
//           then computed in float.
//
// The operator computes in the dtype to which its inputs are promoted, or in the one that it names.
// If the formula has no run for that one, it computes in float32: integers and BOOL may be left out
// where PyTorch answers in float32, DOUBLE may not. Integers that meet a half type are rounded to
// it first, as in PyTorch. What is computed from half types is rounded to that type
// before it is converted to the output's. Any dtype of copy/storage.h may be an input or the
// output.
namespace aclimb::elementwise {

// Positions of the parameters in the contract.
struct Positions {
  std::initializer_list<int> inputs;
  // The parameter of an input, if the operator works in place.
  int output;
  // What to compute in; undefined: the dtype to which the inputs are promoted.
  DType compute = DType::kUndefined;
};

// For formulas without attributes.
struct NoAttributes {};

namespace internal {
Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Positions& positions, Formula formula, const void* attributes,
                             size_t bytes);
}  // namespace internal

// The whole plan of an operator whose arguments obey its contract: books what is read and written
// and says what the run costs. Null when the output is empty. Needs no workspace.
template <class Attributes = NoAttributes>
Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Positions& positions, Formula formula,
                             const Attributes& attributes = {}) {
  CheckAttributes<Attributes>();
  return internal::MakePlan(planner, arguments, positions, formula, &attributes,
                            sizeof(attributes));
}

}  // namespace aclimb::elementwise
