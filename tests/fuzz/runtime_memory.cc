// Calls about memory.

#include <algorithm>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
void RuntimeProgram::Allocate() {
  if (model_.blocks.size() >= kMostObjects) return;
  const uint8_t byte = draw_.Byte();
  const bool device = byte % 4 != 0;
  constexpr size_t kSizes[] = {64, 1, 512, 4096, 100, 31, 33, 1000};
  size_t size = draw_.Pick(kSizes);
  std::vector<int> refusals = ContextRefusals();
  if (byte >= 248) {
    const bool zero = byte % 2 == 0;
    size = zero ? 0 : static_cast<size_t>(1) << (40 + byte % 24);
    refusals.push_back(zero ? 100000 : 207001);
  }
  void* memory = nullptr;
  Call(device ? "aclrtMalloc" : "aclrtMallocHost", refusals, [&] {
    return device ? aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST)
                  : aclrtMallocHost(&memory, size);
  });
  if (!refusals.empty()) return;
  BlockModel& block = model_.blocks.emplace_back();
  block.address = static_cast<unsigned char*>(memory);
  block.size = size;
  block.device = device ? ContextAt(CurrentContext()).device : -1;
  block.bytes.assign(size, -1);
}

void RuntimeProgram::Free() {
  const uint8_t byte = draw_.Byte();
  if (byte < 224) {
    BlockModel* block = AnyBlock(byte % 4 != 0);
    if (block == nullptr) return;
    const bool device = block->device >= 0;
    // The host must not free what a queued copy still uses.
    if (!device) {
      for (const BlockModel::Access& access : block->accesses) {
        if (model_.host.At(access.stream) < access.position) return;
      }
      if (block->lost) return;
    }
    Call(device ? "aclrtFree" : "aclrtFreeHost", {},
         [&] { return device ? aclrtFree(block->address) : aclrtFreeHost(block->address); });
    block->alive = false;
    return;
  }
  // Something that is no live allocation's start.
  char local[16];
  void* address = byte % 4 == 0 ? nullptr : local;
  if (byte % 4 >= 2 && !model_.blocks.empty()) {
    const BlockModel& block = model_.blocks[draw_.Byte() % model_.blocks.size()];
    address = block.address + (byte % 4 == 2 || block.alive ? 1 : 0);
    if (!block.alive && byte % 4 == 3) {
      for (const BlockModel& other : model_.blocks) {
        if (other.alive && other.address == address) return;
      }
    }
  }
  const std::vector<int> refusals = {address == nullptr ? 100000 : 107000};
  Call("aclrtFree", refusals, [&] { return aclrtFree(address); });
  Call("aclrtFreeHost", refusals, [&] { return aclrtFreeHost(address); });
}

void RuntimeProgram::Fill() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(byte % 4 != 0, &range)) return;
  const uint8_t value = ++pattern_;
  std::vector<int> refusals = ContextRefusals();
  size_t count = range.size;
  if (byte >= 240) {
    // Past the end, slack and all.
    count = range.block->size + 64 + byte;
    refusals.push_back(107000);
  }
  if (byte % 2 == 0) {
    Call("aclrtMemset", refusals,
         [&] { return aclrtMemset(range.address(), count, value, count); });
    if (refusals.empty())
      model_.Write(*range.block, range.begin, Bytes(count, value), RuntimeModel::kHost, 0);
    return;
  }
  const StreamArgument stream = AnyStream();
  Append(refusals, stream.refusals);
  Call("aclrtMemsetAsync", refusals,
       [&] { return aclrtMemsetAsync(range.address(), count, value, count, stream.handle); });
  if (!refusals.empty()) return;
  const uint64_t position = model_.Queue(stream.index);
  model_.Write(*range.block, range.begin, Bytes(count, value), stream.index, position);
}

void RuntimeProgram::LookUp() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(byte % 4 != 0, &range)) return;
  const bool device = range.block->device >= 0;
  aclrtPtrAttributes attributes = {};
  Call("aclrtPointerGetAttributes", {},
       [&] { return aclrtPointerGetAttributes(range.address(), &attributes); });
  const auto expected = device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
  if (attributes.location.type != expected) Finding("memory lies in %d", attributes.location.type);
  void* base = nullptr;
  size_t size = 0;
  Call("aclrtMemGetAddressRange", device ? std::vector<int>{} : std::vector<int>{107000},
       [&] { return aclrtMemGetAddressRange(range.address(), &base, &size); });
  if (device && (base != range.block->address || size < range.block->size)) {
    Finding("an allocation of %zu bytes starts at %p and has %zu", range.block->size, base, size);
  }
}

// What the host may look at now.
void RuntimeProgram::CheckBlock() {
  for (BlockModel& block : model_.blocks) {
    if (!block.alive) continue;
    Compare("memory", block.address, model_.Read(block, 0, block.size, RuntimeModel::kHost, 0));
  }
}

}  // namespace aclimb::fuzz
