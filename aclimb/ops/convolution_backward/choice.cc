#include "aclimb/ops/convolution_backward/choice.h"

#include <algorithm>
#include <optional>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"

namespace aclimb::convolution_backward {
namespace {

bool IsFloat32(Products products) {
  return products == Products::kFloat32 || products == Products::kFloat32BesideTiles ||
         products == Products::kFloat32Short;
}

bool HasTiles(Products products) {
  return products == Products::kFloat32BesideTiles || products == Products::kBFloat16Tiles;
}

bool IsPatch(const Geometry& g) {
  if (g.groups != 1 || g.KernelSize() == 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] != g.stride[d] || g.pad_begin[d] != 0 || g.pad_end[d] != 0) return false;
    if (g.kernel[d] > 1 && g.dilation[d] != 1) return false;
  }
  return true;
}

// oneDNN's depthwise gradient of the weight knows windows up to three, without gaps.
bool HasDepthwiseKernel(const Geometry& g) {
  if (g.y_channels != 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] > 3 || (g.kernel[d] > 1 && g.dilation[d] != 1)) return false;
  }
  return g.in[0] == 1 && g.out[0] == 1;
}

// A window of one element, anywhere inside x.
bool IsPointwise(const Geometry& g) {
  if (g.groups != 1 || g.KernelSize() != 1) return false;
  for (int d = 0; d < kDims; ++d) {
    if (g.pad_begin[d] != 0 || g.pad_end[d] > 0) return false;
  }
  return true;
}

bool IsOneDimensional(const Geometry& g) {
  for (int d = 0; d < kDims - 1; ++d) {
    if (g.kernel[d] != 1 || g.in[d] != 1 || g.out[d] != 1) return false;
  }
  return true;
}

bool IsFirstLayer(const Geometry& g) { return g.groups == 1 && g.x_channels <= 4; }

// The gradients of a first layer of 3x3 windows have a rule of their own where there are tiles.
bool IsFirst3x3(const Geometry& g, Task task, Products products) {
  if (!HasTiles(products) || task == Task::kForward || !IsFirstLayer(g) || IsPatch(g)) return false;
  if (g.kernel[0] != 1 || g.kernel[1] != 3 || g.kernel[2] != 3) return false;
  return g.dilation[1] == 1 && g.dilation[2] == 1 && g.y_channels >= 16;
}

// How oneDNN computes it; nothing: our own kernels do.
std::optional<Layouts> First3x3Layouts(const Geometry& g, Task task, Products products) {
  const bool weight = task == Task::kGradWeight, full = IsFloat32(products);
  const int64_t x = g.x_channels, y = g.y_channels;
  const bool strided = g.HasStrides();
  // Many output channels are worth the unfolded input of a product.
  const int64_t few = x >= 3 && g.OutSize() >= 96 * 96 ? 20 * x : 32 * x;
  const bool many = full ? y >= 128 : y > few || (strided && weight && y >= 48);
  if (many && UnfoldedFits(g)) return Layouts::kPlain;
  // oneDNN's float32 kernel for three channels is up to a fifth faster on few whole blocks.
  const bool blocked = full ? weight && x == 3 && y <= 32 && y % 16 == 0 : !strided && x >= 3;
  if (blocked) return Layouts::kBlocked;
  return std::nullopt;
}

// Layers of few channels and large images leave blocks of sixteen channels empty, or wait for the
// copies into them: on vectors of AVX-512 our own kernels take them, which run along rows. oneDNN's
// gradient of the weight of a first layer is as good with strides; its dot products are until the
// window is large. The gradient of an input of up to 8 channels leaves half of each block empty.
bool RunsAlongRows(const Geometry& g, Task task, Products products) {
  const bool pairs = products == Products::kBFloat16Dots;
  if ((products != Products::kFloat32 && !pairs) || g.groups != 1 || g.KernelSize() == 1) {
    return false;
  }
  if (IsFirstLayer(g) && task == Task::kGradWeight && g.OutSize() >= 2500) {
    return !g.HasStrides() || (pairs && g.KernelSize() >= 25);
  }
  if (task == Task::kGradX && g.x_channels <= 8 && g.OutSize() >= 100) return true;
  return !pairs && g.x_channels <= 16 && g.y_channels <= 32 && g.OutSize() >= 10000;
}

// A first layer without strides in tiles: oneDNN computes the gradient of x faster than our own
// kernel, whose time is that of float32.
bool IsFirstLayerInTiles(const Geometry& g, Products products) {
  if (products != Products::kBFloat16Tiles || !IsFirstLayer(g) || g.y_channels < 16) return false;
  return !g.HasStrides() && *std::max_element(g.kernel, g.kernel + kDims) <= 7;
}

// Elements of the weight of a group.
double Weights(const Geometry& g) {
  return static_cast<double>(g.x_channels) * static_cast<double>(g.y_channels) *
         static_cast<double>(g.KernelSize());
}

// Output pixels of all images.
double Pixels(const Geometry& g) {
  return static_cast<double>(g.batch) * static_cast<double>(g.OutSize());
}

// Our own product on tiles packs all weights first, which few pixels are not worth.
bool PixelsAreWorthWeights(const Geometry& g) { return Weights(g) <= 4096 * Pixels(g); }

// A product for each image packs all weights, or adds to all of their gradient, for each: with many
// weights and few pixels that is most of the time, and worth a copy of x and y. No larger than a
// product's operands may be, and not where our own product has pixels for half a tile.
bool FoldsImages(const Geometry& g, Products products) {
  if (products != Products::kBFloat16Tiles || !UnfoldedFits(g, g.batch)) return false;
  const double pixels = static_cast<double>(g.OutSize()), weights = Weights(g);
  if (pixels >= 16 && PixelsAreWorthWeights(g)) return false;
  return weights >= 27 * pixels * pixels && g.batch >= (weights < 1 << 19 ? 8 : 2);
}

// Our own product, for windows of one element that meet every element of x. Few channels leave its
// blocks of 32 empty. Where there are so few weights that the other way is our direct kernel, any
// number of pixels will do.
bool MultipliesOnTiles(const Geometry& g, Task task, Products products) {
#if defined(ACLIMB_OWN_TILES)
  if (products != Products::kBFloat16Tiles || !IsPointwise(g)) return false;
  if (!std::equal(g.in, g.in + kDims, g.out)) return false;
  if (IsSmall(g)) {
    // Direct kernels take images together.
    return std::min(g.x_channels, g.y_channels) >= 4 && g.x_channels * g.y_channels >= 16 * g.batch;
  }
  if (FoldsImages(g, products)) return false;
  const int64_t fewest = std::min(g.x_channels, g.y_channels);
  if (task == Task::kGradWeight) return fewest >= 16 && Weights(g) >= 1024;
  return fewest >= 4 && PixelsAreWorthWeights(g);
#else
  (void)g;
  (void)task;
  (void)products;
  return false;
#endif
}

// With fewer, our own product on vectors spends its time on the weights.
bool HasPixelsForVectors(const Geometry& g) { return Pixels(g) >= 256; }

// What our own product on vectors computes at a good speed, whether or not oneDNN is faster on
// operands as they are. Few channels leave its vectors and blocks empty.
bool FitsVectors(const Geometry& g) {
  if (!IsPointwise(g) || IsSmall(g) || !HasPixelsForVectors(g)) return false;
  return std::equal(g.in, g.in + kDims, g.out) && std::min(g.x_channels, g.y_channels) >= 8;
}

// Float32 on vectors of eight elements: oneDNN's product is as good, on images under 144 pixels and
// between short and large ones, and on two threads for more channels than are named here.
bool MultipliesOnShortVectors(const Geometry& g, Task task) {
  const bool short_images = g.OutSize() >= 144 && g.OutSize() <= 256;
  const bool large_images = g.OutSize() >= 1024;
  if (task == Task::kGradWeight) {
    if (short_images) return Weights(g) > 1 << 16;
    const bool few_to_many = g.y_channels <= 64 && g.x_channels >= 3 * g.y_channels;
    return large_images && few_to_many && g.x_channels <= 256;
  }
  const int64_t rows = ResultChannels(g, task), depth = SourceChannels(g, task);
  if (short_images) return rows >= 256 && rows < 512 && depth >= rows;
  return large_images && depth <= 32 && rows >= std::max<int64_t>(64, 4 * depth);
}

// Float32 beside tiles. What a unit packs must meet many rows. oneDNN's product beats the gradient
// of x of few channels and many pixels, and the gradient of weights that are few; its blocked
// layouts beat both where many weights, which stay in no cache, meet large images.
bool MultipliesBesideTiles(const Geometry& g, Task task) {
  const bool short_planes = g.OutSize() <= 256;
  const bool large = Weights(g) >= 1 << 21 && !short_planes;
  if (large && task != Task::kGradX) return false;
  if (task == Task::kGradWeight) {
    return g.x_channels > g.y_channels ? g.x_channels >= 96 : Weights(g) > 1 << 16;
  }
  const int64_t rows = ResultChannels(g, task), depth = SourceChannels(g, task);
  if (rows >= 64 && depth <= 16) return true;
  return short_planes ? rows >= 144 : rows >= 512 && rows < 2048;
}

// Pixels of images of a few dozen are few beside the weights, and fill panels badly.
bool HasFewPixels(const Geometry& g, int64_t fewest) {
  return g.OutSize() >= 16 && g.OutSize() < fewest;
}

// On the vectors of AVX-512 oneDNN's gradient of the weight is nowhere better on large images; its
// gradient of x is, but where there are many rows or few channels to sum.
bool MultipliesOnLongVectors(const Geometry& g, Task task) {
  if (task == Task::kGradWeight) return !HasFewPixels(g, 100);
  const int64_t rows = ResultChannels(g, task), depth = SourceChannels(g, task);
  return (rows >= 64 && depth <= 16) || (g.OutSize() <= 256 && rows >= 256);
}

// By the dot products of AVX-512. On short images oneDNN's gradient of the weight is as good, and
// may share a copy of y with that of x (PointwiseLayouts).
bool MultipliesPairs(const Geometry& g, Task task) {
  const bool many_rows =
      task != Task::kGradWeight && ResultChannels(g, task) >= SourceChannels(g, task);
  return !HasFewPixels(g, many_rows ? 144 : 257);
}

bool MultipliesOnVectors(const Geometry& g, Task task, Products products) {
  if (!FitsVectors(g)) return false;
  switch (products) {
    case Products::kFloat32:
      return MultipliesOnLongVectors(g, task);
    case Products::kFloat32BesideTiles:
      return MultipliesBesideTiles(g, task);
    case Products::kFloat32Short:
      return MultipliesOnShortVectors(g, task);
    case Products::kBFloat16Dots:
      return MultipliesPairs(g, task);
    default:
      return false;
  }
}

// What our own sums over windows compute at a good speed, of ShortDimensionsFirst.
bool FitsWindowsOnVectors(const Geometry& g, Task task) {
  const int64_t taps = g.KernelSize();
  if (taps == 1 || taps > 256 || IsPatch(g) || IsSmall(g)) return false;
  if (Pixels(g) < 128 || g.y_channels < 16) return false;
  for (int d = 0; d < kDims; ++d) {
    // What a unit reads is packed at once.
    if ((g.kernel[d] - 1) * g.dilation[d] > 128 || (g.out[d] > 1 && g.stride[d] > 4)) return false;
  }
  // A group of sixteen leaves oneDNN's blocks no emptier than ours.
  if (g.groups > 1) return std::min(g.x_channels, g.y_channels) >= 32;
  if (g.x_channels >= 16) return true;
  // Three and four fill the rows that short vectors hold. Long ones are read from where they are.
  if (task != Task::kGradWeight || g.HasStrides() || g.out[2] < 32) return false;
  return g.x_channels == 3 || g.x_channels == 4;
}

// Blocked layouts pad channels to sixteen. Where that is a fifth more work, channels last is
// faster, except where few channels meet whole blocks, as in the first layer of a network: there
// the direct kernels of the weight take x as it is, in float32 up to four channels, which are as
// far as our own kernels of x go.
bool PaddingCosts(const Geometry& g, Products products) {
  const double work = static_cast<double>(g.x_channels) * static_cast<double>(g.y_channels);
  const double padded = static_cast<double>(RoundUp(g.x_channels, 16)) *
                        static_cast<double>(RoundUp(g.y_channels, 16));
  if (padded < 1.2 * work) return false;
  const int64_t few = IsFloat32(products) ? 4 : 15;
  return g.y_channels % 16 != 0 || g.x_channels > few;
}

int64_t LargestGap(const Geometry& g) {
  int64_t gap = 1;
  for (int d = 0; d < kDims; ++d) gap = std::max(gap, g.kernel[d] > 1 ? g.dilation[d] : 1);
  return gap;
}

// On short vectors oneDNN's gradient of the weight reaches half to two thirds of the arithmetic,
// ours nine tenths; its product along one dimension, which unfolds x, reaches as much where there
// are strides and many weights. Its other tasks are as good as ours but for large gaps and long
// windows along one dimension, small planes, and strides.
bool WindowsOnShortVectors(const Geometry& g, Task task) {
  const bool one_dimension = IsOneDimensional(g);
  if (task == Task::kGradWeight) {
    return !one_dimension || !g.HasStrides() || Weights(g) < 1 << 19;
  }
  if (LargestGap(g) >= 4 || (one_dimension && g.KernelSize() >= 9)) return true;
  if (g.OutSize() <= (Weights(g) < 1 << 21 ? 49 : 100)) return true;
  if (!g.HasStrides() || std::min(g.x_channels, g.y_channels) < 64) return false;
  return one_dimension || g.OutSize() <= 196;
}

// On those of AVX-512 oneDNN's gradient of the weight reaches three quarters to nine tenths, and
// less along one dimension; ours wants channels, or pixels, that are worth its packing. The other
// tasks are as good there but for large gaps, and for strides along one dimension.
bool WindowsOnLongVectors(const Geometry& g, Task task) {
  const bool one_dimension = IsOneDimensional(g), large = Weights(g) >= 1 << 18;
  const int64_t fewest = std::min(g.x_channels, g.y_channels);
  if (fewest < 32 || PaddingCosts(g, Products::kFloat32)) return false;
  if (LargestGap(g) >= 12) return true;
  if (task != Task::kGradWeight) return one_dimension && g.HasStrides() && fewest >= 256;
  if (one_dimension) return true;
  if (g.groups > 1 || g.KernelSize() > 9) return false;
  return g.HasStrides() ? large && g.OutSize() <= 100 : large || g.OutSize() >= 784;
}

// By the dot products of AVX-512, for the gradient of the weight alone. On large images oneDNN is
// as fast without gaps in two dimensions and more, and shares its copy of y with the other
// gradient.
bool SumsWindowsOfPairs(const Geometry& g, Task task) {
  if (task != Task::kGradWeight || std::min(g.x_channels, g.y_channels) < 32) return false;
  if (IsOneDimensional(g) || LargestGap(g) >= 6) return true;
  return g.OutSize() < (g.HasStrides() ? 400 : 100);
}

bool WindowsOnVectors(const Geometry& geometry, Task task, Products products) {
  const Geometry g = ShortDimensionsFirst(geometry);
  if (!FitsWindowsOnVectors(g, task)) return false;
  switch (products) {
    case Products::kFloat32:
      return WindowsOnLongVectors(g, task);
    case Products::kFloat32Short:
      return WindowsOnShortVectors(g, task);
    case Products::kBFloat16Dots:
      return SumsWindowsOfPairs(g, task);
    default:
      return false;
  }
}

// oneDNN's product for strided windows of one element unfolds x and folds its gradient, image by
// image and on elements between windows too. Rows that take every second element are copied fast,
// and our own product takes what was copied.
bool TakesEverySecond(const Geometry& g, Products products) {
  if (g.stride[2] != 2 || g.out[2] < 7) return false;
  const bool fits_vectors = std::min(g.x_channels, g.y_channels) >= 32 && HasPixelsForVectors(g);
  if (IsFloat32(products)) return fits_vectors;
  if (products == Products::kBFloat16Dots) return fits_vectors && g.OutSize() >= 196;
  return products == Products::kBFloat16Tiles;
}

// One thread does a product of so many weights faster than a direct kernel; two share its few
// columns badly.
bool IsLargeOnOneThread(double weights, int threads) { return weights >= 1 << 20 && threads == 1; }

// A product needs no copies; in float32 the direct kernels are faster by up to a fifth, in bfloat16
// the gradient of the weight is not.
Layouts PointwiseLayouts(const Geometry& g, Task task, Products products, int threads) {
  if (products == Products::kBFloat16Tiles) return Layouts::kPlain;
  const double weights = Weights(g);
  // Images are multiplied one by one: short ones leave the product's panels half empty, and the
  // more there is to multiply, the less a copy matters.
  const Layouts of_input =
      g.OutSize() >= (weights < 1 << 16 ? 128 : 384) ? Layouts::kPlain : Layouts::kBlocked;
  if (task != Task::kGradWeight) return of_input;
  if (products == Products::kFloat32Short) {
    return g.OutSize() >= (threads == 1 ? 49 : 100) ? Layouts::kPlain : Layouts::kBlocked;
  }
  if (!IsFloat32(products)) {
    // Unless y, the larger, is blocked for the other gradient anyway.
    const bool shared = g.y_channels > g.x_channels && weights <= 1 << 18;
    return shared ? of_input : Layouts::kPlain;
  }
  const double copied = static_cast<double>(g.x_channels) * static_cast<double>(g.InSize()) /
                            static_cast<double>(g.OutSize()) +
                        static_cast<double>(g.y_channels);
  const bool fits_blocks = g.y_channels >= 32 && g.y_channels <= 64 && !HasTiles(products);
  return weights <= 128 * copied && !fits_blocks ? of_input : Layouts::kBlocked;
}

// The gradient of the weight of windows along one dimension: a product, though it unfolds x, is
// faster than the direct kernel, which meets a short window row by row. Long windows without a
// stride unfold to more than that is worth.
bool UnfoldsOneDimension(const Geometry& g, Products products) {
  if (!IsFloat32(products) || std::min(g.x_channels, g.y_channels) < 64) return false;
  if (!IsOneDimensional(g)) return false;
  return (g.stride[2] > 1 || g.kernel[2] <= 3) && g.OutSize() > 144 && UnfoldedFits(g);
}

// Of a sum over channels and taps. Our own products add it in float32: on tiles term by term, to a
// result of bfloat16, on vectors in blocks.
constexpr int64_t kMostProductTerms = LongestSum(DType::kBFloat16);

// Of operands in the dtypes that are multiplied.
Algorithm FastestAsTheyAre(const Geometry& g, Task task, Products products) {
  if (MultipliesOnTiles(g, task, products) || MultipliesOnVectors(g, task, products) ||
      WindowsOnVectors(g, task, products)) {
    return Algorithm::kProduct;
  }
  if (IsSmall(g)) return Algorithm::kDirect;
  if (g.groups > 1 && g.x_channels == 1 && g.y_channels <= 4) {
    // On short rows oneDNN, whose vectors run across channels, wins where it has a kernel.
    bool across = g.OutSize() <= 256 && g.out[2] < 16;
    if (products == Products::kFloat32Short && g.HasStrides()) {
      // Short vectors take elements apart slowly.
      across = across || task == Task::kGradWeight || g.OutSize() >= 2500;
    }
    return across && HasDepthwiseKernel(g) ? Algorithm::kBlocked : Algorithm::kDirect;
  }
  if (g.groups > 1) {
    // Blocked layouts want sixteen channels. Eight they do with half a vector, which is not enough
    // beside tiles, and not at all for bfloat16 weights; nor, without strides, on short vectors,
    // or on large images.
    const bool weight = task == Task::kGradWeight;
    const bool half = products == Products::kBFloat16 || products == Products::kBFloat16Dots;
    const bool large = g.OutSize() >= 196 && Pixels(g) >= 784;
    const bool eight = HasTiles(products) || (half && weight) ||
                       (products == Products::kFloat32 && large) ||
                       (products == Products::kBFloat16Dots && g.OutSize() >= 784) ||
                       (products == Products::kFloat32Short && !g.HasStrides());
    const int64_t few = eight ? 8 : weight ? 7 : 4;
    if (g.x_channels <= few && g.y_channels <= few) return Algorithm::kDirect;
  }
  if (IsPatch(g)) return Algorithm::kPatch;
  if (RunsAlongRows(g, task, products)) return Algorithm::kDirect;
  const bool pointwise = IsPointwise(g) && !IsFirstLayer(g);
  if (pointwise && (TakesEverySecond(g, products) || FoldsImages(g, products))) {
    return Algorithm::kPatch;
  }
  if (IsFirst3x3(g, task, products)) {
    return First3x3Layouts(g, task, products) ? Algorithm::kBlocked : Algorithm::kDirect;
  }
  if (IsFirstLayer(g) && task == Task::kGradX && !IsFirstLayerInTiles(g, products)) {
    return Algorithm::kDirect;
  }
  return Algorithm::kBlocked;
}

}  // namespace

Layouts ChooseLayouts(const Geometry& g, Task task, Products products, int threads) {
  if (IsPointwise(g)) return PointwiseLayouts(g, task, products, threads);
  if (g.groups != 1) return Layouts::kBlocked;
  const bool half = !IsFloat32(products), weight = task == Task::kGradWeight;
  // Nothing: whoever asks all the same gets what the other rules say.
  if (IsFirst3x3(g, task, products)) {
    if (const auto layouts = First3x3Layouts(g, task, products)) return *layouts;
  }
  if (PaddingCosts(g, products)) return Layouts::kChannelsLast;
  if (weight && UnfoldsOneDimension(g, products)) return Layouts::kPlain;
  if (!weight || g.OutSize() > 144) return Layouts::kBlocked;
  // Rows of a few elements keep the direct gradient of the weight below two thirds of its speed.
  const bool strided = g.HasStrides();
  const bool large = IsLargeOnOneThread(Weights(g), threads) && g.OutSize() > 16;
  if (large && (strided || (!half && !HasTiles(products)))) return Layouts::kPlain;
  return strided || half || large ? Layouts::kBlocked : Layouts::kChannelsLast;
}

bool UnfoldedFits(const Geometry& g, int64_t images) {
  const double elements = static_cast<double>(g.x_channels) * static_cast<double>(g.KernelSize()) *
                          static_cast<double>(g.OutSize()) * static_cast<double>(images);
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

Algorithm ChooseAlgorithm(const Geometry& g, Task task, Products products, bool converts) {
  if (SumTerms(g, task) > kMostProductTerms && task != Task::kGradWeight) return Algorithm::kDirect;
  const Algorithm found = FastestAsTheyAre(g, task, products);
  if (found != Algorithm::kBlocked || !converts) return found;
  const bool windows =
      products == Products::kFloat32Short && FitsWindowsOnVectors(ShortDimensionsFirst(g), task);
  return windows || FitsVectors(g) ? Algorithm::kProduct : found;
}

bool SuitsVectors(const Geometry& g, Task task) {
  return FitsVectors(g) || FitsWindowsOnVectors(ShortDimensionsFirst(g), task);
}

bool TakesDepthwise(const Geometry& g) {
  if (!FitsDepthwise(g)) return false;
  if (IsSmall(g) || !HasDepthwiseKernel(g) || RunsByChannels(g)) return true;
  // What a channel and a plane cost, however few their pixels are, is what oneDNN, whose vectors
  // run across channels, has not.
  return Pixels(g) >= 256;
}

Geometry PatchGeometry(const Geometry& g, Products products) {
  Geometry patch = g;
  patch.x_channels = g.x_channels * g.KernelSize();
  for (int d = 0; d < kDims; ++d) {
    patch.in[d] = g.out[d];
    patch.kernel[d] = 1;
    patch.stride[d] = 1;
    patch.dilation[d] = 1;
    patch.pad_end[d] = 0;
  }
  if (FoldsImages(g, products)) {
    patch.in[2] = patch.out[2] = g.batch * g.OutSize();
    patch.in[0] = patch.out[0] = patch.in[1] = patch.out[1] = 1;
    patch.batch = 1;
  }
  return patch;
}

}  // namespace aclimb::convolution_backward
