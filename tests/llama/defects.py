"""Cases of test-backend-ops that fail because llama.cpp's CANN backend itself is wrong.

docs/llama.md says more of each.
"""

import os
import re

NEWEST = [
    ("CONCAT", r"type=q\d",
     "the backend accepts every type: those that the interface lacks become tensors of no dtype, "
     "and blocks of q4_0 and q8_0 are joined in an order of the backend's own"),
    ("GET_ROWS", r"type=q8_0.*vs0=1",
     "where the scales of q8_0 begin is counted from the view, not from the tensor"),
    ("GROUP_NORM(_MUL_ADD)?", "",
     "the means and the deviations, as many as groups, are placed one after the other as if each "
     "had N elements: the two tensors overlap"),
    ("MUL_MAT_ID", r"type_a=q8_0.*amax=100000",
     "inputs that float16 cannot hold are converted to it"),
    ("ROPE", r"ne_a=\[256,8,512,1\],n_dims=256",
     "the caches of sines and cosines grow with the positions alone, not with the rotated "
     "dimensions: more is written than was allocated"),
    ("SET_ROWS", r"type_src=f16,type_dst=f32", "float16 is read as if it was float32"),
]
BY_VERSION = {
    "0.3.16": [
        ("GROUP_NORM", "", "as in the newest version"),
        ("RMS_NORM(_MUL_ADD)?", "",
         "rstdOut has the shape of the input and memory for one number of each row"),
        ("ROPE", r"mode=2", "aclnnRotaryPositionEmbedding is called with mode 2, not with 0"),
    ],
}
LISTED = BY_VERSION.get(os.environ.get("LLAMA_VERSION"), NEWEST)

# What the checker finds in which operator: refusals of what the cases above do.
FOUND = [("ROPE", "check/memory/past-end")]


def reason(operator, params):
    for name, pattern, why in LISTED:
        if re.fullmatch(name, operator) and re.search(pattern, params):
            return why
    return None


def finding(operator, rule):
    return (operator, rule) in FOUND
