#pragma once

#include <cstdint>
#include <span>

#include "aclimb/executor/plan.h"

namespace aclimb {

// Where a run says what shape an output has.
class ShapeTeller {
 public:
  // An output with as many dimensions as `shape`, none of them shorter: its data lies in the memory
  // by the strides of phase 1 if all dimensions but the first are as long as there, else without
  // gaps.
  virtual void Tell(int parameter, std::span<const int64_t> shape) const = 0;

 protected:
  ~ShapeTeller() = default;
};

// A plan whose outputs have shapes that depend on the data. Phase 1 knows how large they can be;
// after the run, and so once the stream is synchronised, the program's aclTensor has the real
// shape (aclGetViewShape).
class SizedPlan : public Plan {
 public:
  void Run(const RunContext& run) const final { Run(run, Nobody()); }
  virtual void Run(const RunContext& run, const ShapeTeller& shapes) const = 0;

 private:
  struct Nobody final : ShapeTeller {
    void Tell(int, std::span<const int64_t>) const override {}
  };
};

}  // namespace aclimb
