#include "tools/record/recorded_call.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "aclimb/core/product.h"
#include "aclimb/core/text.h"
#include "aclimb/version.h"
#include "tools/record/npy.h"

namespace aclimb::tools {
namespace {

// Program addresses that a tensor needs: its storage's beginning, when that is in the same
// allocation, to the last element that the view touches.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t storage = 0;
  size_t tensor = 0;
};

const char* RunText(RecordedCall::Run run) {
  switch (run) {
    case RecordedCall::Run::kQueued:
      return "queued";
    case RecordedCall::Run::kStarted:
      return "started";
    case RecordedCall::Run::kEnded:
      return "ended";
    case RecordedCall::Run::kDropped:
      return "dropped";
    default:
      return "none";
  }
}

std::string TensorJson(const RecordedTensor& tensor, uint64_t limit) {
  std::string out = Cat("{\"role\": \"", tensor.is_output ? "output" : "input",
                        "\", \"file\": ", tensor.written ? JsonText(tensor.name + ".npy") : "null",
                        ", \"npy\": ", JsonText(NpyType(static_cast<DType>(tensor.dtype))),
                        ", \"elements\": ", tensor.elements, ", \"bytes\": ", tensor.bytes,
                        ", \"block\": ", tensor.block, ", \"begin\": ", tensor.begin);
  if (!tensor.written) {
    out += Cat(", \"left_out\": \"",
               tensor.bytes > limit     ? "larger than ACLIMB_RECORD_LIMIT"
               : tensor.data == nullptr ? "not readable by the host"
               : tensor.is_output       ? "the run has not ended; wait for its stream"
                                        : "the run has not begun; wait for its stream",
               "\"");
  }
  return out + "}";
}

}  // namespace

std::vector<RecordedTensor> TensorsOf(const AclimbOperation& operation,
                                      std::vector<uint64_t>* blocks, int* device) {
  std::vector<RecordedTensor> tensors;
  std::vector<Range> ranges;
  for (int i = 0; i < operation.access_count; ++i) {
    const AclimbAccess& access = operation.accesses[i];
    if (std::string_view(access.name) == "workspace") continue;
    RecordedTensor tensor;
    tensor.name = access.name;
    // What is worked on in place comes twice, as read and as written.
    if (!tensors.empty() && tensors.back().name == tensor.name) tensor.name += ".out";
    tensor.access = &access;
    tensor.is_output = access.writes != 0;
    tensor.dtype = access.dtype;
    uint64_t last = 0;
    for (int d = 0; d < access.rank; ++d) {
      last += static_cast<uint64_t>(access.shape[d] - 1) * static_cast<uint64_t>(access.strides[d]);
    }
    const auto size = static_cast<uint64_t>(access.element_bytes);
    tensor.elements = last + 1;
    tensor.bytes = tensor.elements * size;
    const auto first = reinterpret_cast<uintptr_t>(access.address);
    Range range = {first, first + tensor.bytes, first - static_cast<uint64_t>(access.offset) * size,
                   tensors.size()};
    AclimbAllocation found;
    if (aclimb_memory_find(access.address, &found) != 0) {
      const auto base = reinterpret_cast<uintptr_t>(found.base);
      *device = found.device;
      if (found.kernel_base != nullptr) {
        tensor.data = static_cast<const char*>(found.kernel_base) + (first - base);
      }
      if (range.storage >= base && range.storage < first) range.begin = range.storage;
    }
    tensors.push_back(std::move(tensor));
    ranges.push_back(range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  uint64_t block_begin = 0;
  uint64_t block_end = 0;
  for (const Range& range : ranges) {
    if (blocks->empty() || range.begin >= block_end) {
      blocks->push_back(0);
      block_begin = range.begin;
      block_end = range.end;
    }
    block_end = std::max(block_end, range.end);
    blocks->back() = block_end - block_begin;
    RecordedTensor& tensor = tensors[range.tensor];
    tensor.block = static_cast<int64_t>(blocks->size()) - 1;
    tensor.begin = static_cast<int64_t>(range.storage - block_begin);
  }
  return tensors;
}

std::string RecordedCall::Folder() const {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%06llu-", static_cast<unsigned long long>(number));
  return digits + function;
}

std::string RecordedCall::Json(uint64_t limit) const {
  const AclimbSettings& settings = *aclimb_settings();
  const auto optional = [](bool given, int value) {
    return given ? std::to_string(value) : std::string("null");
  };
  std::string out = Cat(
      "{\n\"aclimb\": \"", ACLIMB_VERSION_STRING, "\",\n\"number\": ", number,
      ",\n\"operator\": ", JsonText(function),
      ",\n\"arguments\": ", arguments.empty() ? "null" : arguments, ",\n\"workspace\": ", workspace,
      ",\n\"phase1\": ", phase1, ",\n\"phase2\": ", optional(phase2_ended, phase2),
      ",\n\"run\": \"", RunText(run), "\",\n\"run_code\": ", optional(run == Run::kEnded, run_code),
      ",\n\"message\": ", JsonText(message), ",\n\"stream\": ", optional(stream >= 0, stream),
      ",\n\"device\": ", optional(device >= 0, device), ",\n\"soc\": ", JsonText(settings.soc_name),
      ",\n\"product\": ",
      settings.product < 0 ? "null" : JsonText(NameOf(static_cast<Product>(settings.product))),
      ",\n\"extensions\": ", settings.extensions != 0, ",\n\"threads\": ", settings.threads,
      ",\n\"deterministic\": ", deterministic, ",\n\"blocks\": [");
  for (size_t i = 0; i < blocks.size(); ++i) out += Cat(i == 0 ? "" : ", ", blocks[i]);
  out += "],\n\"tensors\": {";
  for (size_t i = 0; i < tensors.size(); ++i) {
    out += Cat(i == 0 ? "" : ",", "\n  ", JsonText(tensors[i].name), ": ",
               TensorJson(tensors[i], limit));
  }
  return out + "}\n}\n";
}

}  // namespace aclimb::tools
