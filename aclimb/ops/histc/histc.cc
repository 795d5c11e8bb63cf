// aclnnHistc: the loops, the plan and the C entry points.

#include <algorithm>
#include <cmath>

#include "aclimb/copy/copy.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/histc/contract.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::histc {
namespace {

// Elements that are converted at once.
constexpr int64_t kChunk = 512;

// The least and the largest element, NaN once one was met.
template <typename V>
struct Range {
  V least, most;

  void Take(V x) {
    if (x < least || std::isnan(x)) least = x;
    if (x > most || std::isnan(x)) most = x;
  }
};

class HistcPlan final : public Plan {
 public:
  HistcPlan(const contract::Arguments& arguments, Planner& planner)
      : bins_(arguments.Integer(kBins)),
        least_(BoundOf(arguments, kMin)),
        most_(BoundOf(arguments, kMax)) {
    const TensorView self = arguments.Tensor(kSelf).View();
    count_ = self.ElementCount();
    size_ = static_cast<int64_t>(SizeOf(self.dtype));
    wide_ = !IsFloating(self.dtype);
    if (self.dtype != DType::kFloat32) {
      convert_ = copy::Converter(self.dtype, wide_ ? DType::kFloat64 : DType::kFloat32);
    }
    dense_ = rows::Dense::Input(planner, kSelf, self);
    // Parts have counts of their own, which may not outweigh the elements.
    const int64_t most_parts = std::min<int64_t>(16, count_ / std::max<int64_t>(bins_, 16384));
    parts_ = std::max<int64_t>(1, most_parts);
    part_ = CeilDivide(count_, parts_);
    counts_ = planner.workspace().Book(parts_ * bins_, sizeof(int64_t));
    ranges_ = planner.workspace().Book(parts_, sizeof(Range<double>));
    planner.Writes(kOut);
    planner.Costs({.cycles = 6.0 * static_cast<double>(count_)});
  }

  void Run(const RunContext& run) const override {
    const TensorView out = run.View(kOut);
    if (!dense_.Fetch(run)) return;
    // Without elements there are none to read, and out is zeros.
    const char* const elements = static_cast<const char*>(dense_.Data(run));
    bool is_finite;
    if (!(wide_ ? Count<double>(run, elements, &is_finite)
                : Count<float>(run, elements, &is_finite))) {
      return;
    }
    auto* const counts = run.Piece<int64_t>(counts_);
    for (int64_t p = 1; p < parts_; ++p) {
      for (int64_t b = 0; b < bins_; ++b) counts[b] += counts[p * bins_ + b];
    }
    TensorView sums = DenseLike(out, counts);
    sums.dtype = DType::kInt64;
    // A cancelled run leaves out as it is.
    (void)copy::Copy(sums, out);
    if (!is_finite) throw RunFailure{.code = kRtAicoreException, .why = kNoFiniteRange};
  }

 private:
  // Calls body(part, values, count) for all elements, which `from` has one behind the other. False
  // when the run was cancelled.
  template <typename V, typename F>
  bool ForEachChunk(const char* from, F&& body) const {
    return ParallelForAll(parts_, 1, [&](int64_t begin, int64_t end) {
      V values[kChunk];
      for (int64_t p = begin; p < end; ++p) {
        const int64_t last = std::min(count_, (p + 1) * part_);
        for (int64_t i = p * part_; i < last; i += kChunk) {
          const int64_t count = std::min(kChunk, last - i);
          const auto* own = reinterpret_cast<const V*>(from + i * size_);
          if (convert_.Changes()) {
            convert_.Run(from + i * size_, count, values);
            own = values;
          }
          body(p, own, count);
        }
      }
    });
  }

  // False when the run was cancelled. All counts are 0 if the bins have no finite range.
  template <typename V>
  bool Count(const RunContext& run, const char* elements, bool* is_finite) const {
    auto* const counts = run.Piece<int64_t>(counts_);
    std::fill_n(counts, parts_ * bins_, 0);
    Range<V> range = {static_cast<V>(least_), static_cast<V>(most_)};
    if (range.least == range.most && count_ != 0) {
      auto* const ranges = run.Piece<Range<V>>(ranges_);
      std::fill_n(ranges, parts_, Range<V>{INFINITY, -INFINITY});
      const bool done =
          ForEachChunk<V>(elements, [&](int64_t part, const V* values, int64_t count) {
            Range<V> own = {INFINITY, -INFINITY};
            for (int64_t i = 0; i < count; ++i) own.Take(values[i]);
            ranges[part].Take(own.least);
            ranges[part].Take(own.most);
          });
      if (!done) return false;
      range = ranges[0];
      for (int64_t p = 1; p < parts_; ++p) {
        if (p * part_ >= count_) break;
        range.Take(ranges[p].least);
        range.Take(ranges[p].most);
      }
    }
    if (range.least == range.most) {
      range.least -= 1;
      range.most += 1;
    }
    *is_finite = std::isfinite(range.least) && std::isfinite(range.most);
    if (!*is_finite) return true;
    const auto count_in = [&]<typename P>(P scale) {
      const P least = range.least * scale, most = range.most * scale;
      const P bins = static_cast<P>(bins_), width = most - least;
      return ForEachChunk<V>(elements, [&](int64_t part, const V* values, int64_t count) {
        int64_t* const own = counts + part * bins_;
        for (int64_t i = 0; i < count; ++i) {
          const P x = values[i] * scale;
          if (!(x >= least && x <= most)) continue;
          const P place = (x - least) * bins / width;
          ++own[place < bins ? static_cast<int64_t>(place) : bins_ - 1];
        }
      });
    };
    // Products that are too large are made of smaller numbers, in double.
    return std::isfinite((range.most - range.least) * static_cast<V>(bins_)) ? count_in(V{1})
                                                                             : count_in(0x1p-100);
  }

  const int64_t bins_;
  const double least_, most_;
  int64_t count_;
  int64_t size_;  // of an element
  bool wide_;
  int64_t parts_, part_;     // how many, and elements of one
  copy::Converter convert_;  // to what places are computed in
  rows::Dense dense_;
  WorkspacePiece counts_, ranges_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return PlanPointer(NewPlan<HistcPlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::histc

extern "C" aclnnStatus aclnnHistcGetWorkspaceSize(const aclTensor* self, int64_t bins,
                                                  const aclScalar* min, const aclScalar* max,
                                                  aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::histc::kOperator, workspaceSize, executor, self, bins, min, max,
                        out);
}

extern "C" aclnnStatus aclnnHistc(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(aclimb::histc::kOperator, workspace, workspaceSize, executor, stream);
}
