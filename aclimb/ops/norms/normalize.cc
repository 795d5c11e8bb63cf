#include "aclimb/ops/norms/normalize.h"

#include <algorithm>
#include <cmath>

#include "aclimb/ops/norms/moments.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::norms {
namespace {

using rows::kChunk;
using rows::kFlat;

class Normalizer {
 public:
  explicit Normalizer(const Normalization& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        x_(problem.x, problem.x_dtype),
        x2_(problem.x2, problem.x2_dtype),
        sum_(problem.sum, problem.sum_dtype, problem.rows * problem.length, problem.length),
        out_(problem.out, problem.out_dtype, problem.rows * problem.length, problem.length,
             /*operands=*/2),
        ahead_(rows::AheadOf(problem.length)),
        widens_(problem.x_dtype == DType::kBFloat16 && problem.x2 == nullptr &&
                problem.addend == nullptr),
        narrows_(problem.out_dtype == DType::kBFloat16) {}

  bool Run() const {
    const double cycles = kNormalizeCycles * static_cast<double>(problem_.length + 1);
    const int64_t grain = rows::RowsAtOnce(cycles);
    return ParallelForAll(problem_.rows, grain, [&](int64_t begin, int64_t end) {
      rows::Buffers<3> buffers;
      for (int64_t row = begin; row < end; ++row) NormalizeRow(row, buffers);
      sum_.Flush();
      out_.Flush();
    });
  }

 private:
  // Elements [at, at + n) of the row; with the sums, if that is what is normalized.
  const float* Load(int64_t row, int64_t at, int64_t n, rows::Buffers<3>& buffers) const {
    const int64_t from = row * problem_.length + at;
    const float* x = x_.Load(from, n, buffers.of[0]);
    if (problem_.x2 != nullptr) {
      spans_.add(x, x2_.Load(from, n, buffers.of[1]), n, buffers.of[0]);
      x = buffers.of[0];
    }
    if (problem_.addend != nullptr) {
      spans_.add(x, problem_.addend + row * problem_.addend_step + at, n, buffers.of[0]);
      x = buffers.of[0];
    }
    return x;
  }

  // Load(), and what they add up to.
  const float* LoadAndSum(int64_t row, int64_t at, int64_t n, rows::Buffers<3>& buffers,
                          double& sum) const {
    if (widens_) {
      const auto* const from = x_.At<BFloat16>(row * problem_.length + at);
      sum += spans_.sum_and_widen(from, n, buffers.of[0]);
      return buffers.of[0];
    }
    const float* const x = Load(row, at, n, buffers);
    sum += spans_.sum(x, n);
    return x;
  }

  // What comes after these elements.
  void Prefetch(int64_t from, int64_t n) const {
    x_.Prefetch(from + ahead_, n);
    if (problem_.x2 != nullptr) x2_.Prefetch(from + ahead_, n);
  }

  void NormalizeRow(int64_t row, rows::Buffers<3>& buffers) const {
    const int64_t length = problem_.length;
    const auto elements = static_cast<double>(length);
    // The only chunk stays where it is.
    const float* whole = nullptr;
    double sum = 0;
    if (problem_.centered) {
      for (int64_t at = 0; at < length; at += kChunk) {
        whole = LoadAndSum(row, at, std::min(kChunk, length - at), buffers, sum);
      }
    } else if (length <= kChunk) {
      whole = Load(row, 0, length, buffers);
    }
    const auto each_chunk = [&](const auto& body) {
      if (length <= kChunk) return body(whole, 0, length);
      for (int64_t at = 0; at < length; at += kChunk) {
        const int64_t n = std::min(kChunk, length - at);
        body(Load(row, at, n, buffers), at, n);
      }
    };
    float mean = 0;
    double squares = 0;
    if (problem_.centered) {
      double off[2] = {0, 0};
      const Moments moments = MomentsOf(sum, elements, [&](float about) {
        each_chunk([&](const float* x, int64_t at, int64_t n) {
          rows::InPieces(n, [&](int64_t k, int64_t count) {
            Prefetch(row * length + at + k, count);
            spans_.deviations(x + k, count, about, off);
          });
        });
        return off;
      });
      mean = static_cast<float>(moments.mean);
      squares = moments.squares;
    } else {
      each_chunk([&](const float* x, int64_t at, int64_t n) {
        rows::InPieces(n, [&](int64_t k, int64_t count) {
          Prefetch(row * length + at + k, count);
          squares += spans_.dot(x + k, x + k, count);
        });
      });
    }
    const auto rstd = static_cast<float>(1 / std::sqrt(squares / elements + problem_.eps));
    if (problem_.mean != nullptr) problem_.mean[row] = mean;
    if (problem_.rstd != nullptr) problem_.rstd[row] = rstd;
    const int64_t weights = row % problem_.sets * (length / problem_.run);
    each_chunk([&](const float* x, int64_t at, int64_t n) {
      const int64_t from = row * length + at;
      if (problem_.sum != nullptr) Put(x, from, n);
      if (problem_.run != 1) {
        float* const to = out_.Place(from, buffers.of[2]);
        NormalizeRuns(x, at, n, mean, rstd, weights, to);
        return out_.Store(to, from, n);
      }
      const float* const weight = problem_.weight ? problem_.weight + weights + at : nullptr;
      const float* const bias = problem_.bias ? problem_.bias + weights + at : nullptr;
      if (narrows_) {
        spans_.normalize_row_bf16(x, n, mean, rstd, weight, bias, out_.At<BFloat16>(from),
                                  out_.streams());
        return;
      }
      const auto [to, stream] = out_.Final(from, buffers.of[2]);
      spans_.normalize_row(x, n, mean, rstd, weight, bias, to, stream);
      out_.Store(to, from, n);
    });
  }

  void NormalizeRuns(const float* x, int64_t at, int64_t n, float mean, float rstd, int64_t weights,
                     float* to) const {
    for (int64_t done = 0; done < n;) {
      const int64_t k = (at + done) / problem_.run;
      const int64_t count = std::min((k + 1) * problem_.run - at, n) - done;
      const float scale = problem_.weight ? rstd * problem_.weight[weights + k] : rstd;
      const float shift = problem_.bias ? problem_.bias[weights + k] : 0;
      spans_.normalize[kFlat](x + done, &mean, &scale, &shift, count, to + done,
                              /*stream=*/false);
      done += count;
    }
  }

  // What is normalized, to where it is wanted itself.
  void Put(const float* x, int64_t from, int64_t n) const {
    float* const to = sum_.Place(from, nullptr);
    if (to != nullptr) std::copy_n(x, n, to);
    sum_.Store(x, from, n);
  }

  const Normalization& problem_;
  const rows::Spans& spans_;
  const rows::Reader x_;
  const rows::Reader x2_;
  const rows::Writer sum_;
  const rows::Writer out_;
  const int64_t ahead_;  // elements
  const bool widens_;    // bfloat16, and adds nothing to them
  const bool narrows_;   // to bfloat16
};

}  // namespace

bool Normalize(const Normalization& problem) { return Normalizer(problem).Run(); }

}  // namespace aclimb::norms
