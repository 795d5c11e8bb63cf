#include "aclimb/observe/quarantine.h"

#include "aclimb/observe/observe.h"

namespace aclimb::observe {
namespace {

constexpr size_t kMostBlocks = 4096;
constexpr uint64_t kMostHostBytes = uint64_t{64} << 20;

uint64_t MostBytes(const AclimbBackend& backend, AclimbDevice* device) {
  if (device == nullptr) return kMostHostBytes;
  uint64_t free = 0;
  uint64_t total = 0;
  backend.memory_info(device, &free, &total);
  return total / 8;
}

}  // namespace

void Quarantine::Allocated(AclimbDevice* device, void* address, uint64_t bytes) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    devices_[device].live[address] = bytes;
  } catch (...) {  // Without memory its free will not wait.
  }
}

bool Quarantine::Keep(AclimbDevice* device, void* address) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    Device& of = devices_[device];
    const auto found = of.live.find(address);
    if (found == of.live.end()) return false;
    const uint64_t ticket = device == nullptr ? 0 : backend_.memory_ticket();
    const Block block{address, found->second, ticket};
    of.live.erase(found);
    if (of.most == 0) of.most = MostBytes(backend_, device);
    if (block.bytes > of.most) return false;
    of.kept.push_back(block);
    of.bytes += block.bytes;
    while (of.bytes > of.most || of.kept.size() > kMostBlocks) FreeOldest(device, of);
    return true;
  } catch (...) {
    return false;
  }
}

void Quarantine::FreeOldest(AclimbDevice* device, Device& of) {
  const Block block = of.kept.front();
  of.kept.pop_front();
  of.bytes -= block.bytes;
  if (device == nullptr) {
    Each([&](Observer& tool) { tool.HostGivenBack(block.address); });
    backend_.host_free(block.address);
  } else {
    backend_.memory_free_as_of(device, block.address, block.ticket);
  }
}

bool Quarantine::GiveBack(AclimbDevice* device) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = devices_.find(device);
  if (found == devices_.end() || found->second.kept.empty()) return false;
  while (!found->second.kept.empty()) FreeOldest(device, found->second);
  return true;
}

void Quarantine::Forget(AclimbDevice* device) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  devices_.erase(device);
}

uint64_t Quarantine::BytesOf(AclimbDevice* device) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = devices_.find(device);
  return found == devices_.end() ? 0 : found->second.bytes;
}

}  // namespace aclimb::observe
