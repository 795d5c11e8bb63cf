// The other spelling of aclnn_upsample_bicubic_2d.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_H_

#include "aclnnop/aclnn_upsample_bicubic_2d.h"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_H_
