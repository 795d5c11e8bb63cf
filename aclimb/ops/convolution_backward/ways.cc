#include "aclimb/ops/convolution_backward/ways.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/long_sums.h"

namespace aclimb::convolution_backward {
namespace {

// What one core of a class of processors does. docs/measurements/2026-11-convolution-model.md has
// the measurements.
struct Machine {
  double own, library;  // thousands of multiplications a microsecond: our own loops, oneDNN's
  double lanes;         // of a vector
  double block;         // channels of a block of oneDNN's layouts
  double copy, weight;  // nanoseconds to bring an element of x or y, or of the weight, to a layout
  double convert;       // and more where the dtype changes
  double gemm;          // part of `library` that oneDNN's product reaches on large matrices
};
constexpr Machine kMachines[] = {
    {57, 57, 8, 8, 0.33, 0.6, 0.15, 0.9},      // kFloat32Short
    {57, 57, 16, 16, 0.33, 0.6, 0.15, 0.85},   // kFloat32
    {57, 38, 16, 16, 0.15, 0.54, 0.4, 0.7},    // kBFloat16: oneDNN widens in registers
    {114, 114, 16, 16, 0.15, 0.54, 0.4, 0.7},  // kBFloat16Dots
    {114, 900, 16, 16, 0.15, 0.54, 0.4, 0.5},  // kBFloat16Tiles: not measured but for the ratio
};

// A gradient as the model sees it. Elements and multiplications in thousands, times in
// microseconds.
struct Model {
  const Geometry& g;
  const Task task;
  const Machine& m;
  const bool half;  // bfloat16 as it is
  const bool converts;
  const bool gives_weight;
  const bool strided;  // where that is seen
  const double x, y, taps, in, out, images;
  const double all, live;              // multiplications, and those that meet no padding
  const double of_x, of_y, of_weight;  // elements

  explicit Model(const Job& job)
      : g(job.geometry),
        task(job.task),
        m(kMachines[static_cast<int>(job.products)]),
        half(job.products >= Products::kBFloat16),
        converts(job.converts),
        gives_weight(task == Task::kGradWeight),
        strided(IsStrided(g)),
        x(static_cast<double>(g.x_channels)),
        y(static_cast<double>(g.y_channels)),
        taps(static_cast<double>(g.KernelSize())),
        in(static_cast<double>(g.InSize())),
        out(static_cast<double>(g.OutSize())),
        images(static_cast<double>(g.batch)),
        all(images * Groups() * x * y * taps * out / 1000),
        live(FlopsOf(g) / 2000),
        of_x(images * Groups() * x * in / 1000),
        of_y(images * Groups() * y * out / 1000),
        of_weight(Groups() * x * y * taps / 1000) {}

  static bool IsStrided(const Geometry& g) {
    for (int d = 0; d < kDims; ++d) {
      if (g.stride[d] > 1 && g.out[d] > 1) return true;
    }
    return false;
  }
  double Groups() const { return static_cast<double>(g.groups); }
  double Result() const { return task == Task::kForward ? y : x; }
  // By how much more it is when it is filled up to whole blocks.
  static double Padded(double count, double block) {
    return static_cast<double>(
               CeilDivide(static_cast<int64_t>(count), static_cast<int64_t>(block))) *
           block / count;
  }
  // The first layer of a network, whose few channels oneDNN takes as they are.
  bool IsFirstLayer() const {
    const double few = half ? 15 : 4;
    return g.groups == 1 && x <= few && g.y_channels % 16 == 0 && task != Task::kGradX;
  }
  double Padding() const { return Padded(x, m.block) * Padded(y, m.block); }
  double Copies() const {
    // What fits a near cache is copied faster.
    const double far = of_x + of_y < 256 ? 0.4 : 1;
    return (of_x + of_y) * (m.copy * far + (converts ? m.convert : 0)) + of_weight * m.weight;
  }
  // Small planes leave oneDNN's sums over pixels, and products whose columns they are, half empty.
  double Filled() const { return out / (out + 25); }

  double Blocked() const {
    double padding = Padding();
    if (g.groups > 1) {
      const bool whole = g.x_channels % 16 == 0 && g.y_channels % 16 == 0;
      padding = (whole ? 1 : 1.2) * Padded(x, 8) * Padded(y, 8);
    }
    if (IsFirstLayer()) padding = half && gives_weight ? 1.6 : 1;
    double reached = gives_weight ? 0.88 * (taps > 1 ? Filled() : 1) : 0.97;
    if (strided && (half || !gives_weight)) reached *= 0.92;
    if (half && gives_weight && out > 16384) reached *= 0.6;
    return live * padding / (m.library * reached) + Copies();
  }
  double ChannelsLast() const {
    return all * Padded(gives_weight ? y : Result(), m.block) / (m.library * 0.88) + Copies();
  }
  double Plain() const {
    const bool unfolds = !g.IsOneToOne();
    double reached = m.gemm;
    if (!gives_weight) reached = (half ? m.gemm * 1.05 : 0.97) * Filled();
    if (taps > 1) reached *= x * taps / (x * taps + 60);
    double time = all / (m.library * reached);
    const double unfolded = x * taps * out / 1000;
    if (unfolds) time += images * unfolded * (!gives_weight ? 0.75 : unfolded > 1000 ? 1.3 : 0.85);
    if (gives_weight) time += images * of_weight * 0.15;
    return time + (converts ? (of_x + of_y) * m.convert : 0);
  }
  double Windows() const {
    const bool one = g.IsOneToOne();
    if (!gives_weight) {
      const double own = half ? kMachines[static_cast<int>(Products::kFloat32)].own : m.own;
      const double depth = task == Task::kForward ? x : y, columns = Result();
      // Few channels to sum, and a single vector of results, leave the registers empty.
      const double reached = (columns > m.lanes ? 0.9 : 0.5) * depth / (depth + 8);
      return live * Padded(columns, m.lanes) / (own * reached) + (of_x + of_y) * 0.2;
    }
    const double rows = one ? std::max(x, y) : x, columns = one ? std::min(x, y) : y;
    // Rows of x are packed for each tap, unless they are long and read where they are.
    const double width = static_cast<double>(g.out[2]), unfolded = images * x * taps * out / 1000;
    double packed = 0;
    if (strided) {
      packed = unfolded * (width >= m.lanes ? 0.75 : 4) + of_x * 0.4;
    } else if (!one) {
      const bool long_rows = width >= 24;
      packed = unfolded * (!long_rows || half || converts ? 0.3 : 0.1);
      if (!long_rows) packed += unfolded / width * 6;
    }
    // A single vector beside the rows leaves registers empty.
    const double reached = columns > m.lanes ? 0.95 : 0.55;
    return live * Padded(rows, 8) * Padded(columns, m.lanes) / (m.own * reached) +
           packed * Groups() * static_cast<double>(CeilDivide(g.y_channels, int64_t{512})) *
               (half ? 0.45 : 1);
  }
  double Direct() const {
    double junk = 1;  // positions between lines
    for (int d = 1; d < kDims; ++d) {
      const double reach = static_cast<double>(g.kernel[d] - 1) *
                           static_cast<double>(g.dilation[d]) / static_cast<double>(g.stride[d]);
      junk *= 1 + reach / static_cast<double>(g.out[d]);
    }
    if (gives_weight) {
      const double repacked = of_x * Padded(y, 16) * y / 16 + of_y * Padded(x, 48) * x / 48;
      return all * junk / (m.own * 0.83) + repacked * 0.25 + of_weight * 6;
    }
    double tiles = Padded(Result(), 3);
    for (const double tile : {4.0, 2.0, 1.0}) {
      tiles = std::min(tiles, Padded(Result(), tile) * (tile < 3 ? 1.15 : 1));
    }
    return all * junk * tiles / (m.own * 0.9) + of_weight * (half ? 2 : 4) + (of_x + of_y) * 0.2;
  }
};

// What our own windows are made for: what a unit reads is packed at once.
bool FitsWindows(const Geometry& geometry) {
  const Geometry g = ShortDimensionsFirst(geometry);
  if (g.KernelSize() > 256 || SaturatedProduct(g.batch, g.OutSize()) < 128) return false;
  for (int d = 0; d < kDims; ++d) {
    if ((g.kernel[d] - 1) * g.dilation[d] > 128 || (g.out[d] > 1 && g.stride[d] > 4)) return false;
  }
  return true;
}

// Of a sum over channels and taps. Products add it in float32, in blocks.
constexpr int64_t kMostProductTerms = LongestSum(DType::kBFloat16);

bool Fits(const Job& job, Way way) {
  const Geometry& g = job.geometry;
  if (way == Way::kDirect) return true;
  if (IsSmall(g)) return false;
  const bool gives_weight = job.task == Task::kGradWeight;
  if (!gives_weight && SumTerms(g, job.task) > kMostProductTerms) return false;
  if (way == Way::kWindows) return FitsWindows(g);
  // oneDNN cuts its sums over images by the number of threads, and some products.
  if (job.one_order && (gives_weight || way != Way::kBlocked)) return false;
  if (way == Way::kBlocked) return true;
  if (g.groups > 1) return false;
  if (way == Way::kPlain) return gives_weight || UnfoldedFits(g);
  const Model model(job);
  return model.Padding() >= 1.2 && !model.IsFirstLayer();
}

}  // namespace

std::string_view NameOf(Way way) {
  constexpr std::string_view kNames[] = {"direct", "windows on vectors", "blocked layouts",
                                         "plain layouts", "channels last"};
  return kNames[static_cast<int>(way)];
}

double ModelOf(const Job& job, Way way) {
  const Model model(job);
  switch (way) {
    case Way::kDirect:
      return model.Direct();
    case Way::kWindows:
      return model.Windows();
    case Way::kBlocked:
      return model.Blocked();
    case Way::kPlain:
      return model.Plain();
    case Way::kChannelsLast:
      return model.ChannelsLast();
  }
  return 0;
}

Ways WaysOf(const Job& job) {
  Ways ways;
  for (const Way way :
       {Way::kBlocked, Way::kPlain, Way::kChannelsLast, Way::kWindows, Way::kDirect}) {
    if (Fits(job, way)) ways.entries[ways.count++] = {way, ModelOf(job, way)};
  }
  std::stable_sort(
      ways.entries, ways.entries + ways.count,
      [](const Ways::Entry& a, const Ways::Entry& b) { return a.microseconds < b.microseconds; });
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
