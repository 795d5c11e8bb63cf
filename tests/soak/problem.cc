#include "tests/soak/problem.h"

#include <dlfcn.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "aclimb/core/packed.h"
#include "aclimb/truth/all_operators.h"
#include "aclimb/truth/elements.h"

namespace aclimb::testing {
namespace {

using contract::Kind;

// On both sides of what runs inline and what opens a team.
constexpr int64_t kMostElements[] = {2'000, 25'000, 300'000};
constexpr double kMostOperations = 3e7;

struct Phases {
  void* first;
  void* second;
};

// By their names, as frameworks find them; looked up once.
const Phases& PhasesOf(const truth::OperatorEntry& entry) {
  static const std::map<const truth::OperatorEntry*, Phases> all = [] {
    std::map<const truth::OperatorEntry*, Phases> phases;
    for (const truth::OperatorEntry* each : AllOperators()) {
      const std::string name = each->contract->function;
      phases[each] = {dlsym(RTLD_DEFAULT, (name + "GetWorkspaceSize").c_str()),
                      dlsym(RTLD_DEFAULT, name.c_str())};
    }
    return phases;
  }();
  return all.at(&entry);
}

SoakTensor TensorOf(const truth::Call& call, truth::Slot slot) {
  const truth::Given& given = call.At(slot);
  SoakTensor tensor = {.slot = slot,
                       .shape = given.shape,
                       .dtype = static_cast<aclDataType>(given.dtype),
                       .format = static_cast<aclFormat>(given.format),
                       .bytes = static_cast<size_t>(BytesOf(given.dtype, given.ElementCount())),
                       .values = {}};
  if (given.values.empty()) return tensor;
  tensor.values.resize(tensor.bytes);
  for (size_t i = 0; i < given.values.size(); ++i) {
    unsigned char element[16] = {};
    truth::WriteElement(element, given.dtype, given.values[i]);
    truth::StoreElement(tensor.values.data(), static_cast<int64_t>(i), given.dtype, element);
  }
  return tensor;
}

// Whether every tensor has elements, so that there is something to compare.
bool IsWhole(const truth::Call& call) {
  for (const truth::Slot slot : call.Tensors()) {
    if (call.ElementCount(slot) == 0) return false;
  }
  return true;
}

aclScalar* ScalarOf(const truth::Given& given) {
  alignas(16) unsigned char bytes[16] = {};
  truth::WriteElement(bytes, given.dtype, given.real);
  return aclCreateScalar(bytes, static_cast<aclDataType>(given.dtype));
}

}  // namespace

aclnnStatus SoakProblem::Plan(std::vector<aclTensor*>& handles, uint64_t* size,
                              aclOpExecutor** executor) const {
  // Objects that a program makes for one call of phase 1 and destroys after it.
  std::vector<std::function<void()>> undo;
  std::vector<truth::CallValue> values(static_cast<size_t>(call.size()));
  const auto handle_of = [&](truth::Slot slot) -> const aclTensor* {
    for (size_t i = 0; i < handles.size(); ++i) {
      if (tensors[i].slot == slot) return handles[i];
    }
    return nullptr;
  };
  for (int p = 0; p < call.size(); ++p) {
    const truth::Given& given = call.At(p);
    truth::CallValue& value = values[static_cast<size_t>(p)];
    if (!given.given) continue;
    switch (call.ParameterAt(p).kind) {
      case Kind::kTensor:
        value.pointer = handle_of(p);
        break;
      case Kind::kTensorList: {
        std::vector<const aclTensor*> elements;
        for (int i = 0; i < call.ListSize(p); ++i) elements.push_back(handle_of({p, i}));
        aclTensorList* made = aclCreateTensorList(elements.data(), elements.size());
        undo.push_back([made] { (void)aclDestroyTensorList(made); });
        value.pointer = made;
        break;
      }
      case Kind::kScalarList: {
        std::vector<const aclScalar*> elements;
        for (const truth::Given& each : given.elements) elements.push_back(ScalarOf(each));
        aclScalarList* made = aclCreateScalarList(elements.data(), elements.size());
        undo.push_back([made] { (void)aclDestroyScalarList(made); });
        value.pointer = made;
        break;
      }
      case Kind::kFloatArray: {
        const std::vector<float> floats(given.values.begin(), given.values.end());
        aclFloatArray* made = aclCreateFloatArray(floats.data(), floats.size());
        undo.push_back([made] { (void)aclDestroyFloatArray(made); });
        value.pointer = made;
        break;
      }
      case Kind::kScalar: {
        aclScalar* made = ScalarOf(given);
        undo.push_back([made] { (void)aclDestroyScalar(made); });
        value.pointer = made;
        break;
      }
      case Kind::kIntArray: {
        aclIntArray* made = aclCreateIntArray(given.integers.data(), given.integers.size());
        undo.push_back([made] { (void)aclDestroyIntArray(made); });
        value.pointer = made;
        break;
      }
      case Kind::kBoolArray: {
        const std::vector<uint8_t> flags(given.integers.begin(), given.integers.end());
        aclBoolArray* made =
            aclCreateBoolArray(reinterpret_cast<const bool*>(flags.data()), flags.size());
        undo.push_back([made] { (void)aclDestroyBoolArray(made); });
        value.pointer = made;
        break;
      }
      case Kind::kString:
        value.pointer = given.text.c_str();
        break;
      case Kind::kBool:
      case Kind::kInteger:
      case Kind::kReal:
        value.integer = given.integer;
        value.real = given.real;
    }
  }
  const aclnnStatus code = entry->phase1(PhasesOf(*entry).first, values, size, executor);
  for (const auto& destroy : undo) destroy();
  for (size_t i = 0; i < handles.size(); ++i) {
    if (tensors[i].slot.element >= 0) handles[i] = nullptr;
  }
  return code;
}

aclnnStatus SoakProblem::Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                             aclrtStream stream) const {
  using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  return reinterpret_cast<Phase2>(PhasesOf(*entry).second)(workspace, size, executor, stream);
}

std::unique_ptr<SoakProblem> MakeSoakProblem(const truth::OperatorEntry& entry, uint64_t seed) {
  constexpr uint64_t kTries = 1000;
  for (uint64_t again = 0;; ++again) {
    truth::Draw draw(seed * kTries + again);
    draw.SetExtensions(false);
    draw.SetMostElements(draw.Pick(kMostElements));
    truth::Call call(*entry.contract);
    entry.draw(draw, call);
    const bool usable = !draw.strange() && draw.cost() <= kMostOperations && IsWhole(call);
    if (!usable && again + 1 < kTries) continue;
    auto problem = std::make_unique<SoakProblem>(std::move(call));
    problem->entry = &entry;
    for (const truth::Slot slot : problem->call.Tensors()) {
      // One that nobody wants keeps what is in it, which is compared too.
      problem->tensors.push_back(TensorOf(problem->call, slot));
    }
    return problem;
  }
}

}  // namespace aclimb::testing
