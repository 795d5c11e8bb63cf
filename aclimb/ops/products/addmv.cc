// aclnnAddmv: the C entry points and the plans between them.

#include <algorithm>
#include <utility>

#include "aclimb/copy/copy.h"
#include "aclimb/copy/storage.h"
#include "aclimb/executor/phase.h"
#include "aclimb/matmul/matmul.h"
#include "aclimb/ops/products/contracts.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::products {
namespace {

// Terms that a thread takes at once.
constexpr int64_t kAddmvGrain = 32 * 1024;

// One row of out = beta * self + alpha * (mat @ vec) in the arithmetic of a dtype. Integers wrap:
// the low bits of a sum are those of its terms.
template <typename T>
T Row(const T* row, const T* vec, int64_t terms, T self, const ScalarValue& alpha,
      const ScalarValue& beta) {
  uint64_t sum = 0;
  for (int64_t k = 0; k < terms; ++k) {
    sum += static_cast<uint64_t>(row[k]) * static_cast<uint64_t>(vec[k]);
  }
  return static_cast<T>(static_cast<uint64_t>(alpha.ToWrappedInteger()) * sum +
                        static_cast<uint64_t>(beta.ToWrappedInteger()) *
                            static_cast<uint64_t>(self));
}
double Row(const double* row, const double* vec, int64_t terms, double self,
           const ScalarValue& alpha, const ScalarValue& beta) {
  double value = 0;
  if (alpha.ToDouble() != 0) {
    for (int64_t k = 0; k < terms; ++k) value += row[k] * vec[k];
    value *= alpha.ToDouble();
  }
  return beta.ToDouble() != 0 ? value + beta.ToDouble() * self : value;
}
Bool Row(const Bool* row, const Bool* vec, int64_t terms, Bool self, const ScalarValue& alpha,
         const ScalarValue& beta) {
  bool any = false;
  for (int64_t k = 0; k < terms; ++k) any = any || (row[k].byte != 0 && vec[k].byte != 0);
  any = (any && alpha.ToDouble() != 0) || (self.byte != 0 && beta.ToDouble() != 0);
  return {static_cast<uint8_t>(any ? 1 : 0)};
}

template <typename T>
void Rows(const TensorView& mat, const void* vec, const void* self, const TensorView& out,
          const ScalarValue& alpha, const ScalarValue& beta) {
  const int64_t terms = mat.shape[1];
  ParallelFor(out.shape[0], std::max<int64_t>(1, kAddmvGrain / (terms + 1)),
              [&](int64_t begin, int64_t end) {
                for (int64_t m = begin; m < end; ++m) {
                  out.As<T>()[m * out.stride[0]] =
                      Row(mat.As<T>() + m * terms, static_cast<const T*>(vec), terms,
                          static_cast<const T*>(self)[m], alpha, beta);
                }
              });
}

void RowsOf(const TensorView& mat, const void* vec, const void* self, const TensorView& out,
            const ScalarValue& alpha, const ScalarValue& beta) {
  switch (out.dtype) {
    case DType::kBool:
      return Rows<Bool>(mat, vec, self, out, alpha, beta);
    case DType::kUInt8:
      return Rows<uint8_t>(mat, vec, self, out, alpha, beta);
    case DType::kInt8:
      return Rows<int8_t>(mat, vec, self, out, alpha, beta);
    case DType::kInt16:
      return Rows<int16_t>(mat, vec, self, out, alpha, beta);
    case DType::kInt32:
      return Rows<int32_t>(mat, vec, self, out, alpha, beta);
    case DType::kInt64:
      return Rows<int64_t>(mat, vec, self, out, alpha, beta);
    default:
      return Rows<double>(mat, vec, self, out, alpha, beta);
  }
}

// In DOUBLE or in integers: the inputs are copied to the dtype of the output first.
class ExactAddmvPlan final : public Plan {
 public:
  ExactAddmvPlan(const contract::Arguments& arguments, Planner& planner)
      : alpha_(arguments.Scalar(kAddmvAlpha)), beta_(arguments.Scalar(kAddmvBeta)) {
    const TensorView out = arguments.Tensor(kAddmvOut).View();
    for (const int input : {kAddmvSelf, kMat, kVec}) {
      TensorView dense = arguments.Tensor(input).View();
      if (input == kAddmvSelf) dense.shape[0] = out.shape[0];
      dense = DenseLike(dense, nullptr);
      dense.dtype = out.dtype;
      dense_[input] = dense;
      pieces_[input] =
          planner.workspace().Book(dense.ElementCount(), static_cast<int64_t>(SizeOf(out.dtype)));
      planner.Reads(input);
    }
    planner.Writes(kAddmvOut);
    planner.Costs({.cycles = 2 * static_cast<double>(dense_[kMat].ElementCount())});
  }

  void Run(const RunContext& run) const override {
    TensorView copies[3];
    for (const int input : {kAddmvSelf, kMat, kVec}) {
      copies[input] = dense_[input];
      copies[input].data = run.Piece(pieces_[input]);
      TensorView from = run.View(input);
      if (from.shape[0] != copies[input].shape[0]) {
        from.shape[0] = copies[input].shape[0];
        from.stride[0] = 0;
      }
      if (from.ElementCount() > 0 && !copy::Copy(from, copies[input])) return;
    }
    RowsOf(copies[kMat], copies[kVec].data, copies[kAddmvSelf].data, run.View(kAddmvOut), alpha_,
           beta_);
  }

 private:
  const ScalarValue alpha_, beta_;
  TensorView dense_[3];
  WorkspacePiece pieces_[3];
};

Result<PlanPointer> PlanAddmv(const contract::Arguments& arguments, Planner& planner) {
  const auto view = [&](int parameter) { return arguments.Tensor(parameter).View(); };
  const DType out = view(kAddmvOut).dtype;
  if (view(kAddmvOut).ElementCount() == 0) return PlanPointer();
  if (out != DType::kFloat32 && out != DType::kFloat16) {
    return PlanPointer(NewPlan<ExactAddmvPlan>(arguments, planner));
  }
  return matmul::MakePlan(
      planner, {.a = {.parameter = kMat, .view = view(kMat)},
                .b = {.parameter = kVec, .view = matmul::AsColumn(view(kVec))},
                .out = {.parameter = kAddmvOut, .view = matmul::AsColumn(view(kAddmvOut))},
                .self = {.parameter = kAddmvSelf, .view = matmul::AsColumn(view(kAddmvSelf))},
                .alpha = static_cast<double>(arguments.Scalar(kAddmvAlpha).ToFloat()),
                .beta = static_cast<double>(arguments.Scalar(kAddmvBeta).ToFloat())});
}

constinit Operator kAddmvOperator(kAddmvContract, PlanAddmv);

}  // namespace
}  // namespace aclimb::products

extern "C" aclnnStatus aclnnAddmvGetWorkspaceSize(const aclTensor* self, const aclTensor* mat,
                                                  const aclTensor* vec, const aclScalar* alpha,
                                                  const aclScalar* beta, aclTensor* out,
                                                  int8_t cubeMathType, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::products::kAddmvOperator, workspaceSize, executor, self, mat, vec,
                        alpha, beta, out, cubeMathType);
}

extern "C" aclnnStatus aclnnAddmv(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(aclimb::products::kAddmvOperator, workspace, workspaceSize, executor,
                        stream);
}
