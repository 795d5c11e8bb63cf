#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/norms/channels.h"
#include "aclimb/ops/norms/moments.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

// How norms of channels go through a tensor: parts whose sums are added first, tiles of channels
// that lie side by side, and chunks that are mapped at once.
namespace aclimb::norms {

using rows::kChunk;
using rows::kFlat;
using rows::Reader;
using rows::Spans;
using rows::Writer;

// Elements of a channel that are added up together, and rows of channels that lie side by side.
inline constexpr int64_t kPartElements = 4096;
inline constexpr int64_t kPartRows = 256;
// Channels side by side that a part has.
inline constexpr int64_t kTile = 256;
// Terms that are added in float32 before they join a total.
inline constexpr int64_t kTerms = 64;

// What is written at once.
inline int64_t RunOf(const Planes& planes) {
  return planes.inner == 1 ? planes.channels : planes.inner;
}

inline int64_t GrainOf(int64_t elements) {
  return rows::RowsAtOnce(kChannelCycles * static_cast<double>(elements + 1));
}

// Of a part of one channel: sums of gradients, and of their products with x - mean.
struct Pair {
  double sum = 0;
  double product = 0;
};
static_assert(sizeof(Pair) == sizeof(Moments));

// How a tensor is cut into parts whose sums are added first: by its shape alone, so that the team
// does not show.
class Parts {
 public:
  // `by_plane`: each plane has parts of its own.
  Parts(const Planes& planes, bool by_plane) : planes_(planes) {
    side_by_side_ = planes.inner == 1 && !by_plane;
    const int64_t inner = std::max<int64_t>(1, planes.inner);
    if (side_by_side_) {
      each_ = kPartRows;
    } else if (inner > kChunk) {
      chunks_ = CeilDivide(inner, kChunk);
    } else if (!by_plane) {
      each_ = CeilDivide(kPartElements, inner);
    }
    count_ = CeilDivide(planes.outer, each_) * chunks_;
  }

  // Channels are neighbours: a part is some rows of them.
  bool side_by_side() const { return side_by_side_; }
  int64_t count() const { return count_; }
  int64_t chunks() const { return chunks_; }

  // Of one channel.
  int64_t ElementsOf(int64_t part) const {
    const int64_t at = part % chunks_ * kChunk;
    return (EndOf(part) - BeginOf(part)) * std::min(kChunk, planes_.inner - at);
  }

  // Calls body(element, n) for each run of neighbours that a channel has in the part.
  template <typename Body>
  void EachRun(int64_t part, int64_t channel, const Body& body) const {
    const int64_t at = part % chunks_ * kChunk, n = std::min(kChunk, planes_.inner - at);
    for (int64_t o = BeginOf(part); o < EndOf(part); ++o) {
      body((o * planes_.channels + channel) * planes_.inner + at, n);
    }
  }
  // Calls body(element) for each row of the part, from a channel on, and drain() when so many terms
  // have been added in float32, and at the end.
  template <typename Body, typename Drain>
  void EachRow(int64_t part, int64_t channel, const Body& body, const Drain& drain) const {
    for (int64_t o = BeginOf(part), terms = 1; o < EndOf(part); ++o, ++terms) {
      body(o * planes_.channels + channel);
      if (terms % kTerms == 0 || o + 1 == EndOf(part)) drain();
    }
  }

  // Calls of_plane(part, channel), or of_tile(part, first channel, how many), for all of them.
  template <typename OfPlane, typename OfTile>
  bool ForEach(const OfPlane& of_plane, const OfTile& of_tile) const {
    if (!side_by_side_) {
      const int64_t elements = std::min(planes_.inner, kChunk) * each_;
      return ParallelForAll(count_ * planes_.channels, GrainOf(elements),
                            [&](int64_t begin, int64_t end) {
                              rows::Buffers<3> buffers;
                              for (int64_t item = begin; item < end; ++item) {
                                of_plane(item / planes_.channels, item % planes_.channels, buffers);
                              }
                            });
    }
    const int64_t tiles = CeilDivide(planes_.channels, kTile);
    return ParallelForAll(
        count_ * tiles, GrainOf(kPartRows * kTile), [&](int64_t begin, int64_t end) {
          rows::Buffers<3> buffers;
          for (int64_t item = begin; item < end; ++item) {
            const int64_t channel = item % tiles * kTile;
            of_tile(item / tiles, channel, std::min(kTile, planes_.channels - channel), buffers);
          }
        });
  }

 private:
  int64_t BeginOf(int64_t part) const { return part / chunks_ * each_; }
  int64_t EndOf(int64_t part) const { return std::min(planes_.outer, BeginOf(part) + each_); }

  const Planes planes_;
  bool side_by_side_ = false;
  int64_t each_ = 1;    // planes, or rows, of a part
  int64_t chunks_ = 1;  // of a plane
  int64_t count_ = 0;
};

// Float32 terms of the channels of a tile, and their totals.
struct TileSums {
  alignas(64) float terms[kTile];
  alignas(64) double totals[kTile];

  void Clear() {
    std::fill_n(terms, kTile, 0.0f);
    std::fill_n(totals, kTile, 0.0);
  }
};

// Elements that are mapped at once: what is converted, or stored around the caches, stays in the
// nearest one until then.
inline constexpr int64_t kMapped = 2048;

// Calls body(element, n) for each chunk of a plane that is mapped at once.
template <typename Body>
void EachChunk(const Planes& planes, int64_t plane, const Body& body) {
  for (int64_t at = 0; at < planes.inner; at += kMapped) {
    body(plane * planes.inner + at, std::min(kMapped, planes.inner - at));
  }
}

// Calls plane(outer, channel, element, n, buffers) for neighbours of one channel, or
// row(channel, element, n, buffers) for neighbouring channels: all elements, in chunks.
template <typename OfPlane, typename OfRow>
bool MapAll(const Planes& planes, bool side_by_side, const Writer& out, const OfPlane& of_plane,
            const OfRow& of_row) {
  const int64_t count = side_by_side ? planes.outer : planes.PlaneCount();
  const int64_t length = side_by_side ? planes.channels : planes.inner;
  return ParallelForAll(count, GrainOf(length), [&](int64_t begin, int64_t end) {
    rows::Buffers<3> buffers;
    for (int64_t k = begin; k < end; ++k) {
      for (int64_t at = 0; at < length; at += kMapped) {
        const int64_t from = k * length + at, n = std::min(kMapped, length - at);
        side_by_side ? of_row(at, from, n, buffers)
                     : of_plane(k / planes.channels, k % planes.channels, from, n, buffers);
      }
    }
    out.Flush();
  });
}

// Sums of a part of one channel: its gradients, and their products with x - mean.
inline Pair ProductsOf(const Parts& parts, int64_t part, int64_t c, const Reader& grad,
                       const Reader& x, float mean, rows::Buffers<3>& buffers) {
  double sums[2] = {0, 0};
  parts.EachRun(part, c, [&](int64_t from, int64_t n) {
    rows::SpansInUse().gradient_sums(grad.Load(from, n, buffers.of[0]),
                                     x.Load(from, n, buffers.of[1]), nullptr, n, mean, 1, sums,
                                     nullptr, nullptr);
  });
  return {sums[0], sums[1]};
}

// Sums of the gradient, and of its products with x - mean.
//   mean  of a plane, or the first of neighbouring channels
template <typename MeanOf>
bool AddProducts(const Parts& parts, int64_t channels, const Reader& grad, const Reader& x,
                 const MeanOf& mean_of, Pair* pairs) {
  const Spans& spans = rows::SpansInUse();
  return parts.ForEach(
      [&](int64_t part, int64_t c, rows::Buffers<3>& buffers) {
        pairs[part * channels + c] =
            ProductsOf(parts, part, c, grad, x, *mean_of(part, c), buffers);
      },
      [&](int64_t part, int64_t c, int64_t n, rows::Buffers<3>& buffers) {
        TileSums sums, products;
        sums.Clear();
        products.Clear();
        parts.EachRow(
            part, c,
            [&](int64_t from) {
              spans.products_each(grad.Load(from, n, buffers.of[0]), x.Load(from, n, buffers.of[1]),
                                  mean_of(part, c), n, sums.terms, products.terms);
            },
            [&] {
              spans.add_to_totals(sums.terms, n, sums.totals);
              spans.add_to_totals(products.terms, n, products.totals);
            });
        for (int64_t i = 0; i < n; ++i) {
          pairs[part * channels + c + i] = {sums.totals[i], products.totals[i]};
        }
      });
}

}  // namespace aclimb::norms
