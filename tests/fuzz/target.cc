#include <dlfcn.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/truth/elements.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

using contract::Kind;
using contract::Parameter;
using truth::Call;
using truth::Given;

// By its name, as frameworks find it.
void* FunctionOf(const std::string& name) {
  void* function = dlsym(RTLD_DEFAULT, name.c_str());
  if (function == nullptr) Finding("%s is not exported", name.c_str());
  return function;
}

const char* const kTexts[] = {"", "Mean", "none ", "mean\n", "batchmean"};

// Numbers that may be wrong, and a parameter that is there or not.
void SpoilArgument(Draw& draw, const Parameter& parameter, Given& given) {
  draw.MarkStrange();
  if (parameter.optional && draw.Flip()) {
    given.given = false;
    return;
  }
  switch (parameter.kind) {
    case Kind::kScalar:
    case Kind::kReal:
      given.real = draw.Real();
      if (given.given && parameter.kind == Kind::kScalar) {
        given.real = truth::Rounded(given.real, given.dtype);
        given.integers.clear();
      }
      return;
    case Kind::kBool:
      given.integer ^= 1;
      return;
    case Kind::kInteger:
      given.integer = draw.Wild();
      return;
    case Kind::kIntArray:
    case Kind::kBoolArray: {
      const bool flags = parameter.kind == Kind::kBoolArray;
      std::vector<int64_t>& values = given.integers;
      const uint8_t what = draw.Byte();
      if (what % 4 == 0) values.push_back(draw.Below(flags ? 2 : 4));
      if (what % 4 == 1) values.clear();
      if (what % 4 >= 2 && !values.empty()) {
        int64_t& value =
            values[static_cast<size_t>(draw.Below(static_cast<int64_t>(values.size())))];
        value = flags ? value ^ 1 : draw.Wild();
      }
      return;
    }
    case Kind::kFloatArray: {
      std::vector<double>& values = given.values;
      const uint8_t what = draw.Byte();
      if (what % 4 == 0) values.push_back(draw.Real());
      if (what % 4 == 1) values.clear();
      if (what % 4 >= 2 && !values.empty()) {
        values[static_cast<size_t>(draw.Below(static_cast<int64_t>(values.size())))] = draw.Real();
      }
      return;
    }
    case Kind::kTensorList:
    case Kind::kScalarList: {
      std::vector<Given>& elements = given.elements;
      const uint8_t what = draw.Byte();
      if (elements.empty()) return;
      const auto at = static_cast<size_t>(draw.Below(static_cast<int64_t>(elements.size())));
      if (what % 4 == 0) elements.push_back(Given(elements[at]));
      if (what % 4 == 1) elements.erase(elements.begin() + static_cast<ptrdiff_t>(at));
      if (what % 4 == 2) elements.clear();
      if (what % 4 == 3) elements[at].given = false;
      return;
    }
    case Kind::kString:
      given.text = draw.Pick(kTexts);
      given.given = true;
      return;
    case Kind::kTensor:  // View spoils it
      return;
  }
}

// Whether flags are among them, which say what is written.
bool SpoilArguments(Draw& draw, Call& call) {
  bool any_flags = false;
  for (uint8_t more = draw.Byte(); more >= 224; more = draw.Byte()) {
    const int p = static_cast<int>(draw.Below(call.size()));
    const Kind kind = call.ParameterAt(p).kind;
    any_flags = any_flags || kind == Kind::kBool || kind == Kind::kBoolArray;
    SpoilArgument(draw, call.ParameterAt(p), call.At(p));
  }
  return any_flags;
}

aclFormat AnyFormat(Draw& draw, const Parameter& parameter, const Given& given) {
  const bool any = parameter.formats == contract::kPlainFormats;
  if (draw.Byte() < 160 || !any) return static_cast<aclFormat>(given.format);
  std::vector<int> formats;
  for (int i = 0; i < 64; ++i) {
    if ((parameter.formats >> i & 1) != 0) formats.push_back(i);
  }
  return static_cast<aclFormat>(
      formats[static_cast<size_t>(draw.Below(static_cast<int64_t>(formats.size())))]);
}

// The arguments of a drawn call, as the C function gets them.
class Arguments {
 public:
  Arguments(Draw& draw, Call& call, bool flags_spoilt)
      : call_(call), flags_spoilt_(flags_spoilt), values(static_cast<size_t>(call.size())) {
    std::map<int, int> in_place;  // output -> input
    std::set<int> inputs;         // each for one output at most
    for (int output = 0; output < call.size(); ++output) {
      const Parameter& parameter = call.ParameterAt(output);
      for (int input = 0; input < call.size(); ++input) {
        const bool may = parameter.role == contract::Role::kOutput && parameter.MayBe(input);
        if (may && draw.Byte() >= 208 && inputs.insert(input).second) in_place[output] = input;
      }
    }
    for (int p = 0; p < call.size(); ++p) {
      if (call.IsGiven(p) && in_place.count(p) == 0) Make(draw, p);
    }
    for (const auto& [output, input] : in_place) {
      if (!call.IsGiven(output)) continue;
      View* const shared = tensors_.count(input) != 0 ? tensors_.at(input).get() : nullptr;
      const bool fits = shared != nullptr && call.Shape(output) == call.Shape(input) &&
                        call.DTypeOf(output) == call.DTypeOf(input) && !shared->overlaps();
      if (fits) {
        shared->MakeOutputToo();
        values[static_cast<size_t>(output)] = values[static_cast<size_t>(input)];
      } else {
        Make(draw, output);
      }
    }
    for (int p = 0; p < call.size(); ++p) {
      const Kind kind = call.ParameterAt(p).kind;
      if (!contract::IsPointer(kind) || kind == Kind::kString) continue;
      const void*& pointer = values[static_cast<size_t>(p)].pointer;
      pointer = SpoiltHandle(draw, pointer);
      // An optional output may then be missing, and nothing is written to it.
      if (pointer != nullptr || !call.ParameterAt(p).optional) continue;
      missing_.insert(p);
      // Without an optional input, an output that belongs to it may be left alone.
      if (contract::IsWritten(call.ParameterAt(p).role)) continue;
      for (const auto& [slot, view] : tensors_) view->MakeUnknown();
    }
  }

  std::vector<View*> Views() const {
    std::vector<View*> views;
    for (const auto& [slot, view] : tensors_) {
      if (missing_.count(slot.parameter) == 0) views.push_back(view.get());
    }
    return views;
  }

 private:
  View* MakeView(Draw& draw, truth::Slot slot) {
    const Given& given = call_.At(slot);
    const Parameter& parameter = call_.ParameterAt(slot.parameter);
    const Role role = !contract::IsWritten(parameter.role) ? Role::kInput
                      : flags_spoilt_                      ? Role::kUnknown
                      : !given.touched                     ? Role::kLeftAlone
                      : contract::IsRead(parameter.role)   ? Role::kInOut
                                                           : Role::kOutput;
    const auto view = std::make_shared<View>(
        draw, ViewSpec{role, given.shape, given.dtype, AnyFormat(draw, parameter, given)});
    view->Fill(draw, given.values);
    tensors_[slot] = view;
    return view.get();
  }

  void Make(Draw& draw, int p) {
    const Given& given = call_.At(p);
    truth::CallValue& value = values[static_cast<size_t>(p)];
    switch (call_.ParameterAt(p).kind) {
      case Kind::kTensor:
        value.pointer = MakeView(draw, p)->handle();
        return;
      case Kind::kTensorList: {
        std::vector<const aclTensor*> elements;
        for (int i = 0; i < call_.ListSize(p); ++i) {
          elements.push_back(call_.IsGiven({p, i}) ? MakeView(draw, {p, i})->TakeHandle()
                                                   : nullptr);
        }
        value.pointer = tensor_lists_.emplace_back(std::make_unique<Tensors>(elements))->handle;
        return;
      }
      case Kind::kScalarList: {
        std::vector<const aclScalar*> elements;
        for (const Given& element : given.elements) {
          elements.push_back(element.given ? Scalar(draw, element).Take() : nullptr);
        }
        value.pointer = scalar_lists_.emplace_back(std::make_unique<Scalars>(elements))->handle;
        return;
      }
      case Kind::kFloatArray:
        value.pointer = floats_
                            .emplace_back(std::make_unique<Floats>(
                                std::vector<float>(given.values.begin(), given.values.end())))
                            ->handle;
        return;
      case Kind::kScalar:
        value.pointer = scalars_.emplace_back(std::make_unique<Scalar>(draw, given))->handle;
        return;
      case Kind::kIntArray:
        value.pointer = ints_.emplace_back(std::make_unique<Ints>(given.integers))->handle;
        return;
      case Kind::kBoolArray:
        value.pointer = bools_
                            .emplace_back(std::make_unique<Bools>(
                                std::vector<uint8_t>(given.integers.begin(), given.integers.end())))
                            ->handle;
        return;
      case Kind::kString:
        value.pointer = given.text.c_str();
        return;
      case Kind::kBool:
      case Kind::kInteger:
      case Kind::kReal:
        value.integer = given.integer;
        value.real = given.real;
    }
  }

  Call& call_;
  const bool flags_spoilt_;
  std::map<truth::Slot, std::shared_ptr<View>> tensors_;
  std::vector<std::unique_ptr<Tensors>> tensor_lists_;
  std::vector<std::unique_ptr<Scalars>> scalar_lists_;
  std::vector<std::unique_ptr<Floats>> floats_;
  std::set<int> missing_;
  std::vector<std::unique_ptr<Scalar>> scalars_;
  std::vector<std::unique_ptr<Ints>> ints_;
  std::vector<std::unique_ptr<Bools>> bools_;

 public:
  std::vector<truth::CallValue> values;
};

}  // namespace

void RunTarget(const truth::OperatorEntry& entry, Draw& draw) {
  static const std::string name = entry.contract->function;
  static void* const phase1 = FunctionOf(name + "GetWorkspaceSize");
  static void* const phase2 = FunctionOf(name);
  ChooseSettings(draw);
  Call drawn(*entry.contract);
  entry.draw(draw, drawn);
  const bool flags_spoilt = SpoilArguments(draw, drawn);
  const Arguments arguments(draw, drawn, flags_spoilt);
  OperatorCall call;
  call.views = arguments.Views();
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return entry.phase1(phase1, arguments.values, size, executor);
  };
  call.run = reinterpret_cast<decltype(call.run)>(phase2);
  call.operations = draw.cost();
  call.runs_once = entry.sizes_output;
  Check(draw, call);
}

}  // namespace aclimb::fuzz
