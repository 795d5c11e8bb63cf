#pragma once

#include <cstdint>
#include <cstring>

namespace aclimb::testing {

// The floating-point state of the calling thread, whole: rounding, subnormal numbers, traps and
// exception flags.
#if defined(__x86_64__)
struct FloatState {
  uint32_t mxcsr = 0x1F80;
  uint16_t x87_control = 0x037F;
  uint16_t x87_flags = 0;

  bool operator==(const FloatState&) const = default;
};

inline FloatState WithoutFlags(FloatState state) {
  state.mxcsr &= ~uint32_t{0x3F};
  state.x87_flags = 0;
  return state;
}
inline FloatState ReadFloatState() {
  FloatState state;
  asm volatile("stmxcsr %0" : "=m"(state.mxcsr)::"memory");
  asm volatile("fnstcw %0" : "=m"(state.x87_control)::"memory");
  asm volatile("fnstsw %0" : "=m"(state.x87_flags)::"memory");
  state.x87_flags &= 0x7F;
  return state;
}
inline void WriteFloatState(const FloatState& state) {
  uint32_t environment[7];
  asm volatile("ldmxcsr %0" ::"m"(state.mxcsr) : "memory");
  asm volatile("fnstenv %0" : "=m"(environment)::"memory");
  environment[0] = (environment[0] & 0xFFFF0000u) | state.x87_control;
  environment[1] = (environment[1] & 0xFFFF0000u) | state.x87_flags;
  asm volatile("fldenv %0" ::"m"(environment) : "memory");
}

struct NamedFloatState {
  const char* name;
  FloatState state;
};
// The first is the one that a program starts with.
inline constexpr NamedFloatState kFloatStates[] = {
    {"default", {}},
    {"flush-to-zero", {0x9F80}},
    {"denormals-are-zero", {0x1FC0}},
    {"both", {0x9FC0}},
    {"down", {0x3F80, 0x077F}},
    {"up", {0x5F80, 0x0B7F}},
    {"toward-zero", {0x7F80, 0x0F7F}},
    {"traps", {0x0000, 0x0340}},
    {"flags", {0x1FBF, 0x037F, 0x3F}},
    {"short-x87", {0x1F80, 0x007F}},
};
#elif defined(__aarch64__)
struct FloatState {
  uint64_t control = 0;
  uint64_t flags = 0;

  bool operator==(const FloatState&) const = default;
};

inline FloatState WithoutFlags(FloatState state) {
  state.flags = 0;
  return state;
}
inline FloatState ReadFloatState() {
  FloatState state;
  asm volatile("mrs %0, fpcr" : "=r"(state.control)::"memory");
  asm volatile("mrs %0, fpsr" : "=r"(state.flags)::"memory");
  return state;
}
inline void WriteFloatState(const FloatState& state) {
  asm volatile("msr fpcr, %0" ::"r"(state.control) : "memory");
  asm volatile("msr fpsr, %0" ::"r"(state.flags) : "memory");
}

struct NamedFloatState {
  const char* name;
  FloatState state;
};
inline constexpr NamedFloatState kFloatStates[] = {
    {"default", {}},      {"flush-to-zero", {1 << 24}}, {"up", {1 << 22}},
    {"down", {2 << 22}},  {"toward-zero", {3 << 22}},   {"default-nan", {1 << 25}},
    {"flags", {0, 0x9F}},
};
#endif

}  // namespace aclimb::testing
