#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

// One rank of a test, as a thread or as a process: it knows what every rank has, so it can compute
// what it must get.
namespace collectives_test {

constexpr uint64_t kMostBytes = 16;  // of an element

// Writes the element and returns how many bytes it has. What an element type can hold without
// rounding is enough here: truths are exact.
inline uint64_t Encode(HcclDataType type, double value, unsigned char* to) {
  const auto put = [to](const auto& number) {
    std::memcpy(to, &number, sizeof(number));
    return sizeof(number);
  };
  const auto whole = static_cast<int64_t>(value);
  switch (type) {
    case HCCL_DATA_TYPE_FP32:
      return put(static_cast<float>(value));
    case HCCL_DATA_TYPE_FP64:
      return put(value);
    case HCCL_DATA_TYPE_FP16:
      return put(aclFloatToFloat16(static_cast<float>(value)));
    case HCCL_DATA_TYPE_BFP16: {
      const float single = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &single, sizeof(bits));
      return put(static_cast<uint16_t>(bits >> 16));
    }
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
      return put(static_cast<uint16_t>(whole));
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
      return put(static_cast<uint32_t>(whole));
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
      return put(whole);
    case HCCL_DATA_TYPE_INT128: {
      const int64_t halves[] = {whole, whole < 0 ? -1 : 0};
      return put(halves);
    }
    default:
      return put(static_cast<uint8_t>(whole));
  }
}

inline bool IsUnsigned(HcclDataType type) {
  return type == HCCL_DATA_TYPE_UINT8 || type == HCCL_DATA_TYPE_UINT16 ||
         type == HCCL_DATA_TYPE_UINT32 || type == HCCL_DATA_TYPE_UINT64;
}
inline bool IsFloat(HcclDataType type) {
  return type == HCCL_DATA_TYPE_FP16 || type == HCCL_DATA_TYPE_FP32 ||
         type == HCCL_DATA_TYPE_FP64 || type == HCCL_DATA_TYPE_BFP16;
}

// Element `i` of rank `rank`.
inline double ValueOf(HcclDataType type, uint32_t rank, uint64_t i) {
  const auto step = static_cast<double>((i * 7 + rank * 5 + i / 11) % 7);
  if (IsUnsigned(type)) return step;
  return IsFloat(type) ? (step - 3) / 2 : step - 3;
}

inline double Reduced(HcclReduceOp op, double a, double b) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return a + b;
    case HCCL_REDUCE_PROD:
      return a * b;
    case HCCL_REDUCE_MAX:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

class Rank {
 public:
  Rank(HcclComm comm, aclrtStream stream) : comm_(comm), stream_(stream) {
    Expect(HcclGetRankId(comm, &rank_) == HCCL_SUCCESS, "HcclGetRankId");
    Expect(HcclGetRankSize(comm, &size_) == HCCL_SUCCESS, "HcclGetRankSize");
  }

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return size_; }
  int failures() const { return failures_; }

  // All functions; every rank calls it. The number of failures.
  int RunAll() {
    const HcclDataType reduced[] = {
        HCCL_DATA_TYPE_INT8,   HCCL_DATA_TYPE_INT16,  HCCL_DATA_TYPE_INT32,  HCCL_DATA_TYPE_FP16,
        HCCL_DATA_TYPE_FP32,   HCCL_DATA_TYPE_INT64,  HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_UINT8,
        HCCL_DATA_TYPE_UINT16, HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_FP64,   HCCL_DATA_TYPE_BFP16,
        HCCL_DATA_TYPE_INT128};
    const HcclReduceOp ops[] = {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX,
                                HCCL_REDUCE_MIN};
    for (const HcclDataType type : reduced) {
      for (const HcclReduceOp op : ops) {
        AllReduce(type, op, 37, op == HCCL_REDUCE_MAX);
        Reduce(type, op, 37, static_cast<uint32_t>(op) % size_);
        ReduceScatter(type, op, 5);
      }
      Move(type, 37);
    }
    for (const HcclDataType type : {HCCL_DATA_TYPE_HIF8, HCCL_DATA_TYPE_FP8E4M3,
                                    HCCL_DATA_TYPE_FP8E5M2, HCCL_DATA_TYPE_FP8E8M0}) {
      Move(type, 37);
    }
    for (const uint64_t count : {uint64_t{1}, uint64_t{2}, uint64_t{1001}, uint64_t{300007}}) {
      for (const HcclDataType type : {HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_BFP16}) {
        AllReduce(type, HCCL_REDUCE_SUM, count, count == 1001);
        Reduce(type, HCCL_REDUCE_SUM, count, size_ - 1);
        ReduceScatter(type, HCCL_REDUCE_SUM, count / 7 + 1);
        Move(type, count / 3 + 1);
      }
    }
    RoundsOnce();
    Wraps();
    Empty();
    ScatterAndGatherV();
    Transfers();
    Batch();
    Expect(HcclBarrier(comm_, stream_) == HCCL_SUCCESS, "HcclBarrier");
    Wait("HcclBarrier");
    HcclResult error = HCCL_E_RESERVED;
    Expect(HcclGetCommAsyncError(comm_, &error) == HCCL_SUCCESS && error == HCCL_SUCCESS,
           "HcclGetCommAsyncError");
    return failures_;
  }

  void AllReduce(HcclDataType type, HcclReduceOp op, uint64_t count, bool in_place) {
    Buffer in(*this, type, count), out(*this, type, count);
    in.Fill(rank_);
    void* const to = in_place ? in.address() : out.address();
    Call(HcclAllReduce(in.address(), to, count, type, op, comm_, stream_), "HcclAllReduce");
    (in_place ? in : out).Check("HcclAllReduce", [&](uint64_t i) { return Truth(type, op, i); });
    if (!in_place) in.Check("HcclAllReduce's input", [&](uint64_t i) { return Mine(type, i); });
  }

  void Reduce(HcclDataType type, HcclReduceOp op, uint64_t count, uint32_t root) {
    Buffer in(*this, type, count), out(*this, type, count);
    in.Fill(rank_);
    void* const to = rank_ == root ? out.address() : nullptr;
    Call(HcclReduce(in.address(), to, count, type, op, root, comm_, stream_), "HcclReduce");
    if (rank_ == root) out.Check("HcclReduce", [&](uint64_t i) { return Truth(type, op, i); });
  }

  void ReduceScatter(HcclDataType type, HcclReduceOp op, uint64_t count) {
    Buffer in(*this, type, count * size_), out(*this, type, count);
    in.Fill(rank_);
    Call(HcclReduceScatter(in.address(), out.address(), count, type, op, comm_, stream_),
         "HcclReduceScatter");
    out.Check("HcclReduceScatter", [&](uint64_t i) { return Truth(type, op, count * rank_ + i); });
    // Into the rank's own block.
    Call(HcclReduceScatter(in.address(), in.At(count * rank_), count, type, op, comm_, stream_),
         "HcclReduceScatter in place");
    in.CheckPart("HcclReduceScatter in place", count * rank_, count,
                 [&](uint64_t i) { return Truth(type, op, i); });
  }

  // What moves data and does not look at it.
  void Move(HcclDataType type, uint64_t count) {
    Buffer one(*this, type, count), all(*this, type, count * size_),
        other(*this, type, count * size_);
    const uint32_t root = static_cast<uint32_t>(count) % size_;
    if (rank_ == root) one.Fill(root);
    Call(HcclBroadcast(one.address(), count, type, root, comm_, stream_), "HcclBroadcast");
    one.Check("HcclBroadcast", [&](uint64_t i) { return ValueOf(type, root, i); });
    one.Fill(rank_);
    Call(HcclAllGather(one.address(), all.address(), count, type, comm_, stream_), "HcclAllGather");
    all.Check("HcclAllGather", [&](uint64_t i) {
      return ValueOf(type, static_cast<uint32_t>(i / count), i % count);
    });
    one.Poison();
    Call(HcclScatter(rank_ == root ? all.address() : nullptr, one.address(), count, type, root,
                     comm_, stream_),
         "HcclScatter");
    one.Check("HcclScatter", [&](uint64_t i) { return ValueOf(type, rank_, i); });
    all.Fill(rank_);
    Call(HcclAlltoAll(all.address(), count, type, other.address(), count, type, comm_, stream_),
         "HcclAlltoAll");
    other.Check("HcclAlltoAll", [&](uint64_t i) {
      return ValueOf(type, static_cast<uint32_t>(i / count), count * rank_ + i % count);
    });
  }

  // 2048 + 1 + 1 is 2050 in float16, unless it is rounded at every step.
  void RoundsOnce() {
    struct Case {
      HcclDataType type;
      double large;
    };
    for (const Case& each : {Case{HCCL_DATA_TYPE_FP16, 2048}, Case{HCCL_DATA_TYPE_BFP16, 256}}) {
      Buffer in(*this, each.type, 9), out(*this, each.type, 9);
      in.FillWith([&](uint64_t) { return rank_ == 0 ? each.large : 1.0; });
      Call(
          HcclAllReduce(in.address(), out.address(), 9, each.type, HCCL_REDUCE_SUM, comm_, stream_),
          "HcclAllReduce");
      // To the nearest even multiple of 2.
      const uint32_t ones = size_ - 1;
      const uint32_t rounded = ones % 2 == 0 ? ones : (ones % 4 == 1 ? ones - 1 : ones + 1);
      out.Check("rounded once", [&](uint64_t) { return each.large + rounded; });
    }
  }

  void Wraps() {
    Buffer in(*this, HCCL_DATA_TYPE_INT8, 5), out(*this, HCCL_DATA_TYPE_INT8, 5);
    in.FillWith([](uint64_t) { return 100; });
    Call(HcclAllReduce(in.address(), out.address(), 5, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM, comm_,
                       stream_),
         "HcclAllReduce");
    const auto wrapped = static_cast<int8_t>(static_cast<uint8_t>(100 * size_));
    out.Check("wrapped", [&](uint64_t) { return wrapped; });
  }

  void Empty() {
    Call(HcclAllReduce(nullptr, nullptr, 0, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm_, stream_),
         "HcclAllReduce of nothing");
    Call(HcclBroadcast(nullptr, 0, HCCL_DATA_TYPE_FP32, 0, comm_, stream_),
         "HcclBroadcast of nothing");
  }

  // Blocks of rank + 1 elements, with a gap of one element between them.
  void ScatterAndGatherV() {
    const HcclDataType type = HCCL_DATA_TYPE_INT32;
    std::vector<uint64_t> counts, places, packed;
    uint64_t end = 0, total = 0;
    for (uint32_t r = 0; r < size_; ++r) {
      counts.push_back(r + 1);
      places.push_back(end);
      packed.push_back(total);
      end += r + 2;
      total += r + 1;
    }
    Buffer mine(*this, type, rank_ + 1), all(*this, type, end), dense(*this, type, total);
    mine.Fill(rank_);
    Call(HcclAllGatherV(mine.address(), rank_ + 1, all.address(), counts.data(), places.data(),
                        type, comm_, stream_),
         "HcclAllGatherV");
    Call(HcclAllGatherV(mine.address(), rank_ + 1, dense.address(), counts.data(), packed.data(),
                        type, comm_, stream_),
         "HcclAllGatherV packed");
    for (uint32_t r = 0; r < size_; ++r) {
      const auto truth = [&](uint64_t i) { return ValueOf(type, r, i - places[r]); };
      all.CheckPart("HcclAllGatherV", places[r], counts[r], truth);
      dense.CheckPart("HcclAllGatherV packed", packed[r], counts[r],
                      [&](uint64_t i) { return ValueOf(type, r, i - packed[r]); });
    }
    all.Fill(rank_);
    mine.Poison();
    Call(HcclReduceScatterV(all.address(), counts.data(), places.data(), mine.address(), rank_ + 1,
                            type, HCCL_REDUCE_SUM, comm_, stream_),
         "HcclReduceScatterV");
    mine.Check("HcclReduceScatterV",
               [&](uint64_t i) { return Truth(type, HCCL_REDUCE_SUM, places[rank_] + i); });
    AllToAllV();
  }

  // Rank a sends a + 2b elements to rank b.
  void AllToAllV() {
    const HcclDataType type = HCCL_DATA_TYPE_INT64;
    const auto count = [](uint32_t from, uint32_t to) { return uint64_t{from} + 2 * to; };
    std::vector<uint64_t> sent, sent_places, received, places, matrix;
    uint64_t out_end = 0, in_end = 0;
    for (uint32_t r = 0; r < size_; ++r) {
      sent.push_back(count(rank_, r));
      sent_places.push_back(in_end);
      in_end += count(rank_, r);
      received.push_back(count(r, rank_));
      places.push_back(out_end);
      out_end += count(r, rank_);
      for (uint32_t to = 0; to < size_; ++to) matrix.push_back(count(r, to));
    }
    Buffer in(*this, type, in_end), out(*this, type, out_end);
    in.Fill(rank_);
    const auto check = [&](const char* name) {
      for (uint32_t r = 0; r < size_; ++r) {
        uint64_t place = 0;  // of the block at its sender
        for (uint32_t to = 0; to < rank_; ++to) place += count(r, to);
        out.CheckPart(name, places[r], received[r],
                      [&](uint64_t i) { return ValueOf(type, r, place + i - places[r]); });
      }
    };
    Call(HcclAlltoAllV(in.address(), sent.data(), sent_places.data(), type, out.address(),
                       received.data(), places.data(), type, comm_, stream_),
         "HcclAlltoAllV");
    check("HcclAlltoAllV");
    out.Poison();
    Call(HcclAlltoAllVC(in.address(), matrix.data(), type, out.address(), type, comm_, stream_),
         "HcclAlltoAllVC");
    check("HcclAlltoAllVC");
    AllToAllInterleaved();
  }

  // Blocks of two elements that are sent and that are received take turns in one buffer. Of what is
  // read nothing else is written before.
  void AllToAllInterleaved() {
    const uint64_t bytes = 4 * sizeof(int32_t) * size_;
    void* memory = nullptr;
    Expect(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
    int32_t* const in = static_cast<int32_t*>(memory);
    const std::vector<uint64_t> counts(size_, 2);
    std::vector<uint64_t> places;
    for (uint32_t r = 0; r < size_; ++r) {
      places.push_back(4 * r);
      const int32_t sent[] = {static_cast<int32_t>(rank_), static_cast<int32_t>(r)};
      Expect(
          aclrtMemcpy(in + 4 * r, sizeof(sent), sent, sizeof(sent), ACL_MEMCPY_HOST_TO_DEVICE) == 0,
          "aclrtMemcpy");
    }
    int32_t* const out = in + 2;
    Call(HcclAlltoAllV(in, counts.data(), places.data(), HCCL_DATA_TYPE_INT32, out, counts.data(),
                       places.data(), HCCL_DATA_TYPE_INT32, comm_, stream_),
         "HcclAlltoAllV of interleaved blocks");
    Wait("HcclAlltoAllV of interleaved blocks");
    for (uint32_t r = 0; r < size_; ++r) {
      int32_t received[2] = {};
      Expect(aclrtMemcpy(received, sizeof(received), out + 4 * r, sizeof(received),
                         ACL_MEMCPY_DEVICE_TO_HOST) == 0,
             "aclrtMemcpy");
      Expect(received[0] == static_cast<int32_t>(r) && received[1] == static_cast<int32_t>(rank_),
             "HcclAlltoAllV of interleaved blocks: a block differs");
    }
    Expect(aclrtFree(memory) == 0, "aclrtFree");
  }

  // Along the ring: even ranks send first. Several in a row, which must come in their order.
  void Transfers() {
    if (size_ < 2) return;
    const HcclDataType type = HCCL_DATA_TYPE_FP32;
    const uint32_t next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    for (const uint64_t count : {uint64_t{3}, uint64_t{70001}, uint64_t{3}}) {
      Buffer mine(*this, type, count), theirs(*this, type, count);
      mine.Fill(rank_);
      const auto send = [&] {
        Call(HcclSend(mine.address(), count, type, next, comm_, stream_), "HcclSend");
      };
      if (rank_ % 2 == 0) send();
      Call(HcclRecv(theirs.address(), count, type, before, comm_, stream_), "HcclRecv");
      if (rank_ % 2 != 0) send();
      theirs.Check("HcclRecv", [&](uint64_t i) { return ValueOf(type, before, i); });
    }
  }

  // Everybody with everybody, itself included, at once; and the same by groups.
  void Batch() {
    const HcclDataType type = HCCL_DATA_TYPE_INT16;
    const uint64_t count = 11;
    Buffer in(*this, type, count), out(*this, type, count * size_);
    in.Fill(rank_);
    std::vector<HcclSendRecvItem> items;
    for (uint32_t r = 0; r < size_; ++r) {
      items.push_back({HCCL_RECV, out.At(count * r), count, type, r});
      items.push_back({HCCL_SEND, in.address(), count, type, r});
    }
    const auto truth = [&](uint64_t i) {
      return ValueOf(type, static_cast<uint32_t>(i / count), i % count);
    };
    Call(HcclBatchSendRecv(items.data(), static_cast<uint32_t>(items.size()), comm_, stream_),
         "HcclBatchSendRecv");
    out.Check("HcclBatchSendRecv", truth);
    out.Poison();
    Call(HcclGroupStart(), "HcclGroupStart");
    for (const HcclSendRecvItem& item : items) {
      if (item.sendRecvType == HCCL_SEND) {
        Call(HcclSend(item.buf, count, type, item.remoteRank, comm_, stream_), "HcclSend");
      } else {
        Call(HcclRecv(item.buf, count, type, item.remoteRank, comm_, stream_), "HcclRecv");
      }
    }
    Call(HcclGroupEnd(), "HcclGroupEnd");
    out.Check("HcclGroupEnd", truth);
  }

  void Call(HcclResult code, const char* name) {
    if (code == HCCL_SUCCESS) return;
    Expect(false,
           std::string(name) + " returned " + std::to_string(code) + ": " + aclGetRecentErrMsg());
  }
  bool Wait(const char* name) {
    const aclError code = aclrtSynchronizeStream(stream_);
    if (code == ACL_SUCCESS) return true;
    Expect(false, std::string(name) + ": the stream failed: " + aclGetRecentErrMsg());
    return false;
  }
  void Expect(bool holds, const std::string& what) {
    if (holds) return;
    ++failures_;
    std::fprintf(stderr, "rank %u of %u: %s\n", rank_, size_, what.c_str());
  }

 private:
  // Device memory of elements, full of a pattern at first, and with a little of it behind them.
  class Buffer {
   public:
    Buffer(Rank& rank, HcclDataType type, uint64_t count)
        : rank_(rank), type_(type), count_(count), bytes_(BytesOf(type)) {
      rank_.Expect(aclrtMalloc(&address_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS,
                   "aclrtMalloc");
      Poison();
    }
    ~Buffer() {
      rank_.Wait("the end");
      aclrtFree(address_);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    void* address() const { return address_; }
    void* At(uint64_t element) const { return static_cast<char*>(address_) + element * bytes_; }

    void Poison() {
      rank_.Wait("before");
      rank_.Expect(aclrtMemset(address_, Bytes(), kPoison, Bytes()) == ACL_SUCCESS, "aclrtMemset");
    }
    void Fill(uint32_t rank) {
      FillWith([&](uint64_t i) { return ValueOf(type_, rank, i); });
    }
    template <typename Value>
    void FillWith(Value value) {
      const std::vector<unsigned char> host = Encoded(0, count_, value);
      rank_.Wait("before");
      rank_.Expect(host.empty() || aclrtMemcpy(address_, host.size(), host.data(), host.size(),
                                               ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS,
                   "aclrtMemcpy");
    }
    template <typename Value>
    void Check(const char* what, Value value) {
      CheckPart(what, 0, count_, value);
    }
    // And that nothing is written behind the elements.
    template <typename Value>
    void CheckPart(const char* what, uint64_t begin, uint64_t count, Value value) {
      if (!rank_.Wait(what)) return;
      std::vector<unsigned char> host(Bytes());
      rank_.Expect(aclrtMemcpy(host.data(), host.size(), address_, host.size(),
                               ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS,
                   "aclrtMemcpy");
      const std::vector<unsigned char> truth = Encoded(begin, count, value);
      uint64_t wrong = 0;
      while (wrong < truth.size() && truth[wrong] == host[begin * bytes_ + wrong]) ++wrong;
      rank_.Expect(wrong == truth.size(), std::string(what) + " of type " + std::to_string(type_) +
                                              " and " + std::to_string(count_) +
                                              " elements: element " +
                                              std::to_string(begin + wrong / bytes_) + " is wrong");
      bool kept = true;
      for (uint64_t i = count_ * bytes_; i < host.size(); ++i) kept = kept && host[i] == kPoison;
      rank_.Expect(kept, std::string(what) + ": something is written behind the buffer");
    }

   private:
    static constexpr unsigned char kPoison = 0xA5;

    uint64_t Bytes() const { return count_ * bytes_ + 64; }
    static uint64_t BytesOf(HcclDataType type) {
      unsigned char element[kMostBytes];
      return Encode(type, 0, element);
    }
    template <typename Value>
    std::vector<unsigned char> Encoded(uint64_t begin, uint64_t count, Value value) const {
      std::vector<unsigned char> elements(count * bytes_);
      unsigned char* to = elements.data();
      for (uint64_t i = begin; i < begin + count; ++i) to += Encode(type_, value(i), to);
      return elements;
    }

    Rank& rank_;
    const HcclDataType type_;
    const uint64_t count_;
    const uint64_t bytes_;
    void* address_ = nullptr;
  };

  double Mine(HcclDataType type, uint64_t i) const { return ValueOf(type, rank_, i); }
  double Truth(HcclDataType type, HcclReduceOp op, uint64_t i) const {
    double value = ValueOf(type, 0, i);
    for (uint32_t r = 1; r < size_; ++r) value = Reduced(op, value, ValueOf(type, r, i));
    return value;
  }

  const HcclComm comm_;
  const aclrtStream stream_;
  uint32_t rank_ = 0;
  uint32_t size_ = 0;
  int failures_ = 0;
};

}  // namespace collectives_test
