#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"
#include "aclimb/executor/storage_layout.h"
#include "aclnn/acl_meta.h"

// Operators of the older interface, which names them by a type (aclopCompileAndExecute). One that
// an operator of ours can answer for is answered by a call of that operator's own functions:
//
//   Status AnswerReduceSum(TypedCall& call) { ...; call.Run(phase 1, &aclnnReduceSum); ... }
//   const ByType kReduceSum("ReduceSum", &AnswerReduceSum);
namespace aclimb {

// One call. What an answer does not cover is refused by the first of these that sees it.
class TypedCall {
 public:
  explicit TypedCall(const AclimbOpCall& call)
      : call_(call),
        inputs_(call.inputs, call.inputs + call.input_count),
        outputs_(call.outputs, call.outputs + call.output_count) {}
  ~TypedCall();
  TypedCall(const TypedCall&) = delete;
  TypedCall& operator=(const TypedCall&) = delete;

  // So many tensors, and no attributes but these and those of the framework's own (_...).
  Status Has(int least_inputs, int most_inputs, int outputs,
             std::initializer_list<std::string_view> attributes) const;

  // Checks as Has does, and gives the first `opened` inputs and all outputs as tensors.
  struct Tensors {
    std::vector<const aclTensor*> inputs;
    std::vector<aclTensor*> outputs;
  };
  Result<Tensors> Open(int inputs, int outputs, std::initializer_list<std::string_view> attributes,
                       int opened);
  Result<Tensors> Open(int inputs, int outputs = 1,
                       std::initializer_list<std::string_view> attributes = {}) {
    return Open(inputs, outputs, attributes, inputs);
  }

  int input_count() const { return call_.input_count; }
  bool HasInput(int i) const { return i < call_.input_count && inputs_[i].dtype >= 0; }
  bool IsOnHost(int i) const { return inputs_[i].on_host != 0; }
  const AclimbOpTensor& Input(int i) const { return inputs_[i]; }
  const AclimbOpTensor& Output(int i) const { return outputs_[i]; }
  // The tensor for functions of aclnnop/, for the time of the call: dense, in device memory. One
  // that is stored in a format of the chip's own is a copy, and what is written to that is stored
  // at the end; a number in host memory is a copy as well, and so is an output that is an input.
  // Input and Output are of the copy from then on.
  Result<const aclTensor*> InputTensor(int i);
  Result<aclTensor*> OutputTensor(int i);
  // Describes a tensor that was checked, with another address or under another plain format.
  aclTensor* Describe(const AclimbOpTensor& tensor, aclFormat format = ACL_FORMAT_ND);
  // The numbers of a vector, or the one number, in host memory.
  Result<std::vector<int64_t>> InputInts(int i) const;
  // A number in host memory, for the time of the call.
  Result<const aclScalar*> InputScalar(int i);
  Result<double> InputNumber(int i) const;

  Result<int64_t> Integer(std::string_view name, int64_t otherwise) const;
  Result<bool> Flag(std::string_view name, bool otherwise) const;
  Result<float> Number(std::string_view name, float otherwise) const;
  Result<std::string> Text(std::string_view name, std::string_view otherwise) const;
  Result<std::vector<int64_t>> Ints(std::string_view name,
                                    const std::vector<int64_t>& otherwise) const;

  const aclIntArray* Array(const std::vector<int64_t>& values);
  const aclBoolArray* Array(std::initializer_list<bool> values);
  // Takes tensors of the call over: they go with the list.
  const aclTensorList* List(const std::vector<const aclTensor*>& tensors);

  // Whether `named` is the shape of output 0, from its dimension `first` on; `where` says who names
  // it, as "input 1".
  Status NamesOutput(const std::string& where, const std::vector<int64_t>& named,
                     int first = 0) const;
  // Whether input i names it; it is not read where it lies in device memory.
  Status InputNamesOutput(int i, int first = 0) const;

  // The call, and what is expected instead.
  Status Unsupported(const std::string& expected) const;

  // Device memory until the stream has done the work of the whole call; null where there is none.
  void* Scratch(uint64_t bytes);

  // Calls both phases of the operator. What they refuse, they have reported, and the calls that
  // follow do nothing.
  template <typename Phase1>
  void Run(Phase1&& phase1, aclnnStatus (*phase2)(void* workspace, uint64_t workspace_size,
                                                  aclOpExecutor* executor, aclrtStream stream)) {
    if (code_ != 0) return;
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    code_ = phase1(&size, &executor);
    if (code_ == 0) RunSecond(size, executor, phase2);
  }
  // Stores the outputs that have a format of the chip's own.
  void Store();
  // Gives the memory back, which waits for the work only where a tool looks on; what a stream
  // records keeps it instead. Returns the call's code.
  int Finish();

 private:
  using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

  // A dense copy of a tensor that is stored otherwise, and the tensor as it is stored.
  struct Stored {
    StorageLayout layout;
    AclimbOpTensor tensor;
    void* dense;
  };

  // Makes `tensor` a plain one.
  Result<aclTensor*> Tensor(AclimbOpTensor& tensor, const std::string& name, bool is_output);
  void CopyStored(const Stored& stored, bool to_dense);
  Status CopyNumber(AclimbOpTensor& tensor, const std::string& name);
  Result<aclScalar*> Number(const AclimbOpTensor& tensor, const std::string& name);
  bool IsAnInput(const AclimbOpTensor& tensor) const;
  const AclimbOpAttribute* Find(std::string_view name) const;
  // The attribute's value is of another kind.
  Status OtherKind(std::string_view name, const char* kind) const;
  void RunSecond(uint64_t size, aclOpExecutor* executor, Phase2 phase2);

  const AclimbOpCall& call_;
  std::vector<AclimbOpTensor> inputs_, outputs_;
  std::vector<Stored> stored_outputs_;
  int code_ = 0;
  std::vector<void*> scratch_;
  // Each run has it after the one before: they follow each other on the stream.
  void* workspace_ = nullptr;
  uint64_t workspace_size_ = 0;
  std::vector<aclTensor*> tensors_;
  std::vector<aclTensorList*> lists_;
  std::vector<aclScalar*> scalars_;
  std::vector<aclIntArray*> int_arrays_;
  std::vector<aclBoolArray*> bool_arrays_;
};

// Row by row.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims);

// Descriptors for the time of a statement: phase 1 copies what it needs.
class ScopedTensor {
 public:
  // `data` is the address of the first element; strides count elements.
  ScopedTensor(void* data, int32_t dtype, const std::vector<int64_t>& dims,
               const std::vector<int64_t>& strides);
  ScopedTensor(void* data, int32_t dtype, const std::vector<int64_t>& dims);  // dense
  ~ScopedTensor() { (void)aclDestroyTensor(tensor_); }
  ScopedTensor(const ScopedTensor&) = delete;
  ScopedTensor& operator=(const ScopedTensor&) = delete;
  operator aclTensor*() const { return tensor_; }  // NOLINT: an argument

 private:
  aclTensor* tensor_;
};
class ScopedScalar {
 public:
  explicit ScopedScalar(float value) : scalar_(aclCreateScalar(&value, ACL_FLOAT)) {}
  ~ScopedScalar() { (void)aclDestroyScalar(scalar_); }
  ScopedScalar(const ScopedScalar&) = delete;
  ScopedScalar& operator=(const ScopedScalar&) = delete;
  operator aclScalar*() const { return scalar_; }  // NOLINT: an argument

 private:
  aclScalar* scalar_;
};

// Runs an operator with these arguments, by its two functions.
template <auto kPhase1, auto kPhase2, typename... Arguments>
void RunOperator(TypedCall& call, const Arguments&... arguments) {
  call.Run([&](uint64_t* size,
               aclOpExecutor** executor) { return kPhase1(arguments..., size, executor); },
           kPhase2);
}

// Answers calls without attributes by one operator, whose arguments are the inputs, in this order,
// and the output.
template <auto kPhase1, auto kPhase2, int... kInputs>
Status AnswerDirectly(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(sizeof...(kInputs));
  if (!tensors.ok()) return tensors.TakeStatus();
  RunOperator<kPhase1, kPhase2>(call, tensors.value().inputs[kInputs]...,
                                tensors.value().outputs[0]);
  return Ok();
}

// Says, in static storage, who copies between views of device memory and fills them: what brings
// tensors out of the chip's own formats and into them, and numbers from the host to the device.
class StorageCopies {
 public:
  using Copy = void (*)(TypedCall& call, const aclTensor* from, aclTensor* to);
  using Zero = void (*)(TypedCall& call, aclTensor* to);
  using Fill = void (*)(TypedCall& call, const aclScalar* value, aclTensor* to);
  StorageCopies(Copy copy, Zero zero, Fill fill);

 private:
  friend TypedCall;
  static constinit Copy copy_;
  static constinit Zero zero_;
  static constinit Fill fill_;
};

// Says, in static storage, who answers calls of the type.
class ByType {
 public:
  using Answer = Status (*)(TypedCall& call);
  ByType(const char* type, Answer answer);

 private:
  static int AnswerCall(const AclimbOpCall* call);

  static constinit ByType* first_;

  const char* const type_;
  const Answer answer_;
  ByType* const next_;
};

}  // namespace aclimb
