#include "aclimb/ops/norms/row_gradient.h"

#include <algorithm>
#include <cmath>

#include "aclimb/core/divide.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::norms {
namespace {

using rows::kChunk;

// Rows whose terms are added in float32 before they join a total.
constexpr int64_t kTerms = 64;

struct Blocks {
  int64_t count;
  int64_t rows;  // of a block
};

// A block's sums take less memory than its rows by far. A few long rows make one block: their sums
// are shared out by columns.
Blocks BlocksOf(int64_t rows) {
  constexpr int64_t kLeastRows = 16, kMostBlocks = 64;
  const int64_t each = std::max(kLeastRows, CeilDivide(rows, kMostBlocks));
  return {CeilDivide(rows, each), each};
}

class Solver {
 public:
  explicit Solver(const RowGradient& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        length_(problem.length),
        grad_(problem.grad, problem.grad_dtype),
        x_(problem.x, problem.x_dtype),
        out_(problem.out, problem.out_dtype, problem.rows * length_, length_, /*operands=*/3),
        ahead_(rows::AheadOf(length_)),
        sums_(problem.weight_sums != nullptr || problem.bias_sums != nullptr) {}

  bool Run() const {
    const Blocks blocks = BlocksOf(problem_.rows);
    if (sums_ && blocks.count > 1) return RunBlocks(blocks);
    // The sums first: `out` may be an input.
    if (sums_ && !RunColumns()) return false;
    if (problem_.out == nullptr) return true;
    const double cycles = kRowGradientCycles * static_cast<double>(length_ + 1);
    const int64_t grain = rows::RowsAtOnce(cycles);
    return ParallelForAll(problem_.rows, grain, [&](int64_t begin, int64_t end) {
      rows::Buffers<3> buffers;
      for (int64_t row = begin; row < end; ++row) SolveRow(row, Sums(), buffers);
      out_.Flush();
    });
  }

 private:
  // Of one block: terms in float32 and totals, `length` of each.
  struct Sums {
    float* bias = nullptr;
    float* weight = nullptr;
    double* bias_totals = nullptr;
    double* weight_totals = nullptr;
  };

  Sums SumsOf(int64_t block, int64_t blocks) const {
    auto* const totals = static_cast<double*>(problem_.scratch);
    auto* const terms = reinterpret_cast<float*>(totals + 2 * blocks * length_);
    return {.bias = terms + 2 * block * length_,
            .weight = terms + (2 * block + 1) * length_,
            .bias_totals = totals + 2 * block * length_,
            .weight_totals = totals + (2 * block + 1) * length_};
  }

  bool RunBlocks(const Blocks& blocks) const {
    const bool all = ParallelForAll(blocks.count, 1, [&](int64_t begin, int64_t end) {
      rows::Buffers<3> buffers;
      for (int64_t block = begin; block < end; ++block) {
        SolveBlock(block * blocks.rows, std::min((block + 1) * blocks.rows, problem_.rows),
                   SumsOf(block, blocks.count), buffers);
      }
      out_.Flush();
    });
    if (!all) return false;
    return ParallelForAll(length_, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double bias = 0, weight = 0;
        for (int64_t block = 0; block < blocks.count; ++block) {
          const Sums sums = SumsOf(block, blocks.count);
          bias += sums.bias_totals[i];
          weight += sums.weight_totals[i];
        }
        Give(i, bias, weight);
      }
    });
  }

  void Give(int64_t i, double bias, double weight) const {
    if (problem_.bias_sums != nullptr) problem_.bias_sums[i] = static_cast<float>(bias);
    if (problem_.weight_sums != nullptr) problem_.weight_sums[i] = static_cast<float>(weight);
  }

  void SolveBlock(int64_t begin, int64_t end, const Sums& sums, rows::Buffers<3>& buffers) const {
    // Both kinds of sum lie side by side.
    std::fill_n(sums.bias, 2 * length_, 0.0f);
    std::fill_n(sums.bias_totals, 2 * length_, 0.0);
    for (int64_t row = begin; row < end; ++row) {
      SolveRow(row, sums, buffers);
      if ((row + 1 - begin) % kTerms == 0 || row + 1 == end) {
        spans_.add_to_totals(sums.bias, 2 * length_, sums.bias_totals);
      }
    }
  }

  float MeanOf(int64_t row) const { return problem_.mean != nullptr ? problem_.mean[row] : 0; }

  // Adds the row's terms to the sums, if there are any, and gives the gradient of its x. The passes
  // share asking for the next row: all at once it would be more lines than a core can wait for.
  void SolveRow(int64_t row, const Sums& sums, rows::Buffers<3>& buffers) const {
    const float mean = MeanOf(row), rstd = problem_.rstd[row];
    const int64_t from = row * length_;
    const float* g = nullptr;
    const float* x = nullptr;
    const auto load = [&](int64_t at, int64_t n) {
      g = grad_.Load(from + at, n, buffers.of[0]);
      x = x_.Load(from + at, n, buffers.of[1]);
    };
    double both[2] = {0, 0};
    for (int64_t at = 0; at < length_; at += kChunk) {
      const int64_t n = std::min(kChunk, length_ - at);
      load(at, n);
      rows::InPieces(n, [&](int64_t k, int64_t count) {
        grad_.Prefetch(from + at + k + ahead_, count);
        float* const bias = sums.weight != nullptr ? sums.bias + at + k : nullptr;
        float* const weight = sums.weight != nullptr ? sums.weight + at + k : nullptr;
        if (problem_.out != nullptr) {
          spans_.gradient_sums(g + k, x + k, WeightAt(at + k), count, mean, rstd, both, bias,
                               weight);
        } else {
          spans_.weight_sums_each(g + k, x + k, count, mean, rstd, bias, weight);
        }
      });
    }
    if (problem_.out == nullptr) return;
    const auto count = static_cast<double>(length_);
    const auto c1 = static_cast<float>(problem_.mean != nullptr ? both[0] / count : 0);
    const auto c2 = static_cast<float>(both[1] / count);
    for (int64_t at = 0; at < length_; at += kChunk) {
      const int64_t n = std::min(kChunk, length_ - at);
      if (length_ > kChunk) load(at, n);
      const auto [to, stream] = out_.Final(from + at, buffers.of[2]);
      rows::InPieces(n, [&, to = to, stream = stream](int64_t k, int64_t part) {
        x_.Prefetch(from + at + k + ahead_, part);
        spans_.gradient_row(g + k, x + k, WeightAt(at + k), part, mean, rstd, c1, c2, to + k,
                            stream);
      });
      out_.Store(to, from + at, n);
    }
  }

  const float* WeightAt(int64_t at) const {
    return problem_.weight != nullptr ? problem_.weight + at : nullptr;
  }

  // The sums alone, a strip of columns after the other.
  bool RunColumns() const {
    constexpr int64_t kWidth = 512;
    return ParallelForAll(CeilDivide(length_, kWidth), 1, [&](int64_t begin, int64_t end) {
      alignas(64) float grad[kWidth], x[kWidth], terms[2 * kWidth];
      alignas(64) double totals[2 * kWidth];
      for (int64_t strip = begin; strip < end; ++strip) {
        const int64_t at = strip * kWidth, n = std::min(kWidth, length_ - at);
        std::fill_n(terms, 2 * kWidth, 0.0f);
        std::fill_n(totals, 2 * kWidth, 0.0);
        for (int64_t row = 0; row < problem_.rows; ++row) {
          const int64_t from = row * length_ + at;
          spans_.weight_sums_each(grad_.Load(from, n, grad), x_.Load(from, n, x), n, MeanOf(row),
                                  problem_.rstd[row], terms, terms + kWidth);
          if ((row + 1) % kTerms == 0 || row + 1 == problem_.rows) {
            spans_.add_to_totals(terms, 2 * kWidth, totals);
          }
        }
        for (int64_t i = 0; i < n; ++i) Give(at + i, totals[i], totals[kWidth + i]);
      }
    });
  }

  const RowGradient& problem_;
  const rows::Spans& spans_;
  const int64_t length_;
  const rows::Reader grad_;
  const rows::Reader x_;
  const rows::Writer out_;
  const int64_t ahead_;  // elements
  const bool sums_;
};

}  // namespace

int64_t RowGradientScratch(int64_t rows, int64_t length) {
  const Blocks blocks = BlocksOf(rows);
  if (blocks.count == 1) return 0;
  return 2 * blocks.count * length * static_cast<int64_t>(sizeof(double) + sizeof(float));
}

bool Solve(const RowGradient& problem) { return Solver(problem).Run(); }

}  // namespace aclimb::norms
