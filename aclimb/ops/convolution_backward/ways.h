#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// What the processor multiplies with, as far as oneDNN may use it. Short vectors have eight
// elements (AVX2) or fewer; bfloat16 is computed in float32 there.
enum class Products : uint8_t {
  kFloat32Short,
  kFloat32,  // AVX-512
  kBFloat16,
  kBFloat16Dots,   // AVX512_BF16
  kBFloat16Tiles,  // AMX
};

// How oneDNN is given x and y.
enum class Layouts : uint8_t {
  kBlocked,       // its choice, for its direct kernels
  kPlain,         // as programs have them: a product of matrices, for which windows are unfolded
  kChannelsLast,  // its direct kernels again
};

// The ways to compute one gradient.
enum class Way : uint8_t {
  kDirect,   // direct/, which takes everything
  kWindows,  // products/, the gradient of the weight alone
  kBlocked,  // oneDNN, in these layouts
  kPlain,
  kChannelsLast,
  kColumns,  // oneDNN in its choice of layouts, for each column of the windows by itself
  kOnePass,  // one_pass/, which gives both gradients at once where both are wanted
};
std::string_view NameOf(Way way);

// What a way has to compute.
struct Job {
  Geometry geometry;
  Task task = Task::kForward;
  Products products = Products::kFloat32;
  bool converts = false;   // oneDNN wants copies of operands in another dtype
  bool one_order = false;  // sums in one order for any team
};

// Why a way cannot be had, as a clause for the log: static text. Null: it can.
using Refusal = const char*;

inline constexpr Way kWays[] = {Way::kDirect,       Way::kWindows, Way::kBlocked, Way::kPlain,
                                Way::kChannelsLast, Way::kColumns, Way::kOnePass};
inline bool IsOneDnn(Way way) {
  return way == Way::kBlocked || way == Way::kPlain || way == Way::kChannelsLast;
}

struct RankedWay {
  Way way = Way::kDirect;
  double microseconds = 0;  // of one core, by the model; none of kOnePass
  Refusal refusal = nullptr;
};
// All ways: those that fit, the fastest first by the model but kOnePass before all, and behind them
// those that are refused, of which kDirect is never one.
using RankedWays = std::array<RankedWay, std::size(kWays)>;
RankedWays WaysOf(const Job& job);

// What a way would take on one core by the model, in microseconds. By shape and kind of processor
// alone: a choice by time would let results differ from run to run.
double ModelOf(const Job& job, Way way);

// The windows of an image, side by side as a product wants them, take no more than 32 MiB in
// float32. A product with more is not taken.
bool UnfoldedFits(const Geometry& geometry);

// What the definition of one gradient takes on one core, about.
double CyclesOf(const Geometry& geometry);

// Small enough for one thread without oneDNN, which costs more to start than to compute.
bool IsSmall(const Geometry& geometry);

}  // namespace aclimb::convolution_backward
