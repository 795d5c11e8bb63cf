"""Cases of test-backend-ops that fail because llama.cpp's CANN backend itself is wrong.

docs/llama.md says more of each.
"""

import os
import re
import sys

# How a case ends: with wrong numbers, or the process by a refusal, whose rule is given.
NUMBERS = r"^(?!exit )"


def refused(rule):
    return rf"^exit .*rule: {rule} "


# Operator, parameters, how such a case ends, and what is wrong in the backend.
NEWEST = "0.3.36"
BY_VERSION = {
    NEWEST: [
        ("CONCAT", r"type=q[45]_1|type=q5_0", refused("cat/null/tensors"),
         "the backend accepts every type: those that the interface lacks become no tensor"),
        ("CONCAT", r"type=q4_0", refused("cat/dtype/tensors"),
         "the backend accepts every type, and aclnnCat takes no INT4"),
        ("CONCAT", r"type=q8_0", refused("cat/overlap/out"),
         "the tensors of q8_0's blocks, which the backend orders on its own, overlap"),
        ("GET_ROWS", r"type=q8_0.*vs0=1", NUMBERS,
         "where the scales of q8_0 begin is counted from the view, not from the tensor"),
        ("GROUP_NORM(_MUL_ADD)?", "", refused("phase2/partial-overlap"),
         "the means and the deviations, as many as groups, are placed one after the other as if "
         "each had N elements: the two tensors overlap"),
        ("MUL_MAT_ID", r"type_a=q8_0.*amax=100000", NUMBERS,
         "inputs that float16 cannot hold are converted to it"),
        ("ROPE", r"ne_a=\[256,8,512,1\],n_dims=256", refused("phase2/past-allocation"),
         "the caches of sines and cosines grow with the positions alone, not with the rotated "
         "dimensions: more is written than was allocated"),
        ("SET_ROWS", r"type_src=f16,type_dst=f32", NUMBERS,
         "float16 is read as if it was float32"),
    ],
    "0.3.16": [
        ("GROUP_NORM", "", refused("phase2/partial-overlap"), "as in the newest version"),
        ("RMS_NORM(_MUL_ADD)?", "", refused("rms_norm/shape/rstdOut"),
         "rstdOut has the shape of the input and memory for one number of each row"),
        ("ROPE", r"mode=2,", NUMBERS,
         "aclnnRotaryPositionEmbedding is called with mode 2, not with 0: called with 0, as a "
         "library before ours can have it, all cases pass"),
    ],
}
VERSION = os.environ.get("LLAMA_VERSION", NEWEST)
if VERSION not in BY_VERSION:
    sys.exit(f"LLAMA_VERSION is {VERSION}, whose defects tests/llama/defects.py does not list; "
             f"expected {' or '.join(BY_VERSION)}. Add the version there, if with an empty list.")

# What the checker finds in which operator: refusals of what the cases above do.
FOUND = [("ROPE", "check/memory/past-end")]


def reason(operator, params, ending):
    for name, pattern, expected, why in BY_VERSION[VERSION]:
        if (re.fullmatch(name, operator) and re.search(pattern, params)
                and re.search(expected, ending)):
            return why
    return None


def finding(operator, rule):
    return (operator, rule) in FOUND
