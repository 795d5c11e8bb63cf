// What a group of processes asks of its transport, and what becomes of the transport's failures.

#include "aclimb/collectives/mesh_group.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "aclimb/collectives/hub.h"

namespace aclimb::collectives {
namespace {

// A transport that moves nothing and keeps what it was asked.
struct Asked {
  std::vector<int64_t> deadlines;
  int cause = -1;  // of the failure of the next call; -1: none
};
Asked asked;

int Answer(const AclimbTransportCall* call) {
  asked.deadlines.push_back(call->deadline_ns);
  if (asked.cause < 0) return 0;
  call->error->cause = asked.cause;
  std::snprintf(call->error->text, sizeof(call->error->text), "it failed");
  return 1;
}

AclimbTransport MakeTransport() {
  AclimbTransport transport = {};
  transport.make = [](const AclimbMeshConfig*, AclimbMesh** mesh, AclimbTransportError*) {
    asked = {};
    *mesh = nullptr;
    return 0;
  };
  transport.destroy = [](AclimbMesh*) {};
  transport.all_reduce = [](AclimbMesh*, const AclimbTransportCall* call, const void*, void*,
                            uint64_t, uint32_t, AclimbCombine) { return Answer(call); };
  transport.all_gather = [](AclimbMesh*, const AclimbTransportCall* call, const void*, void*,
                            const uint64_t*) { return Answer(call); };
  transport.transfer = [](AclimbMesh*, const AclimbTransportCall* call, const AclimbPiece*, size_t,
                          const AclimbPiece*, size_t) { return Answer(call); };
  return transport;
}

class MeshGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    Settings settings;
    settings.address = "127.0.0.1";
    Result<Token> token = Hub::Start(settings);
    ASSERT_TRUE(token.ok()) << token.status().refusal().what;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    Result<std::shared_ptr<Link>> link = Link::Join(token.value(), 1, 0, deadline_);
    ASSERT_TRUE(link.ok()) << link.status().refusal().what;
    Result<std::unique_ptr<Group>> group = MeshGroup::Connect(
        transport_, link.value(), "key", {0}, 0, "127.0.0.1", /*in_order=*/false, deadline_);
    ASSERT_TRUE(group.ok()) << group.status().refusal().what;
    group_ = std::move(group.value());
    operation_.function = "HcclAllReduce";
    operation_.kind = Kind::kAllReduce;
    operation_.type = HCCL_DATA_TYPE_FP16;
    operation_.count = 4;
    operation_.in = operation_.out = data_;
    operation_.timeout_ms = 60 * 1000;
  }

  const AclimbTransport transport_ = MakeTransport();
  Group::Deadline deadline_;
  std::unique_ptr<Group> group_;
  alignas(8) std::byte data_[8] = {};
  Operation operation_;
};

// Float16 is reduced in two stages, which have the time of one call.
TEST_F(MeshGroupTest, StagesShareADeadline) {
  ASSERT_TRUE(group_->Run(operation_).ok());
  ASSERT_EQ(asked.deadlines.size(), 2u);
  EXPECT_EQ(asked.deadlines[0], asked.deadlines[1]);
}

TEST_F(MeshGroupTest, ACodeForEachCause) {
  struct Row {
    AclimbTransportCause cause;
    HcclResult code;
    const char* part;
  };
  operation_.type = HCCL_DATA_TYPE_FP32;
  operation_.count = 2;
  for (const Row& row : {Row{ACLIMB_TRANSPORT_BUG, HCCL_E_INTERNAL, "internal failure"},
                         Row{ACLIMB_TRANSPORT_CONNECTION, HCCL_E_TCP_TRANSFER, "it failed"},
                         Row{ACLIMB_TRANSPORT_TIME, HCCL_E_TIMEOUT, "it failed"},
                         Row{ACLIMB_TRANSPORT_ENDED, HCCL_E_TCP_TRANSFER, "it failed"},
                         Row{ACLIMB_TRANSPORT_MEMORY, HCCL_E_MEMORY, "host memory is exhausted"},
                         Row{ACLIMB_TRANSPORT_SYSTEM, HCCL_E_SYSCALL, "the system refused"}}) {
    asked.cause = row.cause;
    const Status status = group_->Run(operation_);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), row.code);
    EXPECT_NE(status.refusal().what.find(row.part), std::string::npos) << status.refusal().what;
  }
}

}  // namespace
}  // namespace aclimb::collectives
