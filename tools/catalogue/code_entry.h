#pragma once

#include <span>
#include <vector>

namespace aclimb::catalogue {

// One row of the error catalogue: a code of the public headers by its name there. Texts are
// fragments without a full stop. `aclimb explain` and docs/errors.md print them.
struct CodeEntry {
  int code;
  const char* name;
  const char* meaning;
  const char* causes;  // what usually leads to it
  const char* fix;
};

// The number and the name of a row from the header's own constant, which therefore exists.
#define ACLIMB_CODE(constant) static_cast<int>(constant), #constant

// Every row, by number; of one number the general name first.
std::vector<CodeEntry> AllCodeEntries();

// True when a function of Aclimb can return the code under this name. The others exist so that
// programs compile.
bool IsReturned(const CodeEntry& text);
// The same of the number, under this name or another of its header.
bool IsNumberReturned(const CodeEntry& text);
// True for an HcclResult, whose numbers are their own.
bool IsCollective(const CodeEntry& text);

// By header, each in the order of its numbers. A number that has several names has several rows.
std::span<const CodeEntry> GeneralCodes();          // acl/acl_base_rt.h
std::span<const CodeEntry> RuntimeUsageCodes();     // 107xxx of acl/error_codes/rt_error_codes.h
std::span<const CodeEntry> RuntimeResourceCodes();  // 207xxx
std::span<const CodeEntry> RuntimeFaultCodes();     // 507xxx
std::span<const CodeEntry> GraphCodes();            // acl/error_codes/ge_error_codes.h
std::span<const CodeEntry> OperatorCodes();         // aclnn/opdev/op_errno.h
std::span<const CodeEntry> CollectiveCodes();       // hccl/hccl_types.h, those that are returned
std::span<const CodeEntry> OtherCollectiveCodes();  // the others

}  // namespace aclimb::catalogue
