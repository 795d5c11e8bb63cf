#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "aclimb/executor/plan.h"
#include "aclimb/matmul/finish.h"
#include "aclimb/matmul/problem.h"

namespace aclimb::matmul {

// Where an operand begins: with a tensor of the call, or with a piece of the workspace.
struct Source {
  int parameter = -1;  // -1: `piece`
  size_t element = 0;  // of the list that the parameter is
  WorkspacePiece piece = {};

  char* At(const RunContext& run) const {
    return parameter >= 0 ? static_cast<char*>(run.Data(parameter, element))
                          : run.Piece<char>(piece);
  }
};

// A copy that comes before the product.
struct DenseCopy {
  Source from;
  TensorView from_view;  // without address, as the next
  Source to;
  TensorView to_view;
};

// A problem of one call, ready for an engine.
struct Setup {
  Problem problem;
  Finish finish;
  Source a = {}, b = {}, self = {}, out = {};
  std::vector<DenseCopy> copies = {};
};

class ProductPlan : public Plan {
 public:
  explicit ProductPlan(Setup setup) : setup_(std::move(setup)) {}

  void Run(const RunContext& run) const final;
  double Flops() const override { return 2 * setup_.problem.Work(); }

 protected:
  virtual void Compute(const RunContext& run) const = 0;

  const Problem& problem() const { return setup_.problem; }
  // Writes elements [column, column + count) of a row of the output.
  template <typename Sum>
  void FinishRow(const RunContext& run, int64_t batch, int64_t row, int64_t column, const Sum* sums,
                 int64_t count) const {
    const auto at = [&](const Operand& operand, const Source& tensor) {
      const int64_t offset =
          problem().OffsetOf(operand, batch) + row * operand.row + column * operand.column;
      return tensor.At(run) + offset * operand.Size();
    };
    const char* const self = problem().HasSelf() ? at(problem().self, setup_.self) : nullptr;
    setup_.finish.Row(sums, count, self, at(problem().out, setup_.out));
  }
  // FinishRow for all rows, where a row's sums are those of several partial ones:
  // partial[part][batch][row][column].
  template <typename Sum>
  void FinishPartial(const RunContext& run, const Sum* partial, int64_t parts) const;

  const Setup setup_;
};

// out = beta * self: there is nothing to multiply.
PlanPointer MakeNoProductPlan(Planner& planner, Setup setup);

}  // namespace aclimb::matmul
