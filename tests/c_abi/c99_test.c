// What a C99 program sees of acl/: numbers, layouts, codes and functions, against the tables
// written from the API's description. Prints every difference; 1 if there is one.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclimb/framework.h"
#include "aclimb/version.h"
#include "hccl/hccl.h"

// C99 has no static assertion; an array of negative size is one.
#define ACLIMB_ENUMERATOR(type, name, number) \
  typedef char NumberOf_##name[(int64_t)(name) == (number) ? 1 : -1];
#define ACLIMB_MACRO(name, number)
#include "tests/c_abi/numbers.inc"

#define ACLIMB_TYPE(name, definition)
#define ACLIMB_CPP_TYPE(name, definition)
#define ACLIMB_SIZE(type, bytes) typedef char SizeOf_##type[sizeof(type) == (bytes) ? 1 : -1];
#define ACLIMB_FIELD(type, field, definition, offset)                                            \
  typedef char OffsetOf_##type##_##field[offsetof(type, field) == (offset) &&                    \
                                                 sizeof(((type*)0)->field) == sizeof(definition) \
                                             ? 1                                                 \
                                             : -1];
#define ACLIMB_OPAQUE(name) typedef struct name* PointerTo_##name;
#define ACLIMB_CPP_OPAQUE(name)
#include "tests/c_abi/layouts.inc"

static int failures = 0;

static void CheckNumber(const char* name, uint64_t number, uint64_t expected) {
  if (number != expected) {
    printf("%s is %llu, expected %llu\n", name, (unsigned long long)number,
           (unsigned long long)expected);
    ++failures;
  }
}

// Programs test for the runtime codes with #ifdef: the name must expand to something else.
static void CheckIsMacro(const char* name, const char* expansion) {
  if (strcmp(name, expansion) == 0) {
    printf("%s is not a macro\n", name);
    ++failures;
  }
}
#define EXPANSION_OF(name) TEXT_OF(name)
#define TEXT_OF(name) #name

static void CheckNumbers(void) {
#define ACLIMB_ENUMERATOR(type, name, number)
#define ACLIMB_MACRO(name, number)                          \
  CheckNumber(#name, (uint64_t)(name), (uint64_t)(number)); \
  CheckIsMacro(#name, EXPANSION_OF(name));
#include "tests/c_abi/numbers.inc"

#define ACLIMB_GENERAL_CODE(name, number) CheckNumber(#name, (uint64_t)name, (uint64_t)number);
#define ACLIMB_RUNTIME_CODE(name, number)                 \
  CheckNumber(#name, (uint64_t)(name), (uint64_t)number); \
  CheckIsMacro(#name, EXPANSION_OF(name));
#define ACLIMB_GRAPH_CODE(name, number) CheckNumber(#name, (uint64_t)name, (uint64_t)number);
#define ACLIMB_STATUS_CODE(name, number)
#include "tests/c_abi/codes.inc"
}

// A pointer of another type is a compile error; a missing function a link error.
static int CountFunctions(void) {
  int count = 0;
#define ACLIMB_RUNTIME(result, name, parameters) \
  {                                              \
    result(*volatile pointer) parameters = name; \
    count += pointer != NULL;                    \
  }
#define ACLIMB_COMPILER(result, name, parameters) ACLIMB_RUNTIME(result, name, parameters)
#define ACLIMB_COLLECTIVE(result, name, parameters) ACLIMB_RUNTIME(result, name, parameters)
#include "tests/c_abi/signatures.inc"
  return count;
}

static void CheckLogMacro(void) {
  // At a level that is off by default: the test is that both forms compile and return.
  ACL_APP_LOG(ACL_DEBUG, "no argument");
  ACL_APP_LOG(ACL_DEBUG, "%s %d", "two arguments", 2);
}

int main(void) {
  CheckNumbers();
  CheckLogMacro();
  const int functions = CountFunctions();
  if (functions != 240) {
    printf("%d functions, expected 240\n", functions);
    ++failures;
  }
  if (strcmp(ACLIMB_VERSION_STRING,
             EXPANSION_OF(ACLIMB_VERSION_MAJOR) "." EXPANSION_OF(
                 ACLIMB_VERSION_MINOR) "." EXPANSION_OF(ACLIMB_VERSION_PATCH)) != 0) {
    printf("ACLIMB_VERSION_STRING is %s\n", ACLIMB_VERSION_STRING);
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
