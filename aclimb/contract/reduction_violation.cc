#include "aclimb/contract/given.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

// "dim is [0, -1]", "dim is 1", "dim is null"
std::string DimsText(const Contract& contract, const Arguments& arguments, int dims) {
  const char* const name = contract.At(dims).name;
  if (contract.At(dims).kind == Kind::kInteger) {
    return Cat(name, " is ", arguments.Integer(dims));
  }
  if (!arguments.Given(dims)) return Cat(name, " is null");
  const IntArrayValue& values = arguments.Ints(dims);
  return Cat(name, " is ", ShapeText(values.data(), values.size()));
}

}  // namespace

std::optional<std::string> ReductionViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments) {
  const GivenTensor output = TensorAt(contract, arguments, rule.subject, 0);
  const GivenTensor input = TensorAt(contract, arguments, rule.other, 0);
  if (!output || !input) return std::nullopt;
  const bool keep = rule.output >= 0 && arguments.Bool(rule.output);
  const DimensionSet reduced = ReducedDimensions(arguments, rule.other, rule.third);
  const std::vector<int64_t> expected = ReducedShape(input->shape, reduced, keep);
  if (output->shape == expected) return std::nullopt;
  // A single element may have one dimension all the same: llama.cpp's backend passes such outputs.
  if (expected.empty() && output->shape == std::vector<int64_t>{1}) return std::nullopt;
  std::string text = Cat(NameOf(contract, output), ".shape is ", ShapeOf(output), " but ",
                         NameOf(contract, input), ".shape is ", ShapeOf(input));
  if (rule.third < 0) return Cat(text, "; expected a single element, of shape [] or [1].");
  text += Cat(rule.output < 0 ? " and " : ", ", DimsText(contract, arguments, rule.third));
  if (rule.output >= 0) {
    text += Cat(" and ", contract.At(rule.output).name, " is ", keep ? "true" : "false");
  }
  if (expected.empty()) return Cat(text, "; expected [] or [1].");
  return Cat(text, "; expected ", ShapeText(expected.data(), expected.size()), ".");
}

}  // namespace aclimb::contract
