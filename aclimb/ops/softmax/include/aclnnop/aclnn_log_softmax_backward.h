// The other spelling of aclnn_logsoftmax_backward.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_LOG_SOFTMAX_BACKWARD_H_
#define ACLNNOP_ACLNN_LOG_SOFTMAX_BACKWARD_H_

#include "aclnnop/aclnn_logsoftmax_backward.h"

#endif  // ACLNNOP_ACLNN_LOG_SOFTMAX_BACKWARD_H_
