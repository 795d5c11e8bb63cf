#pragma once

#include <cstdint>

// Counts what this process takes from operator new, and makes some of it fail. A program that links
// allocations.cc replaces the operators for every library it loads. What oneDNN takes is let
// through and not counted.
namespace aclimb::testing {

// Whether the nth allocation alone fails, or every one from it on.
enum class Failing { kOne, kAllFrom };

class Allocations {
 public:
  // Allocations from here on are counted, on every thread.
  static void Count();
  // As Count; the nth from here on (0 is the next one) fails.
  static void Fail(uint64_t nth, Failing which);
  // Ends either. Returns how many there were, those that failed included.
  static uint64_t Stop();

  // Blocks that were not given back, oneDNN's included.
  static int64_t Live();
};

}  // namespace aclimb::testing
