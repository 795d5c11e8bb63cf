// The other spelling of aclnn_avgpool3d.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_AVG_POOL3D_H_
#define ACLNNOP_ACLNN_AVG_POOL3D_H_

#include "aclnnop/aclnn_avgpool3d.h"

#endif  // ACLNNOP_ACLNN_AVG_POOL3D_H_
