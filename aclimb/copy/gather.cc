#include "aclimb/copy/gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/copy/gather.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: ReverseRows is compiled once per instruction set.
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "aclimb/core/tensor_view.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::copy {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows whose elements lie the other way round in memory: a step leads to the one before.
template <typename T>
void ReverseRowsOf(const void* source, int64_t count, int64_t rows, Steps step, void* target) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* from = static_cast<const T*>(source);
  auto* to = static_cast<T*>(target);
  for (; rows > 0; --rows, from += step.from, to += step.to) {
    const T* const past = from + 1;
    int64_t i = 0;
    // Highway 1.0 has no such order of bytes; the compiler makes vectors of the last loop.
    if constexpr (sizeof(T) > 1) {
      for (; i + 2 * lanes <= count; i += 2 * lanes) {
        const auto first = hn::LoadU(d, past - i - lanes);
        const auto second = hn::LoadU(d, past - i - 2 * lanes);
        hn::StoreU(hn::Reverse(d, first), d, to + i);
        hn::StoreU(hn::Reverse(d, second), d, to + i + lanes);
      }
    }
    for (; i < count; ++i) to[i] = from[-i];
  }
}

void ReverseRows(size_t element, const void* from, int64_t count, int64_t rows, Steps step,
                 void* to) {
  switch (element) {
    case 1:
      return ReverseRowsOf<uint8_t>(from, count, rows, step, to);
    case 2:
      return ReverseRowsOf<uint16_t>(from, count, rows, step, to);
    case 4:
      return ReverseRowsOf<uint32_t>(from, count, rows, step, to);
    default:
      return ReverseRowsOf<uint64_t>(from, count, rows, step, to);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {

HWY_EXPORT(ReverseRows);

namespace {

// Calls run(offset, rows, step, length) for each innermost run, or for several whole ones that are
// `step` apart. Offsets are kept, not computed anew: a run may have one element.
template <typename Run>
void EachRun(const Place& place, int64_t count, const Run& run) {
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
    int64_t rows = 1;
    if (inner > 0 && length == axes.extent[inner]) {
      rows = std::min(count / length, axes.extent[inner - 1] - index[inner - 1]);
    }
    run(offset, rows, inner > 0 ? axes.stride[inner - 1] : 0, length);
    count -= rows * length;
    if (count == 0) return;
    offset -= index[inner] * axes.stride[inner];
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d, rows = 1) {
      offset += rows * axes.stride[d];
      index[d] += rows;
      if (index[d] < axes.extent[d]) break;
      offset -= index[d] * axes.stride[d];
      index[d] = 0;
    }
  }
}

// Rows from this length on are worth a call of memcpy.
constexpr int64_t kLongRow = 32;

// Sixteen bytes at a time, also past the row: what is there up to `end` is written later.
template <typename T>
void Repeat(T value, int64_t length, const T* end, T* to) {
  constexpr int64_t kLanes = 2 * sizeof(uint64_t) / sizeof(T);
  const uint64_t half = uint64_t{value} * (~uint64_t{0} / std::numeric_limits<T>::max());
  const uint64_t lanes[] = {half, half};
  if (length >= kLongRow || end - to < length + kLanes) {
    std::fill_n(to, length, value);
    return;
  }
  for (int64_t i = 0; i < length; i += kLanes) std::memcpy(to + i, &lanes, sizeof(lanes));
}

template <typename T>
void GatherElements(const Place& place, int64_t count, void* to) {
  const auto* const source = reinterpret_cast<const T*>(place.at);
  auto* target = static_cast<T*>(to);
  const int64_t stride = place.axes.stride[place.axes.rank - 1];
  const T* const end = target + count;
  EachRun(place, count, [&](int64_t offset, int64_t rows, int64_t step, int64_t length) {
    const T* row = source + offset;
    const auto each = [&](const auto& copy) {
      for (int64_t r = 0; r < rows; ++r, row += step, target += length) copy(row, target);
    };
    if (stride == 1 && length >= kLongRow) {
      each([length](const T* in, T* out) {
        std::memcpy(out, in, static_cast<size_t>(length) * sizeof(T));
      });
    } else if (stride == 0) {
      each([length, end](const T* in, T* out) { Repeat(*in, length, end, out); });
    } else if (stride == -1) {
      HWY_DYNAMIC_DISPATCH(ReverseRows)(sizeof(T), row, length, rows, {step, length}, target);
      target += rows * length;
    } else if (stride == 2) {
      // The compiler makes vectors of this one.
      each([length](const T* in, T* out) {
        for (int64_t i = 0; i < length; ++i) out[i] = in[2 * i];
      });
    } else {
      each([length, stride](const T* in, T* out) {
        for (int64_t i = 0; i < length; ++i) out[i] = in[i * stride];
      });
    }
  });
}

template <typename T>
void ScatterElements(const void* from, int64_t count, const Place& place) {
  const auto* source = static_cast<const T*>(from);
  auto* const target = reinterpret_cast<T*>(place.at);
  const int64_t stride = place.axes.stride[place.axes.rank - 1];
  EachRun(place, count, [&](int64_t offset, int64_t rows, int64_t step, int64_t length) {
    T* row = target + offset;
    for (int64_t r = 0; r < rows; ++r, row += step, source += length) {
      if (stride == 1 && length >= kLongRow) {
        std::memcpy(row, source, static_cast<size_t>(length) * sizeof(T));
      } else {
        for (int64_t i = 0; i < length; ++i) row[i * stride] = source[i];
      }
    }
  });
}

// Rows of kCount elements or fewer, which are too short for a loop of vectors.
template <typename T, int64_t kCount>
void GatherShortRows(const T* row, int64_t stride, int64_t count, int64_t rows, Steps step, T* to) {
  if constexpr (kCount > 1) {
    if (count < kCount) {
      return GatherShortRows<T, kCount - 1>(row, stride, count, rows, step, to);
    }
  }
  for (; rows > 0; --rows, row += step.from, to += step.to) {
    for (int64_t i = 0; i < kCount; ++i) to[i] = row[i * stride];
  }
}

template <typename T>
void GatherRowsOf(const void* from, int64_t stride, int64_t count, int64_t rows, Steps step,
                  void* to) {
  constexpr int64_t kShort = 8;
  const auto* row = static_cast<const T*>(from);
  auto* target = static_cast<T*>(to);
  if (count <= kShort) {
    return GatherShortRows<T, kShort>(row, stride, count, rows, step, target);
  }
  if (stride == -1) {
    return HWY_DYNAMIC_DISPATCH(ReverseRows)(sizeof(T), row, count, rows, step, target);
  }
  for (; rows > 0; --rows, row += step.from, target += step.to) {
    if (stride == 0) {
      std::fill_n(target, count, *row);
    } else {
      for (int64_t i = 0; i < count; ++i) target[i] = row[i * stride];
    }
  }
}

// Calls body(T()) for a type T of so many bytes.
template <typename Body>
void WithElement(size_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(uint8_t());
    case 2:
      return body(uint16_t());
    case 4:
      return body(uint32_t());
    default:
      return body(uint64_t());
  }
}

}  // namespace

void Gather(size_t element, const Place& place, int64_t count, void* to) {
  WithElement(element, [&](auto t) { GatherElements<decltype(t)>(place, count, to); });
}

void Scatter(size_t element, const void* from, int64_t count, const Place& place) {
  WithElement(element, [&](auto t) { ScatterElements<decltype(t)>(from, count, place); });
}

void GatherRows(size_t element, const void* from, int64_t stride, int64_t count, int64_t rows,
                Steps step, void* to) {
  WithElement(element,
              [&](auto t) { GatherRowsOf<decltype(t)>(from, stride, count, rows, step, to); });
}

}  // namespace aclimb::copy
#endif
