// check/callback/not-subscribed
#include "program.h"

static void Mistake(Session& session) {
  const auto nothing = [](void*) {};
  if (WRONG) {
    (void)aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, session.stream);  // here
  } else {
    MUST(aclrtLaunchHostFunc(session.stream, nothing, nullptr));
  }
}

PROGRAM(not_subscribed)
