#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/contract/check.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/recycler.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/describe.h"
#include "aclimb/executor/device_kernel.h"
#include "aclimb/executor/executor.h"
#include "aclimb/executor/objects.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/recent_calls.h"
#include "aclimb/executor/report.h"
#include "aclimb/executor/team.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {
namespace {

// What a core moves in the time of one cycle of arithmetic, about.
constexpr double kBytesPerCycle = 8;
// From here on a run takes longer than it takes to wake a team that sleeps.
constexpr uint64_t kWakingBytes = uint64_t{3} << 20;
constexpr uint64_t kMostCostBytes = uint64_t{1} << 62;

// Of a kind whose arguments are handles.
int HandleKind(contract::Kind kind) {
  switch (kind) {
    case contract::Kind::kTensor:
      return ACLIMB_HANDLE_TENSOR;
    case contract::Kind::kScalar:
      return ACLIMB_HANDLE_SCALAR;
    case contract::Kind::kIntArray:
      return ACLIMB_HANDLE_INT_ARRAY;
    case contract::Kind::kFloatArray:
      return ACLIMB_HANDLE_FLOAT_ARRAY;
    case contract::Kind::kBoolArray:
      return ACLIMB_HANDLE_BOOL_ARRAY;
    case contract::Kind::kTensorList:
      return ACLIMB_HANDLE_TENSOR_LIST;
    case contract::Kind::kScalarList:
      return ACLIMB_HANDLE_SCALAR_LIST;
    case contract::Kind::kString:
    case contract::Kind::kBool:
    case contract::Kind::kInteger:
    case contract::Kind::kReal:
      break;
  }
  return 0;
}

void Resolve(contract::Argument& argument) {
  if (!contract::IsPointer(argument.kind) || argument.handle == nullptr) return;
  argument.object = argument.kind == contract::Kind::kString
                        ? argument.handle
                        : aclimb_handle_resolve(argument.handle, HandleKind(argument.kind));
  if (argument.object != nullptr) return;
  argument.handle_state = aclimb_handle_state_text(argument.handle);
  argument.handle_fix =
      aclimb_handle_fix_text(argument.handle, "destroy it only after phase 2 has returned");
}

// The elements of all lists of a call.
using Elements = std::vector<contract::Argument, RecyclingAllocator<contract::Argument>>;

template <typename List>
void AddElements(const contract::Argument& list, contract::Kind kind, Elements& elements) {
  const auto& members = static_cast<const List*>(list.object)->members;
  elements.reserve(elements.size() + members.size());
  for (const void* member : members) {
    Resolve(elements.emplace_back(contract::Argument{.kind = kind, .handle = member}));
  }
}

// `elements` lives as long as the arguments are used.
void Resolve(std::span<contract::Argument> arguments, Elements& elements) {
  for (contract::Argument& argument : arguments) {
    Resolve(argument);
    if (argument.object == nullptr) continue;
    if (argument.kind == contract::Kind::kTensorList) {
      AddElements<TensorListValue>(argument, contract::Kind::kTensor, elements);
    } else if (argument.kind == contract::Kind::kScalarList) {
      AddElements<ScalarListValue>(argument, contract::Kind::kScalar, elements);
    }
  }
  if (elements.empty()) return;
  std::span<const contract::Argument> rest = elements;
  for (contract::Argument& argument : arguments) {
    if (!contract::IsList(argument.kind) || argument.object == nullptr) continue;
    const size_t count = argument.kind == contract::Kind::kTensorList
                             ? static_cast<const TensorListValue*>(argument.object)->members.size()
                             : static_cast<const ScalarListValue*>(argument.object)->members.size();
    argument.elements = rest.first(count);
    rest = rest.subspan(count);
  }
}

Status CheckProtocol(const contract::Contract& contract, const uint64_t* workspace_size,
                     aclOpExecutor* const* executor) {
  const char* missing = workspace_size == nullptr ? "workspaceSize"
                        : executor == nullptr     ? "executor"
                                                  : nullptr;
  if (missing == nullptr) return Ok();
  return Refuse(kAclnnNullptr, Cat(missing, " is null; expected the address of a variable."),
                "pass &workspaceSize and &executor", Cat(contract.folder, "/null/", missing));
}

bool AreUsable(const AclimbSettings& settings) {
  return settings.problem == nullptr && settings.product >= 0;
}

Status CheckSettings(const contract::Contract& contract, const AclimbSettings& settings) {
  if (AreUsable(settings)) return Ok();
  return Refuse(kAclnnInvalid,
                settings.problem != nullptr ? std::string(settings.problem)
                                            : Cat("ACLIMB_SOC is ", settings.soc_name,
                                                  "; expected one of ", SocNamesText(), "."),
                "correct the environment variable, or unset it for its default",
                Cat(contract.folder, "/environment"));
}

// The argument, or the element of a list, that is a use's tensor.
const contract::Argument& ArgumentOf(const TensorUse& use, const contract::Arguments& arguments) {
  const contract::Argument& argument = arguments.At(use.parameter);
  return use.element < 0 ? argument : argument.elements[static_cast<size_t>(use.element)];
}

void SetUse(TensorUse& use, const contract::Arguments& arguments,
            const contract::Parameter& parameter, const Planner& planner) {
  use.role = planner.overwrites(use.parameter) ? contract::Role::kOutput : parameter.role;
  const auto* const tensor =
      static_cast<const TensorDescriptor*>(ArgumentOf(use, arguments).object);
  if (tensor == nullptr) return;
  // An empty tensor that counts as absent passed no check of its rank.
  if (tensor->rank() <= kMaxRank) use.view = tensor->View();
  use.view.data = nullptr;
  use.footprint = tensor->Footprint().value_or(TensorDescriptor::ByteRange{});
  use.touched =
      (planner.reads(use.parameter) || planner.writes(use.parameter)) && !tensor->IsEmpty();
  if (!use.touched) return;
  const int64_t count = use.view.ElementCount();
  const Moved whole = {.read = contract::IsRead(use.role) ? count : 0,
                       .written = contract::IsWritten(use.role) ? count : 0};
  const Moved* const part = planner.moved(use.parameter);
  const Moved& moved = part != nullptr ? *part : whole;
  use.bytes_read = BytesOf(use.view.dtype, moved.read);
  use.bytes_written = BytesOf(use.view.dtype, moved.written);
}

// How many tensors the parameter stands for in this call, given or not.
size_t CountTensors(const contract::Arguments& arguments, contract::Kind kind, int parameter) {
  if (kind == contract::Kind::kTensorList) return arguments.ElementCount(parameter);
  return kind == contract::Kind::kTensor ? 1 : 0;
}

void AddUses(PlannedCall& call, const contract::Arguments& arguments, const Planner& planner) {
  const contract::Contract& contract = *call.contract;
  size_t count = 0;
  bool any_list = false;
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const contract::Kind kind = contract.parameters[i].kind;
    count += CountTensors(arguments, kind, static_cast<int>(i));
    any_list = any_list || kind == contract::Kind::kTensorList;
  }
  call.uses.reserve(count);
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const int parameter = static_cast<int>(i);
    const bool in_list = contract.At(parameter).kind == contract::Kind::kTensorList;
    const size_t tensors = CountTensors(arguments, contract.At(parameter).kind, parameter);
    for (size_t e = 0; e < tensors; ++e) {
      TensorUse& use = call.uses.emplace_back();
      use.parameter = parameter;
      use.element = in_list ? static_cast<int>(e) : -1;
      SetUse(use, arguments, contract.At(parameter), planner);
      if (!any_list) continue;
      const char* const name = contract.At(parameter).name;
      call.element_names.push_back(in_list ? Cat(name, "[", e, "]") : std::string(name));
    }
  }
}

// What the engine weighs: the traffic of the touched tensors, or what a core could move while it
// computes, whichever is more.
uint64_t CostOf(const PlannedCall& call, const Planner& planner) {
  if (planner.opens_openmp_team()) return kMostCostBytes;
  const double bytes = kBytesPerCycle * planner.cost().cycles;
  double traffic = 0;
  for (const TensorUse& use : call.uses) {
    traffic += static_cast<double>(std::max(use.bytes_read, use.bytes_written));
  }
  return static_cast<uint64_t>(
      std::clamp(std::max(bytes, traffic), 1.0, static_cast<double>(kMostCostBytes)));
}

Helpers HelpersOf(const PlannedCall& call, const Planner& planner) {
  if (planner.opens_openmp_team()) return Helpers::kOpenMp;
  if (call.cost_bytes <= ACLIMB_INLINE_BYTES) return Helpers::kNone;
  return call.cost_bytes <= kWakingBytes ? Helpers::kAwake : Helpers::kTeam;
}

Result<PlannedCallPointer> PlanCall(const Operator& of, const contract::Arguments& arguments,
                                    bool deterministic) {
  const contract::Contract& contract = of.contract();
  // Plans ask libraries that keep locks of their own, and keep their answers under locks.
  const ForkHold hold;
  Planner planner(deterministic);
  Result<std::optional<PlanPointer>> on_device = PlanOnDevice(of, arguments, planner);
  if (!on_device.ok()) return on_device.TakeStatus();
  const bool is_on_device = on_device.value().has_value();
  Result<PlanPointer> planned =
      is_on_device ? std::move(*on_device.value()) : PlanOnHost(of, arguments, planner);
  if (!planned.ok()) return planned.TakeStatus();
  if (planner.workspace().overflow()) {
    return Refuse(
        kAclnnInvalid,
        "the shapes need a workspace of more than 2^63 bytes; expected a problem that fits "
        "in memory.",
        "split the tensors", Cat(contract.folder, "/workspace-overflow"));
  }
  const auto call = NewPlan<PlannedCall>();
  call->contract = &contract;
  call->plan = std::move(planned.value());
  call->sized = dynamic_cast<const SizedPlan*>(call->plan.get());
  call->on_device = is_on_device;
  call->workspace_size = call->plan ? planner.workspace().Size() : 0;
  call->deterministic = planner.deterministic();
  AddUses(*call, arguments, planner);
  call->cost_bytes = CostOf(*call, planner);
  call->any_thread = !planner.opens_openmp_team();
  call->helpers = HelpersOf(*call, planner);
  return PlannedCallPointer(call);
}

// Checks the arguments and plans, unless an equal call was answered before.
Result<PlannedCallPointer> FindOrPlanCall(Operator& of, const contract::Arguments& arguments,
                                          const AclimbSettings& settings) {
  const contract::Contract& contract = of.contract();
  const bool deterministic = aclimb_deterministic() != 0;
  const CallKey key(arguments, deterministic);
  // Whoever reads the log wants to see each choice.
  const bool keeps = AreUsable(settings) && settings.log_plan == 0;
  if (keeps) {
    if (PlannedCallPointer found = of.recent_calls().Find(key)) return found;
  }
  if (Status status = contract::CheckNulls(contract, arguments); !status.ok()) return status;
  if (Status status = CheckSettings(contract, settings); !status.ok()) return status;
  if (Status status = contract::Check(contract, arguments); !status.ok()) return status;
  Result<PlannedCallPointer> made = PlanCall(of, arguments, deterministic);
  if (keeps && made.ok()) of.recent_calls().Keep(key, made.value());
  return made;
}

// The tensors of this call.
void Bind(Executor& executor, const contract::Arguments& arguments) {
  executor.tensors.Resize(executor.call->uses.size());
  BoundTensor* tensor = executor.tensors.data();
  for (const TensorUse& use : executor.call->uses) {
    const contract::Argument& argument = ArgumentOf(use, arguments);
    tensor->handle = argument.handle;
    if (use.element >= 0) tensor->list = arguments.At(use.parameter).handle;
    const auto* const given = static_cast<const TensorDescriptor*>(argument.object);
    if (given != nullptr) tensor->data = given->data;
    ++tensor;
  }
}

void TellCall(const contract::Contract& contract, const std::string& arguments) {
  const AclimbOperatorCall call = {.function = contract.function,
                                   .phase = 1,
                                   .arguments = arguments.c_str(),
                                   .workspace_size = 0,
                                   .deterministic = aclimb_deterministic() != 0 ? 1 : 0};
  aclimb_call_details(&call);
}

Status Run(Operator& of, std::span<contract::Argument> arguments, uint64_t* workspace_size,
           aclOpExecutor** handle) {
  const contract::Contract& contract = of.contract();
  ConfigureTeam();
  const AclimbSettings& settings = *aclimb_settings();
  Elements elements;
  Resolve(arguments, elements);
  const contract::Arguments view(arguments, static_cast<Product>(settings.product),
                                 settings.extensions != 0);
  const bool observed = Observing();
  std::string description;
  if (observed) {
    description = DescribeArguments(contract, view);
    TellCall(contract, description);
  }
  if (Status status = CheckProtocol(contract, workspace_size, handle); !status.ok()) return status;
  Result<PlannedCallPointer> call = FindOrPlanCall(of, view, settings);
  if (!call.ok()) return call.TakeStatus();
  const uint64_t size = call.value()->workspace_size;
  auto executor = std::make_unique<Executor>();
  executor->call = std::move(call.value());
  Bind(*executor, view);
  if (observed) executor->arguments = std::make_shared<std::string>(std::move(description));
  void* made = aclimb_handle_create(ACLIMB_HANDLE_EXECUTOR, executor.get());
  if (made == nullptr) throw NoHandle();
  executor.release();
  *workspace_size = size;
  *handle = static_cast<aclOpExecutor*>(made);
  return Ok();
}

}  // namespace

namespace phase_internal {

contract::Argument Argument(float value) noexcept {
  return {.kind = contract::Kind::kReal, .real = static_cast<double>(value)};
}

aclnnStatus Phase1(Operator& of, std::span<contract::Argument> arguments, uint64_t* workspace_size,
                   aclOpExecutor** executor) noexcept {
  return Guarded(of.contract().function, "GetWorkspaceSize",
                 [&] { return Run(of, arguments, workspace_size, executor); });
}

}  // namespace phase_internal
}  // namespace aclimb
