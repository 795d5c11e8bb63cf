#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "bench/call_problem.h"

namespace aclimb::ctc_loss {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t steps, int64_t sequences,
                 int64_t classes, int64_t labels, const char* dtype) {
  const bool backward = function == "backward";
  const auto open = [=](const bench::Tensors& inputs, const bench::Tensors& outputs) {
    const auto for_each = [=](int64_t number) {
      return std::make_shared<bench::IntArray>(
          std::vector<int64_t>(static_cast<size_t>(sequences), number));
    };
    return [=, lengths = for_each(steps), counts = for_each(labels)](uint64_t* size,
                                                                     aclOpExecutor** executor) {
      if (backward) {
        return aclnnCtcLossBackwardGetWorkspaceSize(inputs[2], inputs[0], inputs[1], *lengths,
                                                    *counts, inputs[3], inputs[4], 0, false,
                                                    outputs[0], size, executor);
      }
      return aclnnCtcLossGetWorkspaceSize(inputs[0], inputs[1], *lengths, *counts, 0, false,
                                          outputs[0], outputs[1], size, executor);
    };
  };
  const bench::Operand log_probs = {{steps, sequences, classes}, dtype},
                       each = {{sequences}, dtype};
  const bench::Operand alpha = {{sequences, steps, 2 * labels + 1}, dtype};
  std::vector<bench::Operand> inputs = {log_probs, {{sequences, labels}, "int64", {}, classes}};
  if (backward) inputs.insert(inputs.end(), {each, each, alpha});
  const std::vector<bench::Operand> outputs =
      backward ? std::vector{log_probs} : std::vector{each, alpha};
  return bench::CaseOf("ctc_loss", name, dtype,
                       {{"function", function},
                        {"steps", std::to_string(steps)},
                        {"sequences", std::to_string(sequences)},
                        {"classes", std::to_string(classes)},
                        {"labels", std::to_string(labels)}},
                       {inputs, outputs, open, backward ? &aclnnCtcLossBackward : &aclnnCtcLoss});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, steps, sequences, classes, labels, dtype) \
  Make(#name, #function, steps, sequences, classes, labels, #dtype),
#include "aclimb/ops/ctc_loss/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::ctc_loss
