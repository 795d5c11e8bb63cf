#include "backends/cpu/fault_handler.h"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "backends/cpu/address_space.h"
#include "backends/cpu/mapped_memory.h"

namespace aclimb::cpu {
namespace {

struct sigaction previous;

// Builds text in a signal handler: no allocation, no stdio.
class SignalText {
 public:
  void Add(const char* text) {
    while (*text != '\0' && length_ < sizeof(buffer_)) buffer_[length_++] = *text++;
  }
  void AddNumber(uint64_t value, unsigned base) {
    char digits[24];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0 && length_ < sizeof(buffer_)) buffer_[length_++] = digits[--count];
  }
  void Print() const {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, buffer_, length_);
  }

 private:
  char buffer_[768];
  size_t length_ = 0;
};

constexpr char kFix[] =
    ".\n  fix: the host cannot read or write device memory; copy it with aclrtMemcpy first "
    "(ACLIMB_HOST_ACCESS=1 allows a look while debugging)\n"
    "  rule: runtime/memory/host-access   signal: SIGSEGV\n";

void Begin(SignalText& text, const void* address) {
  text.Add("aclimb: the host accessed device address 0x");
  text.AddNumber(reinterpret_cast<uint64_t>(address), 16);
}

void ExplainRange(const void* address) {
  SignalText text;
  Begin(text, address);
  text.Add(", which lies in a range of aclrtReserveMemAddress");
  text.Add(kFix);
  text.Print();
}

void Explain(const AddressSpace& space, const void* address) {
  SignalText text;
  Begin(text, address);
  text.Add(" of device ");
  text.AddNumber(static_cast<uint64_t>(space.device()), 10);
  const void* base = nullptr;
  AddressSpace::Block block;
  if (space.Describe(address, &base, &block)) {
    const uint64_t offset =
        static_cast<uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(base));
    text.Add(offset < block.usable ? ": offset " : ", which lies in no live allocation: offset ");
    text.AddNumber(offset, 10);
    text.Add(" from the allocation at 0x");
    text.AddNumber(reinterpret_cast<uint64_t>(base), 16);
    text.Add(" of ");
    text.AddNumber(block.requested, 10);
    text.Add(" bytes");
  } else {
    text.Add(", which lies in no live allocation");
  }
  text.Add(kFix);
  text.Print();
}

void Handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code > 0) {
    const AddressSpace* space = SpaceOf(info->si_addr);
    if (space != nullptr) {
      Explain(*space, info->si_addr);
    } else if (IsInRange(info->si_addr)) {
      ExplainRange(info->si_addr);
    }
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  // Back to the default action: the faulting instruction runs again and ends the program with the
  // status and the core file that it would have had without us. A signal that was sent has no such
  // instruction and is sent again.
  struct sigaction fallback;
  std::memset(&fallback, 0, sizeof(fallback));
  fallback.sa_handler = SIG_DFL;
  sigaction(signal, &fallback, nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace

void InstallFaultHandler() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous);
}

}  // namespace aclimb::cpu
