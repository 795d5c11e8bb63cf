#pragma once

#include <cstdint>

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/random/philox.h"

namespace aclimb::random {

// Seed and offset, which follow each other in every signature: two numbers, or two tensors of one
// element and then a number that is added to the second.
class Chosen {
 public:
  Chosen(const contract::Arguments& arguments, Planner& planner, int seed) {
    const auto number = [&](int parameter) {
      return static_cast<uint64_t>(arguments.Integer(parameter));
    };
    if (arguments.At(seed).kind != contract::Kind::kTensor) {
      numbers_ = {number(seed), number(seed + 1)};
      return;
    }
    seed_ = seed;
    numbers_ = {0, number(seed + 2)};
    planner.Reads(seed);
    planner.Reads(seed + 1);
  }

  Source Get(const RunContext& run) const {
    if (seed_ < 0) return numbers_;
    const auto element = [&](int parameter) {
      return *static_cast<const uint64_t*>(run.Data(parameter));
    };
    return {element(seed_), element(seed_ + 1) + numbers_.offset};
  }

 private:
  int seed_ = -1;  // the tensor
  Source numbers_;
};

}  // namespace aclimb::random
