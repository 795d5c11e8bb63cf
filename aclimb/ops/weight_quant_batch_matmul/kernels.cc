#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/weight_quant_batch_matmul/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/weight_quant_batch_matmul/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::weight_quant_batch_matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

int8_t CodeAt(const uint8_t* storage, int64_t place) {
  const uint8_t byte = storage[place / 2];
  const int code = place % 2 == 0 ? byte & 0xF : byte >> 4;
  return static_cast<int8_t>(code - 2 * (code & 8));
}

void Unpack(const uint8_t* storage, int64_t first, int64_t count, int8_t* codes) {
  int64_t i = 0;
  if (first % 2 != 0 && count > 0) {
    *codes = CodeAt(storage, first);
    i = 1;
  }
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<uint8_t, 16> d;
  const auto low_half = hn::Set(d, 0xF), sign = hn::Set(d, 8);
  const uint8_t* from = storage + (first + i) / 2;
  for (; i + 32 <= count; i += 32, from += 16) {
    const auto bytes = hn::LoadU(d, from);
    const auto even = hn::Sub(hn::Xor(hn::And(bytes, low_half), sign), sign);
    const auto odd = hn::Sub(hn::Xor(hn::And(hn::ShiftRight<4>(bytes), low_half), sign), sign);
    auto* const to = reinterpret_cast<uint8_t*>(codes + i);
    hn::StoreU(hn::InterleaveLower(d, even, odd), d, to);
    hn::StoreU(hn::InterleaveUpper(d, even, odd), d, to + 16);
  }
#endif
  for (; i < count; ++i) codes[i] = CodeAt(storage, first + i);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadCodes(D d, const int8_t* codes) {
  const hn::Rebind<int8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, codes)));
}

// Calls each(begin, end, scale, offset) for the runs of one group.
template <typename Each>
HWY_INLINE void ForEachGroup(const Piece& piece, Each&& each) {
  int64_t begin = 0;
  for (int64_t g = 0; begin < piece.count; ++g) {
    const int64_t within = (piece.first + begin) % piece.group;
    const int64_t end = std::min(piece.count, begin + piece.group - within);
    each(begin, end, piece.scales[g], piece.offsets == nullptr ? 0.0f : piece.offsets[g]);
    begin = end;
  }
}

void ScalePiece(const Piece& piece, float* out) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  ForEachGroup(piece, [&](int64_t begin, int64_t end, float scale, float offset) {
    const Vector scales = hn::Set(d, scale), offsets = hn::Set(d, offset);
    int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      hn::StoreU(hn::Mul(hn::Add(LoadCodes(d, piece.codes + i), offsets), scales), d, out + i);
    }
    for (; i < end; ++i) out[i] = (static_cast<float>(piece.codes[i]) + offset) * scale;
  });
}

double DotPiece(const Piece& piece, const float* x) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Additions that a lane makes in float32 before the sum goes on in double, about.
  constexpr int64_t kBlock = 1024;
  double total = 0;
  int64_t added = 0;
  Vector sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  float rest = 0;
  const auto drain = [&] {
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)))) +
             static_cast<double>(rest);
    sum0 = sum1 = hn::Zero(d);
    rest = 0;
    added = 0;
  };
  ForEachGroup(piece, [&](int64_t begin, int64_t end, float scale, float offset) {
    const Vector scales = hn::Set(d, scale), offsets = hn::Set(d, offset);
    const auto term = [&](int64_t i) {
      return hn::Mul(hn::Add(LoadCodes(d, piece.codes + i), offsets), scales);
    };
    int64_t i = begin;
    while (i < end) {
      const int64_t from = i, stop = std::min(end, i + kBlock * lanes);
      for (; i + 2 * lanes <= stop; i += 2 * lanes) {
        sum0 = hn::MulAdd(term(i), hn::LoadU(d, x + i), sum0);
        sum1 = hn::MulAdd(term(i + lanes), hn::LoadU(d, x + i + lanes), sum1);
      }
      for (; i + lanes <= stop; i += lanes) {
        sum0 = hn::MulAdd(term(i), hn::LoadU(d, x + i), sum0);
      }
      for (; i < stop; ++i) {
        rest += (static_cast<float>(piece.codes[i]) + offset) * scale * x[i];
      }
      added += stop - from;
      if (added >= kBlock * lanes) drain();
    }
  });
  drain();
  return total;
}

using HalfBlock = hn::CappedTag<float, kBlockTerms / 2>;
using HalfVector = hn::Vec<HalfBlock>;

// Both halves of a block, `lanes` of each from `j` on, in the order in which x has its terms.
struct Int8 {
  static constexpr int64_t kBytes = kBlockTerms;

  template <typename Each>
  static HWY_INLINE void Load(const char* codes, int64_t block, int64_t j, Each&& each) {
    const HalfBlock d;
    const hn::Rebind<int8_t, HalfBlock> d8;
    const hn::Rebind<int32_t, HalfBlock> d32;
    const int8_t* const at = reinterpret_cast<const int8_t*>(codes) + block * kBlockTerms + j;
    each(hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, at))),
         hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, at + kBlockTerms / 2))));
  }
};
struct Int4 {
  static constexpr int64_t kBytes = kBlockTerms / 2;

  template <typename Each>
  static HWY_INLINE void Load(const char* codes, int64_t block, int64_t j, Each&& each) {
    const HalfBlock d;
    const hn::Rebind<int8_t, HalfBlock> d8;
    const hn::Rebind<int32_t, HalfBlock> d32;
    const int8_t* const at = reinterpret_cast<const int8_t*>(codes) + block * kBlockTerms / 2 + j;
    const auto pairs = hn::PromoteTo(d32, hn::LoadU(d8, at));
    each(hn::ConvertTo(d, hn::ShiftRight<28>(hn::ShiftLeft<28>(pairs))),
         hn::ConvertTo(d, hn::ShiftRight<4>(pairs)));
  }
};

template <typename Codes, int kRows>
HWY_INLINE void DotColumn(const Blocks& blocks, const char* codes, const float* scales,
                          int64_t ahead, double* totals) {
  const HalfBlock d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Additions that a lane makes in float32 before the sum goes on in double.
  constexpr int64_t kMost = 1024;
  std::fill_n(totals, kRows, 0.0);
  for (int64_t begin = 0; begin < blocks.count; begin += kMost) {
    const int64_t end = std::min(blocks.count, begin + kMost);
    HalfVector sums[kRows];
    for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
    for (int64_t block = begin; block < end; ++block) {
      hwy::Prefetch(codes + block * Codes::kBytes + ahead);
      HalfVector part[kRows];
      for (int64_t j = 0; j < kBlockTerms / 2; j += lanes) {
        Codes::Load(codes, block, j, [&](HalfVector first, HalfVector second) HWY_ATTR {
          for (int r = 0; r < kRows; ++r) {
            const float* const x = blocks.x + r * blocks.row + block * kBlockTerms + j;
            const HalfVector x0 = hn::LoadU(d, x), x1 = hn::LoadU(d, x + kBlockTerms / 2);
            part[r] = j == 0 ? hn::Mul(first, x0) : hn::MulAdd(first, x0, part[r]);
            part[r] = hn::MulAdd(second, x1, part[r]);
          }
        });
      }
      const HalfVector scale = hn::Set(d, scales[block]);
      for (int r = 0; r < kRows; ++r) sums[r] = hn::MulAdd(scale, part[r], sums[r]);
    }
    for (int r = 0; r < kRows; ++r) {
      totals[r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[r])));
    }
  }
}

template <typename Codes, int kRows>
void DotRows(const Blocks& blocks, double* totals) {
  // A column is fetched with one before it that lies a page before it, about.
  constexpr int64_t kPage = 4096;
  const int64_t column_ahead = RoundUp(kPage, std::max<int64_t>(1, blocks.column));
  for (int64_t c = 0; c < blocks.columns; ++c) {
    const char* const ahead = blocks.ahead + c * blocks.ahead_bytes;
    for (int64_t i = 0; i < blocks.ahead_bytes; i += 64) hwy::Prefetch(ahead + i);
    DotColumn<Codes, kRows>(blocks, blocks.codes + c * blocks.column,
                            blocks.scales + c * blocks.count, column_ahead, totals + c * kRows);
  }
}

template <typename Codes>
void DotBlocks(const Blocks& blocks, double* totals) {
  static_assert(kFewRows == 4);
  switch (blocks.rows) {
    case 1:
      return DotRows<Codes, 1>(blocks, totals);
    case 2:
      return DotRows<Codes, 2>(blocks, totals);
    case 3:
      return DotRows<Codes, 3>(blocks, totals);
    default:
      return DotRows<Codes, 4>(blocks, totals);
  }
}

void ScaleRow(const int8_t* codes, int64_t count, const float* scales, const float* offsets,
              float* out) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Vector value = LoadCodes(d, codes + i);
    if (offsets != nullptr) value = hn::Add(value, hn::LoadU(d, offsets + i));
    hn::StoreU(hn::Mul(value, hn::LoadU(d, scales + i)), d, out + i);
  }
  for (; i < count; ++i) {
    out[i] = (static_cast<float>(codes[i]) + (offsets == nullptr ? 0.0f : offsets[i])) * scales[i];
  }
}

template <int kRows, int kTerms>
void AddTerms(const CodeRows& codes, const float* scales, const float* offsets,
              const Meeting& meeting) {
  const int8_t* const first = codes.codes;
  float* const sums = meeting.sums;
  const int64_t row = codes.row, sums_row = meeting.row, count = codes.count;
  float x[kRows][kTerms];
  for (int r = 0; r < kRows; ++r) std::copy_n(meeting.x + r * meeting.step, kTerms, x[r]);
  const auto add = [&](auto d, int64_t i) HWY_ATTR {
    const auto scale = hn::LoadU(d, scales + i);
    const auto offset = offsets == nullptr ? hn::Zero(d) : hn::LoadU(d, offsets + i);
    hn::Vec<decltype(d)> sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = hn::LoadU(d, sums + r * sums_row + i);
    for (int t = 0; t < kTerms; ++t) {
      const auto value = hn::Mul(hn::Add(LoadCodes(d, first + t * row + i), offset), scale);
      for (int r = 0; r < kRows; ++r) sum[r] = hn::MulAdd(hn::Set(d, x[r][t]), value, sum[r]);
    }
    for (int r = 0; r < kRows; ++r) hn::StoreU(sum[r], d, sums + r * sums_row + i);
  };
  constexpr int64_t kLine = 64;
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + kLine <= count; i += kLine) {
    for (int t = 0; t < kTerms; ++t) hwy::Prefetch(first + t * row + i + codes.ahead);
    for (int64_t j = i; j < i + kLine; j += lanes) add(d, j);
  }
  for (; i + lanes <= count; i += lanes) add(d, i);
  for (; i < count; ++i) add(hn::CappedTag<float, 1>(), i);
}

template <int kRows>
void AddEach(CodeRows codes, const float* scales, const float* offsets, Meeting meeting) {
  const auto pass = [&](int64_t terms) {
    codes.codes += terms * codes.row;
    codes.terms -= terms;
    meeting.x += terms;
  };
  for (; codes.terms >= kTermsTogether; pass(kTermsTogether)) {
    AddTerms<kRows, kTermsTogether>(codes, scales, offsets, meeting);
  }
  for (; codes.terms > 0; pass(1)) AddTerms<kRows, 1>(codes, scales, offsets, meeting);
}

void AddRows(const CodeRows& codes, const float* scales, const float* offsets,
             const Meeting& meeting) {
  static_assert(kFewRows == 4);
  switch (meeting.rows) {
    case 1:
      return AddEach<1>(codes, scales, offsets, meeting);
    case 2:
      return AddEach<2>(codes, scales, offsets, meeting);
    case 3:
      return AddEach<3>(codes, scales, offsets, meeting);
    default:
      return AddEach<4>(codes, scales, offsets, meeting);
  }
}

const Kernels& KernelsOfTarget() {
  static constexpr Kernels kKernels = {&Unpack,          &ScalePiece, &DotPiece, &DotBlocks<Int8>,
                                       &DotBlocks<Int4>, &ScaleRow,   &AddRows};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::weight_quant_batch_matmul
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::weight_quant_batch_matmul {

HWY_EXPORT(KernelsOfTarget);

const Kernels& KernelsInUse() { return HWY_DYNAMIC_DISPATCH(KernelsOfTarget)(); }

}  // namespace aclimb::weight_quant_batch_matmul
#endif
