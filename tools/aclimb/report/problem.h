#pragma once

#include <stdexcept>

namespace aclimb::cli::report {

// Something about an input or the output that the user has to change; what() is one line.
class Problem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace aclimb::cli::report
