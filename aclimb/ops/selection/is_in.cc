// aclnnIsInTensorScalar and aclnnIsInScalarTensor: plans, loops and C functions.

#include <atomic>
#include <cstring>
#include <type_traits>

#include "aclimb/contract/promotion.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/selection/comparison.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::selection {
namespace {

// Elements of a tensor and a number, both in the dtype that they have in common, widened.
class Sought {
 public:
  Sought(DType tensor, const ScalarValue& number)
      : as_(*contract::PromoteTensorAndScalar(tensor, number.dtype)),
        wide_(WideFor(as_)),
        elements_(tensor, as_, wide_) {
    Operand::Room room;
    const Operand operand(number.dtype, as_, wide_);
    std::memcpy(number_, operand.Load(number.bytes, 0, 1, 1, room), SizeOf(wide_));
  }

  // Calls body(elements, `count` of them, the number, where they are in each tensor) for pieces.
  template <int N, typename Body>
  void EachElements(const Walk<N>& walk, const void* tensor, int64_t begin, int64_t end,
                    const Body& body) const {
    switch (wide_) {
      case DType::kInt64:
        return EachElementsAs<int64_t>(walk, tensor, begin, end, body);
      case DType::kFloat64:
        return EachElementsAs<double>(walk, tensor, begin, end, body);
      default:
        return EachElementsAs<float>(walk, tensor, begin, end, body);
    }
  }

 private:
  template <typename T, int N, typename Body>
  void EachElementsAs(const Walk<N>& walk, const void* tensor, int64_t begin, int64_t end,
                      const Body& body) const {
    T number;
    std::memcpy(&number, number_, sizeof(number));
    Operand::Room room;
    EachPiece(walk, begin, end, [&](const int64_t* at, int64_t n) {
      const int64_t step = walk.stride[0][walk.rank - 1];
      body(static_cast<const T*>(elements_.Load(tensor, at[0], step, n, room)), n, number, at);
    });
  }

  const DType as_;
  const DType wide_;
  const Operand elements_;
  alignas(8) char number_[8] = {};
};

struct IsInTensorScalarPlan final : Plan {
  IsInTensorScalarPlan(const TensorView& element, const TensorView& out, const ScalarValue& number,
                       bool invert)
      : walk(Walk<2>::Make({&element, &out})), sought(element.dtype, number), inverts(invert) {}

  void Run(const RunContext& run) const override {
    auto* const out = static_cast<uint8_t*>(run.Data(is_in_tensor_scalar::kOut));
    const int64_t step = walk.stride[1][walk.rank - 1];
    ParallelFor(walk.count, kGrain, [&](int64_t begin, int64_t end) {
      sought.EachElements(walk, run.Data(is_in_tensor_scalar::kElement), begin, end,
                          [&](const auto* elements, int64_t n, auto number, const int64_t* at) {
                            uint8_t* const to = out + at[1];
                            const auto answer = [&](auto apart) {
                              for (int64_t i = 0; i < n; ++i)
                                to[i * apart] = (elements[i] == number) != inverts;
                            };
                            // Answers side by side are written as vectors.
                            step == 1 ? answer(std::integral_constant<int64_t, 1>()) : answer(step);
                          });
    });
  }

  const Walk<2> walk;
  const Sought sought;
  const bool inverts;
};

struct IsInScalarTensorPlan final : Plan {
  IsInScalarTensorPlan(const TensorView& elements, const ScalarValue& number, bool invert)
      : walk(Walk<1>::Make({&elements})), sought(elements.dtype, number), inverts(invert) {}

  void Run(const RunContext& run) const override {
    std::atomic<bool> found = false;
    const bool whole = ParallelForAll(walk.count, kGrain, [&](int64_t begin, int64_t end) {
      sought.EachElements(walk, run.Data(is_in_scalar_tensor::kTestElements), begin, end,
                          [&](const auto* elements, int64_t n, auto number, const int64_t*) {
                            if (found.load(std::memory_order_relaxed)) return;
                            int64_t same = 0;
                            for (int64_t i = 0; i < n; ++i) same += elements[i] == number ? 1 : 0;
                            if (same != 0) found.store(true, std::memory_order_relaxed);
                          });
    });
    if (whole) *static_cast<uint8_t*>(run.Data(is_in_scalar_tensor::kOut)) = found != inverts;
  }

  const Walk<1> walk;
  const Sought sought;
  const bool inverts;
};

Result<PlanPointer> PlanIsInTensorScalar(const Arguments& arguments, Planner& planner) {
  using namespace is_in_tensor_scalar;  // NOLINT: the positions
  const TensorDescriptor& element = arguments.Tensor(kElement);
  if (element.IsEmpty()) return PlanPointer();
  planner.Reads(kElement);
  planner.Writes(kOut);
  planner.Costs({.cycles = static_cast<double>(element.ElementCount())});
  return PlanPointer(NewPlan<IsInTensorScalarPlan>(element.View(), arguments.Tensor(kOut).View(),
                                                   arguments.Scalar(kTestElement),
                                                   arguments.Bool(kInvert)));
}

Result<PlanPointer> PlanIsInScalarTensor(const Arguments& arguments, Planner& planner) {
  using namespace is_in_scalar_tensor;  // NOLINT: the positions
  const TensorDescriptor& elements = arguments.Tensor(kTestElements);
  if (!elements.IsEmpty()) planner.Reads(kTestElements);
  planner.Writes(kOut);
  planner.Costs({.cycles = static_cast<double>(elements.ElementCount())});
  return PlanPointer(NewPlan<IsInScalarTensorPlan>(elements.View(), arguments.Scalar(kElement),
                                                   arguments.Bool(kInvert)));
}

constinit Operator is_in_tensor_scalar_operator(is_in_tensor_scalar::kContract,
                                                PlanIsInTensorScalar);
constinit Operator is_in_scalar_tensor_operator(is_in_scalar_tensor::kContract,
                                                PlanIsInScalarTensor);

}  // namespace
}  // namespace aclimb::selection

using namespace aclimb::selection;  // NOLINT: the operators

aclnnStatus aclnnIsInTensorScalarGetWorkspaceSize(const aclTensor* element,
                                                  const aclScalar* testElement, bool assumeUnique,
                                                  bool invert, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(is_in_tensor_scalar_operator, workspaceSize, executor, element, testElement,
                        assumeUnique, invert, out);
}
aclnnStatus aclnnIsInTensorScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(is_in_tensor_scalar_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnIsInScalarTensorGetWorkspaceSize(const aclScalar* element,
                                                  const aclTensor* testElements, bool assumeUnique,
                                                  bool invert, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(is_in_scalar_tensor_operator, workspaceSize, executor, element,
                        testElements, assumeUnique, invert, out);
}
aclnnStatus aclnnIsInScalarTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(is_in_scalar_tensor_operator, workspace, workspaceSize, executor, stream);
}
