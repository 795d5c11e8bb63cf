#pragma once

#include <span>
#include <string>
#include <vector>

#include "aclimb/truth/operator_entry.h"
#include "tests/support/device.h"
#include "tests/support/setting.h"

namespace aclimb::testing {

// What holds for every operator, from its entry alone: drawn calls of every dtype and rank, in any
// view, empty, in place, with numbers that are not finite, on the team and on the caller's thread.
// Each is held against the operator's truth; canaries and gaps have to stay as they are.
class OperatorSuite : public DeviceTest,
                      public ::testing::WithParamInterface<const truth::OperatorEntry*> {
 public:
  // For all operators that this program tests; at its start.
  static bool DependOnThreads() { return depends_on_threads_ = true; }

 protected:
  const truth::OperatorEntry& entry() const { return *GetParam(); }
  const contract::Contract& contract() const { return *entry().contract; }

  // Whether results depend on the number of threads unless ACL_OPT_DETERMINISTIC is 1.
  static inline bool depends_on_threads_ = false;

  // Values that are reserved otherwise are drawn too.
  const Setting extensions_{"ACLIMB_EXTENSIONS", "1"};

  // A call that phase 1 accepts; the same for the same seed.
  truth::Call Drawn(uint64_t seed, int64_t most_elements = 2000, bool extensions = true) const;
};

inline std::vector<const truth::OperatorEntry*> EntriesOf(
    std::span<const truth::OperatorEntry> entries) {
  std::vector<const truth::OperatorEntry*> all;
  for (const truth::OperatorEntry& entry : entries) all.push_back(&entry);
  return all;
}

}  // namespace aclimb::testing

// The suite for the operators of a folder, beside what is particular to each. Its cases are in
// operator_suite.cc, which the test links (aclimb_operator_suite). To be used in aclimb::testing.
#define ACLIMB_OPERATOR_SUITE(name, operators)                                        \
  INSTANTIATE_TEST_SUITE_P(                                                           \
      name, OperatorSuite, ::testing::ValuesIn(EntriesOf(operators)),                 \
      [](const ::testing::TestParamInfo<const truth::OperatorEntry*>& info_of_test) { \
        return std::string(info_of_test.param->contract->function);                   \
      })
