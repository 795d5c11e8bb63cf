#include "aclimb/core/float_state.h"

namespace aclimb {

#if defined(__x86_64__)

// fnstenv also masks all exceptions, so that one which the program has pending is not raised here
// but where the program would have met it.
void DefaultFloatState::SwitchX87() {
  asm volatile("fnstenv %0" : "=m"(x87_)::"memory");
  asm volatile("fldcw %0" ::"m"(kDefaultX87Control) : "memory");
}

void DefaultFloatState::RestoreX87() {
  if (x87_control_ == kDefaultX87Control) {
    asm volatile("fnstenv %0" : "=m"(x87_)::"memory");
    x87_.status = (x87_.status & ~uint32_t{kX87Flags}) | (x87_status_ & kX87Flags);
  }
  asm volatile("fldenv %0" ::"m"(x87_) : "memory");
}

#endif

}  // namespace aclimb
