#include <cstring>
#include <limits>

#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::pooling {
namespace {

// Windows whose indices are on the stack at a time.
constexpr int64_t kChunk = 1024;
// Windows [begin, end) of one row of windows, at most kChunk of them. Elements are compared in
// row-major order; the first one of a window counts, whatever it is.
template <bool kIndexed>
void MaxOfWindows(const Windows& windows, const WindowsOfTaps& having, const float* plane,
                  int64_t row, int64_t begin, int64_t end, float* best, int32_t* index) {
  const Axis &depth = windows.depth, &height = windows.height, &width = windows.width;
  const int64_t count = end - begin;
  std::fill_n(best, count, -std::numeric_limits<float>::infinity());
  if constexpr (kIndexed) std::fill_n(index, count, -1);
  const int64_t layer = row / height.out;
  const Range layers = depth.Taps(layer), lines = height.Taps(row % height.out);
  // Elements of which any of the windows has one.
  const Range columns = {width.Taps(end - 1).begin, width.Taps(begin).end};
  const auto compare = [&](int64_t line) {
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      const int64_t first = std::max(begin, having[j].begin), last = std::min(end, having[j].end);
      if (first >= last) continue;
      const int64_t step = width.stride;
      const int64_t at = line + width.Start(first) + j * width.dilation;
      const float* const from = plane + at;
      float* const to = best + (first - begin);
      for (int64_t k = 0; k < last - first; ++k) {
        const float x = from[k * step];
        if constexpr (kIndexed) {
          int32_t* const known = index + (first - begin);
          const bool larger = (x > to[k]) | (x != x) | (known[k] < 0);  // NOLINT: no branches
          to[k] = larger ? x : to[k];
          known[k] = larger ? static_cast<int32_t>(at + k * step) : known[k];
        } else {
          to[k] = ((x > to[k]) | (x != x)) ? x : to[k];  // NOLINT: no branches
        }
      }
    }
  };
  for (int64_t z = layers.begin; z < layers.end; ++z) {
    const int64_t first_line = (depth.Start(layer) + z * depth.dilation) * height.in;
    for (int64_t i = lines.begin; i < lines.end; ++i) {
      compare((first_line + height.Start(row % height.out) + i * height.dilation) * width.in);
    }
  }
}

template <typename Index>
int64_t IndexAt(const char* indices, int64_t o) {
  Index index;
  std::memcpy(&index, indices + o * int64_t{sizeof(index)}, sizeof(index));
  return index;
}

template <typename Index>
void StoreIndex(char* indices, int64_t o, int64_t value) {
  const auto index = static_cast<Index>(value);
  std::memcpy(indices + o * int64_t{sizeof(index)}, &index, sizeof(index));
}

template <typename Sum>
void AddTo(const MaxGradientArgs& args, int64_t plane, Sum* sums) {
  const Axis &height = args.windows.height, &width = args.windows.width;
  const int64_t count = args.windows.Out();
  const auto elements = static_cast<uint64_t>(args.windows.In());
  const float* const grad = args.grad_output + plane * count;
  std::fill_n(sums, elements, Sum(0));
  if (!args.indices.told) {
    for (int64_t i = 0; i < height.out; ++i) {
      for (int64_t j = 0; j < width.out; ++j) {
        sums[height.Start(i) * width.in + width.Start(j)] +=
            static_cast<Sum>(grad[i * width.out + j]);
      }
    }
    return;
  }
  const char* const indices = args.indices.at + plane * args.indices.stride;
  for (int64_t o = 0; o < count; ++o) {
    // What is below 0 is very large without sign.
    const auto at = static_cast<uint64_t>(args.indices.wide ? IndexAt<int64_t>(indices, o)
                                                            : IndexAt<int32_t>(indices, o));
    if (at < elements) sums[at] += static_cast<Sum>(grad[o]);
  }
}

// To the channels [first, first + count) of a group of planes that lie side by side.
template <typename Index>
void AddSideBySide(const MaxGradientArgs& args, int64_t group, int64_t first, int64_t count) {
  const int64_t inner = args.windows.inner, windows = args.windows.Out();
  const auto elements = static_cast<uint64_t>(args.windows.In());
  float* const sums = args.grad_input + group * args.windows.In() * inner + first;
  for (uint64_t e = 0; e < elements; ++e) {
    std::fill_n(sums + static_cast<int64_t>(e) * inner, count, 0.0F);
  }
  for (int64_t o = group * windows; o < (group + 1) * windows; ++o) {
    const int64_t row = o * inner + first;
    for (int64_t c = 0; c < count; ++c) {
      const int64_t at = IndexAt<Index>(args.indices.at, row + c);
      if (static_cast<uint64_t>(at) < elements) sums[at * inner + c] += args.grad_output[row + c];
    }
  }
}

}  // namespace

bool MaxPool(const MaxArgs& args) {
  const Windows& windows = args.windows;
  const Axis& width = windows.width;
  const int64_t rows = windows.depth.out * windows.height.out;
  const int64_t per_row = std::max<int64_t>(1, width.out * windows.Taps());
  const int64_t index_bytes = width.out * int64_t{sizeof(int32_t)};
  const bool indexed = args.indices.at != nullptr;
  const bool told = indexed && args.indices.told;
  const WindowsOfTaps having(width);
  return ParallelForAll(
      windows.planes * rows, std::max<int64_t>(1, kPiece / per_row),
      [&](int64_t first, int64_t last) {
        int32_t index[kChunk];
        for (int64_t r = first; r < last; ++r) {
          const int64_t plane = r / rows, row = r % rows;
          const float* const input = static_cast<const float*>(args.input) + plane * windows.In();
          float* const output = static_cast<float*>(args.output) + r * width.out;
          char* const indices = indexed ? args.indices.at + plane * args.indices.stride : nullptr;
          for (int64_t begin = 0; begin < width.out; begin += kChunk) {
            const int64_t end = std::min(width.out, begin + kChunk);
            if (!told) {
              MaxOfWindows<false>(windows, having, input, row, begin, end, output + begin, nullptr);
              continue;
            }
            MaxOfWindows<true>(windows, having, input, row, begin, end, output + begin, index);
            std::memcpy(indices + row * index_bytes + begin * int64_t{sizeof(int32_t)}, index,
                        static_cast<size_t>(end - begin) * sizeof(int32_t));
          }
          if (indexed && row == rows - 1) {
            const int64_t written = told ? rows * index_bytes : 0;
            std::memset(indices + written, 0, static_cast<size_t>(args.indices.stride - written));
          }
        }
      });
}

template <typename T>
bool AdaptiveMaxPool(const MaxArgs& args) {
  const Windows& windows = args.windows;
  const Axis &depth = windows.depth, &height = windows.height, &width = windows.width;
  const int64_t rows = depth.out * height.out;
  // What a row of windows has, about: windows overlap by one element at most on either side.
  const int64_t per_row =
      (depth.in / depth.out + 2) * (height.in / height.out + 2) * (width.in + 2 * width.out);
  return ParallelForAll(
      windows.planes * rows, std::max<int64_t>(1, kPiece / per_row),
      [&](int64_t first, int64_t last) {
        for (int64_t r = first; r < last; ++r) {
          const int64_t plane = r / rows, row = r % rows;
          const T* const input = static_cast<const T*>(args.input) + plane * windows.In();
          const Range layers = AdaptiveWindow(row / height.out, depth.in, depth.out);
          const Range lines = AdaptiveWindow(row % height.out, height.in, height.out);
          char* const indices = args.indices.at + plane * args.indices.stride;
          for (int64_t o = 0; o < width.out; ++o) {
            const Range columns = AdaptiveWindow(o, width.in, width.out);
            int64_t index = (layers.begin * height.in + lines.begin) * width.in + columns.begin;
            T best = input[index];
            for (int64_t z = layers.begin; z < layers.end; ++z) {
              for (int64_t y = lines.begin; y < lines.end; ++y) {
                const int64_t line = (z * height.in + y) * width.in;
                for (int64_t at = line + columns.begin; at < line + columns.end; ++at) {
                  const T value = input[at];
                  if ((value > best) | (value != value)) {  // NOLINT: no branches
                    best = value;
                    index = at;
                  }
                }
              }
            }
            static_cast<T*>(args.output)[r * width.out + o] = best;
            if (args.indices.wide) {
              StoreIndex<int64_t>(indices, row * width.out + o, index);
            } else {
              StoreIndex<int32_t>(indices, row * width.out + o, index);
            }
          }
        }
      });
}

template bool AdaptiveMaxPool<float>(const MaxArgs& args);
template bool AdaptiveMaxPool<double>(const MaxArgs& args);

bool MaxGradient(const MaxGradientArgs& args) {
  const Windows& windows = args.windows;
  const int64_t elements = windows.In();
  const int64_t work = elements + windows.Out();
  return ForEachUnit(windows.planes, std::max<int64_t>(1, kPiece / work), args.sums,
                     [&](int64_t plane, char* scratch) {
                       float* const to = args.grad_input + plane * elements;
                       if (scratch == nullptr) return AddTo(args, plane, to);
                       auto* const sums = reinterpret_cast<double*>(scratch);
                       AddTo(args, plane, sums);
                       for (int64_t i = 0; i < elements; ++i) to[i] = static_cast<float>(sums[i]);
                     });
}

namespace {

// Groups are shared out whole where all threads have about the same number of them, else in blocks
// of channels, which are a cache line where lines begin with a channel.
constexpr int64_t kChannels = 16;
bool AreEvenlyShared(int64_t groups) {
  constexpr int64_t kMany = 4;
  return groups % TeamSize() == 0 || groups >= kMany * TeamSize();
}

}  // namespace

bool SharesSideBySide(const Windows& windows) {
  const int64_t blocks = windows.planes * CeilDivide(windows.inner, kChannels);
  return blocks >= std::min<int64_t>(TeamSize(), windows.planes * windows.inner);
}

bool MaxGradientSideBySide(const MaxGradientArgs& args) {
  const Windows& windows = args.windows;
  const int64_t width = AreEvenlyShared(windows.planes) ? windows.inner : kChannels;
  const int64_t blocks = CeilDivide(windows.inner, width);
  const int64_t work = (windows.In() + windows.Out()) * width;
  return ParallelForAll(windows.planes * blocks, std::max<int64_t>(1, kPiece / work),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t unit = begin; unit < end; ++unit) {
                            const int64_t group = unit / blocks, first = unit % blocks * width;
                            const int64_t count = std::min(width, windows.inner - first);
                            args.indices.wide ? AddSideBySide<int64_t>(args, group, first, count)
                                              : AddSideBySide<int32_t>(args, group, first, count);
                          }
                        });
}

}  // namespace aclimb::pooling
