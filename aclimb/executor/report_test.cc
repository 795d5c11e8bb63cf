#include "aclimb/executor/report.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include "aclimb/core/sanitized.h"

namespace aclimb {
namespace {

TEST(Guarded, ACancelledThreadFinishesItsCall) {
  if (kAddressSanitized) GTEST_SKIP() << "it takes the stack of a cancelled thread for in use";
  const auto call = [](void* ended) -> void* {
    EXPECT_EQ(pthread_cancel(pthread_self()), 0);
    EXPECT_EQ(Guarded("aclnnAdd",
                      [] {
                        pthread_testcancel();
                        return Ok();
                      }),
              0);
    *static_cast<bool*>(ended) = true;
    pthread_testcancel();
    return nullptr;
  };
  bool ended = false;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, call, &ended), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace aclimb
