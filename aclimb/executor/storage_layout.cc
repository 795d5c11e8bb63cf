#include "aclimb/executor/storage_layout.h"

#include <algorithm>
#include <utility>

#include "acl/acl_base.h"

namespace aclimb {
namespace {

struct Axis {
  int64_t extent, stored_stride, dense_stride;
};

// An axis of which `side` elements at a time lie next to each other in the storage.
struct CutAxis {
  int64_t extent, side, stored_stride, dense_stride;
};

int64_t PiecesOf(int64_t extent, int64_t side) {
  return extent / side + (extent % side > 0 ? 1 : 0);
}

int64_t Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= d;
  return product;
}

// Whole pieces of the cut axis in one box, what is left of it in another.
std::vector<StorageBox> Boxes(const std::vector<Axis>& axes, const CutAxis& cut) {
  std::vector<StorageBox> boxes;
  const auto add = [&](int64_t first, int64_t pieces, int64_t side) {
    if (pieces == 0 || side == 0) return;
    StorageBox box;
    for (const Axis& axis : axes) {
      box.dims.push_back(axis.extent);
      box.stored_strides.push_back(axis.stored_stride);
      box.dense_strides.push_back(axis.dense_stride);
    }
    box.dims.insert(box.dims.end(), {pieces, side});
    box.stored_strides.insert(box.stored_strides.end(), {cut.stored_stride, 1});
    box.dense_strides.insert(box.dense_strides.end(),
                             {cut.side * cut.dense_stride, cut.dense_stride});
    box.stored_offset = first * cut.stored_stride;
    box.dense_offset = first * cut.side * cut.dense_stride;
    boxes.push_back(std::move(box));
  };
  const int64_t whole = cut.extent / cut.side;
  add(0, whole, cut.side);
  add(whole, 1, cut.extent % cut.side);
  return boxes;
}

// Squares of the last two dimensions, one column of squares after the other.
std::optional<StorageLayout> OfMatrices(std::span<const int64_t> dims,
                                        std::span<const int64_t> stored) {
  if (dims.size() < 2 || stored.size() != dims.size() + 2) return std::nullopt;
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  const int64_t height = stored[stored.size() - 2], width = stored.back();
  if (height < 1 || width < 1) return std::nullopt;
  std::vector<int64_t> expected(dims.begin(), dims.end() - 2);
  expected.insert(expected.end(),
                  {PiecesOf(columns, width), PiecesOf(rows, height), height, width});
  if (!std::equal(stored.begin(), stored.end(), expected.begin(), expected.end()))
    return std::nullopt;
  const int64_t stack = PiecesOf(rows, height) * height * width;
  const Axis matrices = {Product(dims.first(dims.size() - 2)), PiecesOf(columns, width) * stack,
                         rows * columns};
  return StorageLayout{
      .boxes = Boxes({matrices, {rows, width, columns}}, {columns, width, stack, 1}),
      .padded = Product(stored) != Product(dims)};
}

// Channels cut into pieces: images [N, D, C1, H, W, C0], or filters [D, C1, H, W, N1, N0, C0], of
// which D may be left out and others may be one dimension.
std::optional<StorageLayout> OfChannels(std::span<const int64_t> dims,
                                        std::span<const int64_t> stored, bool filters, bool deep) {
  // N, C, D, H and W; fewer than four dimensions are those behind N.
  int64_t all[5] = {1, 1, 1, 1, 1};
  if (deep) {
    if (dims.size() != 5) return std::nullopt;
    std::copy(dims.begin(), dims.end(), all);
  } else {
    if (dims.size() > 4) return std::nullopt;
    constexpr int kPlaces[] = {0, 1, 3, 4};
    const size_t first = dims.size() == 4 ? 0 : 1;
    // NOLINTNEXTLINE: first + d is 3 at most.
    for (size_t d = 0; d < dims.size(); ++d) all[kPlaces[first + d]] = dims[d];
  }
  const int64_t n = all[0], c = all[1], d = all[2], plane = all[3] * all[4];
  const int64_t side = stored.empty() ? 0 : stored.back();
  if (side < 1) return std::nullopt;
  const int64_t c1 = PiecesOf(c, side);
  const Axis images = {n, 0, c * d * plane}, depths = {d, 0, plane}, places = {plane, 0, 1};
  std::vector<int64_t> expected = {n, d, c1, all[3], all[4], side};
  if (filters) {
    if (stored.size() != 4 || stored[2] < 1) return std::nullopt;
    expected = {d * c1 * plane, PiecesOf(n, stored[2]), stored[2], side};
  } else if (!deep) {
    expected.erase(expected.begin() + 1);
  }
  // Products of other shapes than these need not fit.
  if (!std::equal(stored.begin(), stored.end(), expected.begin(), expected.end()))
    return std::nullopt;
  StorageLayout layout;
  layout.padded = Product(stored) != Product(dims);
  // Without elements there is nothing to copy, and strides need not fit.
  if (c == 0 || d == 0 || plane == 0) return layout;
  if (filters) {
    const int64_t all_filters = expected[1] * expected[2] * side;
    layout.boxes = Boxes({{images.extent, side, images.dense_stride},
                          {depths.extent, c1 * plane * all_filters, depths.dense_stride},
                          {places.extent, all_filters, places.dense_stride}},
                         {c, side, plane * all_filters, d * plane});
  } else {
    layout.boxes = Boxes({{images.extent, d * c1 * plane * side, images.dense_stride},
                          {depths.extent, c1 * plane * side, depths.dense_stride},
                          {places.extent, side, places.dense_stride}},
                         {c, side, plane * side, d * plane});
  }
  return layout;
}

}  // namespace

std::optional<StorageLayout> LayoutOf(int32_t format, std::span<const int64_t> dims,
                                      std::span<const int64_t> stored) {
  switch (format) {
    case ACL_FORMAT_FRACTAL_NZ:
      return OfMatrices(dims, stored);
    case ACL_FORMAT_NC1HWC0:
      return OfChannels(dims, stored, false, false);
    case ACL_FORMAT_NDC1HWC0:
      return OfChannels(dims, stored, false, true);
    case ACL_FORMAT_FRACTAL_Z:
      return OfChannels(dims, stored, true, false);
    case ACL_FRACTAL_Z_3D:
      return OfChannels(dims, stored, true, true);
    default:
      return std::nullopt;
  }
}

}  // namespace aclimb
