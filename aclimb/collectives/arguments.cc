#include "aclimb/collectives/arguments.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/handle.h"
#include "aclimb/collectives/open_group.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 62;

// The device memory of the elements as the host sees it.
Result<std::byte*> Locate(const char* name, const void* address, uint64_t bytes,
                          uint32_t alignment) {
  const std::string is = Cat(name, " is ", aclimb::AddressText(address));
  AclimbAllocation allocation = {};
  if (aclimb_memory_find(address, &allocation) == 0) {
    char what[160];
    const char* const fix = aclimb_memory_absent_text(address, what, sizeof(what));
    return Refuse(HCCL_E_PARA, Cat(is, ", ", what, "; expected live device memory."), fix,
                  Cat("collective/memory/", name));
  }
  const auto offset = static_cast<uint64_t>(static_cast<const char*>(address) -
                                            static_cast<const char*>(allocation.base));
  if (bytes > allocation.usable - offset) {
    return Refuse(HCCL_E_PARA,
                  Cat(is, ", with ", allocation.usable - offset,
                      " bytes to the end of its memory; "
                      "the call needs ",
                      bytes, ", expected as many."),
                  "counts are in elements: allocate enough, or pass a smaller count",
                  Cat("collective/past-end/", name));
  }
  if (reinterpret_cast<uintptr_t>(address) % alignment != 0) {
    return Refuse(HCCL_E_PARA,
                  Cat(is, "; expected a multiple of ", alignment, ", the size of its elements."),
                  "align the buffer to its elements", Cat("collective/alignment/", name));
  }
  if (allocation.kernel_base == nullptr) {
    return Refuse(HCCL_E_NOT_SUPPORT,
                  Cat(is,
                      ", on a device whose memory the host does not see; expected the "
                      "processor's own."),
                  "unset ACLIMB_DEVICE", Cat("collective/unseen-memory/", name));
  }
  return static_cast<std::byte*>(allocation.kernel_base) + offset;
}

// What the blocks cover, in its order in memory: blocks that touch are one.
std::vector<Block> Covered(std::vector<Block> blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.offset < b.offset; });
  std::vector<Block> covered;
  for (const Block& block : blocks) {
    if (block.bytes == 0) continue;
    Block* const last = covered.empty() ? nullptr : &covered.back();
    if (last == nullptr || block.offset > last->offset + last->bytes) {
      covered.push_back(block);
    } else {
      last->bytes = std::max(last->bytes, block.offset + block.bytes - last->offset);
    }
  }
  return covered;
}

bool HaveByteInCommon(const void* a, const std::vector<Block>& blocks_of_a, const void* b,
                      const std::vector<Block>& blocks_of_b) {
  const std::vector<Block> in_a = Covered(blocks_of_a), in_b = Covered(blocks_of_b);
  for (auto of_a = in_a.begin(), of_b = in_b.begin(); of_a != in_a.end() && of_b != in_b.end();) {
    const uintptr_t begin_a = reinterpret_cast<uintptr_t>(a) + of_a->offset;
    const uintptr_t begin_b = reinterpret_cast<uintptr_t>(b) + of_b->offset;
    if (begin_a + of_a->bytes <= begin_b) {
      ++of_a;
    } else if (begin_b + of_b->bytes <= begin_a) {
      ++of_b;
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace

Call::Call(const char* function, Kind kind, HcclComm comm, aclrtStream stream) : stream_(stream) {
  operation_.function = function;
  operation_.kind = kind;
  Result<CommunicatorRef> found = Resolve(comm);
  if (!found.ok()) {
    Refuse(found.TakeStatus());
    return;
  }
  communicator_ = std::move(found.value());
  Result<int32_t> device = CurrentDevice();
  if (!device.ok()) {
    Refuse(device.TakeStatus());
  } else if (device.value() != communicator_->origin().device) {
    Refuse(aclimb::Refuse(
        HCCL_E_PARA,
        Cat("comm is of device ", communicator_->origin().device,
            " but the calling thread's device is ", device.value(), "; expected the same."),
        "call aclrtSetDevice with the communicator's device, and pass a stream of "
        "it",
        "collective/device"));
  }
}

Call& Call::Refuse(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return *this;
}

Call& Call::Type(const char* name, HcclDataType type) {
  if (SizeOf(type) == 0) {
    Refuse(BadParameter(name, type, "an HcclDataType", "dtype",
                        "pass an enumerator of HcclDataType; its numbers are not those of "
                        "aclDataType"));
  }
  operation_.type = type;
  return *this;
}

Call& Call::Reduces(HcclReduceOp op) {
  if (!IsKnown(op)) {
    Refuse(BadParameter("op", op, "HCCL_REDUCE_SUM, PROD, MAX or MIN", "op",
                        "pass an enumerator of HcclReduceOp"));
  } else if (status_.ok() && !IsReducible(operation_.type)) {
    Refuse(aclimb::Refuse(HCCL_E_NOT_SUPPORT,
                          Cat("dataType is ", NameOf(operation_.type),
                              ", which is only moved; expected a type that is reduced."),
                          "convert to FP16, BFP16 or FP32 first", "collective/reduced-type"));
  }
  operation_.op = op;
  return *this;
}

Call& Call::Root(uint32_t root) {
  if (status_.ok() && root >= size()) {
    Refuse(BadParameter("root", root, Cat("a rank, 0 to ", size() - 1), "root",
                        "pass a rank of the communicator"));
  }
  operation_.root = root;
  return *this;
}

Call& Call::Count(std::string_view name, uint64_t count) {
  // NOLINTNEXTLINE: a communicator has ranks.
  if (status_.ok() && count > kMostBytes / SizeOf(operation_.type) / size()) {
    Refuse(aclimb::Refuse(
        HCCL_E_PARA,
        Cat(name, " is ", count, "; expected a number of elements that memory can hold."),
        "pass the number of elements", "collective/count"));
  }
  operation_.count = count;
  return *this;
}

std::byte* Call::Find(const char* name, const void* address, uint64_t count, bool writes) {
  if (!status_.ok() || count == 0) return nullptr;
  if (count > kMostBytes / SizeOf(operation_.type)) {
    Count(Cat("the number of elements in ", name), count);
    return nullptr;
  }
  return Find(name, address, Whole(count), writes);
}

std::byte* Call::Find(const char* name, const void* address, const std::vector<Block>& blocks,
                      bool writes) {
  if (!status_.ok()) return nullptr;
  const std::vector<Block> covered = Covered(blocks);
  if (covered.empty()) return nullptr;
  if (address == nullptr) {
    Refuse(NullPointer(name));
    return nullptr;
  }
  const uint32_t element = SizeOf(operation_.type);
  const uint64_t end = covered.back().offset + covered.back().bytes;
  Result<std::byte*> located = Locate(name, address, end, element);
  if (!located.ok()) {
    Refuse(located.TakeStatus());
    return nullptr;
  }
  for (const Block& block : covered) {
    touched_.push_back({name, static_cast<const char*>(address) + block.offset,
                        block.bytes / element, operation_.type, writes});
  }
  return located.value();
}

std::byte* Call::Reads(const char* name, const void* address, uint64_t count) {
  return Find(name, address, count, /*writes=*/false);
}

std::byte* Call::Writes(const char* name, const void* address, uint64_t count) {
  return Find(name, address, count, /*writes=*/true);
}

std::byte* Call::Reads(const char* name, const void* address, const std::vector<Block>& blocks) {
  return Find(name, address, blocks, /*writes=*/false);
}

std::byte* Call::Writes(const char* name, const void* address, const std::vector<Block>& blocks) {
  return Find(name, address, blocks, /*writes=*/true);
}

std::vector<uint64_t> Call::Numbers(const char* name, const void* array, uint64_t count) {
  if (!status_.ok()) return std::vector<uint64_t>(count);
  if (array == nullptr) {
    Refuse(NullPointer(name));
    return std::vector<uint64_t>(count);
  }
  std::vector<uint64_t> numbers(count);
  std::memcpy(numbers.data(), array, count * sizeof(uint64_t));
  for (const uint64_t number : numbers) {
    if (status_.ok() && number > kMostBytes / 16) {
      Refuse(aclimb::Refuse(
          HCCL_E_PARA,
          Cat(name, " has ", number, "; expected numbers of elements that memory can hold."),
          "pass an array of uint64_t with one number for each rank", "collective/count"));
    }
  }
  return numbers;
}

Call& Call::Apart(const void* in, uint64_t in_count, const void* out, uint64_t out_count,
                  bool same_allowed) {
  if (!status_.ok() || (same_allowed && in == out)) return *this;
  if (!HaveByteInCommon(in, Whole(in_count), out, Whole(out_count))) return *this;
  return Refuse(
      aclimb::Refuse(HCCL_E_PARA,
                     Cat("sendBuf and recvBuf overlap; expected ",
                         same_allowed ? "them to be the same or to have no byte in common."
                                      : "them to have no byte in common."),
                     "use two buffers", "collective/overlap"));
}

Call& Call::Apart(const void* in, const std::vector<Block>& in_blocks, const void* out,
                  const std::vector<Block>& out_blocks) {
  if (!status_.ok() || !HaveByteInCommon(in, in_blocks, out, out_blocks)) return *this;
  return Refuse(aclimb::Refuse(HCCL_E_PARA,
                               "blocks of sendBuf and of recvBuf overlap; expected them to have no "
                               "byte in common.",
                               "use two buffers, or correct the displacements",
                               "collective/overlap"));
}

std::vector<Block> Call::Whole(uint64_t count) const {
  return {{0, count * SizeOf(operation_.type)}};
}

Status Call::Queue(bool empty) {
  if (!status_.ok() || empty) return std::move(status_);
  if (OpenGroup& group = OpenGroup::OfThread(); group.HoldsBack()) {
    group.Add(std::move(*this));
    return Ok();
  }
  if (Status launched = Launch(); !launched.ok()) return launched;
  return Await();
}

Status Call::Launch() {
  std::unique_ptr<ToolView> view = ToolView::Make(operation_);
  for (const Touched& each : touched_) {
    if (view == nullptr) break;
    view->Add(each.name, each.address, each.count, each.type, each.writes);
  }
  Status queued = communicator_->Queue(std::move(operation_), std::move(view), stream_);
  launched_ = queued.ok();
  return queued;
}

Status Call::Await() { return launched_ ? communicator_->Await(stream_) : Ok(); }

}  // namespace aclimb::collectives
