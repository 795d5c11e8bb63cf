#include "aclimb/ops/upsample/kernels.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::upsample {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 15;

void Fill(const Axis& axis, bool linear, Between* places, int32_t* first) {
  for (int64_t o = 0; o < axis.out; ++o) {
    if (!linear) {
      places[o] = {static_cast<int32_t>(axis.Source(o)), 0};
      continue;
    }
    const float at = axis.Position(o);
    const int64_t index = IndexBelow(axis.in, at);
    const float weight = std::clamp(at - static_cast<float>(index), 0.0f, 1.0f);
    places[o] = {static_cast<int32_t>(index), weight};
  }
  int64_t o = 0;
  for (int64_t i = 0; i <= axis.in; ++i) {
    while (o < axis.out && places[o].index < i) ++o;
    first[i] = static_cast<int32_t>(o);
  }
}

template <typename T>
bool RepeatTyped(const Args& args) {
  const int64_t rows = args.height.out, columns = args.width.out;
  const int64_t plane = args.height.in * args.width.in;
  return ParallelForAll(
      args.planes * rows, std::max<int64_t>(1, kPiece / columns), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T* const from = static_cast<const T*>(args.from) + r / rows * plane +
                                args.tables.rows[r % rows].index * args.width.in;
          T* const to = static_cast<T*>(args.to) + r * columns;
          for (int64_t o = 0; o < columns; ++o) to[o] = from[args.tables.columns[o].index];
        }
      });
}

// What index `x` gets of an element of the output.
float WeightAt(const Between& place, int64_t x) {
  return place.index == x ? 1 - place.weight : place.weight;
}

// The elements of the output that have a part of `x`: those at it, and those behind the index
// before it. Those at the last index have the whole of it.
struct Range {
  int64_t begin;
  int64_t end;
};
Range Having(const int32_t* first, bool linear, int64_t x) {
  return {first[linear && x > 0 ? x - 1 : x], first[x + 1]};
}
float WeightOf(const Between& place, int64_t x, int64_t in) {
  return place.index == in - 1 ? 1 : WeightAt(place, x);
}

void GradientRow(const Args& args, const float* plane, int64_t row, double* sums, float* to) {
  const int64_t in = args.width.in, out = args.width.out;
  std::fill_n(sums, out, 0.0);
  const Range rows = Having(args.tables.first_of_row, args.linear, row);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const double weight = static_cast<double>(WeightOf(args.tables.rows[i], row, args.height.in));
    const float* const from = plane + i * out;
    for (int64_t o = 0; o < out; ++o) sums[o] += weight * static_cast<double>(from[o]);
  }
  for (int64_t x = 0; x < in; ++x) {
    const Range columns = Having(args.tables.first_of_column, args.linear, x);
    double sum = 0;
    for (int64_t o = columns.begin; o < columns.end; ++o) {
      sum += static_cast<double>(WeightOf(args.tables.columns[o], x, in)) * sums[o];
    }
    to[x] = static_cast<float>(sum);
  }
}

}  // namespace

int64_t TableBytes(const Axis& height, const Axis& width) {
  return (height.out + width.out) * int64_t{sizeof(Between)} +
         (height.in + width.in + 2) * int64_t{sizeof(int32_t)};
}

Tables MakeTables(const Axis& height, const Axis& width, bool linear, void* memory) {
  Tables tables;
  tables.rows = static_cast<Between*>(memory);
  tables.columns = tables.rows + height.out;
  tables.first_of_row = reinterpret_cast<int32_t*>(tables.columns + width.out);
  tables.first_of_column = tables.first_of_row + height.in + 1;
  Fill(height, linear, tables.rows, tables.first_of_row);
  Fill(width, linear, tables.columns, tables.first_of_column);
  return tables;
}

bool Repeat(const Args& args, size_t element) {
  switch (element) {
    case 1:
      return RepeatTyped<uint8_t>(args);
    case 2:
      return RepeatTyped<uint16_t>(args);
    case 4:
      return RepeatTyped<uint32_t>(args);
    default:
      return RepeatTyped<uint64_t>(args);
  }
}

bool Interpolate(const Args& args) {
  const int64_t rows = args.height.out, columns = args.width.out, in = args.width.in;
  const int64_t plane = args.height.in * in;
  return ParallelForAll(
      args.planes * rows, std::max<int64_t>(1, kPiece / columns), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const Between row = args.tables.rows[r % rows];
          const float* const from = static_cast<const float*>(args.from) + r / rows * plane;
          const float* const upper = from + row.index * in;
          const float* const lower = row.index + 1 < args.height.in ? upper + in : upper;
          float* const to = static_cast<float*>(args.to) + r * columns;
          for (int64_t o = 0; o < columns; ++o) {
            const Between place = args.tables.columns[o];
            const int64_t left = place.index, right = left + (left + 1 < in ? 1 : 0);
            const float above = (1 - place.weight) * upper[left] + place.weight * upper[right];
            const float below = (1 - place.weight) * lower[left] + place.weight * lower[right];
            to[o] = (1 - row.weight) * above + row.weight * below;
          }
        }
      });
}

bool Gradient(const Args& args) {
  const int64_t rows = args.height.in, columns = args.width.in;
  const int64_t plane = args.height.out * args.width.out;
  const int64_t per_row = columns + plane / rows;
  Slots slots(args.slots);
  return ParallelForAll(
      args.planes * rows, std::max<int64_t>(1, kPiece / per_row), [&](int64_t begin, int64_t end) {
        const Slots::Lease lease(slots);
        double* const sums = args.sums + lease.number() * args.width.out;
        for (int64_t r = begin; r < end; ++r) {
          GradientRow(args, static_cast<const float*>(args.from) + r / rows * plane, r % rows, sums,
                      static_cast<float*>(args.to) + r * columns);
        }
      });
}

}  // namespace aclimb::upsample
