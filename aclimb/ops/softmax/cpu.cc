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

constexpr float kNothing = -std::numeric_limits<float>::infinity();

// Clock cycles of a piece that a thread takes.
constexpr double kPieceCycles = 64 * 1024;

int64_t GrainOf(const Problem& problem, int64_t elements) {
  const double cycles = CyclesOf(problem) * static_cast<double>(elements);
  return std::max<int64_t>(1, static_cast<int64_t>(kPieceCycles / cycles));
}

// ---- Rows one after the other

class Rows {
 public:
  explicit Rows(const Problem& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        length_(problem.layout.length),
        self_(problem.self, problem.in_dtype),
        output_(problem.output, problem.in_dtype),
        out_(problem.out, problem.out_dtype) {}

  bool Solve() const {
    const int64_t count = problem_.layout.outer;
    return ParallelForAll(count, GrainOf(problem_, length_), [&](int64_t begin, int64_t end) {
      rows::Buffers<3> buffers;
      for (int64_t row = begin; row < end; ++row) {
        problem_.gradient ? SolveGradient(row * length_, buffers)
                          : SolveRow(row * length_, buffers);
      }
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
    float* const to = out_.Place(from, buffers.of[1]);
    const float max = spans_.max(x, length_);
    if (problem_.logarithm) {
      const auto log = static_cast<float>(std::log(spans_.exp_sum(x, length_, max, nullptr)));
      spans_.subtract[kFlat](x, &max, &log, length_, to);
    } else {
      const auto scale = static_cast<float>(1 / spans_.exp_sum(x, length_, max, to));
      spans_.scale[kFlat](to, &scale, nullptr, length_, to);
    }
    out_.Store(to, from, length_);
  }

  // In two passes over memory, the first of which finds the maximum while it adds: what was added
  // is scaled when a larger one turns up.
  void SolveLongRow(int64_t from, rows::Buffers<3>& buffers) const {
    float max = kNothing;
    double sum = 0;
    EachChunk(from, [&](int64_t begin, int64_t n) {
      const float* const x = self_.Load(begin, n, buffers.of[0]);
      const float own = spans_.max(x, n);
      if (own == kNothing) {
        // There are only -inf, which add nothing unless all of the row is like that, and NaN.
        if (std::isnan(spans_.sum(x, n))) sum = std::numeric_limits<double>::quiet_NaN();
        return;
      }
      if (own > max) {
        if (max != kNothing) sum *= std::exp(static_cast<double>(max) - static_cast<double>(own));
        max = own;
      }
      sum += spans_.exp_sum(x, n, max, nullptr);
    });
    const auto log = static_cast<float>(std::log(sum)), scale = static_cast<float>(1 / sum);
    EachChunk(from, [&](int64_t begin, int64_t n) {
      const float* const x = self_.Load(begin, n, buffers.of[0]);
      float* const to = out_.Place(begin, buffers.of[1]);
      problem_.logarithm ? spans_.subtract[kFlat](x, &max, &log, n, to)
                         : spans_.exp_scale[kFlat](x, &max, &scale, n, to);
      out_.Store(to, begin, n);
    });
  }

  void SolveGradient(int64_t from, rows::Buffers<3>& buffers) const {
    const float* g = nullptr;
    const float* y = nullptr;
    double sum = 0;
    EachChunk(from, [&](int64_t begin, int64_t n) {
      g = self_.Load(begin, n, buffers.of[0]);
      if (problem_.logarithm) {
        sum += spans_.sum(g, n);
      } else {
        y = output_.Load(begin, n, buffers.of[1]);
        sum += spans_.dot(g, y, n);
      }
    });
    const auto rounded = static_cast<float>(sum);
    EachChunk(from, [&](int64_t begin, int64_t n) {
      // The only chunk is still there.
      if (length_ > kChunk) g = self_.Load(begin, n, buffers.of[0]);
      if (length_ > kChunk || problem_.logarithm) y = output_.Load(begin, n, buffers.of[1]);
      float* const to = out_.Place(begin, buffers.of[2]);
      const auto& map = problem_.logarithm ? spans_.log_softmax_gradient : spans_.softmax_gradient;
      map[kFlat](g, y, &rounded, n, to);
      out_.Store(to, begin, n);
    });
  }

  const Problem& problem_;
  const Spans& spans_;
  const int64_t length_;
  const rows::Reader self_;
  const rows::Reader output_;
  const rows::Writer out_;
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
        out_(problem.out, problem.out_dtype),
        width_(WidthOf(problem.layout)),
        tiles_(CeilDivide(inner_, width_)) {}

  bool Solve() const {
    const int64_t count = problem_.layout.outer * tiles_;
    return ParallelForAll(count, GrainOf(problem_, length_ * width_),
                          [&](int64_t begin, int64_t end) {
                            Worker worker;
                            for (int64_t tile = begin; tile < end; ++tile) SolveTile(tile, worker);
                          });
  }

 private:
  static constexpr int64_t kMostWidth = 512;
  // Terms that are added in float32 before they join a total.
  static constexpr int64_t kTerms = 64;

  struct Worker {
    rows::Buffers<3> buffers;
    alignas(64) float max[kMostWidth];
    alignas(64) float sums[kMostWidth];
    alignas(64) double totals[kMostWidth];
  };

  // As wide as leaves all rows of the tile in a chunk, in whole cache lines.
  static int64_t WidthOf(const rows::Layout& layout) {
    const int64_t fitting = kChunk / layout.length / 16 * 16;
    const int64_t width = fitting < 64 ? 256 : std::min(fitting, kMostWidth);
    return std::min(width, layout.inner);
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
    EachLine(from, [&](int64_t at, int64_t) {
      spans_.max_each(self_.Load(at, width, buffer), width, worker.max);
    });
    SumLines(from, width, worker, [&](int64_t at, int64_t k) {
      const float* const x = self_.Load(at, width, buffer);
      float* const to = keeps ? worker.buffers.of[1] + k * width : nullptr;
      spans_.exp_sum_each(x, worker.max, width, to, worker.sums);
    });
    for (int64_t i = 0; i < width; ++i) {
      const double total = worker.totals[i];
      worker.sums[i] = static_cast<float>(problem_.logarithm ? std::log(total) : 1 / total);
    }
    EachLine(from, [&](int64_t at, int64_t k) {
      float* const to = out_.Place(at, worker.buffers.of[2]);
      if (keeps) {
        spans_.scale[kEach](worker.buffers.of[1] + k * width, worker.sums, nullptr, width, to);
      } else {
        const auto& map = problem_.logarithm ? spans_.subtract : spans_.exp_scale;
        map[kEach](self_.Load(at, width, buffer), worker.max, worker.sums, width, to);
      }
      out_.Store(to, at, width);
    });
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
      float* const to = out_.Place(at, worker.buffers.of[2]);
      map[kEach](g, y, worker.sums, width, to);
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

bool Solve(const Problem& problem) {
  if (problem.in_dtype == DType::kFloat64) return SolveDouble(problem);
  return problem.layout.inner == 1 ? Rows(problem).Solve() : Columns(problem).Solve();
}

}  // namespace aclimb::softmax
