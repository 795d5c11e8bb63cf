#include <algorithm>

#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::pooling {
namespace {

// The row of columns that element (i, j) of all windows makes.
template <typename T>
void ColumnRow(const Windows& windows, const T* plane, int64_t i, int64_t j, T* to) {
  const Axis &height = windows.height, &width = windows.width;
  const Range rows = height.Windows(i), columns = width.Windows(j);
  if (rows.size() == 0 || columns.size() == 0) {
    std::fill_n(to, height.out * width.out, T(0));
    return;
  }
  std::fill_n(to, rows.begin * width.out, T(0));
  for (int64_t o = rows.begin; o < rows.end; ++o) {
    T* const line = to + o * width.out;
    const T* const from = plane + (height.Start(o) + i * height.dilation) * width.in +
                          width.Start(columns.begin) + j * width.dilation;
    std::fill_n(line, columns.begin, T(0));
    for (int64_t k = 0; k < columns.size(); ++k) line[columns.begin + k] = from[k * width.stride];
    std::fill(line + columns.end, line + width.out, T(0));
  }
  std::fill(to + rows.end * width.out, to + height.out * width.out, T(0));
}

template <typename T>
bool MakeColumnsTyped(const ColumnArgs& args) {
  const Windows& windows = args.windows;
  const int64_t taps = windows.height.kernel * windows.width.kernel;
  const int64_t count = windows.height.out * windows.width.out;
  return ParallelForAll(
      windows.planes * taps, std::max<int64_t>(1, kPiece / count), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T* const plane =
              static_cast<const T*>(args.from) + r / taps * windows.height.in * windows.width.in;
          ColumnRow(windows, plane, r % taps / windows.width.kernel,
                    r % taps % windows.width.kernel, static_cast<T*>(args.to) + r * count);
        }
      });
}

// Element by element of the windows, all windows each time.
template <typename Sum>
void AddColumns(const Windows& windows, const float* columns, Sum* plane) {
  const Axis &height = windows.height, &width = windows.width;
  std::fill_n(plane, height.in * width.in, Sum(0));
  const int64_t count = height.out * width.out;
  for (int64_t i = 0; i < height.kernel; ++i) {
    const Range rows = height.Windows(i);
    for (int64_t j = 0; j < width.kernel; ++j) {
      const Range having = width.Windows(j);
      const float* const row = columns + (i * width.kernel + j) * count;
      for (int64_t o = rows.begin; o < rows.end && having.size() > 0; ++o) {
        const float* const from = row + o * width.out + having.begin;
        Sum* const to = plane + (height.Start(o) + i * height.dilation) * width.in +
                        width.Start(having.begin) + j * width.dilation;
        for (int64_t k = 0; k < having.size(); ++k) {
          to[k * width.stride] += static_cast<Sum>(from[k]);
        }
      }
    }
  }
}

}  // namespace

bool MakeColumns(const ColumnArgs& args, size_t element) {
  return element == 2 ? MakeColumnsTyped<uint16_t>(args) : MakeColumnsTyped<uint32_t>(args);
}

bool SumColumns(const ColumnArgs& args) {
  const Windows& windows = args.windows;
  const int64_t elements = windows.height.in * windows.width.in;
  const int64_t columns =
      windows.height.out * windows.width.out * windows.height.kernel * windows.width.kernel;
  return ForEachUnit(windows.planes, std::max<int64_t>(1, kPiece / (elements + columns)), args.sums,
                     [&](int64_t plane, char* scratch) {
                       const float* const from =
                           static_cast<const float*>(args.from) + plane * columns;
                       float* const to = static_cast<float*>(args.to) + plane * elements;
                       if (scratch == nullptr) return AddColumns(windows, from, to);
                       auto* const sums = reinterpret_cast<double*>(scratch);
                       AddColumns(windows, from, sums);
                       for (int64_t k = 0; k < elements; ++k) to[k] = static_cast<float>(sums[k]);
                     });
}

}  // namespace aclimb::pooling
