"""Runs the examples with tools switched on."""

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
OPERATORS = {
    "elu_backward": "aclnnEluBackward",
    "embedding_dense_backward": "aclnnEmbeddingDenseBackward",
    "roi_align_v2_backward": "aclnnRoiAlignV2Backward",
    "cross_entropy_loss_grad": "aclnnCrossEntropyLossGrad",
    "convolution_backward": "aclnnConvolutionBackward",
}


def run(operator, **variables):
    """The finished example, its texts captured."""
    return subprocess.run([FOLDER / f"example_{operator}"], env={**os.environ, **variables},
                          capture_output=True, text=True, timeout=60)


def expect(holds, *what):
    if not holds:
        sys.exit(" ".join(["FAILED:", *map(str, what)]))
