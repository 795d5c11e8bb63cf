// What frameworks call by type name: products of matrices, each factor of which may be stored
// transposed.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/text.h"
#include "products_headers.h"

namespace aclimb::products {
namespace {

// Whether the factor's last two dimensions change places.
struct Transposed {
  const char* names[2];
};

// The tensor with its last two dimensions changed, where it has them.
ScopedTensor Factor(const AclimbOpTensor& tensor, bool transposed) {
  std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
  std::vector<int64_t> strides = DenseStrides(dims);
  if (transposed) {
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    std::swap(strides[dims.size() - 1], strides[dims.size() - 2]);
  }
  return ScopedTensor(tensor.data, tensor.dtype, dims, strides);
}

Status Answer(TypedCall& call, const Transposed& transposed) {
  if (Status bad = call.Has(2, 3, 1, {transposed.names[0], transposed.names[1]}); !bad.ok()) {
    return bad;
  }
  bool turned[2];
  for (int i = 0; i < 2; ++i) {
    Result<const aclTensor*> factor = call.InputTensor(i);
    if (!factor.ok()) return factor.TakeStatus();
    if (call.Input(i).rank < 2) return call.Unsupported("matrices as inputs 0 and 1");
    Result<bool> flag = call.Flag(transposed.names[i], false);
    if (!flag.ok()) return flag.TakeStatus();
    turned[i] = flag.value();
  }
  Result<const aclTensor*> bias = nullptr;
  if (call.HasInput(2)) bias = call.InputTensor(2);
  if (!bias.ok()) return bias.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  const ScopedTensor a = Factor(call.Input(0), turned[0]), b = Factor(call.Input(1), turned[1]);
  if (bias.value() == nullptr) {
    RunOperator<&aclnnMatmulGetWorkspaceSize, &aclnnMatmul>(call, a, b, y.value(), int8_t{0});
    return Ok();
  }
  if (call.Input(0).rank != 2 || call.Input(1).rank != 2) {
    return call.Unsupported("two matrices where there is a bias");
  }
  RunOperator<&aclnnAddmmGetWorkspaceSize, &aclnnAddmm>(call, bias.value(), a, b, ScopedScalar(1),
                                                        ScopedScalar(1), y.value(), int8_t{0});
  return Ok();
}

Status AnswerMatMul(TypedCall& call) { return Answer(call, {{"transpose_x1", "transpose_x2"}}); }

Status AnswerBatchMatMul(TypedCall& call) { return Answer(call, {{"adj_x1", "adj_x2"}}); }

const ByType kMatMul("MatMul", &AnswerMatMul);
const ByType kMatMulV2("MatMulV2", &AnswerMatMul);
const ByType kBatchMatMul("BatchMatMul", &AnswerBatchMatMul);
const ByType kBatchMatMulV2("BatchMatMulV2", &AnswerBatchMatMul);

}  // namespace
}  // namespace aclimb::products
