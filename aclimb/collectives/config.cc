#include "aclimb/collectives/config.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "aclimb/collectives/entry.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

constexpr uint32_t kUnset = 0xFFFFFFFF;
constexpr uint32_t kConfigMagic = 0xF0F0F0F0;

// What HcclCommConfigInit writes into the field `reserved`.
struct Header {
  size_t size;
  uint32_t magic;
  uint32_t version;
  uint64_t reserved;
};
static_assert(sizeof(Header) == sizeof(HcclCommConfig::reserved));

Status CheckHeader(const HcclCommConfig& config) {
  Header header;
  std::memcpy(&header, config.reserved, sizeof(header));
  if (header.magic == kConfigMagic &&
      header.size >= offsetof(HcclCommConfig, hcclOpExpansionMode)) {
    return Ok();
  }
  return Refuse(HCCL_E_PARA,
                Cat("config has the size ", header.size, " and the magic number ", header.magic,
                    "; expected what HcclCommConfigInit writes."),
                "call HcclCommConfigInit(&config) before its fields are set", "collective/config");
}

// The structure's own fields that it is long enough for.
bool Has(const HcclCommConfig& config, size_t end) {
  Header header;
  std::memcpy(&header, config.reserved, sizeof(header));
  return header.size >= end;
}

}  // namespace

Result<Wishes> ReadWishes(const HcclCommConfig* config) {
  Result<Settings> settings = ReadSettings();
  if (!settings.ok()) return settings.TakeStatus();
  Wishes wishes = {std::move(settings.value()), {}};
  if (config == nullptr) return wishes;
  if (Status status = CheckHeader(*config); !status.ok()) return status;
  if (config->hcclBufferSize == 0) {
    return BadParameter("config->hcclBufferSize", 0, "at least 1 (MB), or 0xffffffff for unset",
                        "config", "leave the field as HcclCommConfigInit has it");
  }
  const uint32_t deterministic = config->hcclDeterministic;
  if (deterministic != kUnset) {
    if (deterministic > 1) {
      return BadParameter("config->hcclDeterministic", deterministic,
                          "0, 1, or 0xffffffff for unset", "config",
                          "leave the field as HcclCommConfigInit has it");
    }
    wishes.settings.deterministic = deterministic != 0;
  }
  const size_t length = strnlen(config->hcclCommName, sizeof(config->hcclCommName));
  if (length == sizeof(config->hcclCommName)) {
    return Refuse(HCCL_E_PARA,
                  "config->hcclCommName has no final zero; expected a text of at most 127 bytes.",
                  "end the name with a zero", "collective/config");
  }
  wishes.name.assign(config->hcclCommName, length);
  const bool modern = Has(*config, offsetof(HcclCommConfig, hcclRdmaTrafficClass));
  if (modern && config->hcclOpExpansionMode > 3) {
    return BadParameter("config->hcclOpExpansionMode", config->hcclOpExpansionMode, "0 to 3",
                        "config", "leave the field as HcclCommConfigInit has it");
  }
  return wishes;
}

}  // namespace aclimb::collectives

using aclimb::Ok;
using aclimb::Status;
using aclimb::collectives::Enter;

extern "C" {

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  return Enter("HcclSetConfig", [&]() -> Status {
    if (config != HCCL_DETERMINISTIC) {
      return aclimb::collectives::BadParameter("config", config, "HCCL_DETERMINISTIC (0)",
                                               "config-key", "pass HCCL_DETERMINISTIC");
    }
    if (configValue.value != 0 && configValue.value != 1) {
      return aclimb::collectives::BadParameter("configValue.value", configValue.value, "0 or 1",
                                               "config-value", "pass 0 or 1");
    }
    aclimb::collectives::SetDeterministic(configValue.value != 0);
    return Ok();
  });
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  return Enter("HcclGetConfig", [&]() -> Status {
    if (configValue == nullptr) return aclimb::collectives::NullPointer("configValue");
    if (config != HCCL_DETERMINISTIC) {
      return aclimb::collectives::BadParameter("config", config, "HCCL_DETERMINISTIC (0)",
                                               "config-key", "pass HCCL_DETERMINISTIC");
    }
    configValue->value = aclimb::collectives::IsDeterministic() ? 1 : 0;
    return Ok();
  });
}

uint32_t HcclGetCommConfigCapability() { return HCCL_COMM_CONFIG_RESERVED; }

const char* HcclGetErrorString(HcclResult code) { return aclimb::collectives::MeaningOf(code); }

}  // extern "C"
