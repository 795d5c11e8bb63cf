#include "aclimb/contract/broadcast.h"
#include "aclimb/contract/given.h"
#include "aclimb/contract/reduced.h"
#include "aclimb/contract/told.h"
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

std::optional<std::string> LossViolation(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments) {
  const GivenTensor loss = TensorAt(contract, arguments, rule.subject, 0);
  const GivenTensor a = TensorAt(contract, arguments, rule.other, 0);
  const GivenTensor b =
      rule.third < 0 ? GivenTensor() : TensorAt(contract, arguments, rule.third, 0);
  if (!loss || !a) return std::nullopt;
  const auto told = [&](const GivenTensor& given) {
    return ShapeTold(NameOf(contract, given), *given.tensor);
  };
  // A call that is right takes no memory, unless shapes broadcast.
  const bool alike = !b || a->shape == b->shape;
  const auto broadcast =
      alike ? std::optional<std::vector<int64_t>>() : BroadcastShape(a->shape, b->shape);
  if (!alike && !broadcast) {
    return Cat(told(a), " and ", told(b),
               "; expected shapes that broadcast: dimensions, counted from the last, that are "
               "equal or 1.");
  }
  const bool by_text = contract.At(rule.output).kind == Kind::kString;
  const std::string_view text = by_text ? arguments.String(rule.output, "") : "";
  const bool reduces = by_text ? text != "none" : arguments.Integer(rule.output) != 0;
  const std::vector<int64_t>& whole = alike ? a->shape : *broadcast;
  const bool is_one = loss->shape.size() == 1 && loss->shape[0] == 1;
  if (reduces ? loss->shape.empty() || is_one : loss->shape == whole) {
    return std::nullopt;
  }
  const char* const name = contract.At(rule.output).name;
  const std::string reduction = !by_text ? ToldAttribute(contract, arguments, rule.output)
                                : arguments.Given(rule.output) ? Cat(name, " is \"", text, "\"")
                                                               : Cat(name, " is null");
  if (reduces) {
    return Cat(told(loss), " but ", reduction, "; expected a single element, of shape [] or [1].");
  }
  // A single element may have one dimension all the same where one tensor tells.
  if (rule.third < 0 && whole.empty() && is_one) return std::nullopt;
  return Cat(told(loss), " but ", reduction, b ? ", " : " and ", told(a),
             b ? Cat(" and ", told(b)) : "", "; expected ", ShapeText(whole.data(), whole.size()),
             ".");
}

}  // namespace aclimb::contract
