#include "aclimb/ops/norms/channels.h"

#include <algorithm>
#include <cmath>

#include "aclimb/ops/norms/channel_parts.h"
#include "aclimb/simd/cache.h"

namespace aclimb::norms {
namespace {

using rows::kEach;

// ---- The way through a batch
// A batch has AddPart(part, channel, buffers) and AddParts() for the sums of a part and of all,
// Prepare(channel), and Map(kind, channel, element, n, buffers).

// Whether a channel's elements, of `bytes` each, stay in the last-level cache between two readings,
// lie in runs that are long enough for the processor to read ahead, and every thread has channels.
bool StaysNear(const Planes& planes, size_t bytes) {
  constexpr int64_t kLongRun = 1024;
  const int64_t team = TeamSize(), of_channel = planes.outer * planes.inner;
  return planes.inner >= kLongRun && planes.channels >= 4 * team &&
         of_channel <= CacheShareBytes() / (4 * team * static_cast<int64_t>(bytes));
}

// One channel is finished before the next one begins.
template <class Batch>
bool RunChannels(const Batch& batch, const Planes& planes, const Parts& parts, const Writer& out) {
  return ParallelForAll(planes.channels, 1, [&](int64_t begin, int64_t end) {
    rows::Buffers<3> buffers;
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t part = 0; part < parts.count(); ++part) batch.AddPart(part, c, buffers);
      batch.Prepare(c);
      for (int64_t o = 0; o < planes.outer; ++o) {
        EachChunk(planes, o * planes.channels + c,
                  [&](int64_t from, int64_t n) { batch.Map(kFlat, c, from, n, buffers); });
      }
    }
    out.Flush();
  });
}

//   sums   whether channels have sums
//   maps   whether there is an output to map to
//   bytes  of an element of all that is read
template <class Batch>
bool RunBatch(const Batch& batch, const Planes& planes, const Parts& parts, const Writer& out,
              bool sums, bool maps, size_t bytes) {
  if (sums && maps && StaysNear(planes, bytes)) return RunChannels(batch, planes, parts, out);
  if (sums && !batch.AddParts()) return false;
  if (!ParallelForAll(planes.channels, GrainOf(8 * (sums ? parts.count() : 1)),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t c = begin; c < end; ++c) batch.Prepare(c);
                      })) {
    return false;
  }
  if (!maps) return true;
  return MapAll(
      planes, parts.side_by_side(), out,
      [&](int64_t, int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
        batch.Map(kFlat, c, from, n, buffers);
      },
      [&](int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
        batch.Map(kEach, c, from, n, buffers);
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
        c(b + channels),
        last(c + channels) {}
  Moments* moments;
  Pair* pairs;
  float* mean;
  float* a;
  float* b;
  float* c;
  float* last;
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
    return RunBatch(*this, problem_.planes, parts_, out_, problem_.training, /*maps=*/true,
                    SizeOf(problem_.x_dtype));
  }

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

 private:
  double CountOf(int64_t part) const { return static_cast<double>(parts_.ElementsOf(part)); }

  static double Or(const float* numbers, int64_t c, double otherwise) {
    return numbers != nullptr ? static_cast<double>(numbers[c]) : otherwise;
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
                    !problem.fixed_statistics),
        scales_last_(!HasFiniteFactors()) {}

  bool Run() const {
    for (int64_t c = 0; c < channels_; ++c) {
      memory_.mean[c] = problem_.mean != nullptr ? problem_.mean[c] : 0;
    }
    return RunBatch(*this, problem_.planes, parts_, out_, needs_sums_, problem_.out != nullptr,
                    SizeOf(problem_.x_dtype) + SizeOf(problem_.grad_dtype));
  }

  void AddPart(int64_t part, int64_t c, rows::Buffers<3>& buffers) const {
    memory_.pairs[part * channels_ + c] =
        ProductsOf(parts_, part, c, grad_, x_, memory_.mean[c], buffers);
  }
  bool AddParts() const {
    return AddProducts(
        parts_, channels_, grad_, x_, [&](int64_t, int64_t c) { return memory_.mean + c; },
        memory_.pairs);
  }

  void Map(rows::ParameterKind kind, int64_t c, int64_t from, int64_t n,
           rows::Buffers<3>& buffers) const {
    const float* const g = grad_.Load(from, n, buffers.of[0]);
    const auto [to, stream] = out_.Final(from, buffers.of[2]);
    if (problem_.fixed_statistics) {
      spans_.scale[kind](g, memory_.a + c, nullptr, n, to, stream);
    } else {
      spans_.gradient[kind](g, x_.Load(from, n, buffers.of[1]), memory_.mean + c, memory_.a + c,
                            memory_.b + c, memory_.c + c, n, to, stream);
    }
    if (scales_last_) spans_.scale[kind](to, memory_.last + c, nullptr, n, to, false);
    out_.Store(to, from, n);
  }

  void Prepare(int64_t c) const {
    const double invstd = InvstdOf(c), all = FactorOf(c);
    const double factor = scales_last_ ? 1 : all;
    memory_.a[c] = static_cast<float>(factor);
    memory_.last[c] = static_cast<float>(all);
    if (!needs_sums_) return;
    Pair total;
    for (int64_t p = 0; p < parts_.count(); ++p) {
      total.sum += memory_.pairs[p * channels_ + c].sum;
      total.product += memory_.pairs[p * channels_ + c].product;
    }
    if (problem_.bias_sums != nullptr) problem_.bias_sums[c] = static_cast<float>(total.sum);
    if (problem_.weight_sums != nullptr) {
      // A sum of no elements is 0, whatever it is multiplied by.
      const bool is_empty = problem_.planes.ElementCount() == 0;
      problem_.weight_sums[c] = is_empty ? 0 : static_cast<float>(total.product * invstd);
    }
    const auto count = static_cast<double>(problem_.planes.outer * problem_.planes.inner);
    memory_.b[c] = static_cast<float>(-factor * invstd * invstd * total.product / count);
    memory_.c[c] = static_cast<float>(-factor * total.sum / count);
  }

 private:
  double InvstdOf(int64_t c) const {
    const double spread = problem_.spread != nullptr ? static_cast<double>(problem_.spread[c]) : 1;
    return problem_.spread_is_variance ? 1 / std::sqrt(spread + problem_.eps) : spread;
  }
  // What the gradient of a channel is multiplied by.
  double FactorOf(int64_t c) const {
    const double weight = problem_.weight != nullptr ? static_cast<double>(problem_.weight[c]) : 1;
    return weight * InvstdOf(c);
  }
  bool HasFiniteFactors() const {
    for (int64_t c = 0; c < channels_; ++c) {
      if (!std::isfinite(FactorOf(c))) return false;
    }
    return true;
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
  // An infinite factor times each term would give infinities that cancel to NaN; the definition
  // multiplies the sum of the terms.
  const bool scales_last_;
};

}  // namespace

bool Normalize(const BatchNormalization& problem) { return BatchNormalizer(problem).Run(); }
bool Solve(const BatchGradient& problem) { return BatchGradientSolver(problem).Run(); }

int64_t BatchScratch(const Planes& planes) {
  const auto pair = static_cast<int64_t>(sizeof(Pair)),
             number = static_cast<int64_t>(sizeof(float));
  return planes.channels * (Parts(planes, /*by_plane=*/false).count() * pair + 5 * number);
}

}  // namespace aclimb::norms
