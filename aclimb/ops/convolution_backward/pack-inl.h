// Rows of a tensor to and from planes with zeros around them, or another dtype. Included once per
// instruction set.
#if defined(ACLIMB_CONVOLUTION_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_CONVOLUTION_PACK_INL_H_
#undef ACLIMB_CONVOLUTION_PACK_INL_H_
#else
#define ACLIMB_CONVOLUTION_PACK_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/ahead.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::kHasMasks;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::LoadMasked;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::StoredMask;
using aclimb::HWY_NAMESPACE::StoredTag;
using aclimb::HWY_NAMESPACE::StoreF32;
using aclimb::HWY_NAMESPACE::StoreFirst;
using aclimb::HWY_NAMESPACE::StoreMasked;

// Of an operand that several products share: GCC would read the memory again for each of a few,
// where it is loads that limit these loops.
template <class V>
HWY_INLINE void KeepInRegister(V& value) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(value.raw));
#else
  (void)value;
#endif
}

// Of an address, of which GCC would otherwise hold one for each offset.
HWY_INLINE void KeepInRegister(const float*& address) { asm("" : "+r"(address)); }

// Which elements of a channel stand in a plane: position j of dimension d is element
// j * step[d] + start[d], and zero outside the tensor and from limit[d] on.
struct Window {
  int64_t step[kDims];
  int64_t start[kDims];
  int64_t limit[kDims];

  // Positions inside the tensor.
  Range Inside(int d, int64_t extent) const {
    return convolution_backward::Inside(start[d], step[d], limit[d], extent);
  }
};

// What a window shows of the channels of a tensor.
struct Shown {
  Range inside[kDims];         // positions; none of any dimension where one has none
  int64_t stride[kDims] = {};  // elements from one position to the next
  int64_t first = 0;           // element of a channel, at the first of them

  Shown(const Window& window, const TensorView& view) {
    for (int d = 0; d < kDims; ++d) {
      const int64_t element = view.stride[2 + d];
      inside[d] = window.Inside(d, view.shape[2 + d]);
      if (inside[d].Empty()) {
        std::fill_n(inside, kDims, Range());
        return;
      }
      // The step of one position alone, and the stride of an extent of one, may be of any size.
      stride[d] = inside[d].Count() > 1 ? window.step[d] * element : 1;
      first += (inside[d].first * window.step[d] + window.start[d]) * element;
    }
  }
};

// Channels [first, last) of some images of an embedded tensor.
struct Channels {
  int64_t image, images, first, last;

  int64_t Count() const { return last - first; }
};

// What a window shows of them, from its first to its last element.
inline Ahead::Stretches StretchesOf(const Window& window, const TensorView& view,
                                    const Channels& of) {
  Ahead::Stretches stretches;
  const Shown shown(window, view);
  if (shown.inside[0].Empty()) return stretches;
  const auto bytes = static_cast<int64_t>(SizeOf(view.dtype));
  const int64_t first = of.image * view.stride[0] + of.first * view.stride[1] + shown.first;
  int64_t last = 0;
  for (int d = 0; d < kDims; ++d) last += (shown.inside[d].Count() - 1) * shown.stride[d];
  // Gaps are not worth it.
  if (last > 4 * view.shape[2] * view.shape[3] * view.shape[4]) return stretches;
  stretches.from = view.As<char>() + first * bytes;
  stretches.bytes = (last + 1) * bytes;
  stretches.channels = of.Count();
  // The stride of one alone may be of any size.
  stretches.channel_stride = stretches.channels > 1 ? view.stride[1] * bytes : 0;
  stretches.images = of.images;
  stretches.image_stride = of.images > 1 ? view.stride[0] * bytes : 0;
  return stretches;
}

// Lanes 0, 2, 4, ... of two vectors.
template <class D>
HWY_INLINE hn::Vec<D> EvenLanes(D d, hn::Vec<D> low, hn::Vec<D> high) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  (void)high;
  return low;
#else
  return hn::ConcatEven(d, high, low);
#endif
}

// Elements 0, 2, 4, ... of the first `count`, at most 2 * Lanes(d); zeros behind them.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadEven(D d, const T* from, int64_t count) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [d](const T* at, int64_t n) HWY_ATTR {
    return n >= static_cast<int64_t>(hn::Lanes(d)) ? LoadF32(d, at) : LoadFirst(d, at, n);
  };
  const auto low = load(from, count);
  return EvenLanes(d, low, count > lanes ? load(from + lanes, count - lanes) : hn::Zero(d));
}

// What a plane holds: a channel in float32, a pair of two channels in bfloat16 at each place, or a
// channel in bfloat16.
enum class Form { kFloats, kPairs, kHalves };
template <Form kForm>
using PlaneElement = std::conditional_t<kForm == Form::kHalves, BFloat16, float>;

// The second channel of a pair is so many elements behind the first; there may be none, and zeros
// stand for it.
constexpr int64_t kNoSecond = -1;

// A vector of a plane, of what load(address) gives as float32 lanes.
template <Form kForm, class D, typename T, class Load>
HWY_INLINE hn::Vec<D> LoadLanes(D d, const T* at, int64_t second, const Load& load) {
  const auto lanes = load(at);
  if constexpr (kForm == Form::kPairs) {
    const hn::RebindToUnsigned<D> d32;
    const auto low = hn::ShiftRight<16>(hn::BitCast(d32, lanes));
    if (second == kNoSecond) return hn::BitCast(d, low);
    return hn::BitCast(d, hn::Or(low, hn::BitCast(d32, load(at + second))));
  } else {
    (void)d;
    (void)second;
    return lanes;
  }
}
template <class D>
HWY_INLINE void StoreLanes(D d, hn::Vec<D> lanes, float* to) {
  hn::StoreU(lanes, d, to);
}
template <class D>
HWY_INLINE void StoreLanes(D d, hn::Vec<D> lanes, BFloat16* to) {
  const hn::RebindToSigned<D> d32;
  const StoredTag<BFloat16, D> d16;
  const auto bits = hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<D>(), lanes));
  (void)d;
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(d32, bits)), d16, reinterpret_cast<uint16_t*>(to));
}

// Zeros from `at` to `end`, and up to a vector beyond.
template <typename Element>
HWY_INLINE void ZeroRun(Element* to, int64_t at, int64_t end) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; at < end; at += lanes) StoreLanes(d, hn::Zero(d), to + at);
}

// ZeroRun where one vector mostly does. Compilers make a call of memset of the loop.
template <typename Element>
HWY_INLINE void ZeroFew(Element* to, int64_t at, int64_t end) {
  const hn::ScalableTag<float> d;
  if (at >= end) return;
  StoreLanes(d, hn::Zero(d), to + at);
  at += static_cast<int64_t>(hn::Lanes(d));
  if (HWY_UNLIKELY(at < end)) ZeroRun(to, at, end);
}

// One row: zeros, `count` elements `stride` apart, zeros up to `pitch` and up to a vector beyond.
template <Form kForm = Form::kFloats, typename T>
HWY_INLINE void PackRow(const T* from, int64_t stride, int64_t before, int64_t count, int64_t pitch,
                        PlaneElement<kForm>* to, int64_t second = kNoSecond) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  ZeroFew(to, 0, before);
  PlaneElement<kForm>* const at = to + before;
  const auto move = [&](int64_t i, int64_t element, const auto& load) HWY_ATTR {
    StoreLanes(d, LoadLanes<kForm>(d, from + element, second, load), at + i);
  };
  int64_t i = 0;
  if (stride == 1) {
    for (; i + lanes <= count; i += lanes) {
      if constexpr (kForm == Form::kHalves) {
        const StoredTag<T, decltype(d)> as_they_are;
        hn::StoreU(hn::LoadU(as_they_are, Stored(from + i)), as_they_are, Stored(at + i));
      } else {
        move(i, i, [d](const T* p) HWY_ATTR { return LoadF32(d, p); });
      }
    }
    if (i < count) {
      const int64_t rest = count - i;
      move(i, i, [d, rest](const T* p) HWY_ATTR { return LoadFirst(d, p, rest); });
      i += lanes;
    }
  } else if (stride == 2) {
    for (; i < count; i += lanes) {
      const int64_t rest = 2 * (count - i) - 1;
      move(i, 2 * i, [d, rest](const T* p) HWY_ATTR { return LoadEven(d, p, rest); });
    }
  } else {
    const hn::CappedTag<float, 1> one;
    for (; i < count; ++i) {
      const auto load = [one](const T* p) HWY_ATTR { return hn::Set(one, ToFloat(*p)); };
      StoreLanes(one, LoadLanes<kForm>(one, from + i * stride, second, load), at + i);
    }
  }
  ZeroFew(to, before + i, pitch);
}

// Rows of up to four vectors are moved by masks, which are the same for all rows of a plane: calls
// f(std::integral_constant<int, vectors>()) with the number of vectors that hold so many elements.
// False, without a call, for none or more than four.
template <typename F>
HWY_INLINE bool WithVectors(int64_t elements, F&& f) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  switch (CeilDivide(elements, lanes)) {
    case 1:
      f(std::integral_constant<int, 1>());
      return true;
    case 2:
      f(std::integral_constant<int, 2>());
      return true;
    case 3:
      f(std::integral_constant<int, 3>());
      return true;
    case 4:
      f(std::integral_constant<int, 4>());
      return true;
    default:
      return false;
  }
}

// The stored lanes of one vector that starts at element `at`, of the elements [first, last).
template <typename T, class D>
HWY_INLINE StoredMask<T, D> MaskOf(D d, int64_t at, int64_t first, int64_t last) {
  const StoredTag<T, D> stored;
  const auto up_to = [&](int64_t end) HWY_ATTR {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    return hn::FirstN(stored, static_cast<size_t>(std::clamp<int64_t>(end - at, 0, lanes)));
  };
  return hn::AndNot(up_to(first), up_to(last));
}

// `rows` rows of kVectors vectors, positions [first, last) of them from memory and zeros elsewhere.
// Position j is element kStep * j; `from` is where position 0 of the first row would be.
template <Form kForm, int kStep, int kVectors, typename T>
HWY_INLINE void PackShortRows(const T* from, int64_t row_stride, int64_t rows, int64_t first,
                              int64_t last, int64_t pitch, PlaneElement<kForm>* to,
                              int64_t second) {
  const hn::ScalableTag<float> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<float>()));
  StoredMask<T, decltype(d)> mask[kStep * kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kStep * kVectors; ++v) {
    mask[v] = MaskOf<T>(d, v * kLanes, kStep * first, kStep * (last - 1) + 1);
  }
  for (int64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const auto load = [&](const T* at) HWY_ATTR {
        const auto value = LoadMasked(d, mask[kStep * v], at);
        if constexpr (kStep == 2) {
          return EvenLanes(d, value, LoadMasked(d, mask[kStep * v + 1], at + kLanes));
        } else {
          return value;
        }
      };
      StoreLanes(d, LoadLanes<kForm>(d, from + v * kStep * kLanes, second, load), to + v * kLanes);
    }
    from += row_stride;
    to += pitch;
  }
}

// `rows` rows of a plane, elements `stride` apart. `from` is the first that is inside the tensor.
template <Form kForm = Form::kFloats, typename T>
HWY_INLINE void PackRows(const T* from, int64_t stride, int64_t row_stride, int64_t rows,
                         const Range& width, int64_t pitch, PlaneElement<kForm>* to,
                         int64_t second = kNoSecond) {
  if constexpr (kHasMasks<T>) {
    const auto pack = [&](auto vectors) HWY_ATTR {
      const T* const first = from - width.first * stride;
      constexpr int kVectors = decltype(vectors)::value;
      stride == 1 ? PackShortRows<kForm, 1, kVectors>(first, row_stride, rows, width.first,
                                                      width.last, pitch, to, second)
                  : PackShortRows<kForm, 2, kVectors>(first, row_stride, rows, width.first,
                                                      width.last, pitch, to, second);
    };
    if ((stride == 1 || stride == 2) && WithVectors(pitch, pack)) return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    PackRow<kForm>(from + row * row_stride, stride, width.first, width.last - width.first, pitch,
                   to + row * pitch, second);
  }
}

// `count` elements side by side, to nearest even.
template <typename From, typename To>
HWY_INLINE void ConvertRow(const From* from, int64_t count, To* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreF32(d, LoadF32(d, from + i), to + i);
  if (i < count) StoreFirst(d, LoadFirst(d, from + i, count - i), to + i, count - i);
}

// Writes the first `count` floats, plus the bias, to elements `stride` apart.
template <typename T>
HWY_INLINE void UnpackRow(const float* from, int64_t count, T* to, int64_t stride, float bias) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto added = hn::Set(d, bias);
  if (stride == 1) {
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      StoreF32(d, hn::Add(hn::LoadU(d, from + i), added), to + i);
    }
    if (i < count) {
      StoreFirst(d, hn::Add(LoadFirst(d, from + i, count - i), added), to + i, count - i);
    }
    return;
  }
  HWY_ALIGN T rounded[hn::MaxLanes(hn::ScalableTag<float>())];
  for (int64_t i = 0; i < count; i += lanes) {
    StoreF32(d, hn::Add(hn::LoadU(d, from + i), added), rounded);
    for (int64_t k = 0; k < std::min(lanes, count - i); ++k) to[(i + k) * stride] = rounded[k];
  }
}

// `rows` rows of kVectors vectors, of which the last may be part of one, without strides.
template <int kVectors, typename T>
HWY_INLINE void UnpackShortRows(const float* from, int64_t pitch, int64_t rows, int64_t count,
                                T* to, int64_t row_stride, float bias) {
  const hn::ScalableTag<float> d;
  const auto added = hn::Set(d, bias);
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(hn::ScalableTag<float>()));
  constexpr int kLast = (kVectors - 1) * kLanes;
  const auto mask = MaskOf<T>(d, kLast, 0, count);
  for (int64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int i = 0; i < kLast; i += kLanes) {
      StoreF32(d, hn::Add(hn::LoadU(d, from + i), added), to + i);
    }
    StoreMasked(d, hn::Add(hn::LoadU(d, from + kLast), added), mask, to + kLast);
    from += pitch;
    to += row_stride;
  }
}

// The first `count` positions of `rows` rows, plus the bias, to elements `stride` apart.
template <typename T>
HWY_INLINE void UnpackRows(const float* from, int64_t pitch, int64_t rows, int64_t count, T* to,
                           int64_t stride, int64_t row_stride, float bias) {
  if constexpr (kHasMasks<T>) {
    const auto unpack = [&](auto vectors) HWY_ATTR {
      UnpackShortRows<decltype(vectors)::value>(from, pitch, rows, count, to, row_stride, bias);
    };
    if (stride == 1 && WithVectors(count, unpack)) return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    UnpackRow(from + row * pitch, count, to + row * row_stride, stride, bias);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
