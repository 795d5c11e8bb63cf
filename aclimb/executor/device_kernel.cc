#include "aclimb/executor/device_kernel.h"

#include <cstring>
#include <deque>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "aclimb/backend/backend.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/system_refusal.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/sized_plan.h"

namespace aclimb {
namespace {

struct ReleaseKernel {
  const AclimbBackend* backend;
  void operator()(AclimbKernel* kernel) const { backend->kernel_release(kernel); }
};
using KernelPointer = std::unique_ptr<AclimbKernel, ReleaseKernel>;

class DevicePlan final : public Plan {
 public:
  explicit DevicePlan(KernelPointer kernel) : kernel_(std::move(kernel)) {}

  void SetWorkspace(WorkspacePiece workspace) { workspace_ = workspace; }

  void Run(const RunContext& run) const override {
    std::vector<void*> addresses(run.TensorCount());
    for (size_t i = 0; i < addresses.size(); ++i) addresses[i] = run.DataOfTensor(i);
    const int code = kernel_.get_deleter().backend->kernel_run(
        kernel_.get(), addresses.data(), addresses.size(), run.Piece(workspace_));
    if (code != 0) throw RunFailure{.code = code};
  }

 private:
  const KernelPointer kernel_;
  WorkspacePiece workspace_;
};

// The call in the words of the interface; lives until the kernel was made.
class Told {
 public:
  Told(const contract::Contract& contract, const contract::Arguments& arguments,
       bool deterministic) {
    for (size_t i = 0; i < contract.parameters.size(); ++i) {
      Add(contract.parameters[i], arguments.At(static_cast<int>(i)));
    }
    call_ = {contract.function, arguments_.data(), arguments_.size(), deterministic ? 1 : 0};
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  const AclimbOperatorArguments& call() const { return call_; }

 private:
  void Add(const contract::Parameter& parameter, const contract::Argument& argument) {
    const bool is_null = contract::IsPointer(argument.kind) && argument.object == nullptr;
    switch (argument.kind) {
      case contract::Kind::kTensor:
        // A tensor that was not given has its place among the addresses.
        AddTensors(parameter, {&argument, 1}, false);
        return;
      case contract::Kind::kTensorList:
        AddTensors(parameter, argument.elements, is_null);
        return;
      case contract::Kind::kScalar:
        AddScalars(parameter, {&argument, 1}, is_null);
        return;
      case contract::Kind::kScalarList:
        AddScalars(parameter, argument.elements, is_null);
        return;
      case contract::Kind::kIntArray:
        AddList<IntArrayValue>(parameter, ACLIMB_ARGUMENT_INTEGERS, argument, integers_);
        return;
      case contract::Kind::kBoolArray:
        AddList<BoolArrayValue>(parameter, ACLIMB_ARGUMENT_INTEGERS, argument, integers_);
        return;
      case contract::Kind::kFloatArray:
        AddList<FloatArrayValue>(parameter, ACLIMB_ARGUMENT_REALS, argument, reals_);
        return;
      case contract::Kind::kBool:
      case contract::Kind::kInteger:
        integers_.push_back({argument.integer});
        Add(parameter, ACLIMB_ARGUMENT_INTEGERS, 1, integers_.back().data());
        return;
      case contract::Kind::kReal:
        reals_.push_back({argument.real});
        Add(parameter, ACLIMB_ARGUMENT_REALS, 1, reals_.back().data());
        return;
      case contract::Kind::kString:
        Add(parameter, ACLIMB_ARGUMENT_TEXT,
            is_null ? 0 : std::strlen(static_cast<const char*>(argument.object)), argument.object);
        return;
    }
  }

  void Add(const contract::Parameter& parameter, int kind, size_t count, const void* values) {
    arguments_.push_back({parameter.name, kind, count, values});
  }

  void AddTensors(const contract::Parameter& parameter, std::span<const contract::Argument> tensors,
                  bool is_null) {
    std::vector<AclimbTensorArgument>& told = tensors_.emplace_back();
    told.reserve(tensors.size() + 1);
    const int written = parameter.role == contract::Role::kInput    ? 0
                        : parameter.role == contract::Role::kOutput ? 1
                                                                    : 2;
    for (const contract::Argument& tensor : tensors) {
      const auto* const given = static_cast<const TensorDescriptor*>(tensor.object);
      if (given == nullptr) {
        told.push_back({static_cast<int32_t>(DType::kUndefined), contract::kNd, -1, written,
                        nullptr, nullptr});
      } else {
        told.push_back({static_cast<int32_t>(given->dtype), given->format, given->rank(), written,
                        given->shape.data(), given->stride.data()});
      }
    }
    Add(parameter, ACLIMB_ARGUMENT_TENSORS, told.size(), is_null ? nullptr : told.data());
  }

  void AddScalars(const contract::Parameter& parameter, std::span<const contract::Argument> scalars,
                  bool is_null) {
    std::vector<AclimbScalarArgument>& told = scalars_.emplace_back();
    told.reserve(scalars.size() + 1);
    for (const contract::Argument& scalar : scalars) {
      if (is_null) break;
      const auto& value = *static_cast<const ScalarValue*>(scalar.object);
      AclimbScalarArgument& one = told.emplace_back();
      one.dtype = static_cast<int32_t>(value.dtype);
      std::memcpy(one.bytes, value.bytes, sizeof(one.bytes));
    }
    Add(parameter, ACLIMB_ARGUMENT_SCALARS, told.size(), is_null ? nullptr : told.data());
  }

  template <typename List, typename T>
  void AddList(const contract::Parameter& parameter, int kind, const contract::Argument& argument,
               std::deque<std::vector<T>>& lists) {
    const auto* const given = static_cast<const List*>(argument.object);
    if (given == nullptr) {
      Add(parameter, kind, 0, nullptr);
      return;
    }
    std::vector<T>& told = lists.emplace_back(given->begin(), given->end());
    told.reserve(told.size() + 1);  // an empty list has an address
    Add(parameter, kind, told.size(), told.data());
  }

  std::vector<AclimbArgument> arguments_;
  std::deque<std::vector<AclimbTensorArgument>> tensors_;
  std::deque<std::vector<AclimbScalarArgument>> scalars_;
  std::deque<std::vector<int64_t>> integers_;
  std::deque<std::vector<double>> reals_;
  AclimbOperatorArguments call_ = {};
};

// Which tensors a run touches is the operator's to say, whoever computes it: those that its plan
// for the host does, or all that it may when there is no such plan.
//   of_host  what the plan for the host has booked; null: there is none
void BookTensors(const contract::Contract& contract, const Planner* of_host, Planner& planner) {
  for (int i = 0; i < static_cast<int>(contract.parameters.size()); ++i) {
    const contract::Parameter& parameter = contract.At(i);
    if (!contract::HasTensors(parameter.kind)) continue;
    const bool reads = of_host ? of_host->reads(i) : contract::IsRead(parameter.role);
    const bool writes = of_host ? of_host->writes(i) : contract::IsWritten(parameter.role);
    if (reads) planner.Reads(i);
    if (writes) planner.Writes(i);
    if (of_host && of_host->overwrites(i)) planner.Overwrites(i);
  }
}

}  // namespace

Result<PlanPointer> PlanOnHost(const Operator& of, const contract::Arguments& arguments,
                               Planner& planner) {
  try {
    return of.plan()(arguments, planner);
  } catch (const std::system_error& error) {
    const SystemRefusal refusal =
        RefusedThread("the thread on which phase 1 plans the call", error.code().value());
    return Refuse(kAclnnRuntime, refusal.what, refusal.fix, Cat(of.contract().folder, "/thread"));
  }
}

Result<std::optional<PlanPointer>> PlanOnDevice(const Operator& of,
                                                const contract::Arguments& arguments,
                                                Planner& planner) {
  const AclimbBackend* const backend = aclimb_backend();
  if (backend == nullptr || backend->kernel_make == nullptr) return std::optional<PlanPointer>();
  const Told told(of.contract(), arguments, planner.deterministic());
  AclimbKernel* made = nullptr;
  uint64_t workspace_bytes = 0;
  const int code = backend->kernel_make(&told.call(), &made, &workspace_bytes);
  if (code != 0) {
    return Refuse(kAclnnRuntime,
                  Cat("the device ", backend->name, " answered ", CodeText(code),
                      " when it was to make its kernel; expected 0."),
                  "see the device's own log, or unset ACLIMB_DEVICE to use the processor",
                  "phase1/device-kernel");
  }
  if (made == nullptr) return std::optional<PlanPointer>();
  KernelPointer kernel(made, ReleaseKernel{backend});
  Planner of_host(planner.deterministic());
  const Result<PlanPointer> host = PlanOnHost(of, arguments, of_host);
  if (host.ok() && host.value() == nullptr) return std::optional<PlanPointer>(PlanPointer());
  // The shape of such an output comes out of the run, and a kernel has no way to tell it.
  if (host.ok() && dynamic_cast<const SizedPlan*>(host.value().get()) != nullptr) {
    return std::optional<PlanPointer>();
  }
  BookTensors(of.contract(), host.ok() ? &of_host : nullptr, planner);
  const auto plan = NewPlan<DevicePlan>(std::move(kernel));
  plan->SetWorkspace(planner.workspace().Book(static_cast<int64_t>(workspace_bytes)));
  return std::optional<PlanPointer>(plan);
}

}  // namespace aclimb
