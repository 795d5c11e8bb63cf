#!/usr/bin/env python3
"""Random problems of every operator, run by Aclimb and by PyTorch, compared.

    ACLIMB_LIBRARY=.../libopapi.so crosscheck.py [--cases 200] [--seed 1] [--operator NAME]

The problems cross features in pairs (groups x stride x dilation x padding x view x dtype). PyTorch
computes in float64 from the same rounded inputs; torchvision in float32, whose coordinates are what
RoIAlign is defined by. Where PyTorch computes in the problem's own dtype too, the largest errors of
both against float64 are told side by side, and Aclimb's may not be the larger one.
"""

import argparse
import importlib.util
import pathlib
import random
import re
import sys

import torch

from aclimb_client import Client
from comparison import Worst

OPS = pathlib.Path(__file__).resolve().parents[2] / "aclimb" / "ops"


def operators():
    """The folders of the one list that have a crosscheck.py."""
    text = (OPS / "CMakeLists.txt").read_text(encoding="utf-8")
    folders = re.search(r"set\(ACLIMB_OPERATORS\s+([\w\s]+?)\)", text)[1].split()
    return [folder for folder in folders if (OPS / folder / "crosscheck.py").exists()]


def check_of(folder):
    """check(client, rng, worst) of the folder: one problem, a Mismatch where the results differ."""
    spec = importlib.util.spec_from_file_location(f"crosscheck_{folder}", OPS / folder / "crosscheck.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operator", choices=operators(), action="append")
    options = parser.parse_args()
    client = Client()
    failed = 0
    for name in options.operator or operators():
        check = check_of(name)
        worst, wrong = Worst(), 0
        for case in range(options.cases):
            seed = options.seed * 1000003 + case
            torch.manual_seed(seed)
            try:
                check(client, random.Random(seed), worst)
            except Exception as error:  # noqa: BLE001 - every failure is a finding, with its seed
                wrong += 1
                print(f"{name} case {case}: {error}", file=sys.stderr)
        for text in worst.larger():
            wrong += 1
            print(f"{name}: {text}", file=sys.stderr)
        failed += wrong
        print(f"{name}: {options.cases} cases, {wrong} wrong; {worst.text()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
