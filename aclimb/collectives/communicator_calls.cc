#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "aclimb/collectives/config.h"
#include "aclimb/collectives/entry.h"
#include "aclimb/collectives/handle.h"
#include "aclimb/collectives/hub.h"
#include "aclimb/core/text.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {
namespace {

// Makes the handle of what was joined.
Status Hand(Result<CommunicatorRef> made, HcclComm* comm) {
  if (!made.ok()) return made.TakeStatus();
  Result<HcclComm> handle = MakeHandle(std::move(made.value()));
  if (!handle.ok()) return handle.TakeStatus();
  *comm = handle.value();
  return Ok();
}

Status InitRootInfo(uint32_t size, const HcclRootInfo* info, uint32_t rank,
                    const HcclCommConfig* config, HcclComm* comm) {
  if (info == nullptr) return NullPointer("rootInfo");
  if (comm == nullptr) return NullPointer("comm");
  if (size == 0) {
    return BadParameter("nRanks", 0, "at least 1", "rank-count", "pass the number of all ranks");
  }
  if (rank >= size) {
    return BadParameter("rank", rank, Cat("a number below nRanks, which is ", size), "rank",
                        "number the ranks from 0");
  }
  Result<Token> token = ReadToken(*info);
  if (!token.ok()) return token.TakeStatus();
  Result<Wishes> wishes = ReadWishes(config);
  if (!wishes.ok()) return wishes.TakeStatus();
  return Hand(JoinGroup(token.value(), size, rank, wishes.value()), comm);
}

Status InitClusterInfo(const char* file, uint32_t rank, const HcclCommConfig* config,
                       HcclComm* comm) {
  if (file == nullptr) return NullPointer("clusterInfo");
  if (comm == nullptr) return NullPointer("comm");
  Result<Wishes> wishes = ReadWishes(config);
  if (!wishes.ok()) return wishes.TakeStatus();
  return Hand(JoinTable(file, rank, wishes.value()), comm);
}

Status InitAll(uint32_t count, const int32_t* devices, HcclComm* comms) {
  if (devices == nullptr) return NullPointer("devices");
  if (comms == nullptr) return NullPointer("comms");
  uint32_t there = 0;
  if (aclrtGetDeviceCount(&there) != ACL_SUCCESS || count == 0 || count > there) {
    return BadParameter("ndev", count, Cat("1 to ", there, ", the number of devices"),
                        "device-count",
                        "pass as many devices as there are; ACLIMB_DEVICES sets it");
  }
  std::set<int32_t> named;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = Cat("devices[", i, "]");
    if (devices[i] < 0 || static_cast<uint32_t>(devices[i]) >= there) {
      return BadParameter(name, devices[i], Cat("0 to ", there - 1), "device",
                          "pass numbers of devices; ACLIMB_DEVICES sets how many there are");
    }
    if (!named.insert(devices[i]).second) {
      return BadParameter(name, devices[i], "a device that is not named twice", "device",
                          "name each device once");
    }
  }
  Result<std::vector<CommunicatorRef>> made =
      MakeAll(std::vector<int32_t>(devices, devices + count));
  if (!made.ok()) return made.TakeStatus();
  for (uint32_t i = 0; i < count; ++i) {
    Status handed = Hand(std::move(made.value()[i]), &comms[i]);
    if (handed.ok()) continue;
    for (uint32_t before = 0; before < i; ++before) {
      Result<CommunicatorRef> taken = Release(std::exchange(comms[before], nullptr));
      if (taken.ok()) taken.value()->Close();
    }
    return handed;
  }
  return Ok();
}

Status CreateSub(HcclComm* comm, uint32_t count, const uint32_t* ids, uint64_t id, uint32_t place,
                 const HcclCommConfig* config, HcclComm* sub) {
  constexpr uint32_t kNotMember = 0xFFFFFFFF;
  if (comm == nullptr) return NullPointer("comm");
  if (sub == nullptr) return NullPointer("subComm");
  if (ids == nullptr && count != 0 && place != kNotMember) return NullPointer("rankIds");
  Result<CommunicatorRef> parent = Resolve(*comm);
  if (!parent.ok()) return parent.TakeStatus();
  const bool listed =
      ids != nullptr && std::find(ids, ids + count, parent.value()->rank()) != ids + count;
  if (ids == nullptr || place == kNotMember || !listed) {
    if (listed) {
      return BadParameter(
          "subCommRankId", place,
          Cat("the place of rank ", parent.value()->rank(), " in rankIds, which has it"), "group",
          "pass the index of the calling rank in rankIds");
    }
    if (ids != nullptr && place != kNotMember && place < count) {
      return Refuse(HCCL_E_PARA,
                    Cat("subCommRankId is ", place, " but rankIds does not have rank ",
                        parent.value()->rank(),
                        ", which calls; expected a list with it, or "
                        "0xffffffff."),
                    "ranks that are no members pass 0xffffffff as subCommRankId",
                    "collective/group");
    }
    *sub = nullptr;
    return Ok();
  }
  if (parent.value()->origin().split) {
    return Refuse(HCCL_E_NOT_SUPPORT,
                  "comm was made by HcclCreateSubCommConfig itself; expected one of all ranks.",
                  "split the communicator of all ranks", "collective/split-again");
  }
  const uint32_t size = parent.value()->size();
  std::set<uint32_t> named;
  for (uint32_t i = 0; i < count; ++i) {
    if (ids[i] >= size || !named.insert(ids[i]).second) {
      return BadParameter(Cat("rankIds[", i, "]"), ids[i],
                          Cat("ranks below ", size, ", each of them once"), "group",
                          "list the members' ranks in the parent");
    }
  }
  if (place >= count || ids[place] != parent.value()->rank()) {
    return BadParameter("subCommRankId", place,
                        Cat("the place of rank ", parent.value()->rank(), " in rankIds"), "group",
                        "pass the index of the calling rank in rankIds");
  }
  Result<Wishes> wishes = ReadWishes(config);
  if (!wishes.ok()) return wishes.TakeStatus();
  return Hand(
      Split(parent.value(), std::vector<uint32_t>(ids, ids + count), id, place, wishes.value()),
      sub);
}

template <typename Read>
Status Ask(HcclComm comm, const char* name, void* out, Read&& read) {
  Result<CommunicatorRef> found = Resolve(comm);
  if (!found.ok()) return found.TakeStatus();
  if (out == nullptr) return NullPointer(name);
  read(*found.value());
  return Ok();
}

HcclResult NotThere(const char* function) {
  aclimb_refuse_collective(function);
  return HCCL_E_NOT_SUPPORT;
}

}  // namespace
}  // namespace aclimb::collectives

using aclimb::Ok;
using aclimb::Status;
using aclimb::collectives::Communicator;
using aclimb::collectives::Enter;

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return Enter("HcclGetRootInfo", [&]() -> Status {
    if (rootInfo == nullptr) return aclimb::collectives::NullPointer("rootInfo");
    auto settings = aclimb::collectives::ReadSettings();
    if (!settings.ok()) return settings.TakeStatus();
    auto token = aclimb::collectives::Hub::Start(settings.value());
    if (!token.ok()) return token.TakeStatus();
    aclimb::collectives::Write(token.value(), rootInfo);
    return Ok();
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return Enter("HcclCommInitRootInfo", [&] {
    return aclimb::collectives::InitRootInfo(nRanks, rootInfo, rank, nullptr, comm);
  });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  return Enter("HcclCommInitRootInfoConfig", [&]() -> Status {
    if (config == nullptr) return aclimb::collectives::NullPointer("config");
    return aclimb::collectives::InitRootInfo(nRanks, rootInfo, rank, config, comm);
  });
}

HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm) {
  return Enter("HcclCommInitClusterInfo", [&] {
    return aclimb::collectives::InitClusterInfo(clusterInfo, rank, nullptr, comm);
  });
}

HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                         HcclCommConfig* config, HcclComm* comm) {
  return Enter("HcclCommInitClusterInfoConfig", [&]() -> Status {
    if (config == nullptr) return aclimb::collectives::NullPointer("config");
    return aclimb::collectives::InitClusterInfo(clusterInfo, rank, config, comm);
  });
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return Enter("HcclCommInitAll",
               [&] { return aclimb::collectives::InitAll(ndev, devices, comms); });
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig* config, HcclComm* subComm) {
  return Enter("HcclCreateSubCommConfig", [&] {
    return aclimb::collectives::CreateSub(comm, rankNum, rankIds, subCommId, subCommRankId, config,
                                          subComm);
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return Enter("HcclCommDestroy", [&]() -> Status {
    auto released = aclimb::collectives::Release(comm);
    if (!released.ok()) return released.TakeStatus();
    released.value()->Close();
    return Ok();
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return Enter("HcclGetRankSize", [&] {
    return aclimb::collectives::Ask(comm, "rankSize", rankSize,
                                    [&](Communicator& found) { *rankSize = found.size(); });
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return Enter("HcclGetRankId", [&] {
    return aclimb::collectives::Ask(comm, "rank", rank,
                                    [&](Communicator& found) { *rank = found.rank(); });
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return Enter("HcclGetCommName", [&] {
    return aclimb::collectives::Ask(comm, "commName", commName, [&](Communicator& found) {
      std::memcpy(commName, found.origin().name.c_str(), found.origin().name.size() + 1);
    });
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return Enter("HcclGetCommAsyncError", [&] {
    return aclimb::collectives::Ask(comm, "asyncError", asyncError,
                                    [&](Communicator& found) { *asyncError = found.AsyncError(); });
  });
}

HcclResult HcclCommSuspend(HcclComm) { return aclimb::collectives::NotThere("HcclCommSuspend"); }
HcclResult HcclCommResume(HcclComm) { return aclimb::collectives::NotThere("HcclCommResume"); }
HcclResult HcclCommSetMemoryRange(HcclComm, void*, size_t, size_t, uint64_t) {
  return aclimb::collectives::NotThere("HcclCommSetMemoryRange");
}
HcclResult HcclCommUnsetMemoryRange(HcclComm, void*) {
  return aclimb::collectives::NotThere("HcclCommUnsetMemoryRange");
}
HcclResult HcclCommActivateCommMemory(HcclComm, void*, size_t, size_t, aclrtDrvMemHandle,
                                      uint64_t) {
  return aclimb::collectives::NotThere("HcclCommActivateCommMemory");
}
HcclResult HcclCommDeactivateCommMemory(HcclComm, void*) {
  return aclimb::collectives::NotThere("HcclCommDeactivateCommMemory");
}

}  // extern "C"
