#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aclimb/core/status.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// "HCCL_E_TIMEOUT"; an empty text for a number that is none.
const char* NameOf(HcclResult code);
// What the code says, as HcclGetErrorString returns it. Static text for every number.
const char* MeaningOf(HcclResult code);

// Adds the refusal to the calling thread's messages. Its code is an HcclResult, which is returned;
// aclrtGetLastError tells the code of the runtime that comes next to it.
HcclResult Report(const char* function, const Refusal& refusal) noexcept;
// The exception in flight, classed by its cause.
Status StatusOfException();
// Turns the exception in flight into a message and a code.
HcclResult ReportException(const char* function) noexcept;
// The text of the refusal as a message has it.
std::string TextOf(std::string_view function, const Refusal& refusal);

Status CopyOf(const Status& status);

// ---- Refusals that many functions share ----

// HCCL_E_MEMORY
Status NoHostMemory(std::string_view whose);
// HCCL_E_PTR
Status NullPointer(std::string_view name);
// HCCL_E_PARA. `expected` continues "expected ...".
Status BadParameter(std::string_view name, int64_t value, std::string_view expected,
                    std::string_view rule, std::string fix);
// What to do about another rank's failure.
inline constexpr const char* kFixOfFailure =
    "look at that rank first: its own message tells more; then destroy the communicator and make a "
    "new one";
// The code and the text are what the rank told.
Status RankHasFailed(uint32_t rank, uint32_t code, std::string_view what);
// HCCL_E_REMOTE. `where` is the operation that waits for the rank, in whose text it comes first.
Status RankHasLeft(std::string_view where, uint32_t rank);

}  // namespace aclimb::collectives
