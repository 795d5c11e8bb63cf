#pragma once

#include "aclnnop/aclnn_scatter_add.h"
#include "tests/support/device.h"

namespace aclimb::indexing {

class ScatterAddTest : public aclimb::testing::DeviceTest {
 protected:
  using DeviceTensor = aclimb::testing::DeviceTensor;

  // In place; the code of the phase that fails.
  int ScatterAdd(const DeviceTensor& self, int64_t dim, const DeviceTensor& index,
                 const DeviceTensor& src) {
    return aclimb::testing::RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnScatterAddGetWorkspaceSize(self, dim, index, src, self, size, executor);
        },
        &aclnnScatterAdd, stream_);
  }
};

}  // namespace aclimb::indexing
