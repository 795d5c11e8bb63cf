// A backend as somebody else would write it: the processor's, with kernels of its own for a few
// operators. With ACLIMB_TEST_OWN_MEMORY set the host does not see its memory. With
// ACLIMB_TEST_LATE set, who waits for a marker learns late that the time is up.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "aclimb/backend/backend.h"

extern "C" const AclimbBackend* aclimb_backend_cpu(void);

struct AclimbKernel {
  std::string function;
  std::vector<int64_t> shape;
};

namespace {

constexpr uint64_t kWorkspaceBytes = 96;

AclimbDevice* the_device = nullptr;

int OpenDevice(int index, AclimbDevice** device) {
  const int code = aclimb_backend_cpu()->device_open(index, device);
  if (code == 0) the_device = *device;
  return code;
}

bool HasOwnMemory() { return std::getenv("ACLIMB_TEST_OWN_MEMORY") != nullptr; }

void* KernelAddress(AclimbDevice* device, const void* address) {
  return HasOwnMemory() ? nullptr : aclimb_backend_cpu()->memory_kernel_address(device, address);
}

// Where the kernels of this file see what they are given.
void* Seen(void* address) {
  if (!HasOwnMemory() || address == nullptr) return address;
  return aclimb_backend_cpu()->memory_kernel_address(the_device, address);
}

int MakeKernel(const AclimbOperatorArguments* call, AclimbKernel** kernel,
               uint64_t* workspace_bytes) {
  *kernel = nullptr;
  *workspace_bytes = 0;
  const std::string function = call->function;
  if (function == "aclnnLog") return 507899;
  if (function == "aclnnBernoulli" || function == "aclnnNonzero") {
    const auto& self = *static_cast<const AclimbTensorArgument*>(call->arguments[0].values);
    *kernel = new AclimbKernel{function, {self.shape, self.shape + self.rank}};
    return 0;
  }
  if (function != "aclnnAbs" && function != "aclnnExp") return 0;
  const AclimbArgument& self = call->arguments[0];
  const AclimbArgument& out = call->arguments[1];
  const bool is_as_told = call->count == 2 && std::strcmp(self.name, "self") == 0 &&
                          self.kind == ACLIMB_ARGUMENT_TENSORS && self.count == 1 &&
                          out.kind == ACLIMB_ARGUMENT_TENSORS && out.count == 1;
  if (!is_as_told) return 507899;
  const auto& tensor = *static_cast<const AclimbTensorArgument*>(self.values);
  const auto& result = *static_cast<const AclimbTensorArgument*>(out.values);
  if (tensor.dtype != 0 || tensor.written != 0 || result.written != 1) return 0;
  *kernel = new AclimbKernel{function, {tensor.shape, tensor.shape + tensor.rank}};
  *workspace_bytes = kWorkspaceBytes;
  return 0;
}

// A thousand more than is right, so that a test sees who has computed.
int RunKernel(const AclimbKernel* kernel, void* const* addresses, uint64_t count, void* workspace) {
  if (kernel->function == "aclnnExp") return 507015;
  if (count != 2) return 507899;
  if (kernel->function == "aclnnBernoulli") {
    if (addresses[0] != nullptr) return 507899;
    *static_cast<float*>(Seen(addresses[1])) = 1001;
    return 0;
  }
  std::memset(Seen(workspace), 1, kWorkspaceBytes);
  int64_t elements = 1;
  for (const int64_t extent : kernel->shape) elements *= extent;
  const auto* const from = static_cast<const float*>(Seen(addresses[0]));
  auto* const to = static_cast<float*>(Seen(addresses[1]));
  for (int64_t i = 0; i < elements; ++i) to[i] = 1000 + std::fabs(from[i]);
  return 0;
}

void ReleaseKernel(AclimbKernel* kernel) { delete kernel; }

// As where the system runs other threads meanwhile: the work ends before it is told.
int WaitMarker(AclimbMarker* marker, int64_t timeout_ms, int take_error) {
  const int code = aclimb_backend_cpu()->marker_wait(marker, timeout_ms, take_error);
  if (code == 507047 && std::getenv("ACLIMB_TEST_LATE") != nullptr) {
    (void)aclimb_backend_cpu()->marker_wait(marker, 60000, /*take_error=*/0);
  }
  return code;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const AclimbBackend* aclimb_backend_entry(void) {
  static const AclimbBackend backend = [] {
    AclimbBackend made = *aclimb_backend_cpu();
    made.name = "with_kernels";
    made.device_open = OpenDevice;
    made.memory_kernel_address = KernelAddress;
    made.kernel_make = MakeKernel;
    made.kernel_run = RunKernel;
    made.kernel_release = ReleaseKernel;
    made.marker_wait = WaitMarker;
    return made;
  }();
  return &backend;
}
