#include <cmath>
#include <cstdlib>
#include <cstring>

#include "acl/acl_op_compiler.h"
#include "tests/runtime/support.h"

namespace {

TEST(Properties, ModeNameVersion) {
  aclrtRunMode mode = ACL_DEVICE;
  ASSERT_ACL(aclrtGetRunMode(&mode));
  EXPECT_EQ(mode, ACL_HOST);
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B3");
  int32_t major = 0, minor = 0, patch = -1;
  ASSERT_ACL(aclrtGetVersion(&major, &minor, &patch));
  EXPECT_EQ(major, ACL_MAJOR_VERSION);
  EXPECT_EQ(minor, ACL_MINOR_VERSION);
  EXPECT_EQ(patch, ACL_PATCH_VERSION);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "patchVersion is null", aclrtGetVersion, &major, &minor,
                 nullptr);
  aclCANNPackageVersion version;
  for (int package = ACL_PKG_NAME_CANN; package <= ACL_PKG_NAME_DRIVER; ++package) {
    std::memset(&version, 0x55, sizeof(version));
    ASSERT_ACL(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(package), &version));
    EXPECT_STREQ(version.version, "8.1.RC1");
    EXPECT_STREQ(version.majorVersion, "8");
    EXPECT_STREQ(version.minorVersion, "1");
    EXPECT_STREQ(version.releaseVersion, "RC1");
    EXPECT_STREQ(version.patchVersion, "");
  }
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "name is 8", aclsysGetCANNVersion,
                 static_cast<aclCANNPackageName>(8), &version);
  char name[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE];
  ASSERT_ACL(aclsysGetVersionStr(name, text));
  EXPECT_STREQ(text, "8.1.RC1");
  int32_t number = 0;
  ASSERT_ACL(aclsysGetVersionNum(name, &number));
  EXPECT_EQ(number, 80100001);
  char unknown[] = "driver";
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "pkgName is \"driver\"", aclsysGetVersionNum, unknown,
                 &number);
}

TEST(Properties, ABadVariableIsNoSilentDefault) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process that has read nothing yet
  setenv("ACLIMB_DEVICES", "two", 1);
  const auto ask = [] {
    uint32_t count = 0;
    int64_t bytes = 0;
    void* address = nullptr;
    EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "ACLIMB_DEVICES is \"two\"", aclrtGetDeviceCount,
                   &count);
    EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "ACLIMB_DEVICES is \"two\"", aclrtGetDeviceInfo, 0,
                   ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &bytes);
    EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "ACLIMB_DEVICES is \"two\"", aclrtReserveMemAddress,
                   &address, 1, 0, nullptr, 0);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0), "");
  unsetenv("ACLIMB_DEVICES");
}

TEST(Properties, Device) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  ASSERT_ACL(aclrtQueryDeviceStatus(0, &status));
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 4", aclrtQueryDeviceStatus, 4,
                 &status);
  aclrtUtilizationInfo use;
  std::memset(&use, 0x55, sizeof(use));
  ASSERT_ACL(aclrtGetDeviceUtilizationRate(0, &use));
  EXPECT_EQ(use.memoryUtilization, -1);
  int64_t value = 0;
  for (const aclDeviceInfo info : {ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM}) {
    ASSERT_ACL(aclGetDeviceCapability(0, info, &value));
    EXPECT_GE(value, 1);
  }
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "deviceInfo is -1", aclGetDeviceCapability, 0,
                 ACL_DEVICE_INFO_UNDEFINED, &value);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is", aclGetDeviceCapability, 4000000000u,
                 ACL_DEVICE_INFO_AI_CORE_NUM, &value);
  ASSERT_ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value));
  EXPECT_GE(value, 1);
  ASSERT_ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value));
  EXPECT_GT(value, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "attr is 9999", aclrtGetDeviceInfo, 0,
                 static_cast<aclrtDevAttr>(9999), &value);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attr is 202", aclrtGetDeviceInfo, 0,
                 ACL_DEV_ATTR_WARP_SIZE, &value);
  ASSERT_ACL(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "tsId is 2", aclrtSetTsDevice, ACL_TS_ID_RESERVED);
}

TEST(Properties, CannAttributes) {
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  ASSERT_ACL(aclGetCannAttributeList(&list, &count));
  ASSERT_EQ(count, 3u);
  int32_t value = -1;
  for (size_t i = 0; i < count; ++i) {
    ASSERT_ACL(aclGetCannAttribute(list[i], &value));
    EXPECT_EQ(value, list[i] == ACL_CANN_ATTR_JIT_COMPILE ? 0 : 1);
  }
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "cannAttr is -1", aclGetCannAttribute,
                 ACL_CANN_ATTR_UNDEFINED, &value);
}

TEST(Properties, SaturationMode) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
  ASSERT_ACL(aclrtGetDeviceSatMode(&mode));
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
  ASSERT_ACL(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "SATURATION", aclrtSetDeviceSatMode,
                 ACL_RT_OVERFLOW_MODE_SATURATION);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "mode is 2", aclrtSetDeviceSatMode,
                 ACL_RT_OVERFLOW_MODE_UNDEF);
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Properties, ExecutionTimeoutsAreAccepted) {
  ASSERT_ACL(aclrtSetOpExecuteTimeOut(10));
  ASSERT_ACL(aclrtSetOpExecuteTimeOutWithMs(10));
}

TEST(CompileOptions, DeterministicReachesTheParameter) {
  EXPECT_EQ(aclGetCompileoptSize(ACL_OP_DETERMINISTIC), 2u);
  ASSERT_ACL(aclSetCompileopt(ACL_OP_DETERMINISTIC, "1"));
  int64_t value = 0;
  ASSERT_ACL(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 1);
  char text[8] = "";
  ASSERT_ACL(aclGetCompileopt(ACL_OP_DETERMINISTIC, text, sizeof(text)));
  EXPECT_STREQ(text, "1");
  ASSERT_ACL(aclSetCompileopt(ACL_OP_DETERMINISTIC, "0"));
  ASSERT_ACL(aclSetCompileopt(ACL_PRECISION_MODE, "allow_fp32_to_fp16"));
  EXPECT_EQ(aclGetCompileoptSize(ACL_PRECISION_MODE), 19u);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "length is 8", aclGetCompileopt, ACL_PRECISION_MODE, text,
                 8);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "value is \"2\"", aclSetCompileopt, ACL_OP_DETERMINISTIC,
                 "2");
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "value is null", aclSetCompileopt, ACL_PRECISION_MODE,
                 nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "opt is 99", aclSetCompileopt,
                 static_cast<aclCompileOpt>(99), "1");
  ASSERT_ACL(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 5", aclopSetCompileFlag,
                 static_cast<aclOpCompileFlag>(5));
}

TEST(Conversion, EveryHalfPattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    // Exponent 31 counts as an ordinary exponent.
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const double mantissa = bits & 0x3FF;
    double value =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if ((bits & 0x8000) != 0) value = -value;
    const float got = aclFloat16ToFloat(static_cast<aclFloat16>(bits));
    ASSERT_EQ(static_cast<double>(got), value) << bits;
    ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0);
    const uint16_t back = exponent < 31 ? static_cast<uint16_t>(bits)
                                        : static_cast<uint16_t>((bits & 0x8000) | 0x7BFF);
    ASSERT_EQ(aclFloatToFloat16(got), back) << bits;
  }
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xFC00), -65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0f);
}

TEST(Conversion, RoundsToNearestEvenAndSaturates) {
  // Halfway points between neighbours, over all finite patterns.
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const double low = aclFloat16ToFloat(static_cast<aclFloat16>(bits));
    const double high = aclFloat16ToFloat(static_cast<aclFloat16>(bits + 1));
    const float middle = static_cast<float>((low + high) / 2);
    ASSERT_EQ(aclFloatToFloat16(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, 1e9f)), bits + 1);
  }
  EXPECT_EQ(aclFloatToFloat16(INFINITY), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-INFINITY), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(NAN), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(1e30f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-65520.0f), 0xFBFF);
}

TEST(Conversion, DataTypeSizes) {
  EXPECT_EQ(aclDataTypeSize(ACL_FLOAT), 4u);
  EXPECT_EQ(aclDataTypeSize(ACL_BF16), 2u);
  EXPECT_EQ(aclDataTypeSize(ACL_COMPLEX128), 16u);
  EXPECT_EQ(aclDataTypeSize(ACL_INT4), 1u);
  EXPECT_EQ(aclDataTypeSize(ACL_DT_UNDEFINED), 0u);
  EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(5)), 0u);
}

}  // namespace
