#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/reduction/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <algorithm>
#include <type_traits>

#include "aclimb/copy/storage.h"
#include "aclimb/reduction/fold.h"
#include "aclimb/reduction/folds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::reduction {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

template <class F, typename T>
struct VectorKernel {
  using Lane = typename F::Lane;
  using V = Vector<Lane>;
  static constexpr Fold kFold = F::kFold;
  static constexpr bool kHasSecond = kFold == Fold::kMoments;

  // What a row has been folded to so far, in double.
  struct Totals {
    Vector<double> one;
    Vector<double> two;
    static HWY_INLINE Totals Start() {
      return {hn::Set(Tag<double>(), StartOf(kFold, false).real), hn::Zero(Tag<double>())};
    }
    HWY_INLINE void Take(const typename F::Kept& kept) { F::Join(kept, one, two); }
    HWY_INLINE void JoinTo(Slot* first, Slot* second) const {
      first->real = JoinReal(kFold, first->real, F::Op::OfLanes(one));
      if (kHasSecond) second->real += F::Op::OfLanes(two);
    }
  };

  static HWY_INLINE V ShiftsFrom(const double* shift) {
    const Tag<Lane> d;
    if constexpr (std::is_same_v<Lane, double>) {
      return hn::LoadU(d, shift);
    } else {
      HWY_ALIGN Lane lanes[HWY_MAX_BYTES / sizeof(Lane)];
      for (int64_t i = 0; i < LaneCount<Lane>(); ++i) lanes[i] = static_cast<Lane>(shift[i]);
      return hn::Load(d, lanes);
    }
  }

  // Rows that are read side by side, which memory sends a third faster than one row alone (AMD EPYC
  // 7003); with AVX-512 (9004) one row is as fast, and one of bfloat16 1.4 times as fast. Shorter
  // ones end before the processor sees them coming.
  static constexpr int64_t kStreams = 4;
  static constexpr int64_t kLong = int64_t{4096 / sizeof(T)};
  // Neighbours that are folded apart may pass the largest number, or make 0 of a product, where all
  // together do not: double has no wider type for them.
  static constexpr bool kHasStreams =
      HWY_MAX_BYTES < 64 && kFold != Fold::kProduct && !std::is_same_v<T, double>;

  // The order of a row's terms does not depend on which of the rows it is.
  static void Rows(const void* from, int64_t pitch, int64_t rows, int64_t count, const Terms& terms,
                   Slot* first, Slot* second) {
    const T* x = static_cast<const T*>(from);
    if constexpr (kHasStreams) {
      if (count >= kLong && pitch != 0) {
        LongRows(x, pitch, rows, count, terms, first, second);
        return;
      }
    }
    for (int64_t r = 0; r < rows; ++r, x += pitch) {
      const double shift = ShiftOf(terms, r);
      Slot* const second_of_row = kHasSecond ? second + r : nullptr;
      int64_t done = 0;
      if constexpr (kHasStreams) {
        if (count >= kStreams * kLong) done = Parts(x, count, shift, first + r, second_of_row);
      }
      Row(x + done, count - done, static_cast<Lane>(shift), first + r, second_of_row);
    }
  }
  static double ShiftOf(const Terms& terms, int64_t r) { return F::kShifts ? terms.shift[r] : 0; }

  static void LongRows(const T* x, int64_t pitch, int64_t rows, int64_t count, const Terms& terms,
                       Slot* first, Slot* second) {
    for (int64_t r = 0; r < rows; r += kStreams, x += kStreams * pitch) {
      // The last row stands in for those that are not there.
      const int64_t some = std::min(kStreams, rows - r);
      const T* row[kStreams];
      double shifts[kStreams];
      for (int64_t s = 0; s < kStreams; ++s) {
        row[s] = x + std::min(s, some - 1) * pitch;
        shifts[s] = ShiftOf(terms, r + std::min(s, some - 1));
      }
      Streams(row, count, shifts, some, first + r, kHasSecond ? second + r : nullptr);
    }
  }

  // A long row in parts, as rows; returns how many elements those have.
  static int64_t Parts(const T* x, int64_t count, double shift, Slot* first, Slot* second) {
    const int64_t part = count / kStreams / LaneCount<Lane>() * LaneCount<Lane>();
    const T* const row[] = {x, x + part, x + 2 * part, x + 3 * part};
    const double shifts[] = {shift, shift, shift, shift};
    Slot of_part[kStreams], second_of_part[kStreams] = {};
    std::fill_n(of_part, kStreams, StartOf(kFold, false));
    Streams(row, part, shifts, kStreams, of_part, second_of_part);
    for (int64_t s = 0; s < kStreams; ++s) {
      first->real = JoinReal(kFold, first->real, of_part[s].real);
      if (kHasSecond) second->real += second_of_part[s].real;
    }
    return kStreams * part;
  }

  static HWY_INLINE void Row(const T* x, int64_t count, Lane shift_of_row, Slot* first,
                             Slot* second) {
    const int64_t lanes = LaneCount<Lane>();
    const V shift = hn::Set(Tag<Lane>(), shift_of_row);
    Totals totals = Totals::Start();
    auto a = F::Start(), b = F::Start(), c = F::Start(), e = F::Start();
    int64_t i = 0;
    for (int terms_of_lane = 0; i + 4 * lanes <= count; i += 4 * lanes) {
      if (terms_of_lane++ == F::kMost) {
        totals.Take(F::Both(F::Both(a, b), F::Both(c, e)));
        a = b = c = e = F::Start();
        terms_of_lane = 1;
      }
      F::Add(a, LoadLanes<Lane>(x + i), shift);
      F::Add(b, LoadLanes<Lane>(x + i + lanes), shift);
      F::Add(c, LoadLanes<Lane>(x + i + 2 * lanes), shift);
      F::Add(e, LoadLanes<Lane>(x + i + 3 * lanes), shift);
    }
    for (; i + lanes <= count; i += lanes) F::Add(a, LoadLanes<Lane>(x + i), shift);
    if (i < count) F::Add(b, LoadSomeLanes<Lane>(x + i, count - i, F::Padding(shift)), shift);
    totals.Take(F::Both(F::Both(a, b), F::Both(c, e)));
    totals.JoinTo(first, second);
  }

  // Folds rows to the slots of the first `rows` of them.
  static void Streams(const T* const (&row)[kStreams], int64_t count,
                      const double (&shifts)[kStreams], int64_t rows, Slot* first, Slot* second) {
    const Tag<Lane> d;
    const int64_t lanes = LaneCount<Lane>();
    const auto set = [d](double shift) HWY_ATTR { return hn::Set(d, static_cast<Lane>(shift)); };
    const V shift_a = set(shifts[0]), shift_b = set(shifts[1]);
    const V shift_c = set(shifts[2]), shift_e = set(shifts[3]);
    const T *const x = row[0], *const y = row[1], *const z = row[2], *const w = row[3];
    Totals of_a = Totals::Start(), of_b = of_a, of_c = of_a, of_e = of_a;
    auto a = F::Start(), b = F::Start(), c = F::Start(), e = F::Start();
    int64_t i = 0;
    while (i + lanes <= count) {
      const int64_t end = std::min(count, i + F::kMost * lanes);
      for (; i + lanes <= end; i += lanes) {
        F::Add(a, LoadLanes<Lane>(x + i), shift_a);
        F::Add(b, LoadLanes<Lane>(y + i), shift_b);
        F::Add(c, LoadLanes<Lane>(z + i), shift_c);
        F::Add(e, LoadLanes<Lane>(w + i), shift_e);
      }
      of_a.Take(a), of_b.Take(b), of_c.Take(c), of_e.Take(e);
      a = b = c = e = F::Start();
    }
    if (i < count) {
      const auto add = [&](auto& kept, const T* of, V shift) HWY_ATTR {
        F::Add(kept, LoadSomeLanes<Lane>(of + i, count - i, F::Padding(shift)), shift);
      };
      add(a, x, shift_a), add(b, y, shift_b), add(c, z, shift_c), add(e, w, shift_e);
      of_a.Take(a), of_b.Take(b), of_c.Take(c), of_e.Take(e);
    }
    Totals* const all[] = {&of_a, &of_b, &of_c, &of_e};
    for (int64_t s = 0; s < rows; ++s) {
      all[s]->JoinTo(first + s, kHasSecond ? second + s : nullptr);
    }
  }

  static void Columns(const void* from, int64_t pitch, int64_t rows, int64_t columns,
                      const Terms& terms, Slot* first, Slot* second) {
    // As many streams as the first-level cache has ways for, if their lines share a set, and no
    // more terms than Row() adds up before doubles take them.
    constexpr int64_t kRows = std::min(8, 4 * F::kMost);
    const int64_t lanes = LaneCount<Lane>();
    for (int64_t r = 0; r < rows; r += kRows) {
      const T* const x = static_cast<const T*>(from) + r * pitch;
      const int64_t count = std::min(kRows, rows - r);
      for (int64_t j = 0; j < columns; j += lanes) {
        const V shift = F::kShifts ? ShiftsFrom(terms.shift + j) : hn::Zero(Tag<Lane>());
        auto kept = F::Start();
        const T* at = x + j;
        if (j + lanes <= columns) {
          for (int64_t k = 0; k < count; ++k, at += pitch) F::Add(kept, LoadLanes<Lane>(at), shift);
        } else {
          for (int64_t k = 0; k < count; ++k, at += pitch) {
            F::Add(kept, LoadSomeLanes<Lane>(at, columns - j, F::Padding(shift)), shift);
          }
        }
        F::Store(kept, &first[j].real, second != nullptr ? &second[j].real : nullptr);
      }
    }
  }

  static constexpr Kernel kKernel = {&Rows, &Columns};
};

template <class F, Fold fold>
struct As : F {
  static constexpr Fold kFold = fold;
};

// The exponent as the shifts that the folds on vectors know.
struct PowerKernel {
  using Of = VectorKernel<As<Powers, Fold::kPowers>, float>;
  static constexpr int64_t kMost = 512;

  // For exponents that take no logarithm; null for others.
  static const Kernel* Quick(double exponent) {
    if (exponent == 3) return &VectorKernel<As<Sums<double, Cube>, Fold::kPowers>, float>::kKernel;
    if (exponent == 0.5) return &VectorKernel<As<Roots, Fold::kPowers>, float>::kKernel;
    return nullptr;
  }

  static void Rows(const void* from, int64_t pitch, int64_t rows, int64_t count, const Terms& terms,
                   Slot* first, Slot*) {
    if (const Kernel* const quick = Quick(terms.exponent)) {
      return quick->rows(from, pitch, rows, count, terms, first, nullptr);
    }
    double exponents[kMost + kSlack];
    std::fill_n(exponents, std::min(rows, kMost), terms.exponent);
    const float* x = static_cast<const float*>(from);
    for (int64_t r = 0; r < rows; r += kMost, x += kMost * pitch) {
      Of::Rows(x, pitch, std::min(kMost, rows - r), count, {.shift = exponents}, first + r,
               nullptr);
    }
  }
  static void Columns(const void* from, int64_t pitch, int64_t rows, int64_t columns,
                      const Terms& terms, Slot* first, Slot*) {
    if (const Kernel* const quick = Quick(terms.exponent)) {
      return quick->columns(from, pitch, rows, columns, terms, first, nullptr);
    }
    double exponents[kMost + kSlack];
    std::fill_n(exponents, std::min(columns, kMost) + kSlack, terms.exponent);
    const float* x = static_cast<const float*>(from);
    for (int64_t j = 0; j < columns; j += kMost) {
      Of::Columns(x + j, pitch, rows, std::min(kMost, columns - j), {.shift = exponents}, first + j,
                  nullptr);
    }
  }

  static constexpr Kernel kKernel = {&Rows, &Columns};
};

// ---- Folds on elements, of which the compiler makes vectors

template <typename T>
HWY_INLINE int64_t WholeOf(T element) {
  if constexpr (std::is_same_v<T, Bool>) {
    return element.byte != 0 ? 1 : 0;
  } else {
    return element;
  }
}

// Element by element: Kept is what a run is folded in, Add takes an element to it.
template <Fold fold>
struct WholeFold {
  static constexpr Fold kFold = fold;
  static constexpr bool kWhole = true;
  static constexpr bool kTests = fold == Fold::kAny || fold == Fold::kAll;
  static constexpr bool kCompares = fold == Fold::kMax || fold == Fold::kMin;
  // Narrow lanes for what stays within them.
  template <typename T>
  using Kept = std::conditional_t<kTests, uint8_t, std::conditional_t<kCompares, T, uint64_t>>;
  template <typename K, typename T>
  static HWY_INLINE K Add(K kept, T element, const Terms&) {
    const K value = static_cast<K>(WholeOf(element));
    if constexpr (fold == Fold::kAny) return kept | value;
    if constexpr (fold == Fold::kAll) return kept & value;
    if constexpr (fold == Fold::kMax) return std::max(kept, value);
    if constexpr (fold == Fold::kMin) return std::min(kept, value);
    if constexpr (fold == Fold::kProduct) return kept * value;
    return kept + value;
  }
  template <typename K>
  static constexpr K Start() {
    if constexpr (fold == Fold::kMax) return std::numeric_limits<K>::min();
    if constexpr (fold == Fold::kMin) return std::numeric_limits<K>::max();
    return fold == Fold::kProduct || fold == Fold::kAll ? 1 : 0;
  }
};

template <class F, typename T>
struct ScalarKernel {
  using Kept = typename F::template Kept<T>;

  static Slot SlotOf(Kept kept) {
    if constexpr (F::kWhole) {
      return {.whole = static_cast<int64_t>(kept)};
    } else {
      return {.real = kept};
    }
  }

  static void Rows(const void* from, int64_t pitch, int64_t rows, int64_t count, const Terms& terms,
                   Slot* first, Slot*) {
    const T* x = static_cast<const T*>(from);
    for (int64_t r = 0; r < rows; ++r, x += pitch) {
      Kept kept = F::template Start<Kept>();
      for (int64_t i = 0; i < count; ++i) kept = F::Add(kept, x[i], terms);
      const Slot slot = SlotOf(kept);
      Join(F::kFold, F::kWhole, &slot, 1, first + r);
    }
  }

  static void Columns(const void* from, int64_t pitch, int64_t rows, int64_t columns,
                      const Terms& terms, Slot* first, Slot*) {
    constexpr int64_t kChunk = 256;
    Kept kept[kChunk];
    Slot slots[kChunk];
    for (int64_t j = 0; j < columns; j += kChunk) {
      const int64_t count = std::min(kChunk, columns - j);
      std::fill_n(kept, count, F::template Start<Kept>());
      for (int64_t r = 0; r < rows; ++r) {
        const T* const x = static_cast<const T*>(from) + r * pitch + j;
        for (int64_t i = 0; i < count; ++i) kept[i] = F::Add(kept[i], x[i], terms);
      }
      for (int64_t i = 0; i < count; ++i) slots[i] = SlotOf(kept[i]);
      Join(F::kFold, F::kWhole, slots, count, first + j);
    }
  }

  static constexpr Kernel kKernel = {&Rows, &Columns};
};

// ---- The table

struct Table {
  Kernel of[kFoldCount][kStorageCount] = {};

  constexpr Kernel& At(Fold fold, DType dtype) {
    return of[static_cast<int>(fold)][StorageIndex(dtype)];
  }
  template <class F, Fold fold, typename... T>
  constexpr void AddVectors() {
    ((At(fold, kStorageDType<T>) = VectorKernel<As<F, fold>, T>::kKernel), ...);
  }
  template <Fold fold, typename... T>
  constexpr void AddScalars() {
    ((At(fold, kStorageDType<T>) = ScalarKernel<WholeFold<fold>, T>::kKernel), ...);
  }
};

// All others are converted to one of these.
constexpr Table MakeTable() {
  Table table;
  table.AddVectors<Sums<float, Itself>, Fold::kSum, float, Float16, BFloat16>();
  table.AddVectors<Sums<double, Itself>, Fold::kSum, double>();
  table.AddScalars<Fold::kSum, Bool, int32_t, int64_t>();
  table.AddVectors<Sums<float, NumberOrZero>, Fold::kSumOfNumbers, float, Float16, BFloat16>();
  table.AddVectors<Products, Fold::kProduct, double>();
  table.AddScalars<Fold::kProduct, int64_t>();
  table.AddVectors<Extremes<float, Itself, false>, Fold::kMax, float, Float16, BFloat16>();
  table.AddVectors<Extremes<double, Itself, false>, Fold::kMax, double>();
  table.AddScalars<Fold::kMax, int32_t, int64_t>();
  table.AddVectors<Extremes<float, Itself, true>, Fold::kMin, float, Float16, BFloat16>();
  table.AddVectors<Extremes<double, Itself, true>, Fold::kMin, double>();
  table.AddScalars<Fold::kMin, int32_t, int64_t>();
  table.AddScalars<Fold::kAny, Bool>();
  table.AddScalars<Fold::kAll, Bool>();
  table.AddVectors<Sums<float, Absolute>, Fold::kAbsoluteSum, float>();
  table.AddVectors<Sums<double, Square>, Fold::kSquares, float>();
  table.AddVectors<Sums<float, NotZero>, Fold::kNonzeros, float>();
  table.AddVectors<Extremes<float, Absolute, false>, Fold::kMaxAbsolute, float>();
  table.AddVectors<Extremes<float, Absolute, true>, Fold::kMinAbsolute, float>();
  table.At(Fold::kPowers, DType::kFloat32) = PowerKernel::kKernel;
  table.AddVectors<Moments, Fold::kMoments, float>();
  table.AddVectors<Sums<float, Exponential>, Fold::kExponentials, float>();
  return table;
}

Kernel KernelFor(int fold, int storage) {
  static constexpr Table kTable = MakeTable();
  return kTable.of[fold][storage];
}

// Better instruction sets have lower bits. hwy::SupportedTargets() would tell too, but has Highway
// choose anew, without what DisableTargets has said.
bool HasAvx2() { return HWY_TARGET <= HWY_AVX2; }

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::reduction {

HWY_EXPORT(KernelFor);
HWY_EXPORT(HasAvx2);

Kernel KernelOf(Fold fold, DType dtype) {
  const int row = static_cast<int>(fold), column = StorageIndex(dtype);
  Kernel kernel = HWY_DYNAMIC_DISPATCH(KernelFor)(row, column);
#if HWY_TARGETS & HWY_AVX2
  // Folds that wait for memory: it is read up to a tenth faster by half a cache line than by a
  // whole one (AMD EPYC 9004).
  const bool waits = fold == Fold::kSum || fold == Fold::kMax || fold == Fold::kMin;
  if (waits && dtype == DType::kFloat32 && HWY_DYNAMIC_DISPATCH(HasAvx2)()) {
    kernel.rows = N_AVX2::KernelFor(row, column).rows;
  }
#endif
  return kernel;
}

}  // namespace aclimb::reduction
#endif
