#include "aclimb/ops/convolution_backward/machine.h"

namespace aclimb::convolution_backward {

const Machine& MachineOf(Products products) {
  // An AMD EPYC, family 25, model 17, whose vectors of sixteen take two steps.
  static constexpr Machine kFloat32Short = {
      .lanes = 8,
      .library = 0.0178,
      .library_weight = 0.00341,
      .library_line = 0.0162,
      .library_stride = 0.00533,
      .product = 0.0162,
      .product_weight = 0.0191,
      .windows_weight = 0.0124,
      .windows_single = 0.0242,
      .direct = 0.0204,
      .direct_weight = 0.0188,
      .block = 0.176,
      .block_tail = 0.0347,
      .last_far = 0.414,
      .product_operand = 0.0211,
      .line = 5.15,
      .sum = 1.06,
      .plane = 0.204,
  };
  static constexpr Machine kFloat32 = {
      .lanes = 16,
      .library = 0.0177,
      .library_weight = 0.00125,
      .library_line = 0.00952,
      .library_stride = 0.000678,
      .product = 0.0168,
      .product_weight = 0.022,
      .windows_weight = 0.0172,
      .windows_single = 0.00287,
      .direct = 0.0162,
      .direct_weight = 0.019,
      .block = 0.165,
      .block_tail = 0.039,
      .last_far = 0.368,
      .product_operand = 0.0427,
      .line = 5.36,
      .sum = 0.238,
      .plane = 0.18,
  };
  static constexpr Machine kBFloat16Dots = {
      .lanes = 16,
      .library = 0.0085,
      .library_weight = 0.000821,
      .library_line = 0.0271,
      .library_stride = 0.000645,
      .product = 0.0116,
      .product_weight = 0.0114,
      .windows_weight = 0.0087,
      .windows_single = 0.00141,
      .direct = 0.017,
      .direct_weight = 0.00694,
      .block = 0.0741,
      .block_tail = 0.191,
      .last_far = 0.0461,
      .product_operand = 0.0315,
      .line = 1.16,
      .sum = 0.101,
      .plane = 0.108,
  };
  // Not measured: without dot products oneDNN widens in registers, and our kernels compute in
  // float32.
  static constexpr Machine kBFloat16 = [] {
    Machine m = kFloat32;
    m.library = 1.5 * kFloat32.library;
    m.product = 1.2 * kFloat32.product;
    m.product_weight = 1.2 * kFloat32.product_weight;
    m.block = kBFloat16Dots.block;
    m.block_tail = kBFloat16Dots.block_tail;
    return m;
  }();
  // Not measured but for the ratio of oneDNN's speeds.
  static constexpr Machine kBFloat16Tiles = [] {
    Machine m = kBFloat16Dots;
    m.library = kBFloat16Dots.library / 8;
    m.product = kBFloat16Dots.product / 5.6;
    m.product_weight = kBFloat16Dots.product_weight / 5.6;
    return m;
  }();
  switch (products) {
    case Products::kFloat32Short:
      return kFloat32Short;
    case Products::kFloat32:
      return kFloat32;
    case Products::kBFloat16:
      return kBFloat16;
    case Products::kBFloat16Dots:
      return kBFloat16Dots;
    case Products::kBFloat16Tiles:
      return kBFloat16Tiles;
  }
  return kFloat32;
}

}  // namespace aclimb::convolution_backward
