#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/matmul/panels.cc"
// Blocks of registers are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::kMostPanelVectors;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::PanelTag;
using aclimb::HWY_NAMESPACE::PanelVector;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::StoredLane;
using aclimb::HWY_NAMESPACE::StoreRow;
using aclimb::HWY_NAMESPACE::Transpose;

// Terms of columns that are transposed at once, in the nearest cache, where columns of any distance
// may push each other out: they are copied to this distance first.
constexpr int64_t kTerms = 64, kNearStride = kTerms + 16;
// Columns that one transposition takes.
constexpr int64_t kTogether = 16;
constexpr int64_t kLineBytes = 64;
template <typename T>
constexpr int64_t kLine = kLineBytes / sizeof(T);
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
  for (int64_t i = 0; i < lines; ++i)
    PrefetchLine(address + static_cast<uintptr_t>(i * kLineBytes));
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

// Where all terms are there, without a call for so few.
template <typename T>
HWY_INLINE void CopyTerms(const T* from, int64_t terms, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (terms < kTerms) {
    std::copy_n(from, terms, to);
    return;
  }
  for (int64_t i = 0; i < kTerms; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
}

template <typename T>
void Pack(const PanelSource& source, float* panel) {
  const auto* const from = static_cast<const T*>(source.from);
  const int64_t width = VectorsFor(source.columns) * static_cast<int64_t>(hn::Lanes(PanelTag()));
  if (source.column == 1) {
    for (int64_t k = 0; k < source.terms; ++k) {
      PackTerm(from + k * source.term, source.columns, panel + k * width);
    }
    return;
  }
  HWY_ALIGN StoredLane<T> near[kMostColumns * kNearStride], turned[kTerms * kMostColumns];
  for (int64_t first = 0; first < source.terms; first += kTerms) {
    const int64_t terms = HWY_MIN(kTerms, source.terms - first);
    for (int64_t c = 0; c < source.columns; ++c) {
      const T* const column = from + c * source.column + first;
      CopyTerms(Stored(column), terms, near + c * kNearStride);
      PrefetchLines(AddressOf(column + terms), kTerms / kLine<T>);
    }
    for (int64_t c = 0; c < source.columns; c += kTogether) {
      Transpose(near + c * kNearStride, kNearStride, HWY_MIN(kTogether, source.columns - c), terms,
                turned + c, kMostColumns);
    }
    for (int64_t k = 0; k < terms; ++k) {
      PackTerm(reinterpret_cast<const T*>(turned + k * kMostColumns), source.columns,
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

template <int kVectors>
void MultiplyBlock(const float* a, int64_t row, int64_t rows, const float* panel, int64_t terms,
                   bool add, float* sums, int64_t sums_row, const Ahead& ahead) {
  constexpr int64_t kWidth = kVectors * static_cast<int64_t>(hn::MaxLanes(PanelTag()));
  // Terms between lines that are asked for.
  constexpr int64_t kStep = 32;
  Fetcher fetcher(ahead, CeilDivide(rows, kHeldRows) * CeilDivide(terms, kStep));
  for (int64_t first = 0; first < rows; first += kHeldRows) {
    // The last row stands in for those that are not there.
    const float* row_of[kHeldRows];
    for (int64_t r = 0; r < kHeldRows; ++r) row_of[r] = a + HWY_MIN(first + r, rows - 1) * row;
    PanelVector sum[kHeldRows][kVectors];
    Clear(sum);
    for (int64_t k = 0; k < terms; k += kStep) {
      const int64_t together = HWY_MIN(kStep, terms - k);
      fetcher.Next();
      AddProducts<kVectors>(row_of, panel + k * kWidth, together, sum);
      for (const float*& at : row_of) at += together;
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      if (first + r < rows) StoreRow<kVectors>(sum[r], add, sums + (first + r) * sums_row);
    }
  }
}

void Multiply(const float* a, int64_t row, int64_t rows, const float* panel, int64_t terms,
              int64_t columns, bool add, float* sums, int64_t sums_row, const Ahead& ahead) {
  using Function = void (*)(const float*, int64_t, int64_t, const float*, int64_t, bool, float*,
                            int64_t, const Ahead&);
  static_assert(kMostPanelVectors == 3);
  constexpr Function kFunctions[] = {MultiplyBlock<1>, MultiplyBlock<2>, MultiplyBlock<3>};
  kFunctions[VectorsFor(columns) - 1](a, row, rows, panel, terms, add, sums, sums_row, ahead);
}

void Turn(const float* sums, int64_t sums_row, int64_t rows, int64_t columns, float* turned) {
  Transpose(sums, sums_row, rows, columns, turned, rows);
}

template <typename T>
constexpr PanelKernels kKernels = {static_cast<int64_t>(hn::MaxLanes(PanelTag())),
                                   kMostColumns,
                                   &Pack<T>,
                                   &Widen<T>,
                                   &Multiply,
                                   &Turn};

const PanelKernels& KernelsOf(DType factor) {
  return factor == DType::kFloat16    ? kKernels<Float16>
         : factor == DType::kBFloat16 ? kKernels<BFloat16>
                                      : kKernels<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::matmul
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::matmul {

HWY_EXPORT(KernelsOf);

const PanelKernels& PanelKernelsFor(DType factor) {
  return HWY_DYNAMIC_DISPATCH(KernelsOf)(factor);
}

}  // namespace aclimb::matmul
#endif
