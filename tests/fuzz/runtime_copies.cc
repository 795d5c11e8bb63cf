// Copies.

#include <algorithm>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
void RuntimeProgram::CopyFromHost() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(true, &range)) return;
  std::vector<unsigned char> source(range.size);
  Bytes bytes(range.size);
  for (size_t i = 0; i < range.size; ++i) {
    source[i] = static_cast<unsigned char>(pattern_ + 3 * i);
    bytes[i] = source[i];
  }
  ++pattern_;
  const aclrtMemcpyKind kind = byte % 8 == 0 ? ACL_MEMCPY_DEFAULT : ACL_MEMCPY_HOST_TO_DEVICE;
  std::vector<int> refusals = ContextRefusals();
  if (byte % 2 == 0) {
    Call("aclrtMemcpy", refusals,
         [&] { return aclrtMemcpy(range.address(), range.size, source.data(), range.size, kind); });
    if (refusals.empty()) model_.Write(*range.block, range.begin, bytes, RuntimeModel::kHost, 0);
    return;
  }
  const StreamArgument stream = AnyStream();
  Append(refusals, stream.refusals);
  // The host memory has been read on return: it is gone right after.
  Call("aclrtMemcpyAsync", refusals, [&] {
    return aclrtMemcpyAsync(range.address(), range.size, source.data(), range.size, kind,
                            stream.handle);
  });
  if (!refusals.empty()) return;
  const uint64_t position = model_.Queue(stream.index);
  model_.Write(*range.block, range.begin, bytes, stream.index, position);
}

void RuntimeProgram::Compare(const char* what, const unsigned char* got, const Bytes& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] >= 0 && got[i] != expected[i]) {
      Finding("%s: byte %zu of %zu is %d; expected %d", what, i, expected.size(), got[i],
              expected[i]);
    }
  }
}

void RuntimeProgram::CopyToHost() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(true, &range)) return;
  std::vector<unsigned char> to(range.size, 0xEE);
  const aclrtMemcpyKind kind = byte % 8 == 0 ? ACL_MEMCPY_DEFAULT : ACL_MEMCPY_DEVICE_TO_HOST;
  std::vector<int> refusals = ContextRefusals();
  if (byte % 2 == 0) {
    Call("aclrtMemcpy", refusals,
         [&] { return aclrtMemcpy(to.data(), range.size, range.address(), range.size, kind); });
    if (!refusals.empty()) return;
    Compare(
        "aclrtMemcpy", to.data(),
        model_.Read(*range.block, range.begin, range.begin + range.size, RuntimeModel::kHost, 0));
    return;
  }
  const StreamArgument stream = AnyStream();
  Append(refusals, stream.refusals);
  std::vector<int> errors;
  if (stream.index >= 0 && model_.MayBeAborted(stream.index)) errors = SyncErrors(stream.index);
  const int code = Call("aclrtMemcpyAsync", refusals, errors, [&] {
    return aclrtMemcpyAsync(to.data(), range.size, range.address(), range.size, kind,
                            stream.handle);
  });
  if (!refusals.empty()) return;
  const uint64_t position = model_.Queue(stream.index);
  const Bytes expected =
      model_.Read(*range.block, range.begin, range.begin + range.size, stream.index, position);
  // Memory that is not page-locked has been written on return.
  if (code != 0) return;
  Compare("aclrtMemcpyAsync", to.data(), expected);
  model_.StreamIsOver(stream.index);
}

void RuntimeProgram::CopyWithin() {
  const uint8_t byte = draw_.Byte();
  // Device memory and page-locked memory in three of their four combinations.
  Range from, to;
  if (!AnyRange(byte % 4 != 1, &from) || !AnyRange(byte % 4 != 2, &to)) return;
  const size_t size = std::min(from.size, to.size);
  const bool same = from.block == to.block;
  const bool overlap = same && from.begin < to.begin + size && to.begin < from.begin + size;
  if (overlap) return;
  const StreamArgument stream = AnyStream();
  const bool now = byte >= 224;
  std::vector<int> refusals = now ? ContextRefusals() : stream.refusals;
  Call("copy", refusals, [&] {
    return now ? aclrtMemcpy(to.address(), size, from.address(), size, ACL_MEMCPY_DEFAULT)
               : aclrtMemcpyAsync(to.address(), size, from.address(), size, ACL_MEMCPY_DEFAULT,
                                  stream.handle);
  });
  if (!refusals.empty()) return;
  const int actor = now ? RuntimeModel::kHost : stream.index;
  const uint64_t position = now ? 0 : model_.Queue(stream.index);
  const Bytes bytes = model_.Read(*from.block, from.begin, from.begin + size, actor, position);
  model_.Write(*to.block, to.begin, bytes, actor, position);
}

void RuntimeProgram::WrongCopy() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(true, &range)) return;
  unsigned char local[16] = {};
  std::vector<int> refusals = ContextRefusals();
  void* dst = range.address();
  const void* src = local;
  size_t room = std::min<size_t>(16, range.size);
  size_t count = room;
  aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_DEVICE;
  int refusal = 107000;
  switch (byte % 8) {
    case 0:
      dst = nullptr;
      refusal = 100000;
      break;
    case 1:
      src = nullptr;
      refusal = 100000;
      break;
    case 2:
      room = count - 1;
      break;
    case 3:
      kind = ACL_MEMCPY_DEVICE_TO_HOST;
      break;
    case 4:
      kind = static_cast<aclrtMemcpyKind>(byte >= 128 ? 8 + byte : -byte - 1);
      break;
    case 5:
      kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
      break;
    case 6:
      room = ~size_t{0};
      count = room - byte;
      break;
    default:
      // What lies behind is nothing, or another allocation: no copy may run past this one's end.
      src = range.address();
      dst = range.address();
      kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
      room = count = range.block->size + 96;
      break;
  }
  refusals.push_back(refusal);
  if (byte < 128) {
    Call("aclrtMemcpy", refusals, [&] { return aclrtMemcpy(dst, room, src, count, kind); });
    return;
  }
  const StreamArgument stream = AnyStream();
  Append(refusals, stream.refusals);
  Call("aclrtMemcpyAsync", refusals,
       [&] { return aclrtMemcpyAsync(dst, room, src, count, kind, stream.handle); });
}

// Rows within one block of device memory and a packed copy of them on the host.
void RuntimeProgram::CopyRows() {
  const uint8_t byte = draw_.Byte();
  Range range;
  if (!AnyRange(true, &range)) return;
  const size_t width = 1 + draw_.Byte() % 16;
  const size_t pitch = width + draw_.Byte() % 16;
  const size_t height = range.size < width ? 0 : (range.size - width) / pitch + 1;
  std::vector<unsigned char> rows(std::max<size_t>(1, width * height));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<unsigned char>(pattern_ + 5 * i);
  ++pattern_;
  std::vector<int> refusals = ContextRefusals();
  if (height == 0) refusals.push_back(100000);
  if (byte % 2 == 0) {
    Call("aclrtMemcpy2d", refusals, [&] {
      return aclrtMemcpy2d(range.address(), pitch, rows.data(), width, width, height,
                           ACL_MEMCPY_HOST_TO_DEVICE);
    });
  } else {
    Call("aclrtMemcpy2d", refusals, [&] {
      return aclrtMemcpy2d(rows.data(), width, range.address(), pitch, width, height,
                           ACL_MEMCPY_DEVICE_TO_HOST);
    });
  }
  if (!refusals.empty()) return;
  for (size_t row = 0; row < height; ++row) {
    const size_t at = range.begin + row * pitch;
    const unsigned char* packed = rows.data() + row * width;
    if (byte % 2 == 0) {
      model_.Write(*range.block, at, Bytes(packed, packed + width), RuntimeModel::kHost, 0);
    } else {
      Compare("aclrtMemcpy2d", packed,
              model_.Read(*range.block, at, at + width, RuntimeModel::kHost, 0));
    }
  }
}

}  // namespace aclimb::fuzz
