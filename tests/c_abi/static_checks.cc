// Compares the headers, at compile time and as C++11 sees them, with the tables written from the
// API's description. Compiled with both settings of the C++ library's string ABI.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "hccl/hccl.h"

static_assert(sizeof(void*) == 8, "the tables hold for 64-bit machines");

// The qualified name is part of the contract: programs write aclDataType::ACL_FLOAT.
#define ACLIMB_ENUMERATOR(type, name, number)                                      \
  static_assert(static_cast<int64_t>(name) == (number), #name " is not " #number); \
  static_assert(std::is_same<decltype(type::name), type>::value, #name " is not of type " #type);
#define ACLIMB_MACRO(name, number) \
  static_assert(static_cast<uint64_t>(name) == (number), #name " is not " #number);
#include "tests/c_abi/numbers.inc"

#define ACLIMB_GENERAL_CODE(name, number)                  \
  static_assert(name == number, #name " is not " #number); \
  static_assert(std::is_same<decltype(name), const int>::value, #name " is not a const int");
#define ACLIMB_RUNTIME_CODE(name, number) static_assert(name == number, #name " is not " #number);
#define ACLIMB_GRAPH_CODE(name, number)                    \
  static_assert(name == number, #name " is not " #number); \
  static_assert(std::is_same<decltype(name), const uint32_t>::value, #name " is not a uint32_t");
#define ACLIMB_STATUS_CODE(name, number)                   \
  static_assert(name == number, #name " is not " #number); \
  static_assert(std::is_same<decltype(name), const aclnnStatus>::value, #name " is no status");
#include "tests/c_abi/codes.inc"

static_assert(OK == 0 && std::is_same<decltype(OK), const aclnnStatus>::value, "OK is not 0");

#define ACLIMB_TYPE(name, definition) \
  static_assert(std::is_same<name, definition>::value, #name " is not " #definition);
#define ACLIMB_CPP_TYPE(name, definition) ACLIMB_TYPE(name, definition)
#define ACLIMB_SIZE(type, bytes) \
  static_assert(sizeof(type) == (bytes), #type " does not have " #bytes " bytes");
#define ACLIMB_FIELD(type, field, definition, offset)                                        \
  static_assert(offsetof(type, field) == (offset), #type "::" #field " is not at " #offset); \
  static_assert(std::is_same<decltype(type::field), definition>::value,                      \
                #type "::" #field " is not " #definition);
#define ACLIMB_OPAQUE(name) static_assert(std::is_same<struct name, name>::value, #name);
#define ACLIMB_CPP_OPAQUE(name) ACLIMB_OPAQUE(name)
#include "tests/c_abi/layouts.inc"
