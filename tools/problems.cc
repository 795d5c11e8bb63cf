#include "tools/problems.h"

#include <cstdlib>

#include "aclimb/core/text.h"
#include "tools/check/settings.h"
#include "tools/fault/fault_spec.h"
#include "tools/output_path.h"
#include "tools/record/limit.h"
#include "tools/record/record_folder.h"
#include "tools/schedule/settings.h"

namespace aclimb::tools {

std::vector<Problem> ValueProblems() {
  std::vector<Problem> problems;
  for (const Status& status : {ReadFaultSeed().TakeStatus(), ReadFaults().TakeStatus()}) {
    if (status.ok()) continue;
    problems.push_back({status.refusal().what, "No call will fail; correct it, or unset it."});
  }
  check::ReadSettings(&problems);
  if (const Status limit = ReadRecordLimit().TakeStatus(); !limit.ok()) {
    problems.push_back(
        {limit.refusal().what, "The limit stays at 64 MiB; correct it, or unset it."});
  }
  if (const Status order = ReadOrder().TakeStatus(); !order.ok()) {
    problems.push_back(
        {order.refusal().what, "Each stream runs in turn; correct it, or unset it."});
  }
  if (const char* force = secure_getenv("ACLIMB_FORCE")) {
    const std::string value = force;
    if (!value.empty() && value != "0" && value != "1") {
      problems.push_back({Cat("ACLIMB_FORCE is \"", value, "\"; expected 0 or 1."),
                          "Files that exist are kept; correct it, or unset it."});
    }
  }
  return problems;
}

std::vector<Problem> FileProblems() {
  std::vector<Problem> problems;
  for (const char* variable : {"ACLIMB_TRACE", "ACLIMB_CHECK_OUT", "ACLIMB_SCHEDULE_OUT"}) {
    if (auto problem = OutputProblem(variable)) {
      problems.push_back({std::move(*problem), ""});
    }
  }
  const char* record = secure_getenv("ACLIMB_RECORD");
  if (record != nullptr && record[0] != '\0') {
    if (auto problem = RecordFolder::ProblemOf(record)) {
      problems.push_back({std::move(*problem), ""});
    }
  }
  return problems;
}

}  // namespace aclimb::tools
