#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/attention/operand.h"
#include "aclimb/ops/attention/problem.h"
#include "aclimb/rows/dense.h"

namespace aclimb::attention {

// What attention and its gradient both read. Operands that are not given are left out.
struct Inputs {
  Problem problem;  // without addresses and counts
  std::vector<int64_t> query_counts = {}, key_counts = {};
  std::vector<int64_t> query_starts = {}, key_starts = {}, weight_starts = {};
  Operand query, key, value, bias, mask;
  rows::Dense kept;  // bits of the weights that stay

  // False if memory or threads ran out.
  bool Fetch(const RunContext& run) const {
    for (const Operand* each : {&query, &key, &value, &bias, &mask}) {
      if (each->given() && !each->Fetch(run)) return false;
    }
    return !kept.given() || kept.Fetch(run);
  }
  // The problem with addresses and counts, which are this object's.
  Problem At(const RunContext& run) const {
    Problem p = problem;
    p.query_counts = query_counts;
    p.key_counts = key_counts;
    p.query_starts = query_starts;
    p.key_starts = key_starts;
    p.weight_starts = weight_starts;
    p.query = query.At(run, query_starts);
    p.key = key.At(run, key_starts);
    p.value = value.At(run, key_starts);
    p.bias = bias.At(run);
    p.mask = mask.At(run);
    p.kept = static_cast<const uint8_t*>(kept.Data(run));
    return p;
  }
};

}  // namespace aclimb::attention
