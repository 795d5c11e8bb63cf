// Visibility of the operator functions: exported even from a library built with hidden visibility.
#ifndef ACLNNOP_ACLNN_UTIL_H_
#define ACLNNOP_ACLNN_UTIL_H_

#define ACLNN_API __attribute__((visibility("default")))

#endif  // ACLNNOP_ACLNN_UTIL_H_
