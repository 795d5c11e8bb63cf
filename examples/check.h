// Stops an example at the first call that fails, with the library's own explanation.
#ifndef EXAMPLES_CHECK_H_
#define EXAMPLES_CHECK_H_

#include <cstdio>

#include "acl/acl.h"

// For use in a function that returns 0 for success.
#define CHECK_ACL(call)                                                         \
  do {                                                                          \
    const int check_acl_code = (call);                                          \
    if (check_acl_code != 0) {                                                  \
      std::fprintf(stderr, "%s\n  failed with %d: %s\n", #call, check_acl_code, \
                   aclGetRecentErrMsg());                                       \
      return 1;                                                                 \
    }                                                                           \
  } while (false)

#endif  // EXAMPLES_CHECK_H_
