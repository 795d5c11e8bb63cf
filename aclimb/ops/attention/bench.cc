#include <cmath>

#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "bench/call_problem.h"

namespace aclimb::attention {
namespace {

bench::Case Make(const char* name, int64_t batches, int64_t heads, int64_t key_heads,
                 int64_t queries, int64_t keys, int64_t width, const std::string& mode,
                 const std::string& layout, const char* dtype) {
  const bool backward = mode == "backward", causal = mode == "causal";
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    return [=, order = layout](uint64_t* size, aclOpExecutor** executor) mutable {
      if (backward) {
        return aclnnFlashAttentionScoreGradGetWorkspaceSize(
            in[0], in[1], in[2], in[4], nullptr, nullptr, nullptr, nullptr, in[5], in[6], nullptr,
            in[7], nullptr, scale, 1, keys, keys, heads, order.data(), 0, 0, out[0], out[1], out[2],
            nullptr, size, executor);
      }
      return aclnnFlashAttentionScoreGetWorkspaceSize(
          in[0], in[1], in[2], nullptr, nullptr, nullptr, causal ? in[3] : nullptr, nullptr, scale,
          1, keys, keys, heads, order.data(), 0, causal ? 2 : 0, out[1], out[2], in[0], out[0],
          size, executor);
    };
  };
  const auto rows = [&](int64_t of_heads, int64_t count) {
    return layout == "BSH" ? bench::Operand{{batches, count, of_heads * width}, dtype}
                           : bench::Operand{{batches, of_heads, count, width}, dtype};
  };
  const bench::Operand query = rows(heads, queries), key = rows(key_heads, keys);
  const bench::Operand statistics = {{batches, heads, queries, 8}, "float32"};
  bench::Operand sums = statistics;
  sums.below = sums.least = 100;
  // The mask of a causal call is not read.
  std::vector<bench::Operand> inputs = {query, key, key, {{2048, 2048}, "bool", {}, 2}};
  std::vector<bench::Operand> outputs = {query, statistics, statistics};
  bench::Cost cost = {.read_bytes = query.Bytes() + 2 * key.Bytes(), .write_bytes = query.Bytes()};
  if (backward) {
    inputs.insert(inputs.end(), {query, statistics, sums, query});
    outputs = {query, key, key};
    cost = {.read_bytes = 3 * query.Bytes() + 2 * key.Bytes(),
            .write_bytes = query.Bytes() + 2 * key.Bytes()};
  }
  // Two products forward, five backward; of the causal ones about a half.
  cost.flops = (backward ? 10.0
                : causal ? 2.0
                         : 4.0) *
               static_cast<double>(batches * heads) * static_cast<double>(queries * keys * width);
  return bench::CaseOf(
      "attention", name, dtype,
      {{"batches", std::to_string(batches)},
       {"heads", std::to_string(heads)},
       {"key_heads", std::to_string(key_heads)},
       {"queries", std::to_string(queries)},
       {"keys", std::to_string(keys)},
       {"width", std::to_string(width)},
       {"mode", mode},
       {"layout", layout}},
      {inputs, outputs, open, backward ? &aclnnFlashAttentionScoreGrad : &aclnnFlashAttentionScore},
      cost);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, batches, heads, key_heads, queries, keys, width, mode, layout, dtype) \
  Make(#name, batches, heads, key_heads, queries, keys, width, #mode, #layout, #dtype),
#include "aclimb/ops/attention/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::attention
