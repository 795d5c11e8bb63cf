#include "aclimb/ops/pads/gradient.h"

#include <algorithm>

#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pads {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 15;

// Calls use(begin, end) for the elements that were made of element `x`.
template <typename Use>
void EachMadeOf(const PaddedAxis& axis, int64_t x, Use use) {
  const int64_t behind = axis.out - axis.in - axis.before;
  const int64_t to_end = axis.in - 1 - x;
  if (!axis.mirrored) {
    // What was cut off has no part.
    const int64_t begin = x == 0 ? 0 : std::max<int64_t>(0, x + axis.before);
    const int64_t end = to_end == 0 ? axis.out : std::min(axis.out, x + axis.before + 1);
    if (begin < end) use(begin, end);
    return;
  }
  if (x >= 1 && x <= axis.before) use(axis.before - x, axis.before - x + 1);
  use(x + axis.before, x + axis.before + 1);
  if (to_end >= 1 && to_end <= behind) {
    const int64_t mirror = axis.before + axis.in - 1 + to_end;
    use(mirror, mirror + 1);
  }
}

// Elements of the gradient of the input, each the sum of those of a row that were made of it.
template <typename From, typename T>
void Fold(const PaddedAxis& axis, const From* row, T* to) {
  const auto edge = [&](int64_t x) {
    double sum = 0;
    EachMadeOf(axis, x, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) sum += static_cast<double>(row[o]);
    });
    to[x] = static_cast<T>(sum);
  };
  // Between the edges one element was made of each.
  const int64_t behind = axis.out - axis.in - axis.before;
  const int64_t first = axis.mirrored ? axis.before + 1 : std::max<int64_t>(1, -axis.before);
  const int64_t last = axis.in - 1 - (axis.mirrored ? behind : std::max<int64_t>(0, -behind));
  const int64_t begin = std::min(axis.in, first), end = std::max(begin, last);
  for (int64_t x = 0; x < begin; ++x) edge(x);
  for (int64_t x = begin; x < end; ++x) to[x] = static_cast<T>(row[x + axis.before]);
  for (int64_t x = end; x < axis.in; ++x) edge(x);
}

template <typename T>
void Row(const GradientArgs& args, const T* plane, int64_t row, double* sums, T* to) {
  const int64_t out = args.width.out;
  const T* only = nullptr;
  int64_t rows = 0;
  EachMadeOf(args.depth, row / args.height.in, [&](int64_t first, int64_t last) {
    for (int64_t z = first; z < last; ++z) {
      const T* const layer = plane + z * args.height.out * out;
      EachMadeOf(args.height, row % args.height.in, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* const from = layer + i * out;
          if (rows++ == 0) {
            only = from;
            continue;
          }
          if (rows == 2) std::copy_n(only, out, sums);
          for (int64_t o = 0; o < out; ++o) sums[o] += static_cast<double>(from[o]);
        }
      });
    }
  });
  if (rows == 1) return Fold(args.width, only, to);
  if (rows == 0) std::fill_n(sums, out, 0.0);
  Fold(args.width, sums, to);
}

template <typename T>
bool Planes(const GradientArgs& args) {
  const int64_t rows = args.depth.in * args.height.in, columns = args.width.in;
  const int64_t plane = args.depth.out * args.height.out * args.width.out;
  const int64_t per_row = columns + plane / rows;
  Slots slots(args.slots);
  return ParallelForAll(args.planes * rows, std::max<int64_t>(1, kPiece / per_row),
                        [&](int64_t begin, int64_t end) {
                          const Slots::Lease lease(slots);
                          double* const sums = args.sums + lease.number() * args.width.out;
                          for (int64_t r = begin; r < end; ++r) {
                            Row(args, static_cast<const T*>(args.from) + r / rows * plane, r % rows,
                                sums, static_cast<T*>(args.to) + r * columns);
                          }
                        });
}

}  // namespace

bool PadGradient(const GradientArgs& args) {
  return args.dtype == DType::kFloat64 ? Planes<double>(args) : Planes<float>(args);
}

}  // namespace aclimb::pads
