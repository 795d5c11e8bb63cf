#include "aclimb/ops/convolution_backward/machine.h"

#include <iterator>

namespace aclimb::convolution_backward {

const Machine& MachineOf(Products products) {
  // An AMD EPYC, family 25, model 17, whose vectors of sixteen take two steps.
  static constexpr Machine kFloat32Short = {
      .lanes = 8,
      .library = 0.0144,
      .library_weight = 0.00345,
      .library_line = 0.00765,
      .product = 0.0151,
      .product_weight = 0.0122,
      .windows_weight = 0.00549,
      .windows_single = 0.0205,
      .direct = 0.0157,
      .direct_weight = 0.0133,
      .block = 0.176,
      .block_tail = 0.0323,
      .last_far = 1.57,
      .product_operand = 0.0145,
      .line = 3.94,
      .sum = 1.05,
      .plane = 0.123,
  };
  static constexpr Machine kFloat32 = {
      .lanes = 16,
      .library = 0.015,
      .library_weight = 0.00202,
      .library_line = 0.0165,
      .product = 0.014,
      .product_weight = 0.0197,
      .windows_weight = 0.0133,
      .windows_single = 0.00384,
      .direct = 0.0147,
      .direct_weight = 0.0163,
      .block = 0.276,
      .block_tail = 0.0588,
      .last_far = 1.69,
      .product_operand = 0.0683,
      .line = 4.53,
      .sum = 0.412,
      .plane = 0.153,
  };
  static constexpr Machine kBFloat16Dots = {
      .lanes = 16,
      .library = 0.00781,
      .library_weight = 0.00173,
      .library_line = 0.0318,
      .product = 0.0107,
      .product_weight = 0.0108,
      .windows_weight = 0.00891,
      .windows_single = 0.00362,
      .direct = 0.0149,
      .direct_weight = 0.00848,
      .block = 0.0657,
      .block_tail = 0.491,
      .last_far = 0.247,
      .product_operand = 0.0565,
      .line = 2.58,
      .sum = 0.0782,
      .plane = 0.104,
  };
  // A Xeon of family 6, model 207, whose vectors of sixteen take one step.
  static constexpr Machine kFloat32Intel = [] {
    Machine m = kFloat32;
    m.library = 0.0131;
    return m;
  }();
  // Without dot products oneDNN widens in registers, and our kernels compute in
  // float32.
  static constexpr Machine kBFloat16 = [] {
    Machine m = kFloat32;
    m.library = 1.5 * kFloat32.library;
    m.product = 1.2 * kFloat32.product;
    m.product_weight = 1.2 * kFloat32.product_weight;
    m.block = kBFloat16Dots.block;
    m.block_tail = kBFloat16Dots.block_tail;
    m.measured = false;
    return m;
  }();
  // By the ratio of oneDNN's speeds.
  static constexpr Machine kBFloat16Tiles = [] {
    Machine m = kBFloat16Dots;
    m.library = kBFloat16Dots.library / 8;
    m.product = kBFloat16Dots.product / 5.6;
    m.product_weight = kBFloat16Dots.product_weight / 5.6;
    m.measured = false;
    return m;
  }();
  // In the order of Products.
  static constexpr const Machine* kAll[] = {&kFloat32Short, &kFloat32, &kBFloat16, &kBFloat16Dots,
                                            &kBFloat16Tiles};
  static_assert(std::size(kAll) == static_cast<size_t>(Products::kBFloat16Tiles) + 1);
#if defined(__x86_64__)
  if (products == Products::kFloat32 && __builtin_cpu_is("intel") != 0) return kFloat32Intel;
#endif
  return *kAll[static_cast<int>(products)];
}

}  // namespace aclimb::convolution_backward
