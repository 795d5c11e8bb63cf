#include "aclimb/truth/obeys.h"

#include <deque>
#include <utility>
#include <vector>

#include "aclimb/contract/check.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/truth/elements.h"

namespace aclimb::truth {
namespace {

using contract::Kind;

// The arguments of a call with the objects that they stand for.
class Objects {
 public:
  explicit Objects(const Call& call) {
    for (int p = 0; p < call.size(); ++p) {
      const Given& given = call.At(p);
      arguments_.push_back(Argument(given, call.ParameterAt(p).kind));
    }
  }
  const std::vector<contract::Argument>& arguments() const { return arguments_; }

 private:
  contract::Argument Argument(const Given& given, Kind kind) {
    contract::Argument argument;
    argument.kind = kind;
    if (!given.given) return argument;
    switch (kind) {
      case Kind::kTensor: {
        TensorDescriptor& tensor = tensors_.emplace_back();
        tensor.shape = tensor.storage_shape = given.shape;
        tensor.stride = ContiguousStrides(given.shape);
        tensor.dtype = given.dtype;
        tensor.format = given.format;
        argument.object = argument.handle = &tensor;
        break;
      }
      case Kind::kScalar: {
        ScalarValue& scalar = scalars_.emplace_back();
        scalar.dtype = given.dtype;
        if (given.integers.empty()) {
          WriteElement(scalar.bytes, given.dtype, given.real);
        } else {
          WriteInteger(scalar.bytes, given.dtype, given.integers[0]);
        }
        argument.object = argument.handle = &scalar;
        break;
      }
      case Kind::kIntArray:
        argument.object = argument.handle = &ints_.emplace_back(given.integers);
        break;
      case Kind::kBoolArray:
        argument.object = argument.handle =
            &bools_.emplace_back(given.integers.begin(), given.integers.end());
        break;
      case Kind::kFloatArray: {
        FloatArrayValue& floats = floats_.emplace_back();
        for (const double value : given.values) floats.push_back(static_cast<float>(value));
        argument.object = argument.handle = &floats;
        break;
      }
      case Kind::kTensorList:
      case Kind::kScalarList: {
        std::vector<contract::Argument> elements;
        for (const Given& element : given.elements) {
          elements.push_back(
              Argument(element, kind == Kind::kTensorList ? Kind::kTensor : Kind::kScalar));
        }
        argument.object = argument.handle = &given;
        argument.elements = lists_.emplace_back(std::move(elements));
        break;
      }
      case Kind::kString:
        argument.object = argument.handle = given.text.c_str();
        break;
      case Kind::kBool:
      case Kind::kInteger:
      case Kind::kReal:
        argument.integer = given.integer;
        argument.real = given.real;
    }
    return argument;
  }

  // Elements of a deque stay where they are.
  std::deque<TensorDescriptor> tensors_;
  std::deque<ScalarValue> scalars_;
  std::deque<IntArrayValue> ints_;
  std::deque<BoolArrayValue> bools_;
  std::deque<FloatArrayValue> floats_;
  std::deque<std::vector<contract::Argument>> lists_;
  std::vector<contract::Argument> arguments_;
};

}  // namespace

bool Obeys(const Call& call, Product product, bool extensions) {
  const Objects objects(call);
  const contract::Arguments arguments(objects.arguments(), product, extensions);
  return contract::CheckNulls(call.contract(), arguments).ok() &&
         contract::Check(call.contract(), arguments).ok();
}

}  // namespace aclimb::truth
