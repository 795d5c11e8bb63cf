// The other spelling of aclnn_logsoftmax.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_LOG_SOFTMAX_H_
#define ACLNNOP_ACLNN_LOG_SOFTMAX_H_

#include "aclnnop/aclnn_logsoftmax.h"

#endif  // ACLNNOP_ACLNN_LOG_SOFTMAX_H_
