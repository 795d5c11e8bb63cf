// The other spelling of aclnn_avgpool3d_backward.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_AVG_POOL3D_BACKWARD_H_
#define ACLNNOP_ACLNN_AVG_POOL3D_BACKWARD_H_

#include "aclnnop/aclnn_avgpool3d_backward.h"

#endif  // ACLNNOP_ACLNN_AVG_POOL3D_BACKWARD_H_
