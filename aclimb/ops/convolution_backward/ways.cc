#include "aclimb/ops/convolution_backward/ways.h"

#include <algorithm>
#include <tuple>

#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

namespace aclimb::convolution_backward {
namespace {

// What our own windows are made for: what a unit reads is packed at once.
Refusal RefusalOfWindows(const Geometry& geometry) {
  const Geometry g = ShortDimensionsFirst(geometry);
  if (g.KernelSize() > 256) return "a window has more than 256 taps";
  if (SaturatedProduct(g.batch, g.OutSize()) < 128) return "there are fewer than 128 windows";
  for (int d = 0; d < kDims; ++d) {
    if ((g.kernel[d] - 1) * g.dilation[d] > 128)
      return "a window reaches over more than 128 elements";
    if (g.out[d] > 1 && g.stride[d] > 4) return "a stride is above 4";
  }
  return nullptr;
}

// Of a sum over channels and taps. Products add it in float32, in blocks.
constexpr int64_t kMostProductTerms = LongestSum(DType::kBFloat16);

Refusal RefusalOf(const Job& job, Way way) {
  const Geometry& g = job.geometry;
  if (way == Way::kDirect) return nullptr;
  if (way == Way::kOnePass) {
    const bool fits = job.task != Task::kForward && FitsDepthwise(g);
    return fits ? nullptr : "it computes gradients of small square depthwise windows alone";
  }
  if (IsSmall(g)) return "the problem is too small for it";
  const bool gives_weight = job.task == Task::kGradWeight;
  if (!gives_weight && SumTerms(g, job.task) > kMostProductTerms) {
    return "sums over channels and taps are too long for float32";
  }
  if (way == Way::kWindows) {
    return gives_weight ? RefusalOfWindows(g) : "it computes the gradient of the weight alone";
  }
  // oneDNN cuts its sums over images by the number of threads, and some products.
  if (job.one_order && (gives_weight || (way != Way::kBlocked && way != Way::kColumns))) {
    return "ACL_OPT_DETERMINISTIC is on, and its order of sums depends on the team";
  }
  if (way == Way::kBlocked) return nullptr;
  if (way == Way::kColumns) {
    // Wider gaps than oneDNN's kernels hold elements of a line in registers.
    constexpr int64_t kWideGap = 8;
    if (gives_weight) return "it computes no gradient of the weight";
    const bool gaps = g.kernel[2] > 1 && g.dilation[2] >= kWideGap && g.stride[2] == 1;
    return gaps ? nullptr : "windows have no wide gaps in a line";
  }
  if (g.groups > 1) return "there are groups";
  if (way == Way::kPlain && !gives_weight && !UnfoldedFits(g)) {
    return "the windows of an image take more than 32 MiB";
  }
  return nullptr;
}

}  // namespace

std::string_view NameOf(Way way) {
  constexpr std::string_view kNames[] = {
      "direct",        "windows on vectors", "blocked layouts", "plain layouts",
      "channels last", "columns of windows", "one pass"};
  return kNames[static_cast<int>(way)];
}

RankedWays WaysOf(const Job& job) {
  RankedWays ways;
  std::transform(std::begin(kWays), std::end(kWays), ways.begin(), [&](Way way) {
    const Refusal refusal = RefusalOf(job, way);
    return RankedWay{way, refusal == nullptr ? ModelOf(job, way) : 0, refusal};
  });
  // One pass leads: it reads the tensors once for both gradients, which no time of one shows.
  const auto key = [](const RankedWay& way) {
    return std::tuple(way.refusal != nullptr, way.way != Way::kOnePass, way.microseconds);
  };
  std::stable_sort(ways.begin(), ways.end(),
                   [&](const RankedWay& a, const RankedWay& b) { return key(a) < key(b); });
  return ways;
}

bool UnfoldedFits(const Geometry& g) {
  const double elements = static_cast<double>(g.x_channels) * static_cast<double>(g.KernelSize()) *
                          static_cast<double>(g.OutSize());
  return elements <= int64_t{8} << 20;
}

double CyclesOf(const Geometry& g) {
  double pairs = 1;  // of channels
  for (const int64_t factor : {g.groups, g.x_channels, g.y_channels}) {
    pairs *= static_cast<double>(factor);
  }
  const double taps = static_cast<double>(g.KernelSize());
  const double places = static_cast<double>(g.batch) * static_cast<double>(g.OutSize());
  // Our own kernels take about 16 cycles for a pair of channels and 8 for a tap, however few places
  // there are.
  return std::max(8 * pairs * (2 + taps), pairs * taps * places / 8);
}

bool IsSmall(const Geometry& g) { return CyclesOf(g) < 32.0 * 1024; }

}  // namespace aclimb::convolution_backward
