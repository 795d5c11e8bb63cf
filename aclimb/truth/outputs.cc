#include "aclimb/truth/outputs.h"

#include <cmath>
#include <utility>

namespace aclimb::truth {

void Outputs::Set(Slot slot, std::vector<double> values, Allowance allowance) {
  std::vector<double> allowed(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    allowed[i] = allowance.absolute + allowance.relative * std::fabs(values[i]);
  }
  Set(slot, std::move(values), std::move(allowed));
}

}  // namespace aclimb::truth
