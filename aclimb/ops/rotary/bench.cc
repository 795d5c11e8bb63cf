#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "bench/call_problem.h"

namespace aclimb::rotary {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t batches, int64_t length,
                 int64_t heads, int64_t width, const char* dtype) {
  const bool in_place = function == "apply";
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    return [=](uint64_t* size, aclOpExecutor** executor) {
      if (in_place) {
        return aclnnApplyRotaryPosEmbGetWorkspaceSize(in[2], in[3], in[0], in[1], 1, size,
                                                      executor);
      }
      return aclnnRotaryPositionEmbeddingGetWorkspaceSize(
          in[2], in[0], in[1], function == "pairs" ? 1 : 0, out[0], size, executor);
    };
  };
  const bench::Operand x = {{batches, length, heads, width}, dtype};
  bench::Operand cos = {{batches, length, 1, width}, dtype}, sin = cos;
  // Angles of 0, for what turns in place does so many times.
  cos.below = cos.least = sin.below = 1;
  const double moved = (in_place ? 2 : 1) * x.Bytes();
  return bench::CaseOf("rotary", name, dtype,
                       {{"function", function},
                        {"batches", std::to_string(batches)},
                        {"length", std::to_string(length)},
                        {"heads", std::to_string(heads)},
                        {"width", std::to_string(width)}},
                       {in_place ? std::vector{cos, sin, x, x} : std::vector{cos, sin, x},
                        in_place ? std::vector<bench::Operand>{} : std::vector{x}, open,
                        in_place ? &aclnnApplyRotaryPosEmb : &aclnnRotaryPositionEmbedding},
                       {.read_bytes = moved + cos.Bytes() + sin.Bytes(), .write_bytes = moved});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, batches, length, heads, width, dtype) \
  Make(#name, #function, batches, length, heads, width, #dtype),
#include "aclimb/ops/rotary/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::rotary
