#include "aclimb/ops/random/philox.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/random/philox.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::random {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Half of the spare blocks at most.
using Wide = hn::CappedTag<uint64_t, 8>;
using WideVector = hn::Vec<Wide>;

// Words in the lower halves of lanes, a block a lane.
struct Block {
  WideVector a, b, c, d;
};

// Of words.
HWY_INLINE WideVector Product(Wide d, WideVector x, uint64_t factor) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Mul(x, hn::Set(d, factor));
#else
  const hn::Repartition<uint32_t, Wide> d32;
  return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, hn::Set(d, factor)));
#endif
}

HWY_INLINE void Round(Wide d, WideVector key0, WideVector key1, Block& x) {
  const WideVector low = hn::Set(d, 0xFFFFFFFFu);
  const WideVector first = Product(d, x.a, 0xD2511F53u), second = Product(d, x.c, 0xCD9E8D57u);
  x.a = hn::Xor(hn::Xor(hn::ShiftRight<32>(second), x.b), key0);
  x.b = hn::And(second, low);
  x.c = hn::Xor(hn::Xor(hn::ShiftRight<32>(first), x.d), key1);
  x.d = hn::And(first, low);
}

HWY_INLINE void StoreBlock(Wide d, const Block& x, uint64_t* to) {
  hn::StoreInterleaved2(hn::Or(x.a, hn::ShiftLeft<32>(x.b)), hn::Or(x.c, hn::ShiftLeft<32>(x.d)), d,
                        to);
}

void NumbersHere(const Source& source, int64_t first, int64_t count, uint64_t* to) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const WideVector low = hn::Set(d, 0xFFFFFFFFu);
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    const WideVector block = hn::Iota(d, static_cast<uint64_t>(first + i));
    const WideVector next = hn::Add(block, hn::Set(d, static_cast<uint64_t>(lanes)));
    const WideVector c = hn::Set(d, source.offset & 0xFFFFFFFFu);
    const WideVector e = hn::Set(d, source.offset >> 32);
    // Two at once: a multiplication waits for the last.
    Block x = {hn::And(block, low), hn::ShiftRight<32>(block), c, e};
    Block y = {hn::And(next, low), hn::ShiftRight<32>(next), c, e};
    auto key0 = static_cast<uint32_t>(source.seed), key1 = static_cast<uint32_t>(source.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const WideVector k0 = hn::Set(d, uint64_t{key0}), k1 = hn::Set(d, uint64_t{key1});
      Round(d, k0, k1, x);
      Round(d, k0, k1, y);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    StoreBlock(d, x, to + kBlockNumbers * i);
    StoreBlock(d, y, to + kBlockNumbers * (i + lanes));
  }
}

void NormalsHere(const uint32_t* words, int64_t count, float mean, float deviation, float* to) {
  using namespace aclimb::HWY_NAMESPACE;  // NOLINT: Log, Sin, Cos
  const hn::CappedTag<float, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto unit = [&](auto word, int32_t more) HWY_ATTR {
    const auto whole = hn::Add(hn::BitCast(di, hn::ShiftRight<8>(word)), hn::Set(di, more));
    return hn::Mul(hn::ConvertTo(d, whole), hn::Set(d, 0x1p-24f));
  };
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    hn::Vec<decltype(du)> first, second;
    hn::LoadInterleaved2(du, words + i, first, second);
    // Above 0, for the logarithm.
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0f), Log<float>(d, unit(first, 1))));
    const auto angle = hn::Mul(hn::Set(d, 6.2831853f), unit(second, 0));
    const auto scaled = hn::Mul(radius, hn::Set(d, deviation));
    const auto middle = hn::Set(d, mean);
    hn::StoreInterleaved2(hn::MulAdd(scaled, Cos<float>(d, angle), middle),
                          hn::MulAdd(scaled, Sin<float>(d, angle), middle), d, to + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::random {

HWY_EXPORT(NumbersHere);
HWY_EXPORT(NormalsHere);

void Numbers(const Source& source, int64_t first, int64_t count, uint64_t* to) {
  HWY_DYNAMIC_DISPATCH(NumbersHere)(source, first, count, to);
}
void Normals(const uint32_t* words, int64_t count, float mean, float deviation, float* to) {
  HWY_DYNAMIC_DISPATCH(NormalsHere)(words, count, mean, deviation, to);
}
void WideNormals(const uint64_t* numbers, int64_t count, double* to) {
  constexpr double kTurn = 6.283185307179586;
  for (int64_t i = 0; i < count; i += 2) {
    const auto first = static_cast<double>((numbers[i] >> 11) + 1) * 0x1p-53;
    const auto second = static_cast<double>(numbers[i + 1] >> 11) * 0x1p-53;
    const double radius = std::sqrt(-2 * std::log(first));
    to[i] = radius * std::cos(kTurn * second);
    to[i + 1] = radius * std::sin(kTurn * second);
  }
}

}  // namespace aclimb::random
#endif
