#include "aclimb/version.h"

#include <cstring>
#include <string_view>

#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

// The toolkit release in parts: "8.1.RC1".
constexpr std::string_view kToolkit = ACLIMB_TOOLKIT_VERSION_STRING;
constexpr size_t kFirstDot = kToolkit.find('.');
constexpr size_t kSecondDot = kToolkit.find('.', kFirstDot + 1);
constexpr std::string_view kMajor = kToolkit.substr(0, kFirstDot);
constexpr std::string_view kMinor = kToolkit.substr(kFirstDot + 1, kSecondDot - kFirstDot - 1);
constexpr std::string_view kRelease = kToolkit.substr(kSecondDot + 1);
static_assert(kRelease.starts_with("RC"), "aclsysGetVersionNum counts on a release candidate");

constexpr std::string_view kPackages[] = {"cann",    "runtime", "compiler",  "hccl",
                                          "toolkit", "opp",     "opp_kernel"};

constexpr int32_t Number(std::string_view digits) {
  int32_t value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

template <size_t size>
void Put(char (&field)[size], std::string_view text) {
  std::memset(field, 0, size);
  std::memcpy(field, text.data(), text.size());
}

Status CheckPackage(const char* name) {
  if (name == nullptr) return NullArgument("pkgName");
  for (const std::string_view package : kPackages) {
    if (package == name) return Ok();
  }
  return Refuse(kRtParamInvalid,
                Cat("pkgName is \"", name,
                    "\"; expected cann, runtime, compiler, hccl, toolkit, opp "
                    "or opp_kernel."),
                "ask for one of these packages", "runtime/version/package");
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return aclimb::Enter("aclrtGetVersion", [&]() -> aclimb::Status {
    if (majorVersion == nullptr) return aclimb::NullArgument("majorVersion");
    if (minorVersion == nullptr) return aclimb::NullArgument("minorVersion");
    if (patchVersion == nullptr) return aclimb::NullArgument("patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return aclimb::Ok();
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return aclimb::Enter("aclsysGetCANNVersion", [&]() -> aclimb::Status {
    if (version == nullptr) return aclimb::NullArgument("version");
    if (name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER) {
      return aclimb::BadValue("name", name, "an aclCANNPackageName", "version/package");
    }
    std::memset(version, 0, sizeof(*version));
    aclimb::Put(version->version, aclimb::kToolkit);
    aclimb::Put(version->majorVersion, aclimb::kMajor);
    aclimb::Put(version->minorVersion, aclimb::kMinor);
    aclimb::Put(version->releaseVersion, aclimb::kRelease);
    return aclimb::Ok();
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return aclimb::Enter("aclsysGetVersionStr", [&]() -> aclimb::Status {
    if (versionStr == nullptr) return aclimb::NullArgument("versionStr");
    ACLIMB_CHECK_OK(aclimb::CheckPackage(pkgName));
    std::memcpy(versionStr, ACLIMB_TOOLKIT_VERSION_STRING, aclimb::kToolkit.size() + 1);
    return aclimb::Ok();
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return aclimb::Enter("aclsysGetVersionNum", [&]() -> aclimb::Status {
    if (versionNum == nullptr) return aclimb::NullArgument("versionNum");
    ACLIMB_CHECK_OK(aclimb::CheckPackage(pkgName));
    *versionNum = aclimb::Number(aclimb::kMajor) * 10000000 +
                  aclimb::Number(aclimb::kMinor) * 100000 +
                  aclimb::Number(aclimb::kRelease.substr(2));
    return aclimb::Ok();
  });
}

}  // extern "C"
