#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace aclimb {

// While it lives, the calling thread computes in the floating-point state that every program starts
// with: it rounds to nearest, keeps subnormal numbers and traps nothing. Afterwards the thread has
// the state that it had, exception flags included. Threads of the program come with any state
// (-Ofast, a library's flush-to-zero, interval arithmetic), and new threads inherit it, so what
// computes on a thread that the program made, or that such a thread made, makes one of these first.
// Costs a few cycles when the state is the default one already.
//
// The compiler knows nothing of it: what computes must be a call that it does not see through.
class DefaultFloatState {
 public:
  DefaultFloatState() {
#if defined(__x86_64__)
    mxcsr_ = ReadMxcsr();
    if ((mxcsr_ & ~kMxcsrFlags) != kDefaultMxcsr) WriteMxcsr(kDefaultMxcsr);
    asm volatile("fnstcw %0" : "=m"(x87_control_)::"memory");
    x87_status_ = ReadX87Status();
    if (x87_control_ != kDefaultX87Control) SwitchX87();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control_)::"memory");
    asm volatile("mrs %0, fpsr" : "=r"(status_)::"memory");
    if (control_ != 0) asm volatile("msr fpcr, %0" ::"r"(uint64_t{0}) : "memory");
#else
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
#endif
  }
  ~DefaultFloatState() {
#if defined(__x86_64__)
    if (ReadMxcsr() != mxcsr_) WriteMxcsr(mxcsr_);
    if (x87_control_ != kDefaultX87Control || ((ReadX87Status() ^ x87_status_) & kX87Flags) != 0) {
      RestoreX87();
    }
#elif defined(__aarch64__)
    uint64_t status;
    asm volatile("mrs %0, fpsr" : "=r"(status)::"memory");
    if (status != status_) asm volatile("msr fpsr, %0" ::"r"(status_) : "memory");
    if (control_ != 0) asm volatile("msr fpcr, %0" ::"r"(control_) : "memory");
#else
    std::fesetenv(&before_);
#endif
  }
  DefaultFloatState(const DefaultFloatState&) = delete;
  DefaultFloatState& operator=(const DefaultFloatState&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kDefaultMxcsr = 0x1F80;
  static constexpr uint32_t kMxcsrFlags = 0x3F;
  static constexpr uint16_t kDefaultX87Control = 0x037F;
  static constexpr uint16_t kX87Flags = 0x7F;  // with that of the stack

  static uint32_t ReadMxcsr() {
    uint32_t value;
    asm volatile("stmxcsr %0" : "=m"(value)::"memory");
    return value;
  }
  static void WriteMxcsr(uint32_t value) { asm volatile("ldmxcsr %0" ::"m"(value) : "memory"); }
  static uint16_t ReadX87Status() {
    uint16_t value;
    asm volatile("fnstsw %0" : "=a"(value)::"memory");
    return value;
  }
  void SwitchX87();
  void RestoreX87();

  // As fnstenv stores it.
  struct X87Environment {
    uint32_t control, status, others[5];
  };

  uint32_t mxcsr_;
  uint16_t x87_control_;
  uint16_t x87_status_;
  X87Environment x87_;  // when the control word is not the default
#elif defined(__aarch64__)
  uint64_t control_;
  uint64_t status_;
#else
  std::fenv_t before_;
#endif
};

}  // namespace aclimb
