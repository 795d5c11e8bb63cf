#include "aclnnop/aclnn_embedding_bag.h"
#include "bench/call_problem.h"

namespace aclimb::embedding_bag {
namespace {

bench::Case Make(const char* name, int64_t num_weights, int64_t columns, int64_t bags,
                 int64_t length, const std::string& mode, const char* dtype) {
  const int64_t number = mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    const auto offsets = std::make_shared<bench::DeviceTensor>(std::vector{bags}, "int64");
    std::vector<int64_t> begins;
    for (int64_t bag = 0; bag < bags; ++bag) begins.push_back(bag * length);
    offsets->Upload(begins);
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnEmbeddingBagGetWorkspaceSize(in[0], in[1], *offsets, false, number, false,
                                               nullptr, false, -1, out[0], out[1], out[2], out[3],
                                               size, executor);
    };
  };
  const int64_t count = bags * length;
  const bench::Operand table = {{num_weights, columns}, dtype};
  const bench::Operand indices = {{count}, "int64", {}, num_weights};
  const bench::Operand sums = {{bags, columns}, dtype}, sizes = {{bags}, "int64"};
  const bench::Operand places = {{mode == "sum" ? 0 : count}, "int64"};
  const bench::Operand largest = {mode == "max" ? sums.shape : sizes.shape, "int64"};
  const bench::Operand rows = {{count, columns}, dtype};
  return bench::CaseOf("embedding_bag", name, dtype,
                       {{"num_weights", std::to_string(num_weights)},
                        {"columns", std::to_string(columns)},
                        {"bags", std::to_string(bags)},
                        {"length", std::to_string(length)},
                        {"mode", mode}},
                       {{table, indices}, {sums, places, sizes, largest}, open, &aclnnEmbeddingBag},
                       {.read_bytes = rows.Bytes() + indices.Bytes(), .write_bytes = sums.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, num_weights, columns, bags, length, mode, dtype) \
  Make(#name, num_weights, columns, bags, length, #mode, #dtype),
#include "aclimb/ops/embedding_bag/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::embedding_bag
