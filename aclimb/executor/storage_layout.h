#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aclimb {

// A box of a tensor's elements, as it lies in the storage and as it lies in a dense tensor. Offsets
// and strides count elements.
struct StorageBox {
  std::vector<int64_t> dims;
  std::vector<int64_t> stored_strides;
  std::vector<int64_t> dense_strides;
  int64_t stored_offset = 0;
  int64_t dense_offset = 0;
};

// How one of the chip's own formats keeps a tensor.
struct StorageLayout {
  // Together they have each element once.
  std::vector<StorageBox> boxes;
  // The storage has elements that stand for none of the tensor's, and are 0.
  bool padded = false;
};

// The layout of a tensor of `dims` in `format` (aclFormat): NC1HWC0, NDC1HWC0, FRACTAL_Z,
// FRACTAL_Z_3D or FRACTAL_NZ. `stored` are the storage's dimensions, of which the last says how
// many elements lie side by side. Nothing where they are not those of the format, or the format is
// none of these.
std::optional<StorageLayout> LayoutOf(int32_t format, std::span<const int64_t> dims,
                                      std::span<const int64_t> stored);

}  // namespace aclimb
