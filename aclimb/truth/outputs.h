#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "aclimb/truth/call.h"

namespace aclimb::truth {

// How far results may be off, relative to their value and absolutely.
struct Allowance {
  double relative = 0;
  double absolute = 0;
};

// What an output has to be, in row-major order.
struct Expected {
  std::vector<double> values;   // not rounded to the dtype
  std::vector<double> allowed;  // how far each may be off
  // Of a dtype of integers the same exactly; empty where the truth does not say.
  std::vector<int64_t> integers = {};
};

// What a call has to give. An output that is not here is one that the operator must leave alone.
class Outputs {
 public:
  void Set(Slot slot, std::vector<double> values, std::vector<double> allowed) {
    expected_[slot] = {std::move(values), std::move(allowed)};
  }
  void SetIntegers(Slot slot, std::vector<int64_t> integers) {
    Expected& expected = expected_[slot] = {
        {integers.begin(), integers.end()}, std::vector<double>(integers.size()), {}};
    expected.integers = std::move(integers);
  }
  void Set(Slot slot, std::vector<double> values, Allowance allowance);
  // There are no results: the run fails, since what the data are is refused.
  void Refuse(const char* why) { refusal_ = why; }
  // Null unless they are.
  const char* refusal() const { return refusal_; }
  const Expected* Find(Slot slot) const {
    const auto found = expected_.find(slot);
    return found == expected_.end() ? nullptr : &found->second;
  }
  const std::map<Slot, Expected>& All() const { return expected_; }

 private:
  std::map<Slot, Expected> expected_;
  const char* refusal_ = nullptr;
};

}  // namespace aclimb::truth
