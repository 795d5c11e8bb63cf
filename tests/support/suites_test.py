"""Every function that has a contract is tested by OperatorSuite.  suites_test.py

A folder's kOperators are all its functions, which aclimb/ops/all_operators.cc.in relies on: its tests have to give them to
the suite.
"""

import pathlib
import re
import sys

OPS = pathlib.Path(__file__).resolve().parents[2] / "aclimb" / "ops"


def main():
    listed = re.search(r"set\(ACLIMB_OPERATORS\n(.*?)\)", (OPS / "CMakeLists.txt").read_text(encoding="utf-8"), re.DOTALL)
    folders = listed.group(1).split()
    wrong = []
    for folder in folders:
        tests = "\n".join(test.read_text(encoding="utf-8") for test in sorted((OPS / folder).glob("*_test.cc")))
        suites = re.findall(r"^ACLIMB_OPERATOR_SUITE\(\w+,\s*(\w+)::kOperators\);", tests, re.MULTILINE)
        if suites != [folder]:
            wrong.append(f"aclimb/ops/{folder}: its tests have {len(suites)} suites; expected one line "
                         f"ACLIMB_OPERATOR_SUITE(Name, {folder}::kOperators);")
    print(*wrong, sep="\n")
    print(f"{len(folders)} folders, {len(wrong)} violations")
    return 1 if wrong or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
