#pragma once

#include <gtest/gtest.h>

#include <string>

#include "acl/acl.h"

namespace aclimb::testing {

// What was returned is the code of a run that refuses its data, and the message has the text.
inline ::testing::AssertionResult IsRunFailure(int code, const std::string& text) {
  const std::string message = aclGetRecentErrMsg();
  if (code == ACL_ERROR_RT_AICORE_EXCEPTION && message.find(text) != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << code << ", and this message, where \"" << text << "\" was expected:\n"
         << message;
}

}  // namespace aclimb::testing
