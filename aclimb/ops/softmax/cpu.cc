#include "aclimb/ops/softmax/cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclimb/core/divide.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::softmax {
namespace {

using rows::kChunk;
using rows::kEach;
using rows::kFlat;
using rows::Spans;

constexpr float kNothing = Part().max;

// Elements of the next row that are asked for.
constexpr int64_t kMostFetched = 1024;
// Chunks whose exponentials a second-level cache holds.
constexpr int64_t kMostKept = 32;

int64_t GrainOf(const Problem& problem, int64_t elements) {
  return rows::RowsAtOnce(CyclesOf(problem) * static_cast<double>(elements));
}

// For rows::Writer: exponentials take longer than memory.
int OperandsOf(const Problem& problem) { return problem.gradient && !problem.logarithm ? 3 : 1; }

// ---- Rows one after the other

class Rows {
 public:
  explicit Rows(const Problem& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        length_(problem.layout.length),
        self_(problem.self, problem.in_dtype),
        output_(problem.output, problem.in_dtype),
        out_(problem.out, problem.out_dtype, problem.layout.outer * length_, length_,
             OperandsOf(problem)),
        ahead_(rows::AheadOf(length_)),
        direct_(problem.gradient && !problem.logarithm && problem.in_dtype == DType::kBFloat16 &&
                problem.out_dtype == DType::kBFloat16) {}

  bool Solve() const {
    if (problem_.parts != nullptr) return SolveParts();
    const int64_t count = problem_.layout.outer;
    if (problem_.exponentials.data != nullptr) {
      return ForEachUnit(count, GrainOf(problem_, length_), problem_.exponentials,
                         [&](int64_t row, char* scratch) {
                           SolveKept(row * length_, reinterpret_cast<float*>(scratch));
                           out_.Flush();
                         });
    }
    return ParallelForAll(count, GrainOf(problem_, length_), [&](int64_t begin, int64_t end) {
      rows::Buffers<3> buffers;
      for (int64_t row = begin; row < end; ++row) {
        problem_.gradient ? SolveGradient(row * length_, buffers)
                          : SolveRow(row * length_, buffers);
      }
      out_.Flush();
    });
  }

 private:
  // Calls body(begin, count) for each chunk of the row that begins at element `from`.
  template <typename Body>
  void EachChunk(int64_t from, const Body& body) const {
    for (int64_t at = 0; at < length_; at += kChunk) {
      body(from + at, std::min(kChunk, length_ - at));
    }
  }

  void SolveRow(int64_t from, rows::Buffers<3>& buffers) const {
    if (length_ > kChunk) return SolveLongRow(from, buffers);
    const float* const x = self_.Load(from, length_, buffers.of[0]);
    const auto [to, stream] = out_.Final(from, buffers.of[1]);
    float* const kept = stream ? buffers.of[1] : to;
    const float max = spans_.max(x, length_);
    double sum = 0;
    rows::InPieces(length_, [&](int64_t at, int64_t n) {
      self_.Prefetch(from + at + ahead_, n);
      sum += spans_.exp_sum(x + at, n, max, problem_.logarithm ? nullptr : kept + at);
    });
    if (problem_.logarithm) {
      const auto log = static_cast<float>(std::log(sum));
      spans_.subtract[kFlat](x, &max, &log, length_, to, stream);
    } else {
      const auto scale = static_cast<float>(1 / sum);
      spans_.scale[kFlat](kept, &scale, nullptr, length_, to, stream);
    }
    out_.Store(to, from, length_);
  }

  // In two passes over memory, the first of which finds the maximum while it adds.
  void SolveLongRow(int64_t from, rows::Buffers<3>& buffers) const {
    Part all;
    EachChunk(from, [&](int64_t begin, int64_t n) { Join(PartOf(begin, n, buffers), all); });
    EachChunk(from, [&](int64_t begin, int64_t n) { MapChunk(begin, n, all, buffers); });
  }

  // So, where the exponentials of the row stay in a cache between the passes.
  void SolveKept(int64_t from, float* kept) const {
    rows::Buffers<3> buffers;
    float maxima[kMostKept];
    Part all;
    EachChunk(from, [&](int64_t begin, int64_t n) {
      const Part part = PartOf(begin, n, buffers, kept + (begin - from));
      maxima[(begin - from) / kChunk] = part.max;
      Join(part, all);
    });
    EachChunk(from, [&](int64_t begin, int64_t n) {
      const float max = maxima[(begin - from) / kChunk];
      if (max == kNothing) return MapChunk(begin, n, all, buffers);
      const float scale = ScaleOf(max, all);
      const auto [to, stream] = out_.Final(begin, buffers.of[1]);
      spans_.scale[kFlat](kept + (begin - from), &scale, nullptr, n, to, stream);
      out_.Store(to, begin, n);
    });
  }

  void SolveGradient(int64_t from, rows::Buffers<3>& buffers) const {
    if (length_ > kChunk) return SolveLongRow(from, buffers);
    const Part all = PartOf(from, length_, buffers);
    MapGradient(from, length_, all, /*loaded=*/true, buffers);
  }

  // Of elements [begin, begin + n), which are in one chunk. Exponentials go to `kept` unless that
  // is null or the maximum is kNothing.
  Part PartOf(int64_t begin, int64_t n, rows::Buffers<3>& buffers, float* kept = nullptr) const {
    Part part;
    if (direct_) {
      part.sum = spans_.dot_bf16(self_.At<BFloat16>(begin), output_.At<BFloat16>(begin), n);
      return part;
    }
    const float* const x = self_.Load(begin, n, buffers.of[0]);
    if (problem_.gradient) {
      const float* const y = problem_.logarithm ? nullptr : output_.Load(begin, n, buffers.of[1]);
      part.sum = problem_.logarithm ? spans_.sum(x, n) : spans_.dot(x, y, n);
      return part;
    }
    part.max = spans_.max(x, n);
    if (part.max == kNothing) {
      // There are only -inf, which add nothing unless all of the row is like that, and NaN.
      if (std::isnan(spans_.sum(x, n))) part.sum = std::numeric_limits<double>::quiet_NaN();
      return part;
    }
    rows::InPieces(n, [&](int64_t at, int64_t count) {
      self_.Prefetch(begin + at + ahead_, count);
      part.sum += spans_.exp_sum(x + at, count, part.max, kept == nullptr ? nullptr : kept + at);
    });
    return part;
  }

  // What was added is scaled when a larger maximum turns up.
  void Join(const Part& part, Part& all) const {
    if (problem_.gradient || part.max == kNothing) {
      all.sum += part.sum;
      return;
    }
    const float max = std::max(all.max, part.max);
    if (all.max != kNothing) all.sum *= Ratio(all.max, max);
    all.sum += part.sum * Ratio(part.max, max);
    all.max = max;
  }
  static double Ratio(float from, float to) {
    return std::exp(static_cast<double>(from) - static_cast<double>(to));
  }
  // By which exponentials of what is above `max` are multiplied in the end.
  static float ScaleOf(float max, const Part& all) {
    return static_cast<float>(Ratio(max, all.max) / all.sum);
  }

  void MapChunk(int64_t begin, int64_t n, const Part& all, rows::Buffers<3>& buffers) const {
    if (problem_.gradient) return MapGradient(begin, n, all, /*loaded=*/false, buffers);
    const float* const x = self_.Load(begin, n, buffers.of[0]);
    const auto [to, stream] = out_.Final(begin, buffers.of[1]);
    if (problem_.logarithm) {
      const auto log = static_cast<float>(std::log(all.sum));
      spans_.subtract[kFlat](x, &all.max, &log, n, to, stream);
    } else {
      // Above the maximum of the chunk, as in the sum: rows that keep exponentials have the same.
      const float own = spans_.max(x, n), max = own == kNothing ? all.max : own;
      const float scale = ScaleOf(max, all);
      spans_.exp_scale[kFlat](x, &max, &scale, n, to, stream);
    }
    out_.Store(to, begin, n);
  }

  // loaded: PartOf() these elements was the last thing that the buffers were for.
  void MapGradient(int64_t begin, int64_t n, const Part& all, bool loaded,
                   rows::Buffers<3>& buffers) const {
    const auto sum = static_cast<float>(all.sum);
    const float* g = nullptr;
    const float* y = nullptr;
    if (!direct_) {
      g = loaded ? self_.Kept(begin, buffers.of[0]) : self_.Load(begin, n, buffers.of[0]);
      y = loaded && !problem_.logarithm ? output_.Kept(begin, buffers.of[1])
                                        : output_.Load(begin, n, buffers.of[1]);
    }
    const auto [to, stream] = out_.Final(begin, buffers.of[2]);
    const auto& map = problem_.logarithm ? spans_.log_softmax_gradient : spans_.softmax_gradient;
    rows::InPieces(n, [&, to = to, stream = stream](int64_t at, int64_t count) {
      const int64_t from = begin + at;
      // The next row comes from memory while this one is in the nearest cache. Exponentials give
      // the processor's own prefetcher the time for that.
      if (loaded && !problem_.logarithm && at < kMostFetched) {
        self_.Fetch(from + length_, count);
        output_.Fetch(from + length_, count);
      }
      if (direct_) {
        spans_.softmax_gradient_bf16(self_.At<BFloat16>(from), output_.At<BFloat16>(from), &sum,
                                     count, out_.At<BFloat16>(from), out_.streams());
      } else {
        map[kFlat](g + at, y + at, &sum, count, to + at, stream);
      }
    });
    if (!direct_) out_.Store(to, begin, n);
  }

  // Few long rows, whose chunks are shared out. The results are those of SolveLongRow.
  bool SolveParts() const {
    const int64_t chunks = CeilDivide(length_, kChunk);
    const auto each_chunk = [&](const auto& body) {
      return ParallelForAll(problem_.layout.outer * chunks, 2, [&](int64_t begin, int64_t end) {
        rows::Buffers<3> buffers;
        for (int64_t k = begin; k < end; ++k) {
          const int64_t at = k % chunks * kChunk;
          body(k, k / chunks * length_ + at, std::min(kChunk, length_ - at), buffers);
        }
        out_.Flush();
      });
    };
    Part* const parts = problem_.parts;
    if (!each_chunk([&](int64_t k, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          parts[k] = PartOf(from, n, buffers);
        })) {
      return false;
    }
    for (int64_t row = 0; row < problem_.layout.outer; ++row) {
      Part all;
      for (int64_t k = row * chunks; k < (row + 1) * chunks; ++k) Join(parts[k], all);
      parts[row * chunks] = all;
    }
    return each_chunk([&](int64_t k, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
      MapChunk(from, n, parts[k / chunks * chunks], buffers);
    });
  }

  const Problem& problem_;
  const Spans& spans_;
  const int64_t length_;
  const rows::Reader self_;
  const rows::Reader output_;
  const rows::Writer out_;
  const int64_t ahead_;
  const bool direct_;  // a gradient of bfloat16 that needs no float32 rows between
};

// ---- Rows side by side

class Columns {
 public:
  explicit Columns(const Problem& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        length_(problem.layout.length),
        inner_(problem.layout.inner),
        self_(problem.self, problem.in_dtype),
        output_(problem.output, problem.in_dtype),
        out_(problem.out, problem.out_dtype, problem.layout.outer * length_ * inner_, inner_,
             OperandsOf(problem)),
        width_(WidthOf(problem.layout)),
        tiles_(CeilDivide(inner_, width_)) {}

  bool Solve() const {
    const int64_t count = problem_.layout.outer * tiles_;
    return ParallelForAll(count, GrainOf(problem_, length_ * width_),
                          [&](int64_t begin, int64_t end) {
                            Worker worker;
                            for (int64_t tile = begin; tile < end; ++tile) SolveTile(tile, worker);
                            out_.Flush();
                          });
  }

 private:
  static constexpr int64_t kMostWidth = 1024;
  // Terms that are added in float32 before they join a total.
  static constexpr int64_t kTerms = 64;

  struct Worker {
    rows::Buffers<3> buffers;
    alignas(64) float max[kMostWidth];
    alignas(64) float next_max[kMostWidth];
    alignas(64) float sums[kMostWidth];
    alignas(64) double totals[kMostWidth];
  };

  // In whole cache lines, as wide as leaves all lines of the tile in a chunk. Where that is too
  // narrow, as wide as leaves a team some tiles. The order of sums depends on it, so that it must
  // not depend on the team.
  static int64_t WidthOf(const rows::Layout& layout) {
    constexpr int64_t kLine = 32, kLeast = 64;
    int64_t width = kChunk / layout.length / kLine * kLine;
    if (width < kLeast) {
      constexpr int64_t kTiles = 16;
      const int64_t tiles = CeilDivide(kTiles, layout.outer);
      width = RoundUp(CeilDivide(layout.inner, tiles), kLine);
    }
    return std::min(std::clamp(width, kLeast, kMostWidth), layout.inner);
  }

  // Calls body(element) for each line of the tile that begins at element `from`.
  template <typename Body>
  void EachLine(int64_t from, const Body& body) const {
    for (int64_t k = 0; k < length_; ++k) body(from + k * inner_, k);
  }

  void SolveTile(int64_t tile, Worker& worker) const {
    const int64_t column = tile % tiles_ * width_;
    const int64_t from = tile / tiles_ * length_ * inner_ + column;
    const int64_t width = std::min(width_, inner_ - column);
    std::fill_n(worker.sums, width, 0.0f);
    std::fill_n(worker.totals, width, 0.0);
    problem_.gradient ? SolveGradient(from, width, worker) : SolveForward(from, width, worker);
  }

  // Gives `add(element, k)` every line, and rounds the totals.
  template <typename Add>
  void SumLines(int64_t from, int64_t width, Worker& worker, const Add& add) const {
    EachLine(from, [&](int64_t at, int64_t k) {
      add(at, k);
      if ((k + 1) % kTerms == 0) spans_.add_to_totals(worker.sums, width, worker.totals);
    });
    spans_.add_to_totals(worker.sums, width, worker.totals);
  }

  void SolveForward(int64_t from, int64_t width, Worker& worker) const {
    std::fill_n(worker.max, width, kNothing);
    // A tile that a chunk holds keeps its exponentials there.
    const bool keeps = !problem_.logarithm && length_ * width <= kChunk;
    float* const buffer = worker.buffers.of[0];
    float* const kept = worker.buffers.of[1];
    const int64_t block = keeps ? length_ : kTerms;
    for (int64_t first = 0; first < length_; first += block) {
      AddBlock(from, width, first, std::min(length_, first + block), keeps ? kept : nullptr,
               worker);
    }
    for (int64_t i = 0; i < width; ++i) {
      const double total = worker.totals[i];
      worker.sums[i] = static_cast<float>(problem_.logarithm ? std::log(total) : 1 / total);
    }
    EachLine(from, [&](int64_t at, int64_t k) {
      const auto [to, stream] = out_.Final(at, worker.buffers.of[2]);
      if (keeps) {
        spans_.scale[kEach](kept + k * width, worker.sums, nullptr, width, to, stream);
      } else {
        const auto& map = problem_.logarithm ? spans_.subtract : spans_.exp_scale;
        map[kEach](self_.Load(at, width, buffer), worker.max, worker.sums, width, to, stream);
      }
      out_.Store(to, at, width);
    });
  }

  // Lines [first, end) join the maxima and the totals: what was added before is scaled when a
  // larger maximum turns up. The exponentials go to `kept` unless that is null.
  void AddBlock(int64_t from, int64_t width, int64_t first, int64_t end, float* kept,
                Worker& worker) const {
    float* const buffer = worker.buffers.of[0];
    const auto line = [&](int64_t k) { return self_.Load(from + k * inner_, width, buffer); };
    std::copy_n(worker.max, width, worker.next_max);
    for (int64_t k = first; k < end; ++k) spans_.max_each(line(k), width, worker.next_max);
    for (int64_t i = 0; i < width; ++i) {
      const float before = worker.max[i];
      // A NaN is no maximum, and it will show in the sum.
      const float now = worker.next_max[i] > before ? worker.next_max[i] : before;
      if (worker.totals[i] != 0 && now != before) {
        worker.totals[i] *= std::exp(static_cast<double>(before) - static_cast<double>(now));
      }
      worker.max[i] = now;
      // -inf alone: nothing is added, and the row becomes NaN when it is mapped.
      worker.next_max[i] = now == kNothing ? 0 : now;
    }
    for (int64_t k = first; k < end; ++k) {
      float* const to = kept != nullptr ? kept + k * width : nullptr;
      spans_.exp_sum_each(line(k), worker.next_max, width, to, worker.sums);
      if ((k - first + 1) % kTerms == 0 || k + 1 == end) {
        spans_.add_to_totals(worker.sums, width, worker.totals);
      }
    }
  }

  void SolveGradient(int64_t from, int64_t width, Worker& worker) const {
    float* const g_buffer = worker.buffers.of[0];
    float* const y_buffer = worker.buffers.of[1];
    SumLines(from, width, worker, [&](int64_t at, int64_t) {
      const float* const g = self_.Load(at, width, g_buffer);
      problem_.logarithm
          ? spans_.sum_each(g, width, worker.sums)
          : spans_.dot_each(g, output_.Load(at, width, y_buffer), width, worker.sums);
    });
    for (int64_t i = 0; i < width; ++i) worker.sums[i] = static_cast<float>(worker.totals[i]);
    const auto& map = problem_.logarithm ? spans_.log_softmax_gradient : spans_.softmax_gradient;
    EachLine(from, [&](int64_t at, int64_t) {
      const float* const g = self_.Load(at, width, g_buffer);
      const float* const y = output_.Load(at, width, y_buffer);
      const auto [to, stream] = out_.Final(at, worker.buffers.of[2]);
      map[kEach](g, y, worker.sums, width, to, stream);
      out_.Store(to, at, width);
    });
  }

  const Problem& problem_;
  const Spans& spans_;
  const int64_t length_;
  const int64_t inner_;
  const rows::Reader self_;
  const rows::Reader output_;
  const rows::Writer out_;
  const int64_t width_;
  const int64_t tiles_;
};

// ---- DOUBLE, which no gradient has

bool SolveDouble(const Problem& problem) {
  const auto* const self = static_cast<const double*>(problem.self);
  auto* const out = static_cast<double*>(problem.out);
  const int64_t length = problem.layout.length, inner = problem.layout.inner;
  return ParallelForAll(
      problem.layout.outer * inner, GrainOf(problem, length), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t from = row / inner * length * inner + row % inner;
          const double* const x = self + from;
          double* const to = out + from;
          double max = x[0];
          for (int64_t k = 1; k < length; ++k) max = std::max(max, x[k * inner]);
          double sum = 0;
          for (int64_t k = 0; k < length; ++k) sum += std::exp(x[k * inner] - max);
          const double log = std::log(sum);
          for (int64_t k = 0; k < length; ++k) {
            const double above = x[k * inner] - max;
            to[k * inner] = problem.logarithm ? above - log : std::exp(above) / sum;
          }
        }
      });
}

}  // namespace

double CyclesOf(const Problem& problem) {
  if (problem.in_dtype == DType::kFloat64) return 20;
  const bool exponential = !problem.gradient || problem.logarithm;
  return exponential ? 3 : 1.5;
}

int64_t PartCount(const rows::Layout& layout, DType dtype) {
  const bool few = layout.outer < 2 * int64_t{TeamSize()};
  if (dtype == DType::kFloat64 || layout.inner != 1 || layout.length <= kChunk || !few) return 0;
  return layout.outer * CeilDivide(layout.length, kChunk);
}

int64_t ExponentialBytes(const Problem& problem) {
  const rows::Layout& layout = problem.layout;
  const bool keeps = !problem.logarithm && !problem.gradient &&
                     problem.in_dtype != DType::kFloat64 && layout.inner == 1 &&
                     layout.length > kChunk && layout.length <= kMostKept * kChunk;
  return keeps ? layout.length * static_cast<int64_t>(sizeof(float)) : 0;
}

bool Solve(const Problem& problem) {
  if (problem.in_dtype == DType::kFloat64) return SolveDouble(problem);
  return problem.layout.inner == 1 ? Rows(problem).Solve() : Columns(problem).Solve();
}

}  // namespace aclimb::softmax
