#include "hccl/hccl_types.h"
#include "tools/catalogue/code_entry.h"

// Numbers of their own: HcclResult starts at 0 as the codes of the runtime do.
namespace aclimb::catalogue {
namespace {

constexpr const char* kAskMessage =
    "print aclGetRecentErrMsg, and look up the rule at its end: aclimb explain RULE";
constexpr const char* kAskOtherRank = "look at that rank first: its own message tells more";

constexpr CodeEntry kReturned[] = {
    {ACLIMB_CODE(HCCL_SUCCESS), "the call succeeded", "all is well", "nothing is to be done"},
    {ACLIMB_CODE(HCCL_E_PARA), "an argument is not acceptable, or the ranks do not agree",
     "a buffer, a count, a rank or a variable HCCL_* that is wrong, or ranks that make other calls",
     kAskMessage},
    {ACLIMB_CODE(HCCL_E_PTR), "a required pointer is null",
     "a call that should have set it failed and was not checked", "pass an address"},
    {ACLIMB_CODE(HCCL_E_MEMORY), "the host has not enough memory",
     "the process reached its memory limit", "free host memory, or raise the limit"},
    {ACLIMB_CODE(HCCL_E_INTERNAL), "an internal failure", "a mistake in Aclimb",
     "report it, with the call and its arguments"},
    {ACLIMB_CODE(HCCL_E_NOT_SUPPORT), "the function or the combination is not supported",
     "registered memory, suspension, two types or streams in one call, or ranks with different "
     "releases of Aclimb",
     kAskMessage},
    {ACLIMB_CODE(HCCL_E_NOT_FOUND), "the machine has no address that was asked for",
     "the name of another machine's interface", "correct HCCL_SOCKET_IFNAME or HCCL_IF_IP"},
    {ACLIMB_CODE(HCCL_E_UNAVAIL), "a resource is not available",
     "a port that is taken, a limit of threads or of communicators, Gloo that is not installed, or "
     "a communicator of the parent of a fork",
     kAskMessage},
    {ACLIMB_CODE(HCCL_E_SYSCALL), "a call of the operating system failed",
     "the limit of open files: each rank has a connection to each other", "raise it (ulimit -n)"},
    {ACLIMB_CODE(HCCL_E_TIMEOUT), "a rank did not come in time",
     "a rank that failed before it joined, or that waits for something else",
     "look at the rank that the message names; HCCL_CONNECT_TIMEOUT and HCCL_EXEC_TIMEOUT are the "
     "limits"},
    {ACLIMB_CODE(HCCL_E_OPEN_FILE_FAILURE), "a file cannot be opened",
     "a wrong path of the rank table or of HCCL_WHITELIST_FILE", "correct the path"},
    {ACLIMB_CODE(HCCL_E_TCP_CONNECT), "a rank cannot be connected with",
     "a firewall, or the address of a network that the others are not in",
     "choose the address with HCCL_IF_IP or HCCL_SOCKET_IFNAME"},
    {ACLIMB_CODE(HCCL_E_TCP_TRANSFER), "a transfer over TCP failed", "a broken connection",
     "destroy the communicator and make a new one"},
    {ACLIMB_CODE(HCCL_E_RUNTIME), "the calling thread has no device", "a thread that set none",
     "call aclrtSetDevice"},
    {ACLIMB_CODE(HCCL_E_REMOTE), "another rank failed, ended or left",
     "a rank that crashed, was killed, or destroyed its communicator", kAskOtherRank},
    {ACLIMB_CODE(HCCL_E_SUSPENDING), "a queued operation was dropped",
     "aclrtStreamAbort, or a stream that failed or was destroyed",
     "destroy the communicator and make a new one"},
};

constexpr CodeEntry kElsewhere[] = {
    {ACLIMB_CODE(HCCL_E_ROCE_CONNECT), "an RDMA connection cannot be made",
     "a card or a network without RDMA", "check the network of the cards"},
    {ACLIMB_CODE(HCCL_E_ROCE_TRANSFER), "a transfer by RDMA failed", "a broken link",
     "check the network of the cards"},
    {ACLIMB_CODE(HCCL_E_DRV), "a call of the driver failed", "a driver of another release",
     "read the driver's log"},
    {ACLIMB_CODE(HCCL_E_PROFILING), "profiling failed", "a profiler that cannot write",
     "run without the profiler"},
    {ACLIMB_CODE(HCCL_E_CCE), "a kernel cannot be launched", "a stream or a device that failed",
     "read the log of the device"},
    {ACLIMB_CODE(HCCL_E_NETWORK), "the network failed", "a broken link",
     "check the network between the hosts"},
    {ACLIMB_CODE(HCCL_E_AGAIN), "the call could not be served yet", "a resource that is in use",
     "call again"},
    {ACLIMB_CODE(HCCL_E_OPRETRY_FAIL), "the repetition of an operation failed",
     "a link that stayed broken", "check the network of the cards"},
    {ACLIMB_CODE(HCCL_E_OOM), "the device has not enough memory", "buffers of many communicators",
     "free device memory"},
};

}  // namespace

std::span<const CodeEntry> CollectiveCodes() { return kReturned; }
std::span<const CodeEntry> OtherCollectiveCodes() { return kElsewhere; }

}  // namespace aclimb::catalogue
