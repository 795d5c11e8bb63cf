#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/copy/convert.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <algorithm>
#include <utility>

#include "aclimb/copy/cast.h"
#include "aclimb/copy/convert.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::copy {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The compiler makes vectors of these loops.
template <typename From, typename To>
void CastRun(const void* from, int64_t count, void* to) {
  const From* HWY_RESTRICT const source = static_cast<const From*>(from);
  To* HWY_RESTRICT const target = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = Cast<To>(source[i]);
}

template <typename From>
void OddRun(const void* from, int64_t count, void* to) {
  const From* HWY_RESTRICT const source = static_cast<const From*>(from);
  float* HWY_RESTRICT const target = static_cast<float*>(to);
  for (int64_t i = 0; i < count; ++i) target[i] = RoundedToOdd(source[i]);
}

// RoundedToOdd() of doubles. The bits that a float32 has no room for are cleared; if one of them
// was set, so is the last bit that stays.
template <>
void OddRun<double>(const void* from, int64_t count, void* to) {
  using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox
  const auto* const source = static_cast<const double*>(from);
  auto* const target = static_cast<float*>(to);
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> bits_tag;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto last = hn::Set(bits_tag, uint64_t{1} << 29),
             rest = hn::Sub(last, hn::Set(bits_tag, 1));
  // Below the normal numbers a float32 has room for less.
  const auto least = hn::Set(d, 0x1p-126), zero = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, source + i);
    const auto bits = hn::BitCast(bits_tag, value);
    const auto is_small = hn::And(hn::Lt(hn::Abs(value), least), hn::Ne(value, zero));
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_small))) {
      std::transform(source + i, source + i + lanes, target + i,
                     [](double each) { return RoundedToOdd(each); });
      continue;
    }
    const auto carry = hn::And(hn::Add(hn::And(bits, rest), rest), last);
    const auto odd = hn::Or(hn::AndNot(rest, bits), carry);
    hn::StoreU(ToFloats(d, hn::BitCast(d, odd)), narrow, target + i);
  }
  for (; i < count; ++i) target[i] = RoundedToOdd(source[i]);
}

// kStream: around the caches.
template <typename From, typename To, bool kStream = false>
void HalfRun(const void* from, int64_t count, void* to) {
  using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox
  const auto* const source = static_cast<const From*>(from);
  auto* const target = static_cast<To*>(to);
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto some = [&](int64_t i, int64_t n)
                        HWY_ATTR { StoreFirst(d, LoadFirst(d, source + i, n), target + i, n); };
  int64_t i = 0;
  if constexpr (kStream) {
    // What is streamed begins with a cache line.
    const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 64 / sizeof(To));
    const int64_t before = past == 0 ? 0 : std::min<int64_t>(count, 64 / sizeof(To) - past);
    for (; i < before; i += lanes) some(i, std::min(lanes, before - i));
    i = before;
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat16>) {
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      StoreTwo<kStream>(d, LoadF32(d, source + i), LoadF32(d, source + i + lanes), target + i);
    }
  }
#endif
  for (; i + lanes <= count; i += lanes) {
    const auto value = LoadF32(d, source + i);
    kStream ? StreamF32(d, value, target + i) : StoreF32(d, value, target + i);
  }
  if (i < count) some(i, count - i);
  if constexpr (kStream) hwy::FlushStream();
}

struct Row {
  Converter::Step to[kStorageCount];
};
template <typename From>
constexpr Row kCastsOf = {
    {CastRun<From, Bool>, CastRun<From, uint8_t>, CastRun<From, int8_t>, CastRun<From, int16_t>,
     CastRun<From, int32_t>, CastRun<From, int64_t>, CastRun<From, float>, CastRun<From, double>,
     nullptr, nullptr, CastRun<From, uint16_t>, CastRun<From, uint32_t>, CastRun<From, uint64_t>}};
template <typename From>
constexpr Row kFromHalf = {
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, HalfRun<From, float>}};
constexpr Row kRows[kStorageCount] = {kCastsOf<Bool>,      kCastsOf<uint8_t>,  kCastsOf<int8_t>,
                                      kCastsOf<int16_t>,   kCastsOf<int32_t>,  kCastsOf<int64_t>,
                                      kCastsOf<float>,     kCastsOf<double>,   kFromHalf<Float16>,
                                      kFromHalf<BFloat16>, kCastsOf<uint16_t>, kCastsOf<uint32_t>,
                                      kCastsOf<uint64_t>};

// The one step from one dtype to another, null where there is none.
Converter::Step StepOf(int from, int to) { return kRows[from].to[to]; }

// From float32 to a half type.
Converter::Step StepToHalf(bool bfloat16) {
  return bfloat16 ? HalfRun<float, BFloat16> : HalfRun<float, Float16>;
}

// Steps around the caches, from a half type to float32 or from float32 to a half type.
Converter::Step StreamingStep(bool to_half, bool bfloat16) {
  if (to_half) {
    return bfloat16 ? HalfRun<float, BFloat16, true> : HalfRun<float, Float16, true>;
  }
  return bfloat16 ? HalfRun<BFloat16, float, true> : HalfRun<Float16, float, true>;
}

// To a float32 that may be rounded to a half type.
Converter::Step StepToOdd(DType from) {
  switch (from) {
    case DType::kInt32:
      return OddRun<int32_t>;
    case DType::kInt64:
      return OddRun<int64_t>;
    case DType::kUInt32:
      return OddRun<uint32_t>;
    case DType::kUInt64:
      return OddRun<uint64_t>;
    default:
      return OddRun<double>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {
namespace {

HWY_EXPORT(StepOf);
HWY_EXPORT(StepToHalf);
HWY_EXPORT(StreamingStep);
HWY_EXPORT(StepToOdd);

// Whether float32 does not hold every value.
bool IsFinerThanFloat(DType dtype) {
  return SizeOf(dtype) == 8 || dtype == DType::kInt32 || dtype == DType::kUInt32;
}

}  // namespace

Converter::Converter(DType from, DType to) {
  // A tensor that a call leaves out has no dtype, and no elements to convert.
  if (from == to || from == DType::kUndefined || to == DType::kUndefined) return;
  from_ = from;
  to_ = to;
  const auto step = [](DType source, DType target) {
    return HWY_DYNAMIC_DISPATCH(StepOf)(StorageIndex(source), StorageIndex(target));
  };
  if (!IsHalf(to)) {
    first_ = step(from, IsHalf(from) ? DType::kFloat32 : to);
    if (IsHalf(from) && to != DType::kFloat32) second_ = step(DType::kFloat32, to);
    return;
  }
  second_ = HWY_DYNAMIC_DISPATCH(StepToHalf)(to == DType::kBFloat16);
  if (from == DType::kFloat32) {
    first_ = std::exchange(second_, nullptr);
  } else if (IsFinerThanFloat(from)) {
    first_ = HWY_DYNAMIC_DISPATCH(StepToOdd)(from);
  } else {
    first_ = step(from, DType::kFloat32);
  }
}

void Converter::Stream(const void* from, int64_t count, void* to) const {
  const bool has_step =
      (from_ == DType::kFloat32 && IsHalf(to_)) || (IsHalf(from_) && to_ == DType::kFloat32);
  // No vector can be stored so between elements.
  const bool lies_well = reinterpret_cast<uintptr_t>(to) % SizeOf(to_) == 0;
  if (!has_step || !lies_well) return Run(from, count, to);
  const bool bfloat16 = from_ == DType::kBFloat16 || to_ == DType::kBFloat16;
  HWY_DYNAMIC_DISPATCH(StreamingStep)(IsHalf(to_), bfloat16)(from, count, to);
}

void Converter::Run(const void* from, int64_t count, void* to) const {
  if (second_ == nullptr) return first_(from, count, to);
  constexpr int64_t kChunk = 512;
  const auto from_bytes = static_cast<int64_t>(SizeOf(from_));
  const auto to_bytes = static_cast<int64_t>(SizeOf(to_));
  alignas(64) float whole[kChunk];
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  for (; count > 0; count -= kChunk) {
    const int64_t n = std::min(kChunk, count);
    first_(source, n, whole);
    second_(whole, n, target);
    source += n * from_bytes;
    target += n * to_bytes;
  }
}

}  // namespace aclimb::copy
#endif
