#include "aclimb/copy/gather.h"

#include <algorithm>
#include <cstring>

#include "aclimb/core/tensor_view.h"

namespace aclimb::copy {
namespace {

// Calls row(offset, length) for each innermost run. Offsets are kept, not computed anew: a run may
// have one element.
template <typename Row>
void EachRow(const Place& place, int64_t count, const Row& row) {
  const Axes& axes = place.axes;
  int64_t begin = place.begin;
  const int inner = axes.rank - 1;
  int64_t index[kMaxRank] = {};
  int64_t offset = 0;
  for (int d = inner; d >= 0; --d) {
    index[d] = d == 0 ? begin : begin % axes.extent[d];
    offset += index[d] * axes.stride[d];
    begin /= axes.extent[d];
  }
  while (true) {
    const int64_t length = std::min(count, axes.extent[inner] - index[inner]);
    row(offset, length);
    count -= length;
    if (count == 0) return;
    offset -= index[inner] * axes.stride[inner];
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      offset += axes.stride[d];
      if (++index[d] < axes.extent[d]) break;
      offset -= index[d] * axes.stride[d];
      index[d] = 0;
    }
  }
}

// Rows from this length on are worth a call of memcpy.
constexpr int64_t kLongRow = 32;

template <typename T>
void GatherElements(const Place& place, int64_t count, void* to) {
  const auto* const source = reinterpret_cast<const T*>(place.at);
  auto* target = static_cast<T*>(to);
  const int64_t stride = place.axes.stride[place.axes.rank - 1];
  EachRow(place, count, [&](int64_t offset, int64_t length) {
    const T* const row = source + offset;
    if (stride == 1 && length >= kLongRow) {
      std::memcpy(target, row, static_cast<size_t>(length) * sizeof(T));
    } else if (stride == 0) {
      std::fill_n(target, length, *row);
    } else {
      for (int64_t i = 0; i < length; ++i) target[i] = row[i * stride];
    }
    target += length;
  });
}

template <typename T>
void ScatterElements(const void* from, int64_t count, const Place& place) {
  const auto* source = static_cast<const T*>(from);
  auto* const target = reinterpret_cast<T*>(place.at);
  const int64_t stride = place.axes.stride[place.axes.rank - 1];
  EachRow(place, count, [&](int64_t offset, int64_t length) {
    T* const row = target + offset;
    if (stride == 1 && length >= kLongRow) {
      std::memcpy(row, source, static_cast<size_t>(length) * sizeof(T));
    } else {
      for (int64_t i = 0; i < length; ++i) row[i * stride] = source[i];
    }
    source += length;
  });
}

}  // namespace

void Gather(size_t element, const Place& place, int64_t count, void* to) {
  switch (element) {
    case 1:
      return GatherElements<uint8_t>(place, count, to);
    case 2:
      return GatherElements<uint16_t>(place, count, to);
    case 4:
      return GatherElements<uint32_t>(place, count, to);
    default:
      return GatherElements<uint64_t>(place, count, to);
  }
}

void Scatter(size_t element, const void* from, int64_t count, const Place& place) {
  switch (element) {
    case 1:
      return ScatterElements<uint8_t>(from, count, place);
    case 2:
      return ScatterElements<uint16_t>(from, count, place);
    case 4:
      return ScatterElements<uint32_t>(from, count, place);
    default:
      return ScatterElements<uint64_t>(from, count, place);
  }
}

}  // namespace aclimb::copy
