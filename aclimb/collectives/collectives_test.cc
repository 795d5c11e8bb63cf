#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "aclimb/collectives/bytes.h"
#include "aclimb/collectives/frame.h"
#include "aclimb/collectives/host_address.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/collectives/rank_table.h"
#include "aclimb/collectives/reduction.h"
#include "aclimb/collectives/token.h"

namespace aclimb::collectives {
namespace {

TEST(Frames, AreCutAnywhereAndComeWhole) {
  std::mt19937 random(1);
  for (int run = 0; run < 200; ++run) {
    std::string stream;
    std::vector<Frame> sent;
    const auto version = static_cast<uint16_t>(random());
    for (int i = 0; i < 5; ++i) {
      std::string body(random() % 900, '\0');
      for (char& byte : body) byte = static_cast<char>(random());
      sent.push_back({static_cast<FrameType>(1 + random() % kLastFrameType), body, version});
      stream += Encode(sent.back().type, body, version);
    }
    FrameParser parser;
    std::vector<Frame> come;
    for (size_t at = 0; at < stream.size();) {
      const size_t piece = std::min<size_t>(1 + random() % 400, stream.size() - at);
      parser.Append(std::string_view(stream).substr(at, piece));
      at += piece;
      while (std::optional<Frame> frame = parser.Next()) come.push_back(std::move(*frame));
    }
    EXPECT_FALSE(parser.broken());
    ASSERT_EQ(come.size(), sent.size());
    for (size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(come[i].type, sent[i].type);
      EXPECT_EQ(come[i].body, sent[i].body);
      EXPECT_EQ(come[i].version, sent[i].version);
    }
    parser.Append(Encode(FrameType::kHello, "", static_cast<uint16_t>(version + 1)));
    EXPECT_FALSE(parser.Next());
    EXPECT_TRUE(parser.broken()) << "two versions in one stream";
  }
}

// Whatever is sent, nothing is read beyond it, and nothing of a stranger is kept for long.
TEST(Frames, GarbageBreaksThemAndNothingElse) {
  std::mt19937 random(2);
  int broken = 0;
  for (int run = 0; run < 20000; ++run) {
    std::string bytes = Encode(static_cast<FrameType>(1 + random() % kLastFrameType),
                               std::string(random() % 60, 'x'));
    const int changes = static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes.resize(random() % (bytes.size() + 1));
    FrameParser parser;
    parser.Append(bytes);
    while (const std::optional<Frame> frame = parser.Next()) {
      EXPECT_LE(frame->body.size(), bytes.size());
      ByteReader reader(frame->body);
      while (reader.ok() && reader.left() > 0) EXPECT_LE(reader.Text().size(), frame->body.size());
    }
    broken += parser.broken() ? 1 : 0;
  }
  EXPECT_GT(broken, 1000);
  FrameParser parser;
  parser.Append(Encode(FrameType::kHello, std::string(FrameParser::kMostOfStranger + 1, 'x')));
  EXPECT_FALSE(parser.Next());
  EXPECT_TRUE(parser.broken());
}

TEST(RootInfo, EveryChangedByteIsNoticed) {
  const Token token = {"192.168.7.9", 60003, DrawSecret(), ProcessSecret()};
  HcclRootInfo info;
  Write(token, &info);
  Result<Token> read = ReadToken(info);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().address, token.address);
  EXPECT_EQ(read.value().port, token.port);
  EXPECT_TRUE(Equal(read.value().secret, token.secret));
  EXPECT_TRUE(Equal(read.value().process, token.process));
  size_t last = sizeof(info.internal);
  while (info.internal[last - 1] == 0) --last;
  for (size_t i = 0; i < last; ++i) {
    HcclRootInfo changed = info;
    changed.internal[i] = static_cast<char>(changed.internal[i] ^ 0x10);
    EXPECT_FALSE(ReadToken(changed).ok()) << i;
  }
}

TEST(Addresses, TheVariablesChoose) {
  EXPECT_TRUE(TakesInterface("eth", "eth1"));
  EXPECT_FALSE(TakesInterface("=eth", "eth1"));
  EXPECT_TRUE(TakesInterface("=eth0,ib1", "ib1"));
  EXPECT_FALSE(TakesInterface("^eth,ib", "ib1"));
  EXPECT_TRUE(TakesInterface("^eth,ib", "lo"));
  EXPECT_TRUE(TakesInterface("^=eth", "eth1"));
  const std::vector<HostAddress> all = {{"lo", "127.0.0.1", false, true},
                                        {"docker0", "172.17.0.1", false, false},
                                        {"eth0", "10.0.0.7", false, false},
                                        {"eth1", "fe80::1", true, false}};
  Settings settings;
  EXPECT_EQ(ChooseAddress(settings, all).value(), "10.0.0.7");
  settings.interfaces = "lo";
  EXPECT_EQ(ChooseAddress(settings, all).value(), "127.0.0.1");
  settings.interfaces = "=eth1";
  EXPECT_EQ(ChooseAddress(settings, all).status().code(), HCCL_E_NOT_FOUND);
  settings.ipv6 = true;
  EXPECT_EQ(ChooseAddress(settings, all).value(), "fe80::1");
  settings.address = "10.9.9.9";
  EXPECT_EQ(ChooseAddress(settings, all).value(), "10.9.9.9");
  for (const char* const wrong : {"no address", "0.0.0.0", "::"}) {
    settings.address = wrong;
    const Result<std::string> chosen = ChooseAddress(settings, all);
    ASSERT_FALSE(chosen.ok()) << wrong;
    EXPECT_EQ(chosen.status().code(), HCCL_E_PARA);
    EXPECT_EQ(chosen.status().refusal().rule, "collective/environment");
  }
  EXPECT_EQ(ChooseAddress(Settings(), {all[0], all[1]}).value(), "172.17.0.1");
  EXPECT_EQ(ChooseAddress(Settings(), {all[0]}).value(), "127.0.0.1");
}

TEST(RankTable, HasEveryRankOnce) {
  const std::string file =
      testing::TempDir() + "/collectives_rank_table." + std::to_string(getpid());
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return ReadRankTable(file);
  };
  const auto server_named = [](const std::string& id, const std::string& devices) {
    return "{\"server_id\": \"" + id + "\", \"device\": [" + devices + "]}";
  };
  const auto servers = [](const std::string& all) { return "{\"server_list\": [" + all + "]}"; };
  const auto server = [&](const std::string& devices) {
    return servers(server_named("10.0.0.1", devices));
  };
  Result<RankTable> table = read(server("{\"rank_id\": \"1\"}, {\"rank_id\": \"0\"}"));
  ASSERT_TRUE(table.ok()) << table.status().refusal().what;
  EXPECT_EQ(table.value().size, 2u);
  // Also on a machine that has another address.
  EXPECT_EQ(table.value().root, "127.0.0.1");
  for (const std::string& wrong :
       {std::string("no json"), std::string("[]"), std::string("{\"server_list\": [{}]}"),
        server("{\"rank_id\": \"1\"}"), server("{\"rank_id\": \"0\"}, {\"rank_id\": \"0\"}"),
        server("{\"rank_id\": 0}"), server("{\"rank_id\": \"-1\"}"), server("")}) {
    EXPECT_EQ(read(wrong).status().code(), HCCL_E_PARA) << wrong;
  }
  // What is nested deeply would exhaust the stack.
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  const Result<RankTable> deep = read(server(R"({"rank_id": "0", "more": )" + nested + "}"));
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.status().refusal().what.find("nested deeper"), std::string::npos);
  EXPECT_EQ(ReadRankTable(file + ".not").status().code(), HCCL_E_OPEN_FILE_FAILURE);
  // A server's name is no address: host_ip is, and one server alone needs none.
  const std::string rank_zero = "{\"rank_id\": \"0\"}", rank_one = "{\"rank_id\": \"1\"}";
  const std::string other = ", " + server_named("node_1", rank_one);
  const auto with_ip = [&](const std::string& address) {
    return server_named("node_0\", \"host_ip\": \"" + address, rank_zero);
  };
  EXPECT_EQ(read(servers(server_named("10.0.0.1", rank_zero) + other)).value().root, "10.0.0.1");
  EXPECT_EQ(read(servers(with_ip("10.0.0.2") + other)).value().root, "10.0.0.2");
  EXPECT_EQ(read(servers(with_ip("10.0.0.2"))).value().root, "10.0.0.2");
  EXPECT_EQ(read(servers(server_named("node_0", rank_zero))).value().root, "127.0.0.1");
  for (const std::string& wrong :
       {servers(server_named("node_0", rank_zero) + other), servers(with_ip("here")),
        servers(with_ip("0.0.0.0") + other), servers(with_ip("::") + other)}) {
    const Result<RankTable> refused = read(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.status().code(), HCCL_E_PARA);
    EXPECT_NE(refused.status().refusal().what.find("host_ip"), std::string::npos);
  }
  unlink(file.c_str());
}

TEST(Reduction, ANanStaysOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {1, nan, 3, -INFINITY}, b[] = {nan, 2, 4, INFINITY};
  for (const HcclReduceOp op :
       {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN}) {
    float out[4];
    CombineOf(HCCL_DATA_TYPE_FP32, op)(out, a, b, 4);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1])) << op;
    EXPECT_FALSE(std::isnan(out[2])) << op;
  }
}

// Long parts, whose end is no whole step, into one of the parts.
TEST(Reduction, FromLeftToRightInPlace) {
  std::mt19937 random(3);
  constexpr size_t kCount = 10007;
  std::vector<std::vector<float>> parts(5, std::vector<float>(kCount));
  for (auto& part : parts) {
    for (float& value : part)
      value = std::ldexp(static_cast<float>(random() % 1000), random() % 30);
  }
  std::vector<float> truth = parts[0];
  for (size_t p = 1; p < parts.size(); ++p) {
    for (size_t i = 0; i < kCount; ++i) truth[i] += parts[p][i];
  }
  std::vector<const std::byte*> inputs;
  for (auto& part : parts) inputs.push_back(reinterpret_cast<const std::byte*>(part.data()));
  ReduceInOrder(HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, inputs, kCount,
                reinterpret_cast<std::byte*>(parts[3].data()));
  EXPECT_EQ(std::memcmp(parts[3].data(), truth.data(), kCount * sizeof(float)), 0);
}

TEST(Operations, WhatDiffersHasAnotherSignature) {
  Operation one;
  one.function = "HcclAllReduce";
  one.kind = Kind::kAllReduce;
  one.type = HCCL_DATA_TYPE_FP32;
  one.count = 8;
  one.number = 3;
  Operation other = one;
  EXPECT_EQ(one.Signature(), other.Signature());
  other.count = 9;
  EXPECT_NE(one.Signature(), other.Signature());
  other = one;
  other.type = HCCL_DATA_TYPE_INT32;
  EXPECT_NE(one.Signature(), other.Signature());
  other = one;
  other.op = HCCL_REDUCE_MAX;
  EXPECT_NE(one.Signature(), other.Signature());
  other = one;
  other.number = 4;
  EXPECT_NE(one.Signature(), other.Signature());
  EXPECT_EQ(one.Text(), "call 3: HcclAllReduce(count = 8, dataType = FP32, op = SUM)");
}

}  // namespace
}  // namespace aclimb::collectives
