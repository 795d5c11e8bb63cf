#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/operator_entry.h"
#include "aclnn/acl_meta.h"
#include "tests/support/device.h"

namespace aclimb::testing {

// A drawn call on the device: its tensors, in the views that are wanted, and its other objects.
class OperatorRun {
 public:
  using Layout = std::function<DeviceTensor::Options(int parameter)>;

  OperatorRun(const truth::OperatorEntry& entry, const truth::Call& call,
              const Layout& layout = {});

  // From now on this parameter is given the tensor of another one.
  void Share(truth::InPlace pair);

  // Both phases and the wait for the stream; the first code that is not 0.
  int Run(aclrtStream stream);

  // Each output is what it has to be, whole, and nothing else has changed; one that the call leaves
  // alone still holds its poison. Reports what is wrong.
  void ExpectTruth() const;
  // Nothing but outputs has changed.
  void ExpectOnlyOutputsWritten() const;

  DeviceTensor& Tensor(int parameter) const { return *tensors_.at(parameter); }

 private:
  void Make(int parameter, const Layout& layout);

  const truth::OperatorEntry& entry_;
  truth::Call call_;
  std::map<int, std::shared_ptr<DeviceTensor>> tensors_;
  std::map<int, std::vector<unsigned char>> inputs_;  // the bytes before the run
  std::vector<std::shared_ptr<void>> objects_;
  std::vector<truth::CallValue> values_;
};

// "gradOutput FLOAT [2, 3], alpha 1.5, ...": for messages.
std::string TextOf(const truth::Call& call);

}  // namespace aclimb::testing
