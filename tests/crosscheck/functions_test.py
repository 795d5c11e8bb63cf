"""Every function that has a contract stands beside PyTorch, or beside its definition.  functions_test.py

Compares docs/operators.md, which is printed from the contracts, with what each folder's crosscheck.py draws, for which
PyTorch need not be there.
"""

import re
import sys
import unittest.mock

sys.modules["torch"] = sys.modules["torchvision"] = unittest.mock.MagicMock()
for part in ("nn", "nn.functional"):
    sys.modules["torch." + part] = unittest.mock.MagicMock()

from folders import OPS, folders, module_of  # noqa: E402 - they import torch


def main():
    page = (OPS.parents[1] / "docs" / "operators.md").read_text(encoding="utf-8")
    contracts = set(re.findall(r"^\| \[`aclnn(\w+)`\]", page, re.MULTILINE))
    drawn, wrong = {}, []
    for folder in folders():
        if not (OPS / folder / "crosscheck.py").exists():
            wrong.append(f"aclimb/ops/{folder}/crosscheck.py is missing")
            continue
        module = module_of(folder)
        if not hasattr(module, "FUNCTIONS"):
            wrong.append(f"aclimb/ops/{folder}/crosscheck.py has no FUNCTIONS, the names of what check(client, rng, worst, "
                         "name) draws, without aclnn")
            continue
        for name in module.FUNCTIONS:
            if name in drawn:
                wrong.append(f"{name} is drawn by {drawn[name]} and again by {folder}")
            drawn[name] = folder
    wrong += [f"aclnn{name} has a contract, and no crosscheck.py has it in FUNCTIONS: do one random problem of it by "
              "Aclimb and by PyTorch" for name in sorted(contracts - set(drawn))]
    wrong += [f"aclnn{name} is in FUNCTIONS of aclimb/ops/{drawn[name]}/crosscheck.py, and has no contract"
              for name in sorted(set(drawn) - contracts)]
    print(*wrong, sep="\n")
    print(f"{len(contracts)} functions, {len(wrong)} violations")
    return 1 if wrong or not contracts else 0


if __name__ == "__main__":
    sys.exit(main())
