#include "aclimb/collectives/make.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/collectives/host_address.h"
#include "aclimb/collectives/mesh_group.h"
#include "aclimb/collectives/thread_group.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

Group::Deadline DeadlineOf(const Settings& settings) {
  return std::chrono::steady_clock::now() + settings.connect_timeout;
}

// Empty unless the environment names an address of this host.
Result<std::string> WantedAddress(const Settings& settings) {
  if (settings.address.empty() && settings.interfaces.empty()) return std::string();
  return ChooseAddress(settings, HostAddresses());
}

bool OneProcess(const std::vector<Member>& members) {
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    return Equal(member.process, members[0].process);
  });
}

std::string NameOfGroup(const Secret& secret) { return Cat("hccl_", HexText(secret)); }

Result<CommunicatorRef> MakeOf(std::shared_ptr<Link> link, std::unique_ptr<Group> group,
                               const std::string& key, int32_t device, const Wishes& wishes,
                               std::vector<uint32_t> ranks, bool split) {
  Communicator::Origin origin;
  origin.name = wishes.name.empty() ? key : wishes.name;
  origin.key = key;
  origin.device = device;
  origin.settings = wishes.settings;
  origin.split = split;
  origin.link = std::move(link);
  origin.ranks = std::move(ranks);
  auto made = std::make_shared<Communicator>(std::move(group), std::move(origin));
  made->Start();
  return made;
}

}  // namespace

Result<int32_t> CurrentDevice() {
  int32_t device = 0;
  const aclError code = aclrtGetDevice(&device);
  if (code == ACL_SUCCESS) return device;
  return Refuse(HCCL_E_RUNTIME,
                Cat("the calling thread has no device (aclrtGetDevice returned ", code,
                    "); expected the rank's device to be its current one."),
                "call aclrtSetDevice first", "collective/no-device");
}

Result<CommunicatorRef> JoinGroup(const Token& token, uint32_t size, uint32_t rank,
                                  const Wishes& wishes) {
  Result<int32_t> device = CurrentDevice();
  if (!device.ok()) return device.TakeStatus();
  const auto deadline = DeadlineOf(wishes.settings);
  Result<std::shared_ptr<Link>> link = Link::Join(token, size, rank, deadline);
  if (!link.ok()) return link.TakeStatus();
  const std::string key = NameOfGroup(link.value()->members()[0].join);
  if (OneProcess(link.value()->members())) {
    Result<std::unique_ptr<Group>> group = ThreadGroup::Join(key, size, rank);
    if (!group.ok()) return group.TakeStatus();
    return MakeOf(nullptr, std::move(group.value()), key, device.value(), wishes, {}, false);
  }
  Result<const AclimbTransport*> transport = LoadTransport();
  if (!transport.ok()) return transport.TakeStatus();
  Result<std::string> address = WantedAddress(wishes.settings);
  if (!address.ok()) return address.TakeStatus();
  std::vector<uint32_t> ranks(size);
  for (uint32_t r = 0; r < size; ++r) ranks[r] = r;
  Result<std::unique_ptr<Group>> group =
      MeshGroup::Connect(*transport.value(), link.value(), "connect", ranks, rank, address.value(),
                         wishes.settings.deterministic, deadline);
  if (!group.ok()) return group.TakeStatus();
  return MakeOf(std::move(link.value()), std::move(group.value()), key, device.value(), wishes,
                std::move(ranks), false);
}

Result<CommunicatorRef> MakeAlone(const Wishes& wishes) {
  Result<int32_t> device = CurrentDevice();
  if (!device.ok()) return device.TakeStatus();
  return MakeOf(nullptr, std::move(ThreadGroup::Make(1)[0]), NameOfGroup(DrawSecret()),
                device.value(), wishes, {}, false);
}

Result<std::vector<CommunicatorRef>> MakeAll(const std::vector<int32_t>& devices) {
  Result<Wishes> wishes = ReadWishes(nullptr);
  if (!wishes.ok()) return wishes.TakeStatus();
  const std::string key = NameOfGroup(DrawSecret());
  std::vector<std::unique_ptr<Group>> groups =
      ThreadGroup::Make(static_cast<uint32_t>(devices.size()));
  std::vector<CommunicatorRef> made;
  for (size_t rank = 0; rank < devices.size(); ++rank) {
    Result<CommunicatorRef> one =
        MakeOf(nullptr, std::move(groups[rank]), key, devices[rank], wishes.value(), {}, false);
    if (!one.ok()) return one.TakeStatus();
    made.push_back(std::move(one.value()));
  }
  return made;
}

Result<CommunicatorRef> Split(const CommunicatorRef& parent, const std::vector<uint32_t>& ranks,
                              uint64_t id, uint32_t rank, const Wishes& wishes) {
  const Communicator::Origin& origin = parent->origin();
  // Ranks that name different lists have to meet to see that.
  Result<std::unique_ptr<Group>> group = parent->group().Split(
      Cat("split ", id), ranks, rank, wishes.settings.deterministic, DeadlineOf(wishes.settings));
  if (!group.ok()) return group.TakeStatus();
  const std::string key = Cat(origin.key, "_", group.value()->number());
  std::vector<uint32_t> at_link;
  if (origin.link != nullptr) {
    for (const uint32_t each : ranks) at_link.push_back(origin.ranks[each]);
  }
  return MakeOf(origin.link, std::move(group.value()), key, origin.device, wishes,
                std::move(at_link), true);
}

}  // namespace aclimb::collectives
