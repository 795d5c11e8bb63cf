#pragma once

// Which sanitizer watches this build. Memory that is kept for later hides mistakes from the address
// sanitizer; tests of much data take less, since each access costs them many times as much.

#if defined(__has_feature)
#define ACLIMB_HAS_FEATURE(name) __has_feature(name)
#else
#define ACLIMB_HAS_FEATURE(name) 0
#endif

namespace aclimb {

// gcc defines macros, clang has features.
#if defined(__SANITIZE_ADDRESS__) || ACLIMB_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitized = true;
#else
inline constexpr bool kAddressSanitized = false;
#endif

#if defined(__SANITIZE_THREAD__) || ACLIMB_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

inline constexpr bool kSanitized = kAddressSanitized || kThreadSanitized;

}  // namespace aclimb

#undef ACLIMB_HAS_FEATURE
