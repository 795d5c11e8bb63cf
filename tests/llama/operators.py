"""Runs llama.cpp's test-backend-ops on CANN0, operator by operator, and prints a table.

    operators.py <test-backend-ops> [<operator>...]

The test program compares each case with llama.cpp's CPU backend, and its process ends where the
CANN backend gives up; then the cases behind it run in another one. What fails, and what the checker
finds where ACLIMB_CHECK is set, has to be listed in defects.py, with what is wrong in the backend.
There, a process whose checker leaves no report fails too, as does one that ends regularly and
leaves half of one.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import defects

ESCAPES = re.compile("\x1b\\[[0-9;]*m")
CASE = re.compile(r"^(.*)  [A-Z0-9_]+\((.*)\): (OK|FAIL|not supported.*)$")
FINDING = re.compile(r"^aclimb check: ([^\n]*)\n(?:[^\n]*\n)*?  rule: (\S+)$", re.MULTILINE)
ERROR = re.compile(r"error|GGML_ASSERT|expected|Abort|  rule: ", re.IGNORECASE)
SECONDS = 1800
CHECKED = os.environ.get("ACLIMB_CHECK", "0") != "0"

# Several operators as one, which the program's list of what is supported leaves out.
FUSED = ("ADD_ADD ADD_RMS_NORM GROUP_NORM_MUL_ADD L2_NORM_BATCH MOE_REDUCE MUL_MAT_HADAMARD "
         "MUL_MAT_ID_FUSION MUL_MAT_VEC_FUSION NORM_MUL_ADD RELU_SQR RMS_NORM_MUL_ADD "
         "RMS_NORM_MUL_ROPE ROPE_SET_ROWS SNAKE_FUSE SOFTCAP SSM_CONV_BIAS_SILU TOPK_MOE").split()

Outcome = collections.namedtuple("Outcome", "params passed why")
Finding = collections.namedtuple("Finding", "rule text")


def unreported(code, report):
    """What is wrong with the checker's report on a process, or None."""
    if not report.exists():
        return "the checker left no report: it did not run"
    # The checker ends its report in the process's last steps, which an abort leaves out.
    if code in (0, 1):
        try:
            json.loads(report.read_text())
        except ValueError:
            return f"exit {code}, but the checker's report has no end"
    return None


def run(program, *arguments):
    """The status of the process, what it printed, and what is wrong with the checker's report."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        own = {"ACLIMB_CHECK_EXIT": "0", "GGML_NO_BACKTRACE": "1"}
        if CHECKED:
            own["ACLIMB_CHECK_OUT"] = str(report)
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                              env={**os.environ, **own})
        text = ESCAPES.sub("", done.stdout.decode(errors="replace"))
        return done.returncode, text, unreported(done.returncode, report) if CHECKED else None


def supported(program):
    """The parameters of each case of each operator that the backend says it can do, in order."""
    _, text, _ = run(program, "support", "-b", "CANN0", "--output", "csv")
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"backend_name"'))
    cases = collections.defaultdict(list)
    for line in lines[start + 1:]:
        fields = re.findall(r'"((?:[^"]|"")*)"', line)
        if len(fields) >= 5 and fields[4] == "1":
            cases[fields[1]].append(fields[2])
    return cases


def cases_of(program, operator, expected):
    """The outcome of each case that the backend can do, and what the checker found."""
    outcomes = []
    findings = []
    seen = set()
    chosen = operator
    while True:
        code, text, silent = run(program, "test", "-b", "CANN0", "-o", chosen)
        if silent:
            outcomes.append(Outcome("?", False, silent))
        findings += [Finding(rule, what) for what, rule in FINDING.findall(text)]
        for line in text.splitlines():
            # Why a case fails stands before it on its line.
            found = CASE.search(line)
            if not found or "not supported" in found.group(3):
                continue
            why, params, verdict = found.group(1), found.group(2), found.group(3)
            outcomes.append(Outcome(params, verdict == "OK", why.strip() or verdict))
            seen.add(params)
        if code in (0, 1):
            return outcomes, findings
        # The process ended in the first case that it has not told.
        said = " / ".join(line for line in text.splitlines()[-40:] if ERROR.search(line))
        left = [params for params in expected if params not in seen]
        outcomes.append(Outcome(left[0] if left else "?", False, f"exit {code}: {said[-800:]}"))
        if len(left) < 2:
            return outcomes, findings
        seen.add(left[0])
        chosen = ",".join(f"{operator}({params})" for params in left[1:])


def main():
    program, *chosen = sys.argv[1:]
    expected = supported(program)
    operators = chosen or sorted(set(expected) | set(FUSED))
    print("| operator | cases | passed | failed | of these listed |\n|---|---|---|---|---|")
    total = collections.Counter()
    unknown, found = [], []
    workers = int(os.environ.get("LLAMA_TEST_WORKERS", "1"))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda each: cases_of(program, each, expected[each]), operators)
        for operator, (cases, findings) in zip(operators, results):
            failed = [case for case in cases if not case.passed]
            listed = [case for case in failed if defects.reason(operator, case.params, case.why)]
            unknown += [(operator, case) for case in failed if case not in listed]
            found += [(operator, each) for each in findings
                      if not defects.finding(operator, each.rule)]
            total.update(cases=len(cases), passed=len(cases) - len(failed), failed=len(failed),
                         listed=len(listed))
            if not cases:
                continue
            print(f"| {operator} | {len(cases)} | {len(cases) - len(failed)} | {len(failed)} | "
                  f"{len(listed)} |", flush=True)
    print(f"| all | {total['cases']} | {total['passed']} | {total['failed']} | "
          f"{total['listed']} |")
    for operator, case in unknown:
        print(f"\nfailed: {operator}({case.params})\n  {case.why}")
    for operator, finding in found:
        print(f"\nfound: {operator}: {finding.rule}\n  {finding.text}")
    sys.exit(1 if unknown or found or total["cases"] == 0 else 0)


if __name__ == "__main__":
    main()
