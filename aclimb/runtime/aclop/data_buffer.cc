#include "acl/acl_base.h"
#include "aclimb/runtime/aclop/objects.h"
#include "aclimb/runtime/entry.h"

using aclimb::aclop::DataBuffer;

extern "C" {

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  aclDataBuffer* made = nullptr;
  aclimb::Enter("aclCreateDataBuffer", [&] {
    return aclimb::aclop::Make(std::make_shared<DataBuffer>(DataBuffer{data, size}), &made);
  });
  return made;
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return aclimb::Enter("aclDestroyDataBuffer", [&]() -> aclimb::Status {
    if (dataBuffer == nullptr) return aclimb::NullArgument("dataBuffer");
    return aclimb::aclop::End<DataBuffer>("dataBuffer", dataBuffer);
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return aclimb::Enter("aclUpdateDataBuffer", [&]() -> aclimb::Status {
    auto buffer = aclimb::aclop::Find<DataBuffer>("dataBuffer", dataBuffer);
    if (!buffer.ok()) return buffer.TakeStatus();
    buffer.value()->data = data;
    buffer.value()->size = size;
    return aclimb::Ok();
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  void* data = nullptr;
  aclimb::Enter("aclGetDataBufferAddr", [&]() -> aclimb::Status {
    auto buffer = aclimb::aclop::Find<DataBuffer>("dataBuffer", dataBuffer);
    if (!buffer.ok()) return buffer.TakeStatus();
    data = buffer.value()->data;
    return aclimb::Ok();
  });
  return data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  size_t size = 0;
  aclimb::Enter("aclGetDataBufferSizeV2", [&]() -> aclimb::Status {
    auto buffer = aclimb::aclop::Find<DataBuffer>("dataBuffer", dataBuffer);
    if (!buffer.ok()) return buffer.TakeStatus();
    size = buffer.value()->size;
    return aclimb::Ok();
  });
  return size;
}

}  // extern "C"
