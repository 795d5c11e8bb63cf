#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "aclimb/core/product.h"

namespace aclimb::truth {

// Numbers of a seed (splitmix64), for data.
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Turns a byte string into choices. Every choice takes few bytes, and zeros, which is also what
// comes after the end, are the harmless choice: short inputs are proper calls. Or chooses by a
// seed, without an end.
class Draw {
 public:
  Draw(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  explicit Draw(uint64_t seed) : endless_(true), stream_(seed) {}

  uint8_t Byte() {
    if (endless_) return static_cast<uint8_t>(stream_.Next());
    return at_ < size_ ? data_[at_++] : 0;
  }
  bool AtEnd() const { return !endless_ && at_ >= size_; }
  bool Flip() { return (Byte() & 1) != 0; }
  int64_t Below(int64_t end) { return Byte() % end; }

  template <typename T, size_t N>
  const T& Pick(const T (&values)[N]) {
    return values[Byte() % N];
  }

  // A number of [least, most], or, seldom, one that no program means.
  int64_t Number(int64_t least, int64_t most) {
    const uint8_t byte = Byte();
    return byte == 0xFF ? Wild() : least + byte % (most - least + 1);
  }

  // A number from the edges, or any. A call with one may be refused.
  int64_t Wild() {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    constexpr int64_t kEdges[] = {0,
                                  -1,
                                  1,
                                  kMost,
                                  -kMost - 1,
                                  kMost - 1,
                                  int64_t{1} << 31,
                                  (int64_t{1} << 31) - 1,
                                  (int64_t{1} << 32) + 1,
                                  int64_t{1} << 62,
                                  -(int64_t{1} << 31),
                                  65536,
                                  int64_t{1} << 40,
                                  9};
    strange_ = true;
    const uint8_t byte = Byte();
    if (byte % 16 < std::size(kEdges)) return kEdges[byte % 16];
    if (byte % 16 == 14) return static_cast<int8_t>(Byte());
    int64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | Byte();
    return value;
  }

  // Any number of the type, edges often.
  double Real() {
    constexpr double kEdges[] = {1.0,
                                 0.0,
                                 -1.0,
                                 0.5,
                                 -0.0,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 1e-45,
                                 1.2e-38,
                                 3.4e38,
                                 -3.4e38,
                                 1e300};
    const uint8_t byte = Byte();
    if (byte < 128) return kEdges[byte % std::size(kEdges)];
    if (byte < 224) return (byte - 176) / 8.0;
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | Byte();
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  // The chip whose dtypes are drawn.
  Product product() const { return product_; }
  void SetProduct(Product product) { product_ = product; }
  // Whether values may be drawn that are reserved unless ACLIMB_EXTENSIONS=1.
  bool extensions() const { return extensions_; }
  void SetExtensions(bool allowed) { extensions_ = allowed; }
  // About how many elements a tensor may have.
  int64_t most_elements() const { return most_elements_; }
  void SetMostElements(int64_t count) { most_elements_ = count; }

  // About how many operations the call takes, where that is more than a few for each element.
  double cost() const { return cost_; }
  void SetCost(double operations) { cost_ = operations; }

  // Whether something was chosen with which the call may be refused.
  bool strange() const { return strange_; }
  void MarkStrange() { strange_ = true; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t at_ = 0;
  bool endless_ = false;
  Stream stream_{0};
  Product product_ = Product::kA2;
  bool extensions_ = true;
  double cost_ = 0;
  int64_t most_elements_ = 25'000;
  bool strange_ = false;
};

}  // namespace aclimb::truth
