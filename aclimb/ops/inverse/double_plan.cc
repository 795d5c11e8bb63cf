#include <cstring>

#include "aclimb/copy/convert.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/ops/inverse/plans.h"
#include "aclimb/rows/dense.h"

namespace aclimb::inverse {
namespace {

class DoublePlan final : public Plan {
 public:
  DoublePlan(const contract::Arguments& arguments, Planner& planner) {
    const TensorView self = arguments.Tensor(kSelf).View();
    rows_ = self.shape[self.rank - 1];
    batches_ = self.ElementCount() / (rows_ * rows_);
    self_ = rows::Dense::Input(planner, kSelf, self);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View());
    is_in_output_ = out_.dtype() == DType::kFloat64;
    const int64_t matrix_bytes = is_in_output_ ? 0 : rows_ * rows_ * int64_t{sizeof(double)};
    scratch_.Book(planner, batches_, BytesOfScratch(rows_) + matrix_bytes);
    planner.Costs({.cycles = Work() * static_cast<double>(batches_) / 4 + self_.CopyCycles() +
                             out_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self_, &out_}, [&] {
      const auto* const from = static_cast<const char*>(self_.Data(run));
      auto* const to = static_cast<char*>(out_.Data(run));
      const copy::Converter widen(self_.dtype(), DType::kFloat64);
      const copy::Converter narrow(DType::kFloat64, out_.dtype());
      const int64_t size = rows_ * rows_;
      const size_t from_bytes = static_cast<size_t>(size) * SizeOf(self_.dtype());
      const size_t to_bytes = static_cast<size_t>(size) * SizeOf(out_.dtype());
      return scratch_.Run(run, batches_, UnitsOfWork(kGrain, Work()), [&](int64_t batch, char* at) {
        const auto n = static_cast<size_t>(batch);
        const char* const given = from + n * from_bytes;
        char* const inverse = to + n * to_bytes;
        char* const matrix = is_in_output_ ? inverse : at + BytesOfScratch(rows_);
        if (widen.Changes()) {
          widen.Run(given, size, matrix);
        } else if (matrix != given) {
          std::memcpy(matrix, given, from_bytes);
        }
        Invert(reinterpret_cast<double*>(matrix), rows_, ScratchAt(at, rows_));
        if (!is_in_output_) narrow.Run(matrix, size, inverse);
      });
    });
  }

 private:
  double Work() const {
    const auto rows = static_cast<double>(rows_);
    return rows * rows * rows;
  }

  int64_t rows_, batches_;
  rows::Dense self_, out_;
  bool is_in_output_;  // where matrices are inverted: else in scratch, which stays in a cache
  UnitScratch scratch_;
};

}  // namespace

PlanPointer MakeDoublePlan(const contract::Arguments& arguments, Planner& planner) {
  return NewPlan<DoublePlan>(arguments, planner);
}

}  // namespace aclimb::inverse
