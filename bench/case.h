#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

// What an operator's bench.cc gives to the benchmark: its problems, by name, from its cases.inc.
namespace aclimb::bench {

// What the problem costs at least, whoever solves it. Bytes are those of the tensors' elements that
// must be read or written once.
struct Cost {
  double read_bytes = 0;
  double write_bytes = 0;
  // Part of write_bytes that is whole lines of zeros, which some processors write faster.
  double zero_bytes = 0;
  // Floating-point operations of a problem that arithmetic may bound, taps on padding left out.
  double flops = 0;
};

// A problem with its tensors and descriptors made: what is left is what the benchmark times.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) = 0;
  virtual aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                             aclrtStream stream) = 0;
  // Fills the outputs with a pattern that no result has; and whether it still shows.
  virtual void PoisonOutputs() = 0;
  virtual bool PoisonShows() const = 0;
};

struct Case {
  std::string operator_name;
  std::string name;
  std::string dtype;
  // Everything a peer needs to build the same problem, as words without blanks.
  std::vector<std::pair<std::string, std::string>> parameters;
  Cost cost;
  std::function<std::unique_ptr<Problem>()> open;
  // The operator's folder; all_cases.h sets it.
  std::string family = {};
};

}  // namespace aclimb::bench
