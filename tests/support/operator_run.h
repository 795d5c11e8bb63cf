#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/operator_entry.h"
#include "aclnn/acl_meta.h"
#include "tests/support/call_arguments.h"
#include "tests/support/device.h"

namespace aclimb::testing {

// A drawn call on the device: its tensors, in the views that are wanted, and its other objects.
class OperatorRun {
 public:
  using Layout = std::function<DeviceTensor::Options(truth::Slot slot)>;

  OperatorRun(const truth::OperatorEntry& entry, const truth::Call& call,
              const Layout& layout = {});

  // From now on the parameter `output` is given the tensor, or the list, of `input`.
  void Share(int output, int input);

  // Both phases and the wait for the stream; the first code that is not 0.
  int Run(aclrtStream stream);

  // Each output is what it has to be, whole, and nothing else has changed; one that the call leaves
  // alone still holds its poison. Reports what is wrong.
  void ExpectTruth() const { Expect(Truth()); }
  // The same in two steps, for a call that runs several times.
  truth::Outputs Truth() const;
  void Expect(const truth::Outputs& outputs) const;

  DeviceTensor& Tensor(truth::Slot slot) const { return *tensors_.at(slot); }

 private:
  // What the C function gets for it.
  truth::CallValue Made(truth::Slot slot, contract::Kind kind, const Layout& layout);
  //   bytes  of the output
  void ExpectIntegers(truth::Slot output, const std::vector<int64_t>& expected,
                      const std::vector<unsigned char>& bytes) const;
  std::string IndexText(truth::Slot slot, size_t number) const;
  // "; there self is 1.5, other is 2": what inputs that broadcast to the output have for one of its
  // elements.
  std::string InputsText(truth::Slot output, size_t number) const;
  const void* MadeList(int parameter, contract::Kind kind, const Layout& layout);

  const truth::OperatorEntry& entry_;
  truth::Call call_;
  std::map<truth::Slot, std::shared_ptr<DeviceTensor>> tensors_;
  std::map<truth::Slot, std::vector<unsigned char>> inputs_;  // the bytes before the run
  std::vector<std::shared_ptr<void>> objects_;
  std::vector<truth::CallValue> values_;
};

// The arguments of the call, in dense views, for phase 1 alone. The call outlives them.
void Fill(CallArguments& arguments, const truth::Call& call);
// Phase 1 of the operator with them.
aclnnStatus CallPhase1(const truth::OperatorEntry& entry, CallArguments& arguments, uint64_t* size,
                       aclOpExecutor** executor);

// "gradOutput FLOAT [2, 3], alpha 1.5, ...": for messages.
std::string TextOf(const truth::Call& call);

}  // namespace aclimb::testing
