// Planes of channels as elements: an element of all channels is followed by the next. Included once
// per instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_ELEMENTS_INL_H_
#undef ACLIMB_ELEMENTS_INL_H_
#else
#define ACLIMB_ELEMENTS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/copies/convert_row-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {

// Some channels of an image of an embedded tensor. Windows of a weight are channels too.
struct Channels {
  int64_t image, first, count;
};

// How they are packed: elements of `channels`, lines of them `pitch` elements apart. Channels that
// are none hold anything.
struct Elements {
  int64_t channels, pitch;
};

// Calls body(element of the view, packed place of the first, elements) for runs of a plane.
template <typename T, class Body>
HWY_INLINE void EachRun(const TensorView& view, const Channels& of, const Elements& packed,
                        const Body& body) {
  const int64_t height = view.shape[3], width = view.shape[4];
  T* const plane = view.As<T>() + of.image * view.stride[0] + of.first * view.stride[1];
  // Only windows may have columns that are not side by side.
  const int64_t run = width > 1 && view.stride[4] != 1 ? 1 : width;
  if (run == width && packed.pitch == width && (height == 1 || view.stride[3] == width)) {
    return body(plane, 0, height * width);
  }
  for (int64_t h = 0; h < height; ++h) {
    for (int64_t w = 0; w < width; w += run) {
      body(plane + h * view.stride[3] + w * view.stride[4],
           (h * packed.pitch + w) * packed.channels, run);
    }
  }
}

// Calls body(place without gaps between lines, packed place, floats) for what lies side by side.
template <class Body>
HWY_INLINE void EachStretch(const TensorView& view, const Elements& packed, const Body& body) {
  const int64_t height = view.shape[3], width = view.shape[4];
  const int64_t lines = packed.pitch == width ? 1 : height;
  const int64_t length = height / lines * width * packed.channels;
  for (int64_t h = 0; h < lines; ++h) {
    body(h * length, h * packed.pitch * packed.channels, length);
  }
}

// Packs channels into float32. What is converted waits in `stage`, lines without gaps.
inline void Pack(const TensorView& view, const Channels& of, const Elements& packed, void* stage,
                 float* to) {
  using aclimb::HWY_NAMESPACE::Stored, aclimb::HWY_NAMESPACE::StoredLane;
  using aclimb::HWY_NAMESPACE::Transpose;
  const int64_t all = packed.channels;
  WithType(view.dtype, [&](auto type) HWY_ATTR {
    using T = decltype(type);
    const auto gather = [&](const Elements& as, StoredLane<T>* place) HWY_ATTR {
      EachRun<T>(view, of, as, [&](const T* from, int64_t at, int64_t count) HWY_ATTR {
        Transpose(Stored(from), view.stride[1], of.count, count, place + at, all);
      });
    };
    if constexpr (std::is_same_v<T, float>) {
      gather(packed, to);
    } else {
      gather({all, view.shape[4]}, static_cast<StoredLane<T>*>(stage));
      EachStretch(view, packed, [&](int64_t from, int64_t at, int64_t length) HWY_ATTR {
        ConvertRow(static_cast<const T*>(stage) + from, length, to + at);
      });
    }
  });
}

// The inverse.
inline void Unpack(const float* from, const Elements& packed, void* stage, const TensorView& view,
                   const Channels& of) {
  using aclimb::HWY_NAMESPACE::Stored, aclimb::HWY_NAMESPACE::StoredLane;
  using aclimb::HWY_NAMESPACE::Transpose;
  const int64_t all = packed.channels;
  WithType(view.dtype, [&](auto type) HWY_ATTR {
    using T = decltype(type);
    const auto scatter = [&](const Elements& as, const StoredLane<T>* place) HWY_ATTR {
      EachRun<T>(view, of, as, [&](T* to, int64_t at, int64_t count) HWY_ATTR {
        Transpose(place + at, all, count, of.count, Stored(to), view.stride[1]);
      });
    };
    if constexpr (std::is_same_v<T, float>) {
      scatter(packed, from);
    } else {
      EachStretch(view, packed, [&](int64_t to, int64_t at, int64_t length) HWY_ATTR {
        ConvertRow(from + at, length, static_cast<T*>(stage) + to);
      });
      scatter({all, view.shape[4]}, static_cast<const StoredLane<T>*>(stage));
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#endif
