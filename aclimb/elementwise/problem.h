#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "aclimb/core/tensor_view.h"
#include "aclimb/elementwise/runs.h"
#include "aclimb/simd/walk.h"

namespace aclimb::elementwise {

// Of operands; the output is the last one.
inline constexpr int kOperands = kMostInputs + 1;
inline constexpr int kOutput = kMostInputs;

// Clock cycles of a run that are as long as it takes to wake a sleeping team: more are worth it.
inline constexpr double kTeamCycles = 390e3;
// From here on, and up to there, threads that are awake take part.
inline constexpr double kSharedCycles = 48e3;
// Of a piece that a thread takes. A thread that lost its core keeps one from the others.
inline constexpr double kTeamPieceCycles = 24 * 1024;
inline constexpr double kSharedPieceCycles = 6 * 1024;

// Rows below this length are gathered, several at a time.
inline constexpr int64_t kShortRow = 128;

inline constexpr size_t kMostAttributeBytes = 64;
template <class Attributes>
constexpr void CheckAttributes() {
  static_assert(std::is_trivially_copyable_v<Attributes>);
  static_assert(sizeof(Attributes) <= kMostAttributeBytes && alignof(Attributes) <= 16);
}

// All that a run needs but the addresses, which differ from run to run.
struct Problem {
  // Inputs broadcast to the output; no address is looked at. The formula computes in `common`;
  // in float32 if it does not know that one. A half type is rounded to all the same.
  Problem(Formula formula, std::span<const TensorView> views, const TensorView& output,
          DType common);

  // The formula's struct of that name.
  template <class Attributes>
  void SetAttributes(const Attributes& given) {
    CheckAttributes<Attributes>();
    SetAttributes(&given, sizeof(given));
  }
  void SetAttributes(const void* given, size_t bytes) { std::memcpy(attributes, given, bytes); }

  // What the formula reads input n as.
  DType Reads(int n) const { return n == mask ? dtype[n] : compute; }
  // Whether input n has integers that are rounded to a half type before the formula reads them.
  bool RoundsInput(int n) const;
  // Whether one row of this operand, as a bias, is repeated throughout.
  bool IsOneRow(int n) const;

  Walk<kOperands> walk;
  DType dtype[kOperands];   // in memory
  int64_t size[kOperands];  // bytes of an element
  int inputs;
  int mask;        // the input that is a mask, or -1
  DType promoted;  // what the inputs are promoted to, or what the operator names
  DType compute;   // what the formula computes in
  DType computed;  // what it writes: `compute` or BOOL
  DType result;    // what that is rounded to before it becomes the output
  Run run;         // for the instruction set in use
  bool is_direct;  // long runs of consecutive elements, which need no conversion
  bool is_shared;  // too short to wake a team, but not for threads that are awake
  int across;      // the dimension of tiles (simd/tiles.h), or -1
  double cycles;   // of all elements, on one core
  int64_t grain;   // elements that a thread takes at once
  // Whether stores go around the caches, however few: all problems of a call together have many.
  bool streams = false;
  alignas(16) std::byte attributes[kMostAttributeBytes] = {};
};

// Of the first elements. The output may be one of the inputs, if their views are equal.
struct Addresses {
  const void* input[kMostInputs] = {};
  void* output = nullptr;
};

// Computes the problem, on the threads that the calling one may have (parallel.h). The bits do not
// depend on how many there are.
void Solve(const Problem& problem, const Addresses& addresses);

}  // namespace aclimb::elementwise
