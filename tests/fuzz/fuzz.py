#!/usr/bin/env python3
"""Runs the fuzzing targets of a build with ACLIMB_FUZZ for a set time.

  fuzz.py BUILD --seconds 600 [--jobs 2] [--seed 1] [TARGET...]

The time is that of all targets together; each gets an equal part of it. Every target begins with the
kept inputs, in a copy: new ones and findings are left below BUILD/fuzz. Prints what each target did.
Exit status 1 when there is a finding.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Longer inputs than any target reads are no use.
LENGTHS = {"runtime": 400, "by_type": 400}
DEFAULT_LENGTH = 200


def targets_of(build):
    """The targets of the build's list of operators, the runtime's, and that of type names."""
    return (build / "tests" / "fuzz" / "targets.txt").read_text(encoding="utf-8").split()


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def fuzz(build, target, seconds, seed):
    """Runs one target; its row of the table, and whether it found something."""
    kept = pathlib.Path(__file__).resolve().parent / "corpus" / target
    scratch = build / "fuzz" / target
    corpus = scratch / "corpus"
    findings = scratch / "findings"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    findings.mkdir(exist_ok=True)
    older = set(findings.iterdir())
    for file in kept.iterdir() if kept.is_dir() else ():
        shutil.copy(file, corpus)
    before = len(list(corpus.iterdir()))
    program = f"fuzz_{target}" if target in ("runtime", "by_type") else "fuzz_operators"
    command = [build / "tests" / "fuzz" / program, corpus, f"-max_total_time={seconds}",
               f"-max_len={LENGTHS.get(target, DEFAULT_LENGTH)}", "-timeout=20", "-rss_limit_mb=4096",
               f"-seed={seed}", "-print_final_stats=1", "-len_control=20",
               f"-artifact_prefix={findings}/"]
    environment = dict(os.environ, FUZZ_OPERATOR=target, UBSAN_OPTIONS="print_stacktrace=1")
    symbolizer = shutil.which("llvm-symbolizer-14")
    if symbolizer:
        environment.setdefault("ASAN_SYMBOLIZER_PATH", symbolizer)
    with open(scratch / "log", "w", encoding="utf-8", errors="replace") as log:
        status = subprocess.run(command, stdout=log, stderr=log, cwd=scratch, check=False,
                                env=environment).returncode
    text = (scratch / "log").read_text(encoding="utf-8", errors="replace")
    executions = last_number(r"stat::number_of_executed_units: *(\d+)", text) or last_number(
        r"^#(\d+)", text)
    found = sorted(file.name for file in set(findings.iterdir()) - older)
    row = (target, executions, last_number(r"stat::average_exec_per_sec: *(\d+)", text),
           last_number(r"cov: (\d+)", text), len(list(corpus.iterdir())) - before,
           ", ".join(found) if found else "none" if status == 0 else f"exit status {status}")
    return row, bool(found) or status != 0, scratch / "log"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=600, help="of all targets together")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    options = parser.parse_intermixed_args()
    known = targets_of(options.build)
    targets = options.targets or known
    for target in targets:
        if target not in known:
            parser.error(f"no target {target}; there are {', '.join(known)}")
    each = max(1, options.seconds // len(targets))
    build = options.build.resolve()
    print(f"{'target':26}{'executions':>12}{'a second':>10}{'edges':>8}{'new inputs':>12}  findings",
          flush=True)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(fuzz, build, target, each, options.seed) for target in targets]
        for run in runs:
            (target, executions, rate, edges, new, findings), bad, log = run.result()
            print(f"{target:26}{executions:12}{rate:10}{edges:8}{new:12}  {findings}", flush=True)
            if bad:
                failed = True
                lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                told = [line for line in lines if re.search("FINDING|ERROR|runtime error", line)]
                print("\n".join(f"  {line}" for line in told[:5] + [f"see {log}"]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
