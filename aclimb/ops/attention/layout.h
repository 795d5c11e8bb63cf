#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "aclimb/contract/expected_shape.h"
#include "aclimb/core/tensor_view.h"

// How queries, keys and values lie in their tensors: B batches of N heads of S rows of D elements,
// H = N * D. T are the rows of all batches, one after the other.
namespace aclimb::attention {

// Extents or strides in the order in which the kernels name them: B, N, S, D.
using PerHead = std::array<int64_t, 4>;

// Whether the layout keeps heads and elements in one dimension, as BSH does.
constexpr bool JoinsHeads(std::string_view layout) { return layout.ends_with('H'); }
constexpr size_t RankOf(std::string_view layout) { return layout.size(); }

// B, N, S, D of a tensor of that layout and so many heads; nothing where it has another rank or the
// heads do not divide it.
inline std::optional<PerHead> ByHeads(const std::vector<int64_t>& shape, std::string_view layout,
                                      int64_t heads) {
  if (shape.size() != RankOf(layout) || heads < 1) return std::nullopt;
  PerHead extents = {1, heads, 1, 1};
  for (size_t d = 0; d < shape.size(); ++d) {
    switch (layout[d]) {
      case 'B':
        extents[0] = shape[d];
        break;
      case 'N':
        if (shape[d] != heads) return std::nullopt;
        break;
      case 'S':
      case 'T':
        extents[2] = shape[d];
        break;
      case 'H':
        if (shape[d] % heads != 0) return std::nullopt;
        extents[3] = shape[d] / heads;
        break;
      default:
        extents[3] = shape[d];
    }
  }
  return extents;
}

// The shape that ByHeads() takes apart.
inline std::vector<int64_t> InLayout(const PerHead& extents, std::string_view layout) {
  std::vector<int64_t> shape;
  for (const char name : layout) {
    shape.push_back(name == 'B'                  ? extents[0]
                    : name == 'N'                ? extents[1]
                    : name == 'S' || name == 'T' ? extents[2]
                    : name == 'H'                ? contract::ExtentTimes(extents[1], extents[3])
                                                 : extents[3]);
  }
  return shape;
}

// The tensor's elements as [B, N, S, D], where ByHeads() has an answer.
inline TensorView ByHeads(const TensorView& view, std::string_view layout, int64_t heads) {
  TensorView by_heads = {.data = view.data, .dtype = view.dtype, .rank = 4};
  by_heads.shape[0] = 1;
  for (int d = 0; d < view.rank; ++d) {
    const int64_t extent = view.shape[d], stride = view.stride[d];
    const auto set = [&](int at, int64_t n, int64_t step) {
      by_heads.shape[at] = n;
      by_heads.stride[at] = step;
    };
    switch (layout[static_cast<size_t>(d)]) {
      case 'B':
        set(0, extent, stride);
        break;
      case 'N':
        set(1, extent, stride);
        break;
      case 'S':
      case 'T':
        set(2, extent, stride);
        break;
      case 'H':
        set(1, heads, extent / heads * stride);
        set(3, extent / heads, stride);
        break;
      default:
        set(3, extent, stride);
    }
  }
  return by_heads;
}

}  // namespace aclimb::attention
