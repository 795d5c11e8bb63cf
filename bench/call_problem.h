#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/case.h"
#include "bench/device_tensor.h"

// Problems of any function of tensors: what it reads and writes, and how it is called.
namespace aclimb::bench {

struct Operand {
  std::vector<int64_t> shape;
  std::string dtype;
  std::vector<int64_t> strides = {};
  // Elements of an input are whole numbers below it; 0 for normal ones.
  int64_t below = 0;
  aclFormat format = ACL_FORMAT_ND;
  // What is added to the whole numbers.
  int64_t least = 0;

  double Bytes() const {
    double elements = 1;
    for (const int64_t extent : shape) elements *= static_cast<double>(extent);
    return elements * static_cast<double>(SizeOfName(dtype));
  }
};

using Tensors = std::vector<aclTensor*>;

struct Call {
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  // Is called once for a problem, and returns phase 1; what that needs is kept in it.
  std::function<std::function<aclnnStatus(uint64_t*, aclOpExecutor**)>(const Tensors& inputs,
                                                                       const Tensors& outputs)>
      open;
  aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  // Runs tell the outputs the shapes of what they found, and the next one needs room for all again.
  bool sized = false;
};

class CallProblem : public Problem {
 public:
  explicit CallProblem(const Call& call) : call_(call) {
    const Tensors inputs = Make(call.inputs, inputs_), outputs = Make(call.outputs, outputs_);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const int64_t below = call.inputs[i].below, least = call.inputs[i].least;
      if (below == 0) {
        inputs_[i]->FillNormal(i + 1);
      } else {
        Random random(i + 1);
        std::vector<int64_t> values(static_cast<size_t>(inputs_[i]->count()));
        for (int64_t& value : values) value = least + random.Below(below);
        inputs_[i]->Upload(values);
      }
    }
    phase1_ = call.open(inputs, outputs);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    for (size_t i = 0; call_.sized && i < outputs_.size(); ++i) ShapeAnew(i);
    return phase1_(workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return call_.phase2(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override {
    for (const auto& output : outputs_) output->Poison();
  }
  bool PoisonShows() const override {
    for (const auto& output : outputs_) {
      if (output->PoisonShows()) return true;
    }
    return false;
  }

 private:
  using Made = std::vector<std::unique_ptr<DeviceTensor>>;

  static Tensors Make(const std::vector<Operand>& operands, Made& made) {
    Tensors tensors;
    for (const Operand& operand : operands) {
      made.push_back(std::make_unique<DeviceTensor>(operand.shape, operand.dtype, operand.strides,
                                                    operand.format));
      tensors.push_back(*made.back());
    }
    return tensors;
  }

  void ShapeAnew(size_t output) {
    const Operand& operand = call_.outputs[output];
    void* data = nullptr;
    Check(aclGetRawTensorAddr(*outputs_[output], &data), "aclGetRawTensorAddr");
    Check(aclInitTensor(*outputs_[output], operand.shape.data(), operand.shape.size(),
                        AclDataTypeOf(operand.dtype), nullptr, 0, operand.format,
                        operand.shape.data(), operand.shape.size(), data),
          "aclInitTensor");
  }

  const Call call_;
  Made inputs_;
  Made outputs_;
  std::function<aclnnStatus(uint64_t*, aclOpExecutor**)> phase1_;
};

// All inputs are read and all outputs written once, unless `cost` says else.
inline Case CaseOf(const char* operator_name, const char* name, const char* dtype,
                   std::vector<std::pair<std::string, std::string>> parameters, const Call& call,
                   Cost cost = {}) {
  if (cost.read_bytes + cost.write_bytes == 0) {
    for (const Operand& input : call.inputs) cost.read_bytes += input.Bytes();
    for (const Operand& output : call.outputs) cost.write_bytes += output.Bytes();
  }
  parameters.emplace_back("dtype", dtype);
  return {operator_name,         name, dtype,
          std::move(parameters), cost, [call] { return std::make_unique<CallProblem>(call); }};
}

// The number that losses take for "none", "mean" or "sum".
inline int64_t NumberOfReduction(const std::string& reduction) {
  return reduction == "none" ? 0 : reduction == "mean" ? 1 : 2;
}

// A scalar for the calls of a problem. It lives as long as the process, as its cases do.
inline aclScalar* ScalarOf(float number) { return aclCreateScalar(&number, ACL_FLOAT); }

}  // namespace aclimb::bench
