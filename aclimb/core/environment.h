#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aclimb {

// One environment variable that Aclimb reads.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view values;         // what it accepts
  std::string_view default_value;  // what holds when it is not set
  std::string_view meaning;
};

// Every variable, in the order in which the documents list them.
inline constexpr EnvironmentVariable kEnvironment[] = {
    {"ACLIMB_SOC", "a chip name such as Ascend910B3", "Ascend910B3",
     "the chip to imitate: dtype lists, refusals, aclrtGetSocName"},
    {"ACLIMB_DEVICE", "cpu, or the name of an installed plug-in", "cpu",
     "the backend that runs the work"},
    {"ACLIMB_DEVICES", "1 to 64", "1", "number of devices"},
    {"ACLIMB_MEMORY", "bytes, or a number with K, M, G or T; 4K to 1024T",
     "3/4 of the machine's or the control group's memory, divided by the devices",
     "memory of one device; more than that is 207001"},
    {"ACLIMB_THREADS", "0 to 1024", "0",
     "size of the compute team, which OMP_NUM_THREADS does not choose; 0 means all cores of the "
     "affinity mask that the CPU quota of the control group pays for; OMP_THREAD_LIMIT bounds both "
     "(`aclimb info` says what decided)"},
    {"ACLIMB_CPU_TARGET", "avx2, avx512, avx512_bf16", "what the processor has",
     "the newest instruction set that kernels may use, oneDNN's too; so the kernels for older "
     "processors can be tried on a newer one"},
    {"ACLIMB_HOST_ACCESS", "0, 1", "0", "1 lets the host dereference device addresses"},
    {"ACLIMB_EXTENSIONS", "0, 1", "0", "1 accepts argument values that the documents reserve"},
    {"ACLIMB_STRICT", "0, 1", "0", "1 refuses runtime calls before aclInit with 100001"},
    {"ACLIMB_LOG", "a comma list of plan, stderr, file=<path>", "",
     "plan logs which algorithms phase 1 of a convolution takes; the others say where the log goes "
     "(stderr for a topic alone)"},
    {"ACLIMB_MISSING", "0, 1", "0; aclimb run sets 1",
     "1 lists at exit the operators that the program asked for by type name and did not get"},
    {"ACLIMB_SCHEDULE", "roundrobin, random:<seed>, replay:<file>", "roundrobin",
     "which stream runs next: each in turn, one of the legal orders drawn from the seed (0 to "
     "2^64-1), or a recorded order"},
    {"ACLIMB_SCHEDULE_OUT", "a file name; %p stands for the process number", "",
     "writes the order in which random and replay ran the work"},
    {"ACLIMB_TRACE", "a file name; %p stands for the process number", "",
     "writes a timeline of calls and work in the Chrome trace format"},
    {"ACLIMB_RECORD", "a folder that is new or empty; %p stands for the process number", "",
     "writes every operator call with its data, for aclimb replay"},
    {"ACLIMB_RECORD_LIMIT", "bytes, or a number with K, M, G or T; up to 1024T", "64M",
     "larger tensors are left out of recordings"},
    {"ACLIMB_FAULT", "a comma list of function:when=code or function@run:when=code", "",
     "makes those calls, or tasks on the stream, fail; when is n, n+, p<fraction> or "
     "p<fraction>/<seed>"},
    {"ACLIMB_FAULT_SEED", "0 to 2^64-1", "1", "the seed of faults by probability that name none"},
    {"ACLIMB_CHECK", "a comma list of 0, 1, nan, all", "0",
     "1 looks for misuse of memory, streams, objects and data; nan also for the first operator "
     "that "
     "makes NaNs, all also for what is unclean"},
    {"ACLIMB_CHECK_OUT", "a file name; %p stands for the process number", "",
     "also writes what the checker finds as JSON"},
    {"ACLIMB_CHECK_EXIT", "0 to 255", "86",
     "exit status of a program in which the checker found mistakes; 0 keeps the program's own"},
    {"ACLIMB_MUTE", "a comma list of the checker's rules or their beginnings, as in check/leak", "",
     "findings of these rules are counted and not told"},
    {"ACLIMB_FORCE", "0, 1", "0",
     "1 lets traces, findings, orders and recordings replace files that exist"},
    {"HCCL_CONNECT_TIMEOUT", "1 to 7200", "120", "seconds in which all ranks have to join"},
    {"HCCL_EXEC_TIMEOUT", "0 to 2147483647", "1836",
     "seconds that a collective may take, counted from when it is its communicator's turn and its "
     "stream has come to it; also how long a later collective of the communicator waits for a "
     "stream that has not come to its turn; 0 means for ever"},
    {"HCCL_IF_IP", "a numeric address of this machine", "",
     "where other ranks reach this one; wins over HCCL_SOCKET_IFNAME"},
    {"HCCL_SOCKET_IFNAME", "a comma list of names of interfaces, with =, ^ or ^= before it or none",
     "",
     "the interface by whose address other ranks reach this one: eth means one whose name begins "
     "so, =eth0 that one exactly, ^docker any but those that begin so, ^=eth0 any but that one"},
    {"HCCL_SOCKET_FAMILY", "AF_INET, AF_INET6", "AF_INET",
     "whether other ranks reach this one by an IPv4 or an IPv6 address"},
    {"HCCL_IF_BASE_PORT", "0 to 65504", "0",
     "the first of 32 ports of which HcclGetRootInfo takes a free one; 0 means any"},
    {"HCCL_WHITELIST_DISABLE", "0, 1", "1", "0 lets only the hosts of HCCL_WHITELIST_FILE join"},
    {"HCCL_WHITELIST_FILE", "a file {\"host_ip\": [\"192.168.0.1\", ...]}", "",
     "the hosts that may join"},
    {"HCCL_DETERMINISTIC", "false, true, strict", "false",
     "true and strict, which are alike here, add in the order of the ranks; the bits repeat in any "
     "case"},
    {"HCCL_BUFFSIZE", "1 to 1048576", "200", "MB; accepted, and not needed"},
    {"ASCEND_RT_VISIBLE_DEVICES", "a comma list of device numbers, ascending", "all",
     "the devices that the process sees, renumbered from 0; the list ends without a message at the "
     "first entry that is no device or does not ascend, as CUDA_VISIBLE_DEVICES does"},
    {"ASCEND_LAUNCH_BLOCKING", "0, 1", "0", "1 runs each task before its call returns"},
    {"ASCEND_GLOBAL_LOG_LEVEL", "0 debug, 1 info, 2 warning, 3 error, 4 none", "3",
     "least level that the log keeps"},
    {"ASCEND_MODULE_LOG_LEVEL", "a colon list of module=level", "",
     "level of single modules: APP for the program's own lines, ASCENDCL for ours"},
    {"ASCEND_LOG_PRINT_TO_STDOUT", "0, 1", "0", "1 prints the log to stdout"},
    {"ASCEND_SLOG_PRINT_TO_STDOUT", "0, 1", "0", "older name; the newer one wins"},
};

// A variable of others that Aclimb heeds. `aclimb env` does not list it.
struct OtherVariable {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr OtherVariable kOtherEnvironment[] = {
    {"OMP_THREAD_LIMIT", "the most threads of the compute team"},
    {"OMP_WAIT_POLICY, GOMP_SPINCOUNT",
     "how long OpenMP's threads spin for more work; unless one of them is set, Aclimb lets the "
     "process's OpenMP threads sleep soon"},
    {"OMP_STACKSIZE, GOMP_STACKSIZE", "the stack of oneDNN's threads, which are OpenMP's"},
    {"CXX", "the compiler of `aclimb c++`; `g++` by default"},
    {"NO_COLOR", "any text: `aclimb` prints without colour"},
    {"TERM", "`dumb`: the same"},
    {"LD_LIBRARY_PATH", "as for every program; `aclimb run` puts the toolkit's `lib64/` first"},
};

// The row of a variable; null for a name that Aclimb does not read.
const EnvironmentVariable* FindEnvironmentVariable(std::string_view name);

// The value the process has now, or nothing when it is unset or empty.
std::optional<std::string_view> ReadEnvironment(const char* name);

// Bytes, or a number with K, M, G or T (powers of 1024), up to 2^50; nothing for other texts.
std::optional<uint64_t> ParseByteSize(std::string_view text);

}  // namespace aclimb
