#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/matmul/panels.cc"
// Blocks of registers are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/cache_control.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/simd/factors-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::kHasPairs;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::kMostPanelVectors;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::MultiplyAdd;
using aclimb::HWY_NAMESPACE::PanelTag;
using aclimb::HWY_NAMESPACE::PanelVector;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::StoredLane;
using aclimb::HWY_NAMESPACE::StoreRow;
using aclimb::HWY_NAMESPACE::Transpose;

// Lanes of columns that are transposed at once, in the nearest cache, where columns of any distance
// may push each other out: they are copied to this distance first.
constexpr int64_t kTerms = 64, kNearStride = kTerms + 16;
// Columns that one transposition takes.
constexpr int64_t kTogether = 16;
constexpr int64_t kLineBytes = Ahead::kLine;
template <typename T>
constexpr int64_t kLine = kLineBytes / sizeof(T);
// Of an element of a left factor.
template <Factors kFactors>
constexpr int64_t kBytesOf = sizeof(float) / PerElement(kFactors);
constexpr int64_t kMostColumns = kMostPanelVectors * static_cast<int64_t>(hn::MaxLanes(PanelTag()));

// What is fetched ahead may lie behind the memory that is there, where no pointer may point.
template <typename T>
HWY_INLINE uintptr_t AddressOf(const T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
HWY_INLINE void PrefetchLine(uintptr_t address) {
  hwy::Prefetch(reinterpret_cast<const char*>(address));
}
HWY_INLINE void PrefetchLines(uintptr_t address, int64_t lines) {
  for (int64_t i = 0; i < lines; ++i) {
    PrefetchLine(address + static_cast<uintptr_t>(i * kLineBytes));
  }
}

HWY_INLINE int64_t VectorsFor(int64_t columns) {
  return CeilDivide(columns, static_cast<int64_t>(hn::Lanes(PanelTag())));
}

// Neighbours, filled up with zeros to whole vectors.
template <typename T>
HWY_INLINE void PackTerm(const T* from, int64_t columns, float* to) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) hn::Store(LoadF32(d, from + c), d, to + c);
  if (c < columns) hn::Store(LoadFirst(d, from + c, columns - c), d, to + c);
}

// Two terms side by side become pairs.
HWY_INLINE void PackPairs(const BFloat16* first, const BFloat16* second, int64_t columns,
                          float* to) {
  const PanelTag d;
  const hn::RebindToUnsigned<PanelTag> d32;
  const auto store = [&](hn::Vec<PanelTag> low, hn::Vec<PanelTag> high, float* at) HWY_ATTR {
    const auto pairs = hn::Or(hn::ShiftRight<16>(hn::BitCast(d32, low)), hn::BitCast(d32, high));
    hn::Store(hn::BitCast(d, pairs), d, at);
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    store(LoadF32(d, first + c), LoadF32(d, second + c), to + c);
  }
  const int64_t left = columns - c;
  if (left > 0) store(LoadFirst(d, first + c, left), LoadFirst(d, second + c, left), to + c);
}

// Where kMost terms are there, without a call for so few.
template <int64_t kMost, typename T>
HWY_INLINE void CopyTerms(const T* from, int64_t terms, void* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (terms < kMost) {
    std::memcpy(to, from, static_cast<size_t>(terms) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < kMost; i += lanes) {
    hn::StoreU(hn::LoadU(d, from + i), d, static_cast<T*>(to) + i);
  }
}

template <typename T, Factors kFactors>
void Pack(const PanelSource& source, float* panel) {
  constexpr int64_t kEach = PerElement(kFactors);
  using Lane = std::conditional_t<kFactors == Factors::kPairs, float, T>;
  const auto* const from = static_cast<const T*>(source.from);
  const int64_t width = VectorsFor(source.columns) * static_cast<int64_t>(hn::Lanes(PanelTag()));
  const int64_t all = source.terms / kEach;
  if (source.column == 1) {
    for (int64_t k = 0; k < all; ++k) {
      const T* const term = from + k * kEach * source.term;
      if constexpr (kFactors == Factors::kPairs) {
        PackPairs(term, term + source.term, source.columns, panel + k * width);
      } else {
        PackTerm(term, source.columns, panel + k * width);
      }
    }
    return;
  }
  HWY_ALIGN StoredLane<Lane> near[kMostColumns * kNearStride], turned[kTerms * kMostColumns];
  for (int64_t first = 0; first < all; first += kTerms) {
    const int64_t count = HWY_MIN(kTerms, all - first);
    for (int64_t c = 0; c < source.columns; ++c) {
      const T* const column = from + c * source.column + first * kEach;
      CopyTerms<kTerms * kEach>(Stored(column), count * kEach, near + c * kNearStride);
      PrefetchLines(AddressOf(column + count * kEach), kTerms * kEach / kLine<T>);
    }
    for (int64_t c = 0; c < source.columns; c += kTogether) {
      Transpose(near + c * kNearStride, kNearStride, HWY_MIN(kTogether, source.columns - c), count,
                turned + c, kMostColumns);
    }
    for (int64_t k = 0; k < count; ++k) {
      PackTerm(reinterpret_cast<const Lane*>(turned + k * kMostColumns), source.columns,
               panel + (first + k) * width);
    }
  }
}

template <typename T>
void Widen(const PanelSource& source, int64_t row, float* rows) {
  for (int64_t c = 0; c < source.columns; ++c) {
    PackTerm(static_cast<const T*>(source.from) + c * source.column, source.terms, rows + c * row);
  }
}

// Asks for the lines a few at a time: a processor has room for some that are on their way, and
// waits where more are asked for.
class Fetcher {
 public:
  Fetcher(const Ahead& ahead, int64_t parts)
      : piece_(AddressOf(ahead.from)),
        pieces_(ahead.pieces),
        lines_(ahead.lines),
        step_(ahead.step),
        at_once_(pieces_ == 0 ? 0 : CeilDivide(pieces_ * lines_, parts)) {}

  HWY_INLINE void Next() {
    for (int64_t i = 0; i < at_once_ && pieces_ > 0; ++i) {
      PrefetchLine(piece_ + static_cast<uintptr_t>(line_ * kLineBytes));
      if (++line_ < lines_) continue;
      line_ = 0;
      piece_ += static_cast<uintptr_t>(step_);
      --pieces_;
    }
  }

 private:
  uintptr_t piece_;
  int64_t pieces_, lines_, step_, at_once_, line_ = 0;
};

// Sums that do not begin with a line end in one more, which is left out.
template <int kVectors>
HWY_INLINE void PrefetchSums(const float* sums, int64_t sums_row, int64_t rows) {
  constexpr int64_t kLines =
      kVectors * static_cast<int64_t>(hn::MaxLanes(PanelTag())) / kLine<float>;
  for (int64_t r = 0; r < rows; ++r) {
    PrefetchLines(AddressOf(sums + r * sums_row), HWY_MAX(kLines, int64_t{1}));
  }
}

// How the rows of a panel lie in memory.
enum class PanelRows {
  kPacked,    // Each row begins where the last one ends: the compiler knows the distance.
  kAnywhere,  // The rows lie a distance apart that is known at run time.
  kCopied     // The rows lie apart, and the first block of rows that meets them packs them, too.
};

// Of rows that are fetched ahead some have left the near caches when their turn comes: those that
// lie a multiple of a page apart share a few sets. They are fetched again so many terms before it.
constexpr int64_t kTermsAhead = 32;

template <Factors kFactors, PanelRows kPanel, int kVectors>
void MultiplyBlock(const void* a, int64_t row, int64_t rows, const float* panel, int64_t panel_row,
                   int64_t terms, bool add, float* sums, int64_t sums_row, const Ahead& ahead,
                   float* packed) {
  constexpr int64_t kEach = PerElement(kFactors), kBytes = kBytesOf<kFactors>;
  const auto multiply = [](PanelVector x, PanelVector y, PanelVector sum)
                            HWY_ATTR { return MultiplyAdd<kFactors>(PanelTag(), x, y, sum); };
  constexpr int64_t kWidth = kVectors * static_cast<int64_t>(hn::MaxLanes(PanelTag()));
  if constexpr (kPanel == PanelRows::kPacked) panel_row = kWidth;
  const int64_t depth = terms / kEach;
  const int64_t blocks = CeilDivide(rows, kHeldRows);
  // Terms between lines that are asked for: of many at once the next loads would wait.
  constexpr int64_t kAtOnce = 4, kLeastTerms = 4, kMostTerms = 32;
  const int64_t lines = ahead.pieces * ahead.lines;
  const int64_t most =
      lines == 0 ? depth
                 : HWY_MAX(kLeastTerms, HWY_MIN(kMostTerms, blocks * depth * kAtOnce / lines));
  Fetcher fetcher(ahead, blocks * CeilDivide(depth, most));
  for (int64_t first = 0; first < rows; first += kHeldRows) {
    // The last row stands in for those that are not there.
    const float* row_of[kHeldRows];
    for (int64_t r = 0; r < kHeldRows; ++r) {
      const int64_t offset = HWY_MIN(first + r, rows - 1) * row * kBytes;
      row_of[r] = reinterpret_cast<const float*>(static_cast<const char*>(a) + offset);
    }
    // Sums of an output lie far apart, and would be waited for.
    if (add) {
      PrefetchSums<kVectors>(sums + first * sums_row, sums_row, HWY_MIN(kHeldRows, rows - first));
    }
    PanelVector sum[kHeldRows][kVectors];
    Clear(sum);
    for (int64_t k = 0; k < depth; k += most) {
      const int64_t step = HWY_MIN(most, depth - k);
      fetcher.Next();
      const float* const part = panel + k * panel_row;
      if constexpr (kPanel == PanelRows::kCopied) {
        float* const to = packed + k * kWidth;
        const uintptr_t soon =
            AddressOf(part) + static_cast<uintptr_t>(kTermsAhead * panel_row) * sizeof(float);
        const auto keep = [=](int64_t term, const PanelVector(&columns)[kVectors]) HWY_ATTR {
          StoreRow<kVectors>(columns, false, to + term * kWidth);
          const uintptr_t line = soon + static_cast<uintptr_t>(term * panel_row) * sizeof(float);
          PrefetchLine(line);
          PrefetchLine(line + kWidth * sizeof(float) - 1);
        };
        AddProducts<kVectors>(row_of, part, panel_row, step, sum, multiply, keep);
      } else {
        AddProducts<kVectors>(row_of, part, panel_row, step, sum, multiply);
      }
      for (const float*& at : row_of) at += step;
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      if (first + r < rows) StoreRow<kVectors>(sum[r], add, sums + (first + r) * sums_row);
    }
  }
}

template <Factors kFactors>
void Multiply(const void* a, int64_t row, int64_t rows, const float* panel, int64_t panel_row,
              int64_t terms, int64_t columns, bool add, float* sums, int64_t sums_row,
              const Ahead& ahead, float* packed) {
  using Function = decltype(&MultiplyBlock<kFactors, PanelRows::kPacked, 1>);
  static_assert(kMostPanelVectors == 3);
  constexpr Function kOfPacked[] = {MultiplyBlock<kFactors, PanelRows::kPacked, 1>,
                                    MultiplyBlock<kFactors, PanelRows::kPacked, 2>,
                                    MultiplyBlock<kFactors, PanelRows::kPacked, 3>};
  constexpr Function kOfOthers[] = {MultiplyBlock<kFactors, PanelRows::kAnywhere, 1>,
                                    MultiplyBlock<kFactors, PanelRows::kAnywhere, 2>,
                                    MultiplyBlock<kFactors, PanelRows::kAnywhere, 3>};
  constexpr Function kOfCopied[] = {MultiplyBlock<kFactors, PanelRows::kCopied, 1>,
                                    MultiplyBlock<kFactors, PanelRows::kCopied, 2>,
                                    MultiplyBlock<kFactors, PanelRows::kCopied, 3>};
  const int64_t vectors = VectorsFor(columns);
  const int64_t width = vectors * static_cast<int64_t>(hn::Lanes(PanelTag()));
  if (packed != nullptr) {
    const int64_t first = HWY_MIN(kHeldRows, rows);
    kOfCopied[vectors - 1](a, row, first, panel, panel_row, terms, add, sums, sums_row,
                           first == rows ? ahead : Ahead(), packed);
    if (first == rows) return;
    a = static_cast<const char*>(a) + first * row * kBytesOf<kFactors>;
    sums += first * sums_row;
    rows -= first;
    panel = packed;
    panel_row = width;
  }
  const Function* const functions = panel_row == width ? kOfPacked : kOfOthers;
  functions[vectors - 1](a, row, rows, panel, panel_row, terms, add, sums, sums_row, ahead,
                         nullptr);
}

void Turn(const float* sums, int64_t sums_row, int64_t rows, int64_t columns, float* turned) {
  Transpose(sums, sums_row, rows, columns, turned, rows);
}

template <typename T, Factors kFactors = Factors::kFloat32>
constexpr PanelKernels kKernels = {static_cast<int64_t>(hn::MaxLanes(PanelTag())),
                                   kMostColumns,
                                   PerElement(kFactors),
                                   &Pack<T, kFactors>,
                                   &Widen<T>,
                                   &Multiply<kFactors>,
                                   &Turn};

const PanelKernels& KernelsOf(DType factor, bool pairs) {
  constexpr Factors kPairsIfAny = kHasPairs ? Factors::kPairs : Factors::kFloat32;
  return pairs                        ? kKernels<BFloat16, kPairsIfAny>
         : factor == DType::kFloat16  ? kKernels<Float16>
         : factor == DType::kBFloat16 ? kKernels<BFloat16>
                                      : kKernels<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::matmul
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::matmul {

HWY_EXPORT(KernelsOf);

const PanelKernels& PanelKernelsFor(DType factor, bool pairs) {
  return HWY_DYNAMIC_DISPATCH(KernelsOf)(factor, pairs);
}

}  // namespace aclimb::matmul
#endif
