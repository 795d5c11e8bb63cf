// aclnnEmbeddingDenseBackward from a byte string.

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DType kIndices[] = {DType::kInt64,   DType::kInt32,   DType::kInt16,
                              DType::kInt8,    DType::kUInt8,   DType::kBool,
                              DType::kFloat32, DType::kFloat16, DType::kFloat64};
constexpr int64_t kWidths[] = {4, 1, 0, 8, 17, 64, 100, 256};
constexpr int64_t kRows[] = {5, 1, 0, 16, 100, 300, 2, 1000};

}  // namespace

void RunTarget(Draw& draw) {
  ChooseSettings(draw);
  const std::vector<int64_t> lookups = AnyShape(draw, 0, 7);
  int64_t count = 1;
  for (const int64_t extent : lookups) count *= extent;
  int64_t width = draw.Pick(kWidths);
  if (count * width > 60'000) width = 1;
  const int64_t rows = draw.Pick(kRows);
  std::vector<int64_t> grad_shape = lookups;
  grad_shape.push_back(width);
  // Only the number of indices counts, not their shape.
  const std::vector<int64_t> index_shape = draw.Flip() ? std::vector<int64_t>{count} : lookups;
  View grad(draw, {Role::kInput, grad_shape, draw.Pick(kFloats)});
  View indices(draw, {Role::kInput, index_shape, draw.Pick(kIndices)});
  View out(draw, {Role::kOutput, {rows, width}, draw.Pick(kFloats)});
  grad.FillReals(draw);
  if (draw.Byte() >= 240) {
    indices.FillReals(draw);
  } else {
    indices.FillIndices(draw, rows);
  }
  const auto num_weights = static_cast<uint64_t>(draw.Byte() >= 248 ? draw.Wild() : rows);
  const auto padding = static_cast<uint64_t>(draw.Number(-1, 8));
  const bool by_frequency = draw.Flip();
  const aclTensor* g = Spoilt(draw, grad.handle());
  const aclTensor* i = Spoilt(draw, indices.handle());
  const aclTensor* o = Spoilt(draw, out.handle());

  OperatorCall call;
  call.views = {&grad, &indices, &out};
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnEmbeddingDenseBackwardGetWorkspaceSize(g, i, num_weights, padding, by_frequency, o,
                                                       size, executor);
  };
  call.run = &aclnnEmbeddingDenseBackward;
  Check(draw, call);
}

}  // namespace aclimb::fuzz
