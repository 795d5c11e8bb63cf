#pragma once

#include <string_view>

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/attention/inputs.h"
#include "aclimb/ops/attention/operand.h"
#include "aclimb/ops/attention/problem.h"
#include "aclimb/ops/attention/shapes.h"
#include "aclimb/rows/dense.h"

// What the plans of the operators make of arguments that obey their contracts.
namespace aclimb::attention {

inline Problem ProblemOf(const contract::Arguments& arguments, const Places& at) {
  const Sizes sizes = SizesOf(arguments, at);
  Problem problem;
  problem.batch = sizes.batch;
  problem.heads = sizes.heads;
  problem.key_heads = sizes.key_heads;
  problem.queries = sizes.queries;
  problem.keys = sizes.keys;
  problem.width = sizes.width;
  problem.value_width = sizes.value_width;
  problem.band = BandOf(arguments, at);
  if (at.keep >= 0) problem.keep = arguments.Real(at.keep);
  return problem;
}

// A tensor of queries, keys or values, and one of results.
inline Operand MatricesOf(const contract::Arguments& arguments, Planner& planner, const Places& at,
                          int place, int64_t heads) {
  return Operand::Input(planner, place, TensorAt(arguments, place).View(), LayoutOf(arguments, at),
                        heads);
}
inline Operand MatricesTo(const contract::Arguments& arguments, Planner& planner, const Places& at,
                          int place, int64_t heads) {
  return Operand::Output(planner, place, TensorAt(arguments, place).View(),
                         ResultLayoutOf(arguments, at), heads);
}
// A number for each weight, where it is given.
inline Operand WeightsOf(const contract::Arguments& arguments, Planner& planner, int place,
                         bool one_query = false) {
  if (!arguments.Given(place)) return {};
  return Operand::Weights(planner, place, TensorAt(arguments, place).View(), one_query);
}
// The operands of a problem whose extents are known.
inline void SetOperands(const contract::Arguments& arguments, Planner& planner, const Places& at,
                        Inputs& inputs) {
  const Problem& problem = inputs.problem;
  inputs.query = MatricesOf(arguments, planner, at, at.query, problem.heads);
  inputs.key = MatricesOf(arguments, planner, at, at.key, problem.key_heads);
  inputs.value = MatricesOf(arguments, planner, at, at.value, problem.key_heads);
  inputs.bias = WeightsOf(arguments, planner, at.bias);
  if (!HasPatternMask(ModeOf(arguments, at))) {
    inputs.mask = WeightsOf(arguments, planner, at.mask, at.sparse_mode < 0);
  }
  if (problem.keep < 1) {
    inputs.kept = rows::Dense::Input(planner, at.kept, arguments.Tensor(at.kept).View());
  }
}
inline rows::Dense FloatsOf(const contract::Arguments& arguments, Planner& planner, int place) {
  const TensorView view = arguments.Tensor(place).View();
  return rows::Dense::Input(planner, place, view, DType::kFloat32);
}
inline rows::Dense FloatsTo(const contract::Arguments& arguments, Planner& planner, int place) {
  const TensorView view = arguments.Tensor(place).View();
  return rows::Dense::Output(planner, place, view, DType::kFloat32);
}

}  // namespace aclimb::attention
