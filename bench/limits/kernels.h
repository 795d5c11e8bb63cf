#pragma once

#include <cstddef>
#include <cstdint>

// The loops whose speed is a limit of the machine. Each picks its instruction set at run time.
namespace aclimb::bench {

// For the compiler, a use of the value.
inline void KeepResult(float value) { asm volatile("" : : "m"(value) : "memory"); }

enum class Access { kRead, kWrite, kWriteNt, kCopy, kCopyNt, kTriad, kTriadNt, kZeroNt };

struct AccessInfo {
  Access access;
  const char* name;
  int arrays;
};
inline constexpr AccessInfo kAccesses[] = {
    {Access::kRead, "read", 1},        {Access::kWrite, "write", 1},
    {Access::kWriteNt, "write_nt", 1}, {Access::kCopy, "copy", 2},
    {Access::kCopyNt, "copy_nt", 2},   {Access::kTriad, "triad", 3},
    {Access::kTriadNt, "triad_nt", 3},
};

// One pass over `count` floats of each array that `access` names: out = 3, out = a, out = a + 3 b,
// out = 0, or a sum of a. `count` is a multiple of 256, the arrays are aligned to 64 bytes.
void Pass(Access access, float* out, const float* a, const float* b, int64_t count);

// A GEMM micro-kernel's inner loop, accumulators in registers, panels in the first-level cache;
// `steps` times. Returns the floating-point operations done. Those of bfloat16 are AMX's tiles or
// AVX-512's dot products; 0 where the processor has neither.
double GemmF32(int64_t steps);
double GemmBf16(int64_t steps);

}  // namespace aclimb::bench
