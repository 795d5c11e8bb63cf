// Types, codes and helpers that need neither a device nor a context.
//
// Usable from C99 and from C++11. Parameter names and enumerators are those of the AscendCL API.
#ifndef ACL_ACL_BASE_RT_H_
#define ACL_ACL_BASE_RT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error_codes/ge_error_codes.h"
#include "error_codes/rt_error_codes.h"

// The libraries define FUNC_VISIBILITY while they are built with hidden visibility; a program that
// only calls the functions needs nothing.
#ifdef FUNC_VISIBILITY
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

// Off unless asked for: programs call deprecated functions under -Werror.
#ifdef ACLIMB_WARN_DEPRECATED
#define ACL_DEPRECATED __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#else
#define ACL_DEPRECATED
#define ACL_DEPRECATED_MESSAGE(message)
#endif

// The general codes are objects, not macros (C++ programs use them in constant expressions); a file
// that reads none of them must not be warned about that.
#ifndef ACLIMB_MAYBE_UNUSED
#if defined(__GNUC__)
#define ACLIMB_MAYBE_UNUSED __attribute__((unused))
#else
#define ACLIMB_MAYBE_UNUSED
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Handles and scalar types ----

// 0 is success; every other value is a code of this header or of error_codes/.
typedef int aclError;

// Raw bits of an IEEE binary16 number.
typedef uint16_t aclFloat16;

// A null stream means the default stream of the calling thread's current context.
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtContext;

typedef struct aclDataBuffer aclDataBuffer;

// ---- General codes ----

// Success.
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_NONE = 0;
ACLIMB_MAYBE_UNUSED static const int ACL_SUCCESS = 0;

// 1xxxxx: the caller's mistakes.
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_PARAM = 100000;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_UNINITIALIZE = 100001;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_FILE = 100003;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_WRITE_FILE = 100004;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PARSE_FILE = 100006;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_MODEL_ID = 100011;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PARSE_MODEL = 100013;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_NOT_FOUND = 100024;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_LOAD_FAILED = 100025;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_REPEAT_FINALIZE = 100037;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_GROUP_NOT_SET = 100040;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROF_NOT_RUN = 100043;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_DUMP_NOT_RUN = 100045;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROF_API_CONFLICT = 148047;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_OPP_PATH = 148049;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;

// 2xxxxx: resources and missing features.
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_BAD_ALLOC = 200000;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_DEVICE = 200002;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;

// 3xxxxx: functional conditions.
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;

// 5xxxxx: internal errors and faults of lower layers.
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_INTERNAL_ERROR = 500000;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_FAILURE = 500001;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_GE_FAILURE = 500002;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_RT_FAILURE = 500003;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_DRV_FAILURE = 500004;
ACLIMB_MAYBE_UNUSED static const int ACL_ERROR_PROFILING_FAILURE = 500005;

// ---- Enumerations ----

// Element type of a tensor or scalar. The numbers 5, 14, 15, 18-26, 28, 31 and 32 are reserved.
typedef enum aclDataType {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,   // packed, two per byte
  ACL_UINT1 = 30,  // packed, eight per byte
  ACL_COMPLEX32 = 33,
  ACL_HIFLOAT8 = 34,
  ACL_FLOAT8_E5M2 = 35,
  ACL_FLOAT8_E4M3FN = 36,
  ACL_FLOAT8_E8M0 = 37,
  ACL_FLOAT6_E3M2 = 38,
  ACL_FLOAT6_E2M3 = 39,
  ACL_FLOAT4_E2M1 = 40,
  ACL_FLOAT4_E1M2 = 41
} aclDataType;

// Layout tag of a tensor. The plain formats name the meaning of the dimensions; the FRACTAL and C0
// formats are blocked.
typedef enum aclFormat {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW = 0,
  ACL_FORMAT_NHWC = 1,
  ACL_FORMAT_ND = 2,
  ACL_FORMAT_NC1HWC0 = 3,
  ACL_FORMAT_FRACTAL_Z = 4,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW = 30,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D = 33,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47,
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
  ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
  ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
  ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
  ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

typedef enum aclLogLevel {
  ACL_DEBUG = 0,
  ACL_INFO = 1,
  ACL_WARNING = 2,
  ACL_ERROR = 3
} aclLogLevel;

// ---- Functions ----

// Bytes of one element. 1 for the packed types of less than a byte, 0 for an undefined or unknown
// type.
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

// Rounds to nearest even. What binary16 cannot hold saturates: +infinity, NaN and large positive
// numbers give 65504, -infinity and large negative ones -65504.
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

// Exact for finite values. The exponent 31 is read as an ordinary one: the bits of +infinity give
// 65536.
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

// Name of the imitated chip, such as "Ascend910B3" (chosen by ACLIMB_SOC). A static string; null
// only when ACLIMB_SOC names no known chip. Needs no context.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

// A piece of device memory for a single operator: its address, which may be null, and its size. The
// memory stays the program's. Null when no memory is left.
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);

// The memory itself is not freed.
//   errors  100000 null, 107017 not a live buffer
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);

// Gives the buffer another address and size.
//   errors  100000 null buffer, 107017 not a live buffer
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data,
                                                 size_t size);

// Null, or 0, when it is no live buffer; aclGetRecentErrMsg tells why.
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

// Writes one printf-style line to the log when its level is enabled (ASCEND_GLOBAL_LOG_LEVEL). Text
// beyond 1024 bytes is cut. Never fails. Call it through ACL_APP_LOG.
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char* func, const char* file,
                                   uint32_t line, const char* fmt, ...);

// ACL_APP_LOG(level, format, ...): aclAppLog with the place of the call filled in.
#define ACL_APP_LOG(level, ...) aclAppLog((level), __func__, __FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_BASE_RT_H_
