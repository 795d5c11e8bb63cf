#!/usr/bin/env python3
"""Random problems of every function, run by Aclimb and by PyTorch, compared.

    ACLIMB_LIBRARY=.../libopapi.so crosscheck.py [--cases 200] [--seed 1] [--operator FOLDER] [--function NAME]

A folder's crosscheck.py has FUNCTIONS, the names of its functions without aclnn, and check(client, rng, worst, name),
which does one problem of one of them. Each gets an equal share of a folder's problems.

The problems cross features in pairs (groups x stride x dilation x padding x view x dtype). PyTorch
computes in float64 from the same rounded inputs; torchvision in float32, whose coordinates are what
RoIAlign is defined by. Where PyTorch computes in the problem's own dtype too, the largest errors of
both against float64 are told side by side, and Aclimb's may not be the larger one.
"""

import argparse
import random
import sys

import torch

from aclimb_client import Client
from comparison import Worst
from folders import folders, module_of


def failures_of(folder, functions, client, options):
    """What is wrong with the problems of some functions of a folder; a line of all of them is printed."""
    check, worst, wrong = module_of(folder).check, Worst(), []
    cases = max(options.cases, len(functions))
    for case in range(cases):
        seed, name = options.seed * 1000003 + case, functions[case % len(functions)]
        torch.manual_seed(seed)
        try:
            check(client, random.Random(seed), worst, name)
        except Exception as error:  # noqa: BLE001 - every failure is a finding, with its seed
            wrong.append(f"case {case}: {name}: {error}")
    wrong += worst.larger()
    wrong += [f"{name}: none of {cases} problems called it" for name in functions
              if "aclnn" + name not in client.called]
    print(f"{folder}: {len(functions)} functions, {cases} cases, {len(wrong)} wrong; {worst.text()}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=200,
                        help="problems of a folder, and one of each function at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operator", choices=folders(), action="append")
    parser.add_argument("--function", action="append", help="only this one of the folder's, without aclnn")
    options = parser.parse_args()
    client, failed, met = Client(), 0, False
    for folder in options.operator or folders():
        functions = [name for name in module_of(folder).FUNCTIONS if name in (options.function or [name])]
        for text in failures_of(folder, functions, client, options) if functions else []:
            failed += 1
            print(f"{folder}: {text}", file=sys.stderr)
        met = met or bool(functions)
    if not met:
        parser.error(f"no folder has {' or '.join(options.function)}; names are without aclnn")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
