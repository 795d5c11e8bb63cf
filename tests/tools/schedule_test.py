"""ACLIMB_SCHEDULE and aclimb explore.

  schedule_test.py <tool> <schedule_program> <folder>
"""

import pathlib
import shutil
import subprocess

from tool import CLEAN, expect, main

# What each mode prints in every legal order.
PRINTS = {
    "chain": "1\n2\n3\n4\n5\n5 50\n",
    "asks": "1\n11\n21\n2\n12\n22\n3\n13\n23\n",
    "watches": "7\n",
    "callbacks": "4 4\n",
    "cancels": "7\n",
    "threads": "20 20 20\n",
    "events": "1600\n",
    "aborts": "9\n11\n",
}
SEEDS = range(1, 13)


def place(folder, name):
    path = pathlib.Path(folder, name)
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def run(program, mode, schedule, order=None, **settings):
    """stdout, and the steps that ran: (queue, work)."""
    if order is not None:
        settings["ACLIMB_SCHEDULE_OUT"] = str(order)
    result = subprocess.run([program, mode], capture_output=True, text=True, timeout=60,
                            env=dict(CLEAN, ACLIMB_SCHEDULE=schedule, **settings))
    expect(result.returncode == 0, f"{mode} {schedule} ends with {result.returncode}: "
           f"{result.stderr}")
    expect(result.stderr == "", f"{mode} {schedule} says {result.stderr}")
    return result.stdout, steps_of(order) if order is not None else None


def steps_of(order):
    lines = order.read_text().splitlines()
    expect(lines[0] == "aclimb schedule 1", f"{order} begins with {lines[0]}")
    return [tuple(map(int, line.split()[1:3])) for line in lines[1:]]


def every_order_is_legal(tool, program, folder):
    here = place(folder, "legal")
    for mode, prints in PRINTS.items():
        for seed in SEEDS:
            order = here / f"{mode}-{seed}"
            output, steps = run(program, mode, f"random:{seed}", order)
            expect(output == prints, f"{mode} with seed {seed} prints {output!r}")
            expect(steps, f"{mode} with seed {seed} runs nothing")
            for queue in {queue for queue, _ in steps}:
                works = [work for of, work in steps if of == queue]
                expect(works == sorted(works), f"{mode} {seed}: queue {queue} ran {works}")


def a_seed_repeats_and_seeds_differ(tool, program, folder):
    here = place(folder, "seeds")
    orders = set()
    for seed in SEEDS:
        texts = []
        for turn in range(3):
            order = here / f"{seed}-{turn}"
            run(program, "chain", f"random:{seed}", order)
            texts.append(order.read_text())
        expect(texts[0] == texts[1] == texts[2], f"seed {seed} gives several orders: {texts}")
        orders.add(texts[0])
    expect(len(orders) > len(SEEDS) / 2, f"{len(SEEDS)} seeds give {len(orders)} orders")


def a_recorded_order_repeats(tool, program, folder):
    here = place(folder, "replay")
    for mode in ("chain", "threads", "callbacks", "aborts"):
        for seed in SEEDS:
            first, again = here / f"{mode}-{seed}", here / f"{mode}-{seed}-again"
            _, recorded = run(program, mode, f"random:{seed}", first)
            _, replayed = run(program, mode, f"replay:{first}", again)
            expect(recorded == replayed, f"{mode} {seed} ran {recorded}, then {replayed}")


def another_program_leaves_the_recorded_order(tool, program, folder):
    here = place(folder, "other")
    run(program, "chain", "random:3", here / "order")
    result = subprocess.run([program, "aborts"], capture_output=True, text=True, timeout=60,
                            env=dict(CLEAN, ACLIMB_SCHEDULE=f"replay:{here / 'order'}"))
    expect(result.returncode == 0 and result.stdout == PRINTS["aborts"], result)
    expect(result.stderr.count("which the program has not queued") == 1, result.stderr)


def failures_keep_their_numbers(tool, program, folder):
    fault = "aclrtMemsetAsync@run:2=507015"
    usual, _ = run(program, "fails", "roundrobin", ACLIMB_FAULT=fault)
    expect(usual == "507015 task 2 1\n", usual)
    for seed in SEEDS:
        output, _ = run(program, "fails", f"random:{seed}", ACLIMB_FAULT=fault)
        expect(output == usual, f"seed {seed} prints {output}")


def wrong_values_are_told(tool, program, folder):
    here = place(folder, "wrong")
    (here / "text").write_text("something else\n")
    (here / "short").write_text("aclimb schedule 1\n1 2 3 fill\n4 5\n")
    for value, said in {
        "backwards": "roundrobin, random:SEED or replay:FILE",
        "random:": "roundrobin, random:SEED or replay:FILE",
        "random:-1": "roundrobin, random:SEED or replay:FILE",
        f"replay:{here / 'none'}": "a file that can be read",
        f"replay:{here / 'text'}": "its first line",
        f"replay:{here / 'short'}": "in line 3",
    }.items():
        tool.refused("run", "--schedule", value, program, "chain", said=said)
        result = subprocess.run([program, "chain"], capture_output=True, text=True, timeout=60,
                                env=dict(CLEAN, ACLIMB_SCHEDULE=value))
        expect(result.stdout == PRINTS["chain"] and result.returncode == 0, result)
        expect(said in result.stderr, f"{value} says {result.stderr!r}")
    tool.refused("run", "--schedule-out", here / "text", program, "chain", said="a new file")


def only_other_orders_are_written(tool, program, folder):
    order = place(folder, "written") / "order"
    for usual in ((), ("--schedule", "roundrobin")):
        said = tool.refused("run", *usual, "--schedule-out", order, program, "chain")
        expect(f"--schedule-out {order}: only other orders" in said, said)
        expect("--schedule random:SEED" in said, said)
    for words in (("--schedule-out", order, "--schedule", "random:1"), ("--schedule-out", order, "--force")):
        tool.output("run", *words, program, "chain", ACLIMB_SCHEDULE="random:2")
        expect(steps_of(order), f"{words} writes no order")


def explore_finds_the_missing_wait(tool, program, folder):
    here = place(folder, "explore")
    order = here / "order"
    for options in ((), ("--no-check",)):
        result = tool.call("explore", *options, "--order", order, "--force", "--", program,
                           "broken")
        expect(result.returncode == 1, f"{result}")
        expect("differs from the usual order" in result.stdout, result.stdout)
        expect("output, line" in result.stdout or "finding" in result.stdout, result.stdout)
    seed = result.stdout.split("--schedule random:")[1].split()[0]
    usual, _ = run(program, "broken", "roundrobin")
    expect(run(program, "broken", f"random:{seed}")[0] != usual, f"seed {seed} prints the same")
    expect(run(program, "broken", f"replay:{order}")[0] != usual, "the order prints the same")


def explore_checks_the_file_first(tool, program, folder):
    here = place(folder, "files")
    ran = here / "ran"
    (here / "kept").write_text("precious")
    for path, said in {here / "kept": "pass --force", here / "none" / "order": "No such file",
                       here: "Is a directory"}.items():
        tool.refused("explore", "--no-check", "--order", path, "--", "sh", "-c",
                     f"touch {ran}; exec {program} chain", said=said)
        expect(not ran.exists(), f"the program ran before {path} was refused")
    expect((here / "kept").read_text() == "precious", "a file that exists is replaced")
    # The folder goes while the program runs: the seed is told all the same.
    (here / "gone").mkdir()
    result = tool.call("explore", "--no-check", "--order", here / "gone" / "order", "--", "sh", "-c",
                       f"rmdir {here / 'gone'} 2>/dev/null; exec {program} broken")
    expect("differs from the usual order" in result.stdout, result)
    expect("again: aclimb run --schedule random:" in result.stdout, result)
    expect(result.returncode == 2 and "--order is" in result.stderr, result)


NUMBERS = {
    ("--seeds", "-1"): '--seeds is "-1"; expected a whole number, 1 to 2^64-1.',
    ("--seeds", "0"): '--seeds is "0"; expected a whole number, 1 to 2^64-1.',
    ("--seeds", "1.5"): '--seeds is "1.5"; expected a whole number, 1 to 2^64-1.',
    ("--seeds", "abc"): '--seeds needs a number, got "abc"; expected a whole number, 1 to 2^64-1.',
    ("--first", "-1"): '--first is "-1"; expected a whole number, 0 to 2^64-1.',
    ("--first", "x"): '--first needs a number, got "x"; expected a whole number, 0 to 2^64-1.',
    ("--timeout", "0"): '--timeout is "0"; expected seconds, more than 0.',
    ("--timeout", "-5"): '--timeout is "-5"; expected seconds, more than 0.',
    ("--timeout", "inf"): '--timeout is "inf"; expected seconds, more than 0.',
    ("--timeout", "abc"): '--timeout needs a number, got "abc"; expected seconds, more than 0.',
}


def explore_names_wrong_numbers(tool, program, folder):
    for (option, value), said in NUMBERS.items():
        text = tool.refused("explore", option, value, "/no/such/program")
        expect(text == f"aclimb explore: {said}\n", f"{option} {value}: {text}")
    text = tool.refused("explore", "--seeds", program)
    expect(text.startswith(f'aclimb explore: --seeds needs a number, got "{program}"; '), text)
    tool.output("explore", "--seeds", 1, "--first", 0, "--timeout", "9.5", program, "chain")


def explore_is_content_with_a_right_program(tool, program, folder):
    for mode in ("chain", "threads", "refused"):
        printed = tool.output("explore", "--seeds", 10, program, mode)
        expect("10 orders, none differs" in printed, printed)
    expect("exit status" in tool.output("explore", "--seeds", 2, program, "asks"), "no end")


def explore_fails_where_every_order_does(tool, program, folder):
    """By the program's end, or by what the checker finds though the program ends well."""
    leaks = ("--", "sh", "-c", f"{program} leaks; exit 0")
    for words, said in (((program, "crash"), "none differs from the usual one: signal 6"),
                        (("--no-check", program, "crash"), "signal 6"),
                        ((program, "leaks"), "in the usual order: check/"),
                        (leaks, "none differs from the usual one: exit status 0")):
        result = tool.call("explore", "--seeds", 2, *words)
        expect(result.returncode == 1 and result.stderr == "", f"{words}: {result}")
        expect(said in result.stdout, f"{words}: {result.stdout}")
        check = "" if "--no-check" in words else " --check"
        expect("fails in every order, the usual one too\n  see: aclimb run" + check + " -- " in
               result.stdout, f"{words}: {result.stdout}")
    tool.output("explore", "--seeds", 2, "--no-check", program, "leaks")


def explore_says_why_it_cannot(tool, program, folder):
    tool.refused("explore", said="no program is given")
    tool.refused("explore", "/no/such/program", said="no such program")
    unsteady = ("--", "sh", "-c", f"date +%N; exec {program} chain")
    tool.refused("explore", *unsteady, said="differ already")
    tool.output("explore", "--seeds", 2, "--ignore-output", *unsteady)
    text = tool.refused("explore", "--timeout", "0.2", "--", "sleep", "60",
                        said="no end within 0.2 s in the usual order")
    expect("--timeout" in text, text)
    runs = place(folder, "uncalled") / "runs"
    for command in (f"exec {program} nothing", "true"):
        for options, count in (((), 1), (("--no-check",), 3)):
            runs.write_text("")
            text = tool.refused("explore", *options, "--", "sh", "-c",
                                f"echo >> {runs}; {command}", said="no call of the runtime")
            expect("Its end: exit status 0" in text, text)
            expect(len(runs.read_text()) == count, f"{options}: {len(runs.read_text())} runs")
    text = tool.refused("explore", program, "nothing", ACLIMB_SOK="x", status=2)
    expect(text.startswith("aclimb: ACLIMB_SOK is set, but nothing reads it; ACLIMB_SOC is meant?\n"),
           text)


main(every_order_is_legal, a_seed_repeats_and_seeds_differ, a_recorded_order_repeats,
     another_program_leaves_the_recorded_order, failures_keep_their_numbers, wrong_values_are_told,
     explore_finds_the_missing_wait, explore_is_content_with_a_right_program,
     explore_fails_where_every_order_does, explore_says_why_it_cannot,
     explore_checks_the_file_first, explore_names_wrong_numbers, only_other_orders_are_written)
