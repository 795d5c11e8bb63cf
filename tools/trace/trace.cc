#include "tools/trace/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "aclimb/core/text.h"
#include "aclimb/observe/observe.h"
#include "tools/trace/json_file.h"

namespace aclimb::tools {
namespace {

// Tracks of the picture: the program's threads, then one group for each device.
constexpr int kHost = 1;
constexpr int kFirstDevice = 2;

std::string Microseconds(int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                static_cast<int>(nanoseconds % 1000));
  return text;
}

// Not snprintf, which writes the locale's decimal point.
std::string Decimal(double value, int digits) {
  char text[400];
  return {text,
          std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, digits).ptr};
}

int64_t Now() {
  using std::chrono::steady_clock;
  static const steady_clock::time_point start = steady_clock::now();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - start).count();
}

int ThreadNumber() {
  thread_local const int number = static_cast<int>(syscall(SYS_gettid));
  return number;
}

// Start times of the calls that a thread is in.
struct OpenCalls {
  static constexpr int kDeepest = 8;
  int64_t begin[kDeepest] = {};
  int depth = 0;
};
thread_local OpenCalls open_calls;

class Trace : public observe::Observer {
 public:
  explicit Trace(JsonFile* file) : file_(file) {
    Now();
    NameTrack(kHost, 0, "program");
    NameTrace();
  }

  bool EndsInChild() const override { return true; }

  int CallBegin(const char*) override {
    if (open_calls.depth < OpenCalls::kDeepest) open_calls.begin[open_calls.depth] = Now();
    ++open_calls.depth;
    return 0;
  }

  void CallEnd(const char* function, int code) override {
    --open_calls.depth;
    if (open_calls.depth >= OpenCalls::kDeepest) return;
    const int64_t begin = open_calls.begin[open_calls.depth];
    Span(function, "call", kHost, ThreadNumber(), begin, Now() - begin,
         Cat("{\"code\":", code, "}"));
  }

  void Allocated(AclimbDevice* device, const void* address, uint64_t requested,
                 uint64_t usable) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Device& of = DeviceOf(device);
    of.live[address] = usable;
    of.bytes += usable;
    CountMemory(of);
    (void)requested;
  }

  void Freed(AclimbDevice* device, const void* address) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    End(DeviceOf(device), address);
  }

  void PhysicalAllocated(AclimbDevice* device, const AclimbPhysical* memory,
                         uint64_t bytes) override {
    Allocated(device, memory, bytes, bytes);
  }

  void PhysicalFreed(const AclimbPhysical* memory) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [handle, device] : devices_) End(device, memory);
  }

  void DeviceClosed(AclimbDevice* device) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Device& of = DeviceOf(device);
    if (of.bytes == 0) return;
    of.live.clear();
    of.bytes = 0;
    CountMemory(of);
  }

  void QueueMade(AclimbDevice* device, AclimbQueue* queue) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Device& of = DeviceOf(device);
    const Track track{of.number, of.streams++};
    tracks_[queue] = track;
    NameTrack(track.process, track.thread, Cat("stream ", track.thread));
  }

  void Queued(const observe::Work& work) override {
    Arrow("s", work.id, kHost, ThreadNumber(), Now());
  }

  int Started(const observe::Work& work) override {
    const int64_t now = Now();
    const std::lock_guard<std::mutex> lock(mutex_);
    running_[work.id] = now;
    return 0;
  }

  void Finished(const observe::Work& work, int code) override {
    const int64_t now = Now();
    int64_t begin = now;
    Track track;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto started = running_.find(work.id);
      if (started != running_.end()) {
        begin = started->second;
        running_.erase(started);
      }
      track = tracks_[work.queue];
    }
    Arrow("f", work.id, track.process, track.thread, begin);
    Span(work.name, "work", track.process, track.thread, begin, now - begin,
         Details(work, code, now - begin));
  }

 private:
  struct Track {
    int process = kFirstDevice;
    int thread = 0;
  };
  struct Device {
    int number = kFirstDevice;
    int streams = 0;
    uint64_t bytes = 0;
    std::unordered_map<const void*, uint64_t> live;
  };

  // Under mutex_.
  Device& DeviceOf(AclimbDevice* device) {
    const auto [found, fresh] = devices_.try_emplace(device);
    if (fresh) {
      found->second.number = kFirstDevice + static_cast<int>(devices_.size()) - 1;
      NameProcess(found->second.number, Cat("device ", devices_.size() - 1));
    }
    return found->second;
  }

  void End(Device& of, const void* memory) {
    const auto found = of.live.find(memory);
    if (found == of.live.end()) return;
    of.bytes -= found->second;
    of.live.erase(found);
    CountMemory(of);
  }

  void CountMemory(const Device& device) {
    file_->Append(Cat("{\"ph\":\"C\",\"name\":\"device memory\",\"pid\":", device.number,
                      ",\"ts\":", Microseconds(Now()), ",\"args\":{\"bytes\":", device.bytes,
                      "}}"));
  }

  // What a piece of work moved and computed, and how fast.
  static std::string Details(const observe::Work& work, int code, int64_t nanoseconds) {
    uint64_t bytes = work.kind == observe::WorkKind::kCopy ? 2 * work.width * work.height
                                                           : work.width * work.height;
    uint64_t workspace = 0;
    const AclimbOperation* operation = work.operation;
    for (int i = 0; operation != nullptr && i < operation->access_count; ++i) {
      const AclimbAccess& access = operation->accesses[i];
      // How often it is passed over is the operator's own affair.
      const bool scratch = std::string_view(access.name) == "workspace";
      (scratch ? workspace : bytes) += access.moved;
    }
    const double flops = operation == nullptr ? 0 : operation->flops;
    std::string out = Cat("{\"id\":", work.id, ",\"code\":", code, ",\"bytes\":", bytes);
    if (workspace > 0) out += Cat(",\"workspace\":", workspace);
    if (flops > 0) out += Cat(",\"flops\":", Decimal(flops, 0));
    // What failed did not do all of it.
    if (code == 0 && nanoseconds > 0) {
      const auto time = static_cast<double>(nanoseconds);
      if (bytes > 0) out += Cat(",\"GB/s\":", Decimal(static_cast<double>(bytes) / time, 3));
      if (flops > 0) out += Cat(",\"GFLOP/s\":", Decimal(flops / time, 3));
    }
    if (operation != nullptr && operation->arguments != nullptr) {
      out += Cat(",\"arguments\":", operation->arguments);
    }
    return out + '}';
  }

  void Span(const char* name, const char* category, int process, int thread, int64_t begin,
            int64_t duration, const std::string& details) {
    file_->Append(Cat("{\"ph\":\"X\",\"name\":", JsonText(name), ",\"cat\":\"", category,
                      "\",\"pid\":", process, ",\"tid\":", thread, ",\"ts\":", Microseconds(begin),
                      ",\"dur\":", Microseconds(duration), ",\"args\":", details, "}"));
  }

  void Arrow(const char* phase, uint64_t id, int process, int thread, int64_t at) {
    file_->Append(Cat("{\"ph\":\"", phase, "\",\"name\":\"queued\",\"cat\":\"queue\",\"bp\":\"e\",",
                      "\"id\":", id, ",\"pid\":", process, ",\"tid\":", thread,
                      ",\"ts\":", Microseconds(at), "}"));
  }

  void NameProcess(int process, const std::string& name) {
    file_->Append(Cat("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", process,
                      ",\"args\":{\"name\":", JsonText(name), "}}"));
  }

  void NameTrace() {
    char date[32] = "";
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    if (gmtime_r(&now, &parts) != nullptr) {
      std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    file_->Append(Cat("{\"ph\":\"M\",\"name\":\"trace\",\"pid\":", kHost, ",\"args\":{\"name\":",
                      JsonText(program_invocation_short_name), ",\"date\":\"", date, "\"}}"));
  }

  void NameTrack(int process, int thread, const std::string& name) {
    if (process == kHost) return NameProcess(process, name);
    file_->Append(Cat("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":", process,
                      ",\"tid\":", thread, ",\"args\":{\"name\":", JsonText(name), "}}"));
  }

  JsonFile* const file_;
  std::mutex mutex_;
  std::map<AclimbDevice*, Device> devices_;
  std::unordered_map<AclimbQueue*, Track> tracks_;
  std::unordered_map<uint64_t, int64_t> running_;  // work -> when it started
};

}  // namespace

observe::Observer* MakeTrace() {
  JsonFile* file = JsonFile::Open("ACLIMB_TRACE");
  return file != nullptr ? new Trace(file) : nullptr;
}

}  // namespace aclimb::tools
