// Where the rule of the layouts turns, without oneDNN.
#include "aclimb/ops/convolution_backward/choice.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace aclimb::convolution_backward {
namespace {

constexpr Products kF32 = Products::kFloat32, kF32Tiles = Products::kFloat32BesideTiles,
                   kBf16 = Products::kBFloat16, kDots = Products::kBFloat16Dots,
                   kTiles = Products::kBFloat16Tiles;
constexpr Layouts kBlocked = Layouts::kBlocked, kPlain = Layouts::kPlain,
                  kLast = Layouts::kChannelsLast;

// `out` windows of kernel x kernel in a row.
Geometry Windows(int64_t x_channels, int64_t y_channels, int64_t out, int64_t kernel,
                 int64_t stride = 1) {
  Geometry g;
  g.batch = 8;
  g.x_channels = x_channels;
  g.y_channels = y_channels;
  g.out[2] = out;
  g.in[1] = kernel;
  g.in[2] = (out - 1) * stride + kernel;
  g.kernel[1] = g.kernel[2] = kernel;
  g.stride[2] = stride;
  return g;
}

TEST(ConvolutionLayouts, ChannelsLastWherePaddingIsAFifth) {
  struct Case {
    int64_t x, y;
    Layouts f32, bf16;
  };
  const Case cases[] = {
      {16, 16, kBlocked, kBlocked},   {3, 64, kBlocked, kBlocked},
      {4, 16, kBlocked, kBlocked},    {5, 16, kLast, kBlocked},
      {15, 64, kBlocked, kBlocked},  // a fifteenth more
      {12, 96, kLast, kBlocked},      {17, 256, kLast, kLast},
      {4, 20, kLast, kLast},          {1, 6, kLast, kLast},
      {16, 24, kLast, kLast},         {72, 72, kLast, kLast},  // 1.235 times
      {80, 200, kBlocked, kBlocked},  {128, 17, kLast, kLast},
      {40, 16, kLast, kLast},         {40, 1024, kLast, kLast},  // 1.2 times
      {41, 1024, kBlocked, kBlocked},
  };
  for (const Case& each : cases) {
    const Geometry g = Windows(each.x, each.y, 400, 3);
    for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      for (const int threads : {1, 2}) {
        EXPECT_EQ(ChooseLayouts(g, task, kF32, threads), each.f32) << each.x << "->" << each.y;
        EXPECT_EQ(ChooseLayouts(g, task, kF32Tiles, threads), each.f32) << each.x << "->" << each.y;
        EXPECT_EQ(ChooseLayouts(g, task, kBf16, threads), each.bf16) << each.x << "->" << each.y;
      }
    }
  }
}

TEST(ConvolutionLayouts, ShortRowsAndHeavyWeights) {
  struct Case {
    int64_t channels, out, stride;
    Products products;
    int threads;
    Layouts layouts;
  };
  const Case cases[] = {
      {64, 145, 1, kF32, 1, kBlocked},    {64, 144, 1, kF32, 1, kLast},
      {64, 144, 2, kF32, 1, kBlocked},    {64, 144, 1, kBf16, 1, kBlocked},
      {512, 144, 1, kF32, 1, kPlain},     {512, 144, 1, kF32, 2, kLast},
      {512, 145, 1, kF32, 1, kBlocked},   {512, 17, 1, kF32, 1, kPlain},
      {512, 16, 1, kF32, 1, kLast},       {512, 17, 2, kF32, 1, kPlain},
      {512, 17, 2, kF32, 2, kBlocked},    {512, 17, 1, kBf16, 1, kBlocked},
      {512, 17, 2, kBf16, 1, kPlain},     {512, 17, 2, kBf16, 2, kBlocked},
      {336, 17, 1, kF32, 1, kLast},  // 1,016,064 weights
      {336, 17, 1, kF32Tiles, 1, kLast},  {352, 17, 1, kF32Tiles, 1, kBlocked},
      {352, 17, 1, kF32Tiles, 2, kLast},  {352, 16, 1, kF32Tiles, 1, kLast},
      {352, 17, 2, kF32Tiles, 1, kPlain}, {352, 17, 1, kF32, 1, kPlain},
  };
  for (const Case& each : cases) {
    const Geometry g = Windows(each.channels, each.channels, each.out, 3, each.stride);
    EXPECT_EQ(ChooseLayouts(g, Task::kGradWeight, each.products, each.threads), each.layouts)
        << each.channels << " channels, " << each.out << " windows, " << each.threads << " threads";
    EXPECT_EQ(ChooseLayouts(g, Task::kGradX, each.products, each.threads), kBlocked);
  }
}

TEST(ConvolutionLayouts, Pointwise) {
  struct Case {
    int64_t x, y, out;
    Products products;
    int threads;
    Layouts input, weight;
  };
  const Case cases[] = {
      {256, 31, 400, kF32Tiles, 1, kPlain, kPlain}, {256, 32, 400, kF32Tiles, 1, kPlain, kPlain},
      {256, 64, 400, kF32Tiles, 2, kPlain, kPlain}, {512, 512, 400, kF32Tiles, 1, kPlain, kBlocked},
      {256, 32, 400, kF32, 1, kPlain, kBlocked},    {256, 256, 384, kF32, 1, kPlain, kPlain},
      {256, 256, 383, kF32, 1, kBlocked, kBlocked}, {128, 256, 128, kF32, 1, kPlain, kPlain},
      {128, 256, 127, kF32, 1, kBlocked, kBlocked}, {256, 64, 400, kF32, 1, kPlain, kBlocked},
      {256, 31, 400, kF32, 1, kPlain, kPlain},      {256, 65, 400, kF32, 1, kPlain, kPlain},
      {512, 512, 400, kF32, 1, kPlain, kBlocked},   {1024, 1024, 49, kF32, 1, kBlocked, kBlocked},
      {64, 256, 49, kBf16, 1, kBlocked, kBlocked},  {64, 256, 196, kBf16, 2, kPlain, kPlain},
      {256, 64, 49, kBf16, 2, kBlocked, kPlain},    {512, 1024, 49, kBf16, 2, kBlocked, kPlain},
  };
  for (const Case& each : cases) {
    const Geometry g = Windows(each.x, each.y, each.out, 1);
    SCOPED_TRACE(::testing::Message() << each.x << "->" << each.y << ", " << each.out
                                      << " windows, " << each.threads << " threads");
    EXPECT_EQ(ChooseLayouts(g, Task::kGradX, each.products, each.threads), each.input);
    EXPECT_EQ(ChooseLayouts(g, Task::kGradWeight, each.products, each.threads), each.weight);
  }
}

TEST(ConvolutionLayouts, Tiles) {
  struct Case {
    int64_t x, y, out, kernel, stride;
    Layouts input, weight;
  };
  const Case cases[] = {
      {256, 256, 49, 1, 1, kPlain, kPlain},  {1024, 1024, 49, 1, 2, kPlain, kPlain},
      {3, 64, 64, 5, 1, kBlocked, kBlocked}, {5, 64, 64, 3, 1, kBlocked, kBlocked},
      {4, 15, 64, 3, 1, kLast, kLast},
  };
  for (const Case& each : cases) {
    const Geometry g = Windows(each.x, each.y, each.out, each.kernel, each.stride);
    SCOPED_TRACE(::testing::Message()
                 << each.x << "->" << each.y << ", " << each.out << " windows of " << each.kernel);
    for (const int threads : {1, 2}) {
      EXPECT_EQ(ChooseLayouts(g, Task::kGradX, kTiles, threads), each.input);
      EXPECT_EQ(ChooseLayouts(g, Task::kGradWeight, kTiles, threads), each.weight);
      const Layouts of_y = each.kernel == 1 ? kPlain : each.y % 16 != 0 ? kLast : kBlocked;
      EXPECT_EQ(ChooseLayouts(g, Task::kForward, kTiles, threads), of_y);
    }
  }
}

TEST(ConvolutionAlgorithms, DepthwiseOnShortRows) {
  const auto algorithm = [](int64_t row, Products products) {
    Geometry g = Windows(1, 1, row, 3);
    g.groups = 512;
    g.out[1] = 7;
    return ChooseAlgorithm(g, Task::kGradX, products);
  };
  for (const Products products : {kF32, kBf16, kDots, kF32Tiles, kTiles}) {
    EXPECT_EQ(algorithm(15, products), Algorithm::kBlocked);
    EXPECT_EQ(algorithm(16, products), Algorithm::kDirect);
  }
}

TEST(ConvolutionAlgorithms, DepthwiseInOnePass) {
  const auto takes = [](int64_t batch, int64_t rows, int64_t row, int64_t kernel) {
    Geometry g = Windows(1, 1, row, kernel);
    g.batch = batch;
    g.groups = 512;
    g.in[1] = g.out[1] = rows;
    g.kernel[1] = kernel;
    g.pad_begin[1] = g.pad_end[1] = kernel / 2;
    return TakesDepthwise(g);
  };
  EXPECT_TRUE(takes(1, 16, 16, 3));
  EXPECT_FALSE(takes(1, 16, 15, 3));  // few pixels
  EXPECT_TRUE(takes(1, 16, 15, 5));   // which oneDNN has no kernel for
  EXPECT_TRUE(takes(1, 7, 7, 3));     // by channels
  EXPECT_TRUE(takes(8, 16, 16, 7));
  EXPECT_FALSE(takes(8, 16, 16, 9));
}

TEST(ConvolutionAlgorithms, ImagesSideBySide) {
  struct Case {
    int64_t batch, x, y, out, kernel, stride;
    Algorithm algorithm;
    bool folds;
  };
  const Algorithm patch = Algorithm::kPatch, tiles = Algorithm::kTiles;
  const Algorithm blocked = Algorithm::kBlocked;
  const Case cases[] = {
      // Half a tile of pixels: our own product takes the images one by one.
      {8, 512, 512, 15, 1, 1, patch, true},
      {8, 512, 512, 16, 1, 1, tiles, false},
      {7, 128, 512, 15, 1, 1, tiles, false},
      {2, 1024, 512, 9, 1, 1, patch, true},
      {1, 1024, 512, 9, 1, 1, tiles, false},
      // So many weights that it does not pack them for so few pixels.
      {8, 1024, 1568, 49, 1, 1, tiles, false},
      {8, 1024, 1569, 49, 1, 1, patch, true},
      {8, 1024, 2048, 49, 1, 2, patch, true},
      {8, 1024, 1024, 49, 1, 2, patch, false},
      {8, 256, 512, 784, 1, 2, patch, false},
      {8, 256, 512, 784, 1, 3, blocked, false},
      {8, 3, 2048, 14, 1, 1, blocked, false},
      {8, 3, 768, 196, 16, 16, patch, false},
      {8, 3, 768, 100, 32, 32, patch, false},
      {8, 3, 768, 25, 32, 32, patch, true},
      {8, 256, 512, 49, 3, 1, tiles, false},
      // Rows too short to take every second element of, and more images than a product takes.
      {8, 256, 512, 6, 1, 2, patch, true},
      {4, 256, 512, 6, 1, 2, blocked, false},
      {4, 256, 512, 7, 1, 2, patch, false},
      {546, 1024, 512, 15, 1, 1, patch, true},
      {547, 1024, 512, 15, 1, 1, tiles, false},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, each.kernel, each.stride);
    g.batch = each.batch;
    g.stride[1] = each.kernel > 1 ? each.stride : 1;
    SCOPED_TRACE(::testing::Message() << each.batch << " images, " << each.x << "->" << each.y
                                      << ", " << each.out << " windows of " << each.kernel);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kGradWeight, kTiles), each.algorithm);
    if (each.algorithm != patch) continue;
    const Geometry rearranged = PatchGeometry(g, kTiles);
    EXPECT_EQ(rearranged.batch, each.folds ? 1 : each.batch);
    EXPECT_EQ(rearranged.out[2], each.folds ? each.batch * each.out : each.out);
    EXPECT_EQ(ChooseAlgorithm(rearranged, Task::kGradWeight, kTiles), tiles);
    EXPECT_EQ(PatchGeometry(g, kBf16).batch, each.batch);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kGradWeight, kBf16) == patch, each.kernel > 1);
  }
}

TEST(ConvolutionLayouts, OneDimensionIsUnfoldedForTheWeight) {
  struct Case {
    int64_t x, y, out, kernel, stride;
    bool plain;
  };
  const Case cases[] = {
      {512, 512, 1599, 3, 2, true},  {64, 64, 145, 3, 1, true},
      {64, 64, 145, 4, 2, true},     {64, 64, 145, 4, 1, false},
      {64, 64, 144, 3, 1, false},    {48, 64, 1599, 3, 2, false},
      {512, 48, 1599, 3, 2, false},  {512, 512, 5461, 3, 2, true},
      {512, 512, 5462, 3, 2, false},  // 32 MiB
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, each.kernel, each.stride);
    SCOPED_TRACE(::testing::Message()
                 << each.x << "->" << each.y << ", " << each.out << " windows of " << each.kernel);
    for (const bool line : {true, false}) {
      if (line) g.in[1] = g.kernel[1] = 1;
      for (const int threads : {1, 2}) {
        const auto plain = [&](Task task, Products products) {
          return ChooseLayouts(g, task, products, threads) == Layouts::kPlain;
        };
        EXPECT_EQ(plain(Task::kGradWeight, kF32), each.plain && line);
        EXPECT_EQ(plain(Task::kGradWeight, kF32Tiles), each.plain && line);
        EXPECT_FALSE(plain(Task::kGradX, kF32) || plain(Task::kGradWeight, kBf16));
      }
      g = Windows(each.x, each.y, each.out, each.kernel, each.stride);
    }
  }
}

TEST(ConvolutionAlgorithms, OwnProductBesideTiles) {
  struct Case {
    int64_t batch, x, y, out;
    bool input, weight;
  };
  const Case cases[] = {
      // Rows to meet what a unit packs, more of them where images are large.
      {4, 512, 128, 784, true, true},
      {4, 511, 128, 784, false, true},
      {8, 256, 1024, 196, true, true},
      {8, 144, 144, 256, true, false},
      {8, 144, 144, 257, false, false},
      {8, 143, 144, 196, false, false},
      {8, 96, 16, 12544, true, true},
      {8, 96, 17, 12544, false, true},
      // Many weights and large images.
      {4, 2047, 1024, 257, true, true},
      {4, 2048, 1023, 257, false, true},
      {4, 2048, 1024, 257, false, false},
      {4, 2048, 1024, 256, true, true},
      // Pixels for the packed weights.
      {5, 1024, 1024, 51, false, false},
      {4, 1024, 1024, 64, true, true},
      // The gradient of few weights, by which side is larger.
      {4, 96, 95, 784, false, true},
      {4, 95, 94, 784, false, false},
      {4, 256, 256, 784, false, false},
      {4, 256, 257, 784, false, true},
      // Few channels, and small problems.
      {8, 7, 1024, 196, false, false},
      {8, 1024, 7, 196, false, false},
      {256, 512, 8, 1, true, true},
      {256, 128, 8, 1, true, true},
      {1, 16, 64, 81, false, false},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, 1);
    g.batch = each.batch;
    SCOPED_TRACE(::testing::Message() << each.batch << " images, " << each.x << "->" << each.y
                                      << ", " << each.out << " pixels");
    for (const Products products : {kBf16, kF32Tiles, kTiles}) {
      const auto taken = [&](const Geometry& of, Task task) {
        return ChooseAlgorithm(of, task, products) == Algorithm::kVectors;
      };
      const bool float32 = products == kF32Tiles;
      EXPECT_EQ(taken(g, Task::kGradX), each.input && float32);
      EXPECT_EQ(taken(g, Task::kGradWeight), each.weight && float32);
      Geometry mirrored = g;
      std::swap(mirrored.x_channels, mirrored.y_channels);
      EXPECT_EQ(taken(mirrored, Task::kForward), each.input && float32);
      // Strides leave no plane to multiply, groups no single product.
      Geometry strided = g;
      strided.in[2] *= 3;
      strided.stride[2] = 3;
      EXPECT_FALSE(taken(strided, Task::kGradX) || taken(strided, Task::kGradWeight));
    }
  }
}

// On the vectors of AVX-512 without tiles, in float32 and by dot products.
TEST(ConvolutionAlgorithms, OwnProductOnLongVectors) {
  struct Case {
    int64_t batch, x, y, out;
    bool input, weight, input_of_pairs, weight_of_pairs;
  };
  const Case cases[] = {
      {8, 64, 256, 3136, false, true, true, true},
      {8, 512, 128, 784, false, true, true, true},
      {8, 256, 256, 257, false, true, true, true},
      {8, 256, 256, 256, true, true, true, false},  // short images
      {8, 255, 256, 256, false, true, false, false},
      {8, 256, 257, 256, true, true, false, false},  // y is shared by both gradients
      {8, 256, 256, 144, true, true, true, false},
      {8, 256, 256, 143, true, true, false, false},
      {8, 256, 256, 100, true, true, false, false},
      {8, 256, 256, 99, true, false, false, false},
      {20, 256, 256, 16, true, false, false, false},
      {20, 256, 256, 15, true, true, true, true},  // images together
      {17, 256, 256, 15, false, false, false, false},
      {8, 64, 16, 12544, true, true, true, true},
      {8, 64, 17, 12544, false, true, true, true},
      {8, 63, 16, 12544, false, true, true, true},
      {8, 8, 8, 12544, false, true, true, true},
      {8, 7, 8, 12544, false, false, false, false},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, 1);
    g.batch = each.batch;
    SCOPED_TRACE(::testing::Message() << each.batch << " images, " << each.x << "->" << each.y
                                      << ", " << each.out << " pixels");
    const auto taken = [&](Task task, Products products) {
      return ChooseAlgorithm(g, task, products) == Algorithm::kVectors;
    };
    EXPECT_EQ(taken(Task::kGradX, kF32), each.input);
    EXPECT_EQ(taken(Task::kGradWeight, kF32), each.weight);
    EXPECT_EQ(taken(Task::kGradX, kDots), each.input_of_pairs);
    EXPECT_EQ(taken(Task::kGradWeight, kDots), each.weight_of_pairs);
    EXPECT_FALSE(taken(Task::kGradX, kBf16) || taken(Task::kGradWeight, kBf16));
  }
}

// Every second element is copied first, and multiplied whatever the rules above say.
TEST(ConvolutionAlgorithms, EverySecondElementIsTakenOut) {
  const Algorithm patch = Algorithm::kPatch, blocked = Algorithm::kBlocked;
  for (const Products products : {kF32, kF32Tiles}) {
    const auto algorithm = [&](int64_t x, int64_t out, int64_t stride, Task task) {
      Geometry g = Windows(x, 320, out, 1, stride);
      g.batch = 37;
      return ChooseAlgorithm(g, task, products);
    };
    EXPECT_EQ(algorithm(32, 7, 2, Task::kGradX), patch);
    EXPECT_EQ(algorithm(32, 7, 2, Task::kGradWeight), patch);
    EXPECT_EQ(algorithm(320, 6, 2, Task::kGradX), blocked);
    EXPECT_EQ(algorithm(31, 7, 2, Task::kGradX), blocked);
    EXPECT_EQ(algorithm(320, 7, 3, Task::kGradX), blocked);
    Geometry few = Windows(320, 320, 7, 1, 2);
    few.batch = 36;
    EXPECT_EQ(ChooseAlgorithm(few, Task::kGradX, products), blocked);
  }
  const auto by_dots = [](int64_t x, int64_t out) {
    return ChooseAlgorithm(Windows(x, 320, out, 1, 2), Task::kGradX, kDots);
  };
  EXPECT_EQ(by_dots(32, 196), patch);
  EXPECT_EQ(by_dots(31, 196), blocked);
  EXPECT_EQ(by_dots(320, 195), blocked);
}

TEST(ConvolutionAlgorithms, OwnProductOnTiles) {
  struct Case {
    int64_t batch, x, y, out;
    bool input, weight;
  };
  const Case cases[] = {
      {8, 64, 256, 3136, true, true},
      // Few channels.
      {8, 16, 64, 3136, true, true},
      {8, 16, 63, 3136, true, false},
      {8, 15, 96, 3136, true, false},
      {8, 4, 64, 3136, true, false},
      {8, 3, 64, 3136, false, false},
      // Few pixels for the weights, which the gradient of the weight does not pack.
      {1, 512, 512, 64, true, true},
      {1, 512, 512, 63, false, true},
      // Small problems.
      {1, 4, 4, 1, true, true},
      {1, 3, 4, 1, false, false},
      {1, 36, 37, 1, true, true},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, 1);
    g.batch = each.batch;
    SCOPED_TRACE(::testing::Message() << each.batch << " images, " << each.x << "->" << each.y
                                      << ", " << each.out << " pixels");
    const auto taken = [&](Task task, Products products) {
      return ChooseAlgorithm(g, task, products) == Algorithm::kTiles;
    };
    EXPECT_EQ(taken(Task::kGradX, kTiles), each.input);
    EXPECT_EQ(taken(Task::kForward, kTiles), each.input);
    EXPECT_EQ(taken(Task::kGradWeight, kTiles), each.weight);
    for (const Products others : {kF32, kBf16, kF32Tiles}) {
      EXPECT_FALSE(taken(Task::kGradX, others) || taken(Task::kGradWeight, others));
    }
  }
}

TEST(ConvolutionAlgorithms, OwnWindowsOnTiles) {
  struct Case {
    int64_t groups, x, y, kernel, stride;
    bool weight;
  };
  const Case cases[] = {
      {1, 64, 64, 3, 1, true},  {1, 64, 64, 3, 2, true},  {1, 64, 64, 5, 3, false},
      {1, 32, 64, 3, 1, true},  {1, 32, 63, 3, 1, false}, {1, 31, 96, 3, 1, false},
      {2, 32, 32, 3, 1, true},  {1, 32, 32, 3, 1, false}, {32, 16, 16, 3, 1, false},
      {1, 64, 64, 2, 2, false}, {1, 64, 64, 16, 1, true}, {1, 64, 64, 17, 1, false},
      {1, 64, 64, 2, 1, true},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, 100, each.kernel, each.stride);
    g.groups = each.groups;
    if (each.kernel == each.stride) g.stride[1] = each.stride;  // patches
    SCOPED_TRACE(::testing::Message() << each.groups << " x " << each.x << "->" << each.y
                                      << ", windows of " << each.kernel << " by " << each.stride);
    for (const Products products : {kF32, kBf16, kF32Tiles, kTiles}) {
      for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
        const bool taken = ChooseAlgorithm(g, task, products) == Algorithm::kTiles;
        EXPECT_EQ(taken, each.weight && products == kTiles && task == Task::kGradWeight);
      }
    }
  }
}

TEST(ConvolutionAlgorithms, OwnWindowsKeepTheirPlanesSmall) {
  const auto taken = [](int64_t side, int64_t dilation) {
    Geometry g = Windows(64, 64, side, 3);
    g.in[1] = g.in[2] = g.out[1] = g.out[2] = side;
    g.dilation[1] = g.dilation[2] = g.pad_begin[1] = g.pad_begin[2] = dilation;
    return ChooseAlgorithm(g, Task::kGradWeight, kTiles) == Algorithm::kTiles;
  };
  EXPECT_TRUE(taken(33, 12));
  EXPECT_TRUE(taken(33, 24));
  EXPECT_FALSE(taken(33, 36));
  EXPECT_TRUE(taken(10, 9));
  EXPECT_FALSE(taken(10, 10));
  EXPECT_FALSE(taken(10, int64_t{1} << 60));
}

// A few taps are not worth the packing of as many phases.
TEST(ConvolutionAlgorithms, OwnWindowsHaveTaps) {
  const auto taken = [](int64_t kernel, int64_t stride) {
    Geometry g = Windows(64, 64, 100, kernel, stride);
    g.kernel[1] = 1;
    return ChooseAlgorithm(g, Task::kGradWeight, kTiles) == Algorithm::kTiles;
  };
  EXPECT_FALSE(taken(3, 1));
  EXPECT_TRUE(taken(4, 1));
  EXPECT_FALSE(taken(3, 2));
  EXPECT_TRUE(taken(4, 2));
}

// Our own kernels take their time for every pair of channels, even for a single pixel.
// Our own products add sums over channels and taps in float32.
TEST(ConvolutionAlgorithms, VeryLongSumsAreDirect) {
  for (const Products products : {Products::kFloat32, Products::kFloat32Short,
                                  Products::kBFloat16Dots, Products::kBFloat16Tiles}) {
    Geometry g = Windows(1 << 20, 1 << 20, 1024, 1);
    for (const Task task : {Task::kForward, Task::kGradX}) {
      EXPECT_EQ(ChooseAlgorithm(g, task, products, true), Algorithm::kDirect);
    }
    // Windows of 1024 elements side by side: every element meets one.
    g = Windows(512, 512, 32, 32, 32);
    g.stride[1] = 32;
    EXPECT_EQ(ChooseAlgorithm(g, Task::kForward, products), Algorithm::kDirect);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kGradX, products), Algorithm::kPatch);
  }
}

TEST(ConvolutionAlgorithms, SmallProblems) {
  struct Case {
    int64_t groups, x, y, out, kernel;
    bool small;
  };
  const Case cases[] = {
      {1, 36, 37, 1, 1, true},    {1, 37, 37, 1, 1, false},    {1, 16, 23, 1, 3, true},
      {1, 16, 24, 1, 3, false},   {64, 1, 1, 16, 3, true},     {512, 1, 1, 16, 3, false},
      {1, 16, 16, 1023, 1, true}, {1, 16, 16, 1024, 1, false},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, each.kernel);
    g.batch = 1;
    g.groups = each.groups;
    EXPECT_EQ(IsSmall(g), each.small) << each.groups << " x " << each.x << "->" << each.y << ", "
                                      << each.out << " windows of " << each.kernel;
  }
}

TEST(ConvolutionAlgorithms, FirstLayersOf3x3) {
  // Our own kernels, or oneDNN's layouts.
  enum Taken { own, blocked, plain };
  struct Case {
    int64_t x, y, plane, stride;
    Products products;
    Taken input, weight;
  };
  const Case cases[] = {
      {3, 64, 32, 1, kF32, own, blocked},       {3, 64, 32, 1, kBf16, own, blocked},
      {3, 127, 32, 1, kF32Tiles, own, own},     {3, 128, 32, 1, kF32Tiles, plain, plain},
      {3, 48, 32, 1, kF32Tiles, own, own},      {3, 32, 32, 1, kF32Tiles, own, blocked},
      {3, 24, 32, 2, kF32Tiles, own, own},      {4, 32, 32, 1, kF32Tiles, own, own},
      {1, 33, 32, 1, kTiles, plain, plain},     {1, 32, 32, 1, kTiles, own, own},
      {2, 65, 32, 2, kTiles, plain, plain},     {2, 64, 32, 1, kTiles, own, own},
      {3, 97, 32, 1, kTiles, plain, plain},     {3, 96, 32, 1, kTiles, blocked, blocked},
      {3, 61, 96, 1, kTiles, plain, plain},     {3, 60, 96, 1, kTiles, blocked, blocked},
      {4, 81, 96, 1, kTiles, plain, plain},     {4, 80, 96, 1, kTiles, blocked, blocked},
      {4, 81, 95, 1, kTiles, blocked, blocked}, {4, 129, 640, 1, kTiles, blocked, blocked},
      {3, 128, 640, 1, kF32Tiles, own, own},    {3, 128, 1280, 2, kTiles, own, own},
      {3, 48, 32, 2, kTiles, own, plain},       {3, 47, 32, 2, kTiles, own, own},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.plane, 3, each.stride);
    g.out[1] = each.plane;
    SCOPED_TRACE(::testing::Message()
                 << each.x << "->" << each.y << ", products " << static_cast<int>(each.products));
    const auto taken = [&](Task task) {
      if (ChooseAlgorithm(g, task, each.products) == Algorithm::kDirect) return own;
      const Layouts layouts = ChooseLayouts(g, task, each.products, 2);
      EXPECT_NE(layouts, kLast);
      return layouts == kPlain ? plain : blocked;
    };
    EXPECT_EQ(taken(Task::kGradX), each.input);
    EXPECT_EQ(taken(Task::kGradWeight), each.weight);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kForward, each.products), Algorithm::kBlocked);
  }
}

// Few channels on large images, without tiles.
TEST(ConvolutionAlgorithms, FewChannelsRunAlongRows) {
  struct Case {
    int64_t x, y, out, kernel, stride;
    bool input, weight, input_of_pairs, weight_of_pairs;
  };
  const Case cases[] = {
      {4, 64, 2500, 3, 1, true, true, true, true},
      {4, 64, 2499, 3, 1, true, false, true, false},
      {4, 64, 2500, 3, 2, true, false, true, false},
      {4, 64, 2500, 5, 2, true, false, true, true},
      {8, 33, 100, 3, 1, true, false, true, false},
      {8, 33, 100, 5, 2, true, false, true, false},
      {8, 33, 99, 3, 1, false, false, false, false},
      {9, 33, 10000, 3, 1, false, false, false, false},
      {16, 32, 10000, 3, 1, true, true, false, false},
      {16, 32, 9999, 3, 1, false, false, false, false},
      {17, 32, 10000, 3, 1, false, false, false, false},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, each.out, each.kernel, each.stride);
    SCOPED_TRACE(::testing::Message() << each.x << "->" << each.y << ", " << each.out
                                      << " windows of " << each.kernel << ", by " << each.stride);
    const auto taken = [&](Task task, Products products) {
      return ChooseAlgorithm(g, task, products) == Algorithm::kDirect;
    };
    EXPECT_EQ(taken(Task::kGradX, kF32), each.input);
    EXPECT_EQ(taken(Task::kGradWeight, kF32), each.weight);
    EXPECT_EQ(taken(Task::kGradX, kDots), each.input_of_pairs);
    EXPECT_EQ(taken(Task::kGradWeight, kDots), each.weight_of_pairs);
    EXPECT_FALSE(taken(Task::kGradWeight, kBf16));
  }
}

// With as much padding as gives as many windows as there are elements, a step apart; one extent is
// along the last dimension.
Geometry Padded(int64_t x, int64_t y, std::initializer_list<int64_t> out, int64_t kernel,
                int64_t stride, int64_t dilation) {
  Geometry g;
  g.batch = 8;
  g.x_channels = x;
  g.y_channels = y;
  int d = kDims - static_cast<int>(out.size());
  for (const int64_t extent : out) {
    g.kernel[d] = kernel;
    g.stride[d] = stride;
    g.dilation[d] = dilation;
    g.out[d] = extent;
    g.in[d] = (extent - 1) * stride + 1;
    g.pad_begin[d] = dilation * (kernel - 1) / 2;
    g.pad_end[d] = dilation * (kernel - 1) - g.pad_begin[d];
    ++d;
  }
  return g;
}

// On vectors of AVX-512, whether our own windows are taken for x or y, and for the weight. Operands
// that would be converted make no difference.
TEST(ConvolutionAlgorithms, WindowsOnLongVectors) {
  struct Case {
    int64_t x, y;
    std::initializer_list<int64_t> out;
    int64_t kernel, stride, dilation;
    bool input, weight;
    int64_t groups = 1;
  };
  const Case cases[] = {
      {64, 64, {28, 28}, 3, 1, 1, false, true},
      {64, 64, {28, 27}, 3, 1, 1, false, false},  // few pixels for so few weights
      {171, 171, {7, 7}, 3, 1, 1, false, true},
      {170, 170, {7, 7}, 3, 1, 1, false, false},  // less than 2^18 weights
      {32, 32, {56, 56}, 3, 1, 1, false, true},
      {31, 64, {56, 56}, 3, 1, 1, false, false},
      {40, 40, {56, 56}, 3, 1, 1, false, false},  // blocks of sixteen
      {256, 256, {28, 28}, 5, 1, 1, false, false},
      {64, 64, {4, 28, 28}, 3, 1, 1, false, false},
      {256, 256, {10, 10}, 3, 2, 1, false, true},
      {256, 256, {10, 11}, 3, 2, 1, false, false},
      {128, 128, {10, 10}, 3, 2, 1, false, false},
      {64, 64, {56, 56}, 3, 1, 1, false, false, 2},
      {64, 64, {56, 56}, 3, 1, 11, false, true},
      {64, 64, {56, 56}, 3, 1, 12, true, true},
      {64, 64, {56, 56}, 3, 1, 12, true, true, 2},
      {48, 48, {500}, 128, 1, 1, false, true, 16},
      {32, 32, {500}, 3, 1, 1, false, true},
      {256, 256, {500}, 3, 2, 1, true, true},
      {255, 256, {500}, 3, 2, 1, false, true},
  };
  for (const Case& each : cases) {
    Geometry g = Padded(each.x, each.y, each.out, each.kernel, each.stride, each.dilation);
    g.groups = each.groups;
    SCOPED_TRACE(::testing::Message()
                 << each.x << "->" << each.y << ", " << g.OutSize() << " windows of " << each.kernel
                 << ", by " << each.stride << ", gaps of " << each.dilation << ", groups "
                 << each.groups);
    for (const bool converts : {false, true}) {
      const auto taken = [&](Task task, Products products = kF32) {
        return ChooseAlgorithm(g, task, products, converts) == Algorithm::kVectors;
      };
      EXPECT_EQ(taken(Task::kForward), each.input);
      EXPECT_EQ(taken(Task::kGradX), each.input);
      EXPECT_EQ(taken(Task::kGradWeight), each.weight);
      for (const Products others : {kF32Tiles, kBf16, kTiles}) {
        EXPECT_FALSE(taken(Task::kGradWeight, others));
      }
    }
  }
}

// On short vectors, whether our own windows are taken for x or y, and for the weight; as they are,
// and where operands would be converted.
TEST(ConvolutionAlgorithms, WindowsOnShortVectors) {
  struct Case {
    int64_t x, y, side, kernel, stride, dilation;
    bool input, weight, converted_input, converted_weight;
  };
  const Case cases[] = {
      {64, 64, 56, 3, 1, 1, false, true, true, true},
      {16, 16, 5, 3, 1, 1, true, true, true, true},
      {16, 16, 4, 3, 1, 1, true, true, true, true},      // 128 pixels
      {16, 16, 3, 3, 1, 1, false, false, false, false},  // 72
      {64, 64, 7, 3, 1, 1, true, true, true, true},
      {64, 64, 8, 3, 1, 1, false, true, true, true},
      {512, 512, 10, 3, 1, 1, true, true, true, true},
      {512, 512, 11, 3, 1, 1, false, true, true, true},
      {64, 64, 28, 3, 1, 3, false, true, true, true},
      {64, 64, 28, 3, 1, 4, true, true, true, true},
      {64, 64, 100, 3, 1, 65, false, false, false, false},  // reaches too far
      {64, 64, 14, 3, 2, 1, true, true, true, true},
      {64, 64, 15, 3, 2, 1, false, true, true, true},
      {63, 64, 14, 3, 2, 1, false, true, true, true},
      {64, 64, 14, 3, 5, 1, false, false, false, false},
      {64, 15, 28, 3, 1, 1, false, false, false, false},
      {15, 64, 56, 3, 1, 1, false, false, false, false},
      {5, 64, 56, 3, 1, 1, false, false, false, false},
      {4, 64, 56, 3, 1, 1, false, true, false, true},
      {3, 64, 31, 3, 1, 1, false, false, false, false},
      {3, 64, 56, 3, 2, 1, false, false, false, false},
      {64, 64, 28, 2, 2, 1, false, true, true, true},
      {64, 64, 28, 17, 1, 1, false, false, false, false},
  };
  for (const Case& each : cases) {
    const Geometry g =
        Padded(each.x, each.y, {each.side, each.side}, each.kernel, each.stride, each.dilation);
    SCOPED_TRACE(::testing::Message() << each.x << "->" << each.y << ", " << each.side << ", by "
                                      << each.stride << ", gaps of " << each.dilation);
    const auto taken = [&](Task task, bool converts, Products products = Products::kFloat32Short) {
      return ChooseAlgorithm(g, task, products, converts) == Algorithm::kVectors;
    };
    for (const Task task : {Task::kForward, Task::kGradX}) {
      EXPECT_EQ(taken(task, false), each.input);
      EXPECT_EQ(taken(task, true), each.converted_input);
    }
    EXPECT_EQ(taken(Task::kGradWeight, false), each.weight);
    EXPECT_EQ(taken(Task::kGradWeight, true), each.converted_weight);
    for (const Products others : {kF32Tiles, kBf16, kTiles}) {
      EXPECT_FALSE(taken(Task::kGradX, false, others));
      EXPECT_FALSE(taken(Task::kForward, false, others));
      EXPECT_FALSE(taken(Task::kGradWeight, true, others));
    }
  }
  // Windows that do not overlap are rearranged, and those of one element are oneDNN's here.
  for (const int64_t kernel : {1, 2}) {
    Geometry g = Windows(64, 64, 28, kernel, kernel);
    g.out[1] = 28;
    g.in[1] = g.in[2] = 28 * kernel;
    g.stride[1] = kernel;
    for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      const Algorithm left = kernel == 1 ? Algorithm::kBlocked : Algorithm::kPatch;
      EXPECT_EQ(ChooseAlgorithm(g, task, Products::kFloat32Short), left);
      EXPECT_EQ(ChooseAlgorithm(g, task, Products::kFloat32Short, true),
                kernel == 1 ? Algorithm::kVectors : Algorithm::kPatch);
    }
    const Layouts layouts = ChooseLayouts(g, Task::kGradWeight, Products::kFloat32Short, 2);
    EXPECT_EQ(layouts, kernel == 1 ? kPlain : kBlocked);
  }
  const auto pointwise = [](int64_t pixels, int threads) {
    const Geometry g = Windows(64, 64, pixels, 1);
    return ChooseLayouts(g, Task::kGradWeight, Products::kFloat32Short, threads);
  };
  EXPECT_EQ(pointwise(48, 1), kBlocked);
  EXPECT_EQ(pointwise(49, 1), kPlain);
  EXPECT_EQ(pointwise(99, 2), kBlocked);
  EXPECT_EQ(pointwise(100, 2), kPlain);
  const auto vectors = [](int64_t of_x, int64_t of_y, int64_t pixels, Task task) {
    const Geometry g = Windows(of_x, of_y, pixels, 1);
    return ChooseAlgorithm(g, task, Products::kFloat32Short) == Algorithm::kVectors;
  };
  EXPECT_TRUE(vectors(257, 257, 144, Task::kGradWeight));
  EXPECT_TRUE(vectors(257, 257, 256, Task::kGradWeight));
  EXPECT_FALSE(vectors(256, 256, 144, Task::kGradWeight));  // 2^16 weights
  EXPECT_FALSE(vectors(257, 257, 143, Task::kGradWeight));
  EXPECT_FALSE(vectors(257, 257, 257, Task::kGradWeight));
  EXPECT_TRUE(vectors(192, 64, 1024, Task::kGradWeight));
  EXPECT_FALSE(vectors(191, 64, 1024, Task::kGradWeight));
  EXPECT_FALSE(vectors(195, 65, 1024, Task::kGradWeight));
  EXPECT_FALSE(vectors(192, 64, 1023, Task::kGradWeight));
  EXPECT_TRUE(vectors(256, 64, 1024, Task::kGradWeight));
  EXPECT_FALSE(vectors(257, 64, 1024, Task::kGradWeight));
  EXPECT_FALSE(vectors(256, 32, 200, Task::kGradWeight));
  EXPECT_TRUE(vectors(256, 256, 144, Task::kGradX));
  EXPECT_TRUE(vectors(256, 257, 256, Task::kGradX));
  EXPECT_FALSE(vectors(255, 257, 144, Task::kGradX));
  EXPECT_FALSE(vectors(257, 256, 144, Task::kGradX));
  EXPECT_FALSE(vectors(256, 256, 143, Task::kGradX));
  EXPECT_FALSE(vectors(256, 256, 257, Task::kGradX));
  EXPECT_TRUE(vectors(511, 512, 144, Task::kGradX));
  EXPECT_FALSE(vectors(512, 512, 144, Task::kGradX));
  EXPECT_FALSE(vectors(256, 32, 200, Task::kGradX));
  EXPECT_TRUE(vectors(257, 256, 144, Task::kForward));
  EXPECT_FALSE(vectors(256, 257, 144, Task::kForward));
  EXPECT_TRUE(vectors(128, 32, 1024, Task::kGradX));
  EXPECT_TRUE(vectors(32, 128, 1024, Task::kForward));
  EXPECT_FALSE(vectors(127, 32, 1024, Task::kGradX));
  EXPECT_FALSE(vectors(132, 33, 1024, Task::kGradX));
  EXPECT_TRUE(vectors(64, 16, 1024, Task::kGradX));
  EXPECT_FALSE(vectors(63, 15, 1024, Task::kGradX));
  EXPECT_FALSE(vectors(128, 32, 1023, Task::kGradX));
  // Along one dimension, for x and y, and for the weight.
  const auto row = [](int64_t channels, int64_t groups, int64_t kernel, int64_t stride) {
    Geometry g = Windows(channels, channels, 400, kernel, stride);
    g.kernel[1] = g.in[1] = 1;
    g.groups = groups;
    Geometry column = g;  // the same along another dimension
    for (int64_t* values : {column.in, column.out, column.kernel, column.stride}) {
      std::swap(values[1], values[2]);
    }
    const auto taken = [&](Task task) {
      const auto choice = [&](const Geometry& of) {
        return ChooseAlgorithm(of, task, Products::kFloat32Short) == Algorithm::kVectors;
      };
      EXPECT_EQ(choice(column), choice(g));
      return choice(g);
    };
    EXPECT_EQ(taken(Task::kForward), taken(Task::kGradX));
    return std::pair(taken(Task::kGradX), taken(Task::kGradWeight));
  };
  EXPECT_EQ(row(64, 1, 8, 1), std::pair(false, true));
  EXPECT_EQ(row(64, 1, 9, 1), std::pair(true, true));
  EXPECT_EQ(row(64, 1, 5, 2), std::pair(true, true));
  EXPECT_EQ(row(512, 1, 3, 2), std::pair(true, false));  // 3 * 2^18 weights
  EXPECT_EQ(row(418, 1, 3, 2), std::pair(true, true));   // less than 2^19
  EXPECT_EQ(row(32, 4, 9, 1), std::pair(true, true));
  EXPECT_EQ(row(31, 4, 9, 1), std::pair(false, false));
}

// Depthwise ones where depthwise.h does not take them.
TEST(ConvolutionAlgorithms, GroupsOnShortVectors) {
  struct Case {
    int64_t channels, side, stride;
    Algorithm input, weight;
  };
  const Algorithm direct = Algorithm::kDirect, blocked = Algorithm::kBlocked;
  const Case cases[] = {
      {1, 112, 1, direct, direct},  {1, 50, 2, blocked, blocked}, {1, 49, 2, direct, blocked},
      {1, 14, 2, blocked, blocked}, {8, 28, 1, direct, direct},   {8, 28, 2, blocked, blocked},
      {9, 28, 1, blocked, blocked},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.channels, each.channels, each.side, 3, each.stride);
    g.out[1] = each.side;
    g.in[1] = g.in[2];
    g.stride[1] = each.stride;
    g.groups = 64;
    SCOPED_TRACE(::testing::Message() << each.channels << ", " << each.side << ", " << each.stride);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kGradX, Products::kFloat32Short), each.input);
    EXPECT_EQ(ChooseAlgorithm(g, Task::kGradWeight, Products::kFloat32Short), each.weight);
  }
}

TEST(ConvolutionAlgorithms, TilesTakeFirstLayersAndLeaveGroups) {
  struct Case {
    int64_t x, y, groups, kernel, stride;
    Task task;
    Algorithm dots, tiles;
  };
  const Algorithm direct = Algorithm::kDirect, blocked = Algorithm::kBlocked;
  const Case cases[] = {
      {4, 64, 1, 7, 1, Task::kGradX, direct, blocked},
      {4, 64, 1, 8, 1, Task::kGradX, direct, direct},
      {4, 16, 1, 5, 1, Task::kGradX, direct, blocked},
      {4, 15, 1, 3, 1, Task::kGradX, direct, direct},
      {3, 64, 1, 5, 2, Task::kGradX, direct, direct},
      {5, 64, 1, 3, 1, Task::kGradX, blocked, blocked},
      {3, 64, 1, 5, 1, Task::kGradWeight, blocked, blocked},
      {8, 8, 32, 3, 1, Task::kGradX, blocked, direct},
      {8, 8, 32, 3, 1, Task::kGradWeight, direct, direct},
      {9, 9, 32, 3, 1, Task::kGradX, blocked, blocked},
      {4, 4, 32, 3, 1, Task::kGradX, direct, direct},
  };
  for (const Case& each : cases) {
    Geometry g = Windows(each.x, each.y, 400, each.kernel, each.stride);
    g.groups = each.groups;
    SCOPED_TRACE(::testing::Message() << each.groups << " x " << each.x << "->" << each.y
                                      << ", windows of " << each.kernel);
    EXPECT_EQ(ChooseAlgorithm(g, each.task, kBf16), each.dots);
    EXPECT_EQ(ChooseAlgorithm(g, each.task, kTiles), each.tiles);
    if (each.groups == 1) continue;
    EXPECT_EQ(ChooseAlgorithm(g, each.task, kDots), each.dots);
    EXPECT_EQ(ChooseAlgorithm(g, each.task, kF32), each.tiles);
    EXPECT_EQ(ChooseAlgorithm(g, each.task, kF32Tiles), each.tiles);
  }
  // Where images are large.
  const auto of_eight = [&](int64_t out, int64_t batch, Products products) {
    Geometry g = Windows(8, 8, out, 3);
    g.groups = 32;
    g.batch = batch;
    return ChooseAlgorithm(g, Task::kGradX, products);
  };
  EXPECT_EQ(of_eight(196, 4, kF32), direct);
  EXPECT_EQ(of_eight(195, 100, kF32), blocked);
  EXPECT_EQ(of_eight(196, 3, kF32), blocked);
  EXPECT_EQ(of_eight(784, 1, kDots), direct);
  EXPECT_EQ(of_eight(783, 8, kDots), blocked);
}

// By dot products, which know the gradient of the weight alone.
TEST(ConvolutionAlgorithms, WindowsOfPairs) {
  struct Case {
    int64_t x, y;
    std::initializer_list<int64_t> out;
    int64_t stride, dilation;
    bool weight;
    int64_t groups = 1;
  };
  const Case cases[] = {
      {32, 32, {9, 11}, 1, 1, true},    {32, 31, {9, 11}, 1, 1, false},
      {32, 32, {10, 10}, 1, 1, false},  {32, 32, {10, 10}, 2, 1, true},
      {32, 32, {20, 20}, 2, 1, false},  {64, 64, {56, 56}, 1, 5, false},
      {64, 64, {56, 56}, 1, 6, true},   {32, 32, {500}, 1, 1, true},
      {32, 32, {9, 11}, 1, 1, true, 2}, {64, 64, {4, 28, 28}, 1, 1, false},
  };
  for (const Case& each : cases) {
    Geometry g = Padded(each.x, each.y, each.out, 3, each.stride, each.dilation);
    g.groups = each.groups;
    SCOPED_TRACE(::testing::Message()
                 << each.x << "->" << each.y << ", " << g.OutSize() << " windows, by "
                 << each.stride << ", gaps of " << each.dilation);
    const auto taken = [&](Task task) {
      return ChooseAlgorithm(g, task, kDots) == Algorithm::kVectors;
    };
    EXPECT_EQ(taken(Task::kGradWeight), each.weight);
    EXPECT_FALSE(taken(Task::kGradX) || taken(Task::kForward));
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
