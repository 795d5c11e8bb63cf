#include "aclimb/ops/norms/channels.h"

#include <algorithm>
#include <cmath>

#include "aclimb/core/divide.h"
#include "aclimb/ops/norms/moments.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::norms {
namespace {

using rows::kChunk;
using rows::kEach;
using rows::kFlat;
using rows::Reader;
using rows::Spans;
using rows::Writer;

constexpr double kPieceCycles = 64 * 1024;
// Elements of a channel that are added up together, and rows of channels that lie side by side.
constexpr int64_t kPartElements = 4096;
constexpr int64_t kPartRows = 256;
// Channels side by side that a part has.
constexpr int64_t kTile = 256;
// Terms that are added in float32 before they join a total.
constexpr int64_t kTerms = 64;

// What is written at once.
int64_t RunOf(const Planes& planes) { return planes.inner == 1 ? planes.channels : planes.inner; }

int64_t GrainOf(int64_t elements) {
  const double cycles = kChannelCycles * static_cast<double>(elements + 1);
  return std::max<int64_t>(1, static_cast<int64_t>(kPieceCycles / cycles));
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
constexpr int64_t kMapped = 2048;

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

// Whether a channel's elements, of `bytes` each, stay in the last-level cache between two readings,
// lie in runs that are long enough for the processor to read ahead, and every thread has channels.
bool StaysNear(const Planes& planes, size_t bytes) {
  constexpr int64_t kLongRun = 1024;
  const int64_t team = TeamSize(), of_channel = planes.outer * planes.inner;
  return planes.inner >= kLongRun && planes.channels >= 4 * team &&
         of_channel <= CacheShareBytes() / (4 * team * static_cast<int64_t>(bytes));
}

// Channel after channel: calls add(part, channel, buffers) for all of its parts, prepare(channel),
// and map(channel, element, n, buffers) for all of its elements, in chunks.
template <typename Add, typename Prepare, typename Map>
bool EachChannel(const Planes& planes, const Parts& parts, const Writer& out, const Add& add,
                 const Prepare& prepare, const Map& map) {
  return ParallelForAll(planes.channels, 1, [&](int64_t begin, int64_t end) {
    rows::Buffers<3> buffers;
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t part = 0; part < parts.count(); ++part) add(part, c, buffers);
      prepare(c);
      for (int64_t o = 0; o < planes.outer; ++o) {
        EachChunk(planes, o * planes.channels + c,
                  [&](int64_t from, int64_t n) { map(c, from, n, buffers); });
      }
    }
    out.Flush();
  });
}

// ---- Statistics of a batch

// The scratch of a batch norm: moments or sums of each part and channel, then numbers of each
// channel.
struct BatchMemory {
  BatchMemory(void* scratch, int64_t parts, int64_t channels)
      : moments(static_cast<Moments*>(scratch)),
        pairs(static_cast<Pair*>(scratch)),
        mean(reinterpret_cast<float*>(pairs + parts * channels)),
        a(mean + channels),
        b(a + channels),
        c(b + channels) {}
  Moments* moments;
  Pair* pairs;
  float* mean;
  float* a;
  float* b;
  float* c;
};

class BatchNormalizer {
 public:
  explicit BatchNormalizer(const BatchNormalization& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        channels_(problem.planes.channels),
        parts_(problem.planes, /*by_plane=*/false),
        memory_(problem.scratch, parts_.count(), channels_),
        x_(problem.x, problem.x_dtype),
        out_(problem.out, problem.out_dtype, problem.planes.ElementCount(), RunOf(problem.planes)) {
  }

  bool Run() const {
    if (problem_.training && StaysNear(problem_.planes, SizeOf(problem_.x_dtype))) {
      return EachChannel(
          problem_.planes, parts_, out_,
          [&](int64_t part, int64_t c, rows::Buffers<3>& buffers) { AddPart(part, c, buffers); },
          [&](int64_t c) { Prepare(c); },
          [&](int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
            Map(kFlat, c, from, n, buffers);
          });
    }
    if (problem_.training && !AddParts()) return false;
    if (!ParallelForAll(channels_, GrainOf(8 * (problem_.training ? parts_.count() : 1)),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t c = begin; c < end; ++c) Prepare(c);
                        })) {
      return false;
    }
    return MapAll(
        problem_.planes, parts_.side_by_side(), out_,
        [&](int64_t, int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          Map(kFlat, c, from, n, buffers);
        },
        [&](int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          Map(kEach, c, from, n, buffers);
        });
  }

 private:
  void Map(rows::ParameterKind kind, int64_t c, int64_t from, int64_t n,
           rows::Buffers<3>& buffers) const {
    const auto [to, stream] = out_.Final(from, buffers.of[1]);
    spans_.normalize[kind](x_.Load(from, n, buffers.of[0]), memory_.mean + c, memory_.a + c,
                           memory_.b + c, n, to, stream);
    out_.Store(to, from, n);
  }

  // The mean of a part of a channel, and the sum of the squares about it.
  void AddPart(int64_t part, int64_t c, rows::Buffers<3>& buffers) const {
    double sum = 0, off[2] = {0, 0};
    parts_.EachRun(part, c, [&](int64_t from, int64_t n) {
      sum += spans_.sum(x_.Load(from, n, buffers.of[0]), n);
    });
    memory_.moments[part * channels_ + c] = MomentsOf(sum, CountOf(part), [&](float about) {
      parts_.EachRun(part, c, [&](int64_t from, int64_t n) {
        spans_.deviations(x_.Load(from, n, buffers.of[0]), n, about, off);
      });
      return off;
    });
  }

  // Of all parts.
  bool AddParts() const {
    return parts_.ForEach(
        [&](int64_t part, int64_t c, rows::Buffers<3>& buffers) { AddPart(part, c, buffers); },
        [&](int64_t part, int64_t c, int64_t n, rows::Buffers<3>& buffers) {
          TileSums sums, squares;
          alignas(64) double mean[kTile];
          alignas(64) float about[kTile];
          sums.Clear();
          squares.Clear();
          const auto load = [&](int64_t from) { return x_.Load(from, n, buffers.of[0]); };
          parts_.EachRow(
              part, c, [&](int64_t from) { spans_.sum_each(load(from), n, sums.terms); },
              [&] { spans_.add_to_totals(sums.terms, n, sums.totals); });
          const double count = CountOf(part);
          for (int64_t i = 0; i < n; ++i) {
            mean[i] = sums.totals[i] / count;
            about[i] = static_cast<float>(mean[i]);
          }
          sums.Clear();
          parts_.EachRow(
              part, c,
              [&](int64_t from) {
                spans_.deviations_each(load(from), about, n, sums.terms, squares.terms);
              },
              [&] {
                spans_.add_to_totals(sums.terms, n, sums.totals);
                spans_.add_to_totals(squares.terms, n, squares.totals);
              });
          for (int64_t i = 0; i < n; ++i) {
            memory_.moments[part * channels_ + c + i] =
                MomentsFrom(mean[i], about[i], count, sums.totals[i], squares.totals[i]);
          }
        });
  }

  double CountOf(int64_t part) const { return static_cast<double>(parts_.ElementsOf(part)); }

  static double Or(const float* numbers, int64_t c, double otherwise) {
    return numbers != nullptr ? static_cast<double>(numbers[c]) : otherwise;
  }

  // What the elements of a channel are mapped with.
  void Prepare(int64_t c) const {
    double mean = Or(problem_.running_mean, c, 0), variance = Or(problem_.running_var, c, 1);
    if (problem_.training) {
      const auto count = static_cast<double>(problem_.planes.outer * problem_.planes.inner);
      double sum = 0, squares = 0;
      for (int64_t p = 0; p < parts_.count(); ++p) {
        sum += memory_.moments[p * channels_ + c].mean * CountOf(p);
      }
      const double batch_mean = sum / count;
      for (int64_t p = 0; p < parts_.count(); ++p) {
        const Moments& moments = memory_.moments[p * channels_ + c];
        const double off = moments.mean - batch_mean;
        squares += moments.squares + off * off * CountOf(p);
      }
      const double momentum = problem_.momentum;
      const auto update = [&](float* running, double before, double batch) {
        if (running == nullptr || count == 0) return;
        running[c] = static_cast<float>(momentum * batch + (1 - momentum) * before);
      };
      update(problem_.running_mean, mean, batch_mean);
      update(problem_.running_var, variance, squares / (count - 1));
      mean = batch_mean;
      variance = squares / count;
    }
    const double invstd = 1 / std::sqrt(variance + problem_.eps);
    if (problem_.training && problem_.save_mean != nullptr) {
      problem_.save_mean[c] = static_cast<float>(mean);
    }
    if (problem_.training && problem_.save_invstd != nullptr) {
      problem_.save_invstd[c] = static_cast<float>(invstd);
    }
    memory_.mean[c] = static_cast<float>(mean);
    memory_.a[c] = static_cast<float>(invstd * Or(problem_.weight, c, 1));
    memory_.b[c] = static_cast<float>(Or(problem_.bias, c, 0));
  }

  const BatchNormalization& problem_;
  const Spans& spans_;
  const int64_t channels_;
  const Parts parts_;
  const BatchMemory memory_;
  const Reader x_;
  const Writer out_;
};

// ---- Gradients

// Of a part of one channel.
Pair ProductsOf(const Parts& parts, int64_t part, int64_t c, const Reader& grad, const Reader& x,
                float mean, rows::Buffers<3>& buffers) {
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

class BatchGradientSolver {
 public:
  explicit BatchGradientSolver(const BatchGradient& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        channels_(problem.planes.channels),
        parts_(problem.planes, /*by_plane=*/false),
        memory_(problem.scratch, parts_.count(), channels_),
        grad_(problem.grad, problem.grad_dtype),
        x_(problem.x, problem.x_dtype),
        out_(problem.out, problem.out_dtype, problem.planes.ElementCount(), RunOf(problem.planes)),
        needs_sums_(problem.weight_sums != nullptr || problem.bias_sums != nullptr ||
                    !problem.fixed_statistics) {}

  bool Run() const {
    for (int64_t c = 0; c < channels_; ++c) {
      memory_.mean[c] = problem_.mean != nullptr ? problem_.mean[c] : 0;
    }
    if (needs_sums_ && problem_.out != nullptr &&
        StaysNear(problem_.planes, SizeOf(problem_.x_dtype) + SizeOf(problem_.grad_dtype))) {
      return EachChannel(
          problem_.planes, parts_, out_,
          [&](int64_t part, int64_t c, rows::Buffers<3>& buffers) {
            memory_.pairs[part * channels_ + c] =
                ProductsOf(parts_, part, c, grad_, x_, memory_.mean[c], buffers);
          },
          [&](int64_t c) { Prepare(c); },
          [&](int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
            Map(kFlat, c, from, n, buffers);
          });
    }
    if (needs_sums_ && !AddProducts(
                           parts_, channels_, grad_, x_,
                           [&](int64_t, int64_t c) { return memory_.mean + c; }, memory_.pairs)) {
      return false;
    }
    if (!ParallelForAll(channels_, GrainOf(8 * (needs_sums_ ? parts_.count() : 1)),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t c = begin; c < end; ++c) Prepare(c);
                        })) {
      return false;
    }
    if (problem_.out == nullptr) return true;
    return MapAll(
        problem_.planes, parts_.side_by_side(), out_,
        [&](int64_t, int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          Map(kFlat, c, from, n, buffers);
        },
        [&](int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          Map(kEach, c, from, n, buffers);
        });
  }

 private:
  void Map(rows::ParameterKind kind, int64_t c, int64_t from, int64_t n,
           rows::Buffers<3>& buffers) const {
    const float* const g = grad_.Load(from, n, buffers.of[0]);
    const auto [to, stream] = out_.Final(from, buffers.of[2]);
    if (problem_.fixed_statistics) {
      spans_.scale[kind](g, memory_.a + c, nullptr, n, to);
    } else {
      spans_.gradient[kind](g, x_.Load(from, n, buffers.of[1]), memory_.mean + c, memory_.a + c,
                            memory_.b + c, memory_.c + c, n, to, stream);
    }
    out_.Store(to, from, n);
  }

  double InvstdOf(int64_t c) const {
    const double spread = problem_.spread != nullptr ? static_cast<double>(problem_.spread[c]) : 1;
    return problem_.spread_is_variance ? 1 / std::sqrt(spread + problem_.eps) : spread;
  }

  void Prepare(int64_t c) const {
    const double invstd = InvstdOf(c);
    const double weight = problem_.weight != nullptr ? static_cast<double>(problem_.weight[c]) : 1;
    memory_.a[c] = static_cast<float>(weight * invstd);
    if (!needs_sums_) return;
    Pair total;
    for (int64_t p = 0; p < parts_.count(); ++p) {
      total.sum += memory_.pairs[p * channels_ + c].sum;
      total.product += memory_.pairs[p * channels_ + c].product;
    }
    if (problem_.bias_sums != nullptr) problem_.bias_sums[c] = static_cast<float>(total.sum);
    if (problem_.weight_sums != nullptr) {
      problem_.weight_sums[c] = static_cast<float>(total.product * invstd);
    }
    const auto count = static_cast<double>(problem_.planes.outer * problem_.planes.inner);
    memory_.b[c] = static_cast<float>(-weight * invstd * invstd * invstd * total.product / count);
    memory_.c[c] = static_cast<float>(-weight * invstd * total.sum / count);
  }

  const BatchGradient& problem_;
  const Spans& spans_;
  const int64_t channels_;
  const Parts parts_;
  const BatchMemory memory_;
  const Reader grad_;
  const Reader x_;
  const Writer out_;
  const bool needs_sums_;
};

class GroupGradientSolver {
 public:
  explicit GroupGradientSolver(const GroupGradient& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        channels_(problem.planes.channels),
        each_(channels_ / problem.groups),
        parts_(problem.planes, /*by_plane=*/true),
        pairs_(static_cast<Pair*>(problem.scratch)),
        grad_(problem.grad, problem.grad_dtype),
        x_(problem.x, problem.x_dtype),
        out_(problem.out, problem.out_dtype, problem.planes.ElementCount(), RunOf(problem.planes)) {
  }

  bool Run() const {
    if (problem_.out != nullptr && IsNear()) return RunGroups();
    if (!AddProducts(
            parts_, channels_, grad_, x_,
            [&](int64_t part, int64_t c) {
              return problem_.mean + GroupOf(part / parts_.chunks(), c);
            },
            pairs_)) {
      return false;
    }
    if (!SumWeights()) return false;
    if (problem_.out == nullptr) return true;
    // From here on the first pair of a group is what its elements are mapped with.
    const bool all =
        ParallelForAll(problem_.planes.outer * problem_.groups,
                       GrainOf(8 * each_ * parts_.chunks()), [&](int64_t begin, int64_t end) {
                         for (int64_t group = begin; group < end; ++group) {
                           FirstPairOf(group) = TermsOf(group);
                         }
                       });
    if (!all) return false;
    return MapAll(
        problem_.planes, /*side_by_side=*/false, out_,
        [&](int64_t o, int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          const int64_t group = GroupOf(o, c);
          Map(group, c, from, n, FirstPairOf(group), buffers);
        },
        [](int64_t, int64_t, int64_t, rows::Buffers<3>&) {});
  }

 private:
  int64_t GroupOf(int64_t outer, int64_t c) const { return outer * problem_.groups + c / each_; }
  Pair& PairOf(int64_t outer, int64_t chunk, int64_t c) const {
    return pairs_[(outer * parts_.chunks() + chunk) * channels_ + c];
  }
  double WeightOf(int64_t c) const {
    return problem_.weight != nullptr ? static_cast<double>(problem_.weight[c]) : 1;
  }
  int64_t FirstChannelOf(int64_t group) const { return group % problem_.groups * each_; }
  Pair& FirstPairOf(int64_t group) const {
    return PairOf(group / problem_.groups, 0, FirstChannelOf(group));
  }

  // Whether a group's gradient and x stay in a core's own cache between the two readings, and each
  // thread has a group.
  bool IsNear() const {
    constexpr int64_t kNearElements = 64 * 1024;
    return parts_.chunks() == 1 && each_ * problem_.planes.inner <= kNearElements &&
           problem_.planes.outer * problem_.groups >= TeamSize();
  }

  // Group by group.
  bool RunGroups() const {
    const bool all = ParallelForAll(
        problem_.planes.outer * problem_.groups, GrainOf(each_ * problem_.planes.inner),
        [&](int64_t begin, int64_t end) {
          rows::Buffers<3> buffers;
          for (int64_t group = begin; group < end; ++group) {
            const int64_t o = group / problem_.groups, first = FirstChannelOf(group);
            for (int64_t c = first; c < first + each_; ++c) {
              PairOf(o, 0, c) = ProductsOf(parts_, o, c, grad_, x_, problem_.mean[group], buffers);
            }
            const Pair terms = TermsOf(group);
            for (int64_t c = first; c < first + each_; ++c) {
              EachChunk(problem_.planes, o * channels_ + c,
                        [&](int64_t from, int64_t n) { Map(group, c, from, n, terms, buffers); });
            }
          }
          out_.Flush();
        });
    return all && SumWeights();
  }

  void Map(int64_t group, int64_t c, int64_t from, int64_t n, const Pair& terms,
           rows::Buffers<3>& buffers) const {
    const auto a = static_cast<float>(WeightOf(c) * static_cast<double>(problem_.rstd[group]));
    const auto b = static_cast<float>(terms.product);
    const auto rest = static_cast<float>(terms.sum);
    const auto [to, stream] = out_.Final(from, buffers.of[2]);
    spans_.gradient[kFlat](grad_.Load(from, n, buffers.of[0]), x_.Load(from, n, buffers.of[1]),
                           problem_.mean + group, &a, &b, &rest, n, to, stream);
    out_.Store(to, from, n);
  }

  // The gradients of weight and bias; and the sums of a plane's parts go to the first of them.
  bool SumWeights() const {
    return ParallelForAll(channels_, GrainOf(8 * parts_.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        double bias = 0, weight = 0;
        for (int64_t o = 0; o < problem_.planes.outer; ++o) {
          Pair& plane = PairOf(o, 0, c);
          for (int64_t chunk = 1; chunk < parts_.chunks(); ++chunk) {
            plane.sum += PairOf(o, chunk, c).sum;
            plane.product += PairOf(o, chunk, c).product;
          }
          bias += plane.sum;
          weight += plane.product * static_cast<double>(problem_.rstd[GroupOf(o, c)]);
        }
        if (problem_.bias_sums != nullptr) problem_.bias_sums[c] = static_cast<float>(bias);
        if (problem_.weight_sums != nullptr) {
          problem_.weight_sums[c] = static_cast<float>(weight);
        }
      }
    });
  }

  // What the elements of a group are mapped with, from the pairs of its planes.
  Pair TermsOf(int64_t group) const {
    const int64_t o = group / problem_.groups, first = FirstChannelOf(group);
    Pair total;
    for (int64_t c = first; c < first + each_; ++c) {
      total.sum += WeightOf(c) * PairOf(o, 0, c).sum;
      total.product += WeightOf(c) * PairOf(o, 0, c).product;
    }
    const double rstd = problem_.rstd[group];
    const auto count = static_cast<double>(each_ * problem_.planes.inner);
    return {-rstd * total.sum / count, -rstd * rstd * rstd * total.product / count};
  }

  const GroupGradient& problem_;
  const Spans& spans_;
  const int64_t channels_;
  const int64_t each_;  // channels of a group
  const Parts parts_;
  Pair* const pairs_;
  const Reader grad_;
  const Reader x_;
  const Writer out_;
};

}  // namespace

bool Normalize(const BatchNormalization& problem) { return BatchNormalizer(problem).Run(); }
bool Solve(const BatchGradient& problem) { return BatchGradientSolver(problem).Run(); }
bool Solve(const GroupGradient& problem) { return GroupGradientSolver(problem).Run(); }

int64_t BatchScratch(const Planes& planes) {
  const auto pair = static_cast<int64_t>(sizeof(Pair)),
             number = static_cast<int64_t>(sizeof(float));
  return planes.channels * (Parts(planes, /*by_plane=*/false).count() * pair + 4 * number);
}

int64_t GroupScratch(const Planes& planes) {
  return planes.channels * Parts(planes, /*by_plane=*/true).count() *
         static_cast<int64_t>(sizeof(Pair));
}

}  // namespace aclimb::norms
