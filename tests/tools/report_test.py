"""aclimb report.  report_test.py <tool> <report_program> <folder of the examples>"""

import html.parser
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import tempfile

from tool import CLEAN, expect, main

LIMITS = {"limits": [
    {"threads": 1, "l2_bytes": 1000, "l3_bytes": 4000, "gemm_f32": 7, "gemm_bf16": 70,
     "L2": {"read": 5}, "DRAM": {"read": 1}},
    {"threads": 2, "l2_bytes": 30000, "l3_bytes": 400000, "gemm_f32": 14, "gemm_bf16": 140,
     "L2": {"read": 50, "write": 10, "copy": 20, "copy_nt": 22, "zero_fill": 99},
     "L3": {"read": 40, "write": 9, "copy": 18, "triad_nt": 41, "zero_fill": 30},
     "DRAM": {"read": 4, "write_nt": 5, "copy": 3, "triad": 6, "zero_fill": 25}}]}


def run(program, **settings):
    done = subprocess.run([program], env={**CLEAN, **{k: str(v) for k, v in settings.items()}},
                          capture_output=True, text=True, timeout=120)
    expect(done.returncode in (0, 86), f"{program}: {done.returncode} {done.stderr}")


def least_time(event, limits):
    """Nanoseconds at the limit; everything is float32."""
    args = event["args"]
    size = args["bytes"]
    level = limits["DRAM"]
    if size <= 0.75 * limits["l3_bytes"] and "L3" in limits:
        level = limits["L3"]
    if size <= 0.75 * limits["l2_bytes"] * limits["threads"]:
        level = limits["L2"]
    wanted = {"copy": ("copy", "copy_nt"), "fill": ("write", "write_nt", "zero_fill")}.get(
        event["name"].split()[0], [name for name in level if name != "zero_fill"])
    speed = max(level.get(name, 0) for name in wanted)
    memory = size / speed if speed else 0  # else nobody measured it
    return max(memory, args.get("flops", 0) / limits["gemm_f32"])


def rows(events, limits):
    """What the report should tell of them, by name."""
    found = {}
    for name in {event["name"] for event in events}:
        mine = [event for event in events if event["name"] == name]
        times = [event["dur"] for event in mine]
        row = {"count": len(mine), "failed": sum(event["args"]["code"] != 0 for event in mine),
               "total_us": sum(times), "median_us": statistics.median(times),
               "largest_us": max(times), "GB/s": None, "GFLOP/s": None, "share_of_limit": None}
        good = [event for event in mine if event["args"]["code"] == 0 and event["dur"] > 0]
        for rate, amount in (("GB/s", "bytes"), ("GFLOP/s", "flops")):
            moving = [event for event in good if event["args"].get(amount, 0) > 0]
            if moving:
                row[rate] = (sum(event["args"][amount] for event in moving)
                             / sum(event["dur"] for event in moving) / 1000)
        if limits:
            slow = [event for event in good if "bytes" in event["args"]
                    and least_time(event, limits) > 0]
            if slow:
                row["share_of_limit"] = (sum(least_time(event, limits) for event in slow)
                                         / sum(event["dur"] for event in slow) / 1000)
        found[name] = row
    return found


def is_near(got, expected):
    if got is None or expected is None:
        return got is expected
    return math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-6)


def compare(summary, events, limits=None):
    calls = [event for event in events if event.get("cat") == "call"]
    work = [event for event in events if event.get("cat") == "work"]
    spans = calls + work
    expected = {
        "calls": len(calls), "failed_calls": sum(event["args"]["code"] != 0 for event in calls),
        "runs": len(work), "failed_runs": sum(event["args"]["code"] != 0 for event in work),
        "threads": len({event["tid"] for event in calls}),
        "streams": sum(event["name"] == "thread_name" for event in events),
    }
    for name, value in expected.items():
        expect(summary[name] == value, f"{name}: {summary[name]}, expected {value}")
    duration = (max(event["ts"] + event["dur"] for event in spans)
                - min(event["ts"] for event in spans))
    expect(is_near(summary["duration_us"], round(duration, 3)), f"{summary['duration_us']} {duration}")
    for device in summary["devices"]:
        process = 2 + int(device["name"].split()[1])
        peak = max([event["args"]["bytes"] for event in events
                    if event["ph"] == "C" and event["pid"] == process], default=0)
        expect(device["peak_memory"] == peak, f"{device}, expected {peak}")
    for part, of in (("operators", work), ("functions", calls)):
        wanted = rows(of, limits if part == "operators" else None)
        expect({row["name"] for row in summary[part]} == set(wanted), f"{part}: other names")
        totals = [row["total_us"] for row in summary[part]]
        expect(totals == sorted(totals, reverse=True), f"{part} are not sorted")
        for row in summary[part]:
            for field, value in wanted[row["name"]].items():
                got = row.get(field)
                expect(is_near(got, value), f"{row['name']}: {field} is {got}, expected {value}")


class Page(html.parser.HTMLParser):
    """The page as a browser sees it: tags, and the text in each script."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.title, self.links = [], [], "", []
        self.inside = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        if self.inside == "title":
            self.title += data


def spans_of(trace):
    """(lane, name, begin, duration, code) of each span, read from the page's columns."""
    spans, at = [], 0
    columns = trace["spans"]
    codes = dict(columns["failed"])
    for lane in trace["lanes"]:
        for count in lane["rows"]:
            begin = trace["begin"]
            end_before = -math.inf
            for _ in range(count):
                begin += columns["begin"][at]
                expect(begin >= end_before, f"{lane['name']}: spans of a row overlap")
                end_before = begin + columns["duration"][at]
                spans.append((lane["name"], trace["names"][columns["name"][at]], begin,
                              columns["duration"][at], codes.get(at, 0)))
                at += 1
    expect(at == len(columns["begin"]) == len(columns["name"]), "columns of other lengths")
    return spans


def check_page(path, events):
    text = path.read_text()
    page = Page(text)
    expect(page.tags.count("script") == 2 and len(page.scripts) == 2, f"scripts: {page.tags}")
    expect(not page.links and "http://" not in text and "https://" not in text, "it refers outside")
    trace = json.loads(page.scripts[0])["trace"]
    expected = sorted((event["name"], round(event["ts"] * 1000), round(event["dur"] * 1000),
                       event["args"]["code"]) for event in events if event["ph"] == "X")
    expect(sorted(span[1:] for span in spans_of(trace)) == expected, "other spans than the trace")
    return page, trace


def real_traces(tool, program, examples):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        limits = folder / "limits.json"
        limits.write_text(json.dumps(LIMITS))
        programs = {"several": program}
        for operator in ("elu_backward", "convolution_backward"):
            programs[operator] = pathlib.Path(examples, f"example_{operator}")
        for name, each in programs.items():
            path = folder / f"{name}.json"
            run(each, ACLIMB_TRACE=path, ACLIMB_DEVICES=2)
            events = json.loads(path.read_text())
            summary = json.loads(tool.output("report", path, "--json"))
            compare(summary, events)
            expect(summary["complete"] and summary["program"] == pathlib.Path(each).name, summary)
            expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", summary["date"]), "no date")
            for words, entry in (((), 1), (("--threads", "1"), 0)):
                found = json.loads(tool.output("report", path, "--json", "--limits", limits, *words))
                compare(found, events, LIMITS["limits"][entry])
                expect(found["limit_threads"] == LIMITS["limits"][entry]["threads"], "threads")
            page = folder / f"{name}.html"
            expect(tool.output("report", path, "-o", page) == "", "it printed something")
            parsed, trace = check_page(page, events)
            expect(parsed.title.startswith(pathlib.Path(each).name), parsed.title)
            check_arrows(trace, events)
        expect(any(each.get("args", {}).get("code") for each in
                   json.loads((folder / "several.json").read_text())), "no call failed")


def check_arrows(trace, events):
    """Each run knows the call that queued it."""
    lanes, firsts, at = trace["lanes"], [], 0
    for lane in lanes:
        firsts.append(at)
        at += sum(lane["rows"])
    spans = spans_of(trace)
    queued = {event["id"]: event for event in events if event["ph"] == "s"}
    runs = trace["runs"]
    expect(len(runs["id"]) == len(queued), f"{len(runs['id'])} runs of {len(queued)}")
    for number, thread, call, moment in zip(runs["id"], runs["thread"], runs["call"], runs["queued"]):
        arrow = queued[number]
        expect(lanes[thread]["name"] == f"thread {arrow['tid']}", "an arrow from another thread")
        expect(moment == round(arrow["ts"] * 1000), "an arrow from another moment")
        span = spans[firsts[thread] + call]
        expect(span[2] <= moment <= span[2] + span[3], f"{span} did not queue it")


def event(**fields):
    base = {"ph": "X", "name": "f", "cat": "call", "pid": 1, "tid": 7, "ts": 0.0, "dur": 1.0,
            "args": {"code": 0}}
    return {**base, **fields}


EVIL = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&amp;\"'\\\u2028é"


def written(folder, *events, name="trace.json", tail="\n]\n"):
    path = folder / name
    path.write_text("[\n" + ",\n".join(map(json.dumps, events)) + tail)
    return path


def escaping(tool, *_):
    tensor = {"tensor": {"dtype": EVIL, "shape": [2, 3], "strides": [1, 2], "offset": 4,
                         "storage": [10], "format": "NCHW"}}
    trace = [
        {"ph": "M", "name": "trace", "pid": 1, "args": {"name": EVIL, "date": EVIL}},
        {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": EVIL}},
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 0, "args": {"name": EVIL}},
        event(name=EVIL),
        event(name=EVIL, cat="work", pid=2, tid=0, args={
            "id": 1, "code": 3, "bytes": 5, "arguments": {
                EVIL: EVIL, "t": tensor, "s": {"scalar": "nan", "dtype": "FLOAT"}, "n": None,
                "l": [1, 2], "b": True, "c": {"tensor": {
                    "dtype": "FLOAT", "shape": [2, 1, 3], "strides": [3, 9, 1], "offset": 0,
                    "storage": [6], "format": "ND"}}}})]
    finding = {"rule": EVIL, "note": False, "count": 2, "function": EVIL, "what": EVIL, "fix": EVIL,
               "involved": [{"what": EVIL, "frames": [
                   {"function": EVIL, "file": EVIL, "line": 3, "library": EVIL, "offset": 9},
                   {"function": "main", "file": "", "line": 0, "library": "lib", "offset": 16},
                   {"function": "_start", "file": "", "line": 0, "library": "lib", "offset": 1}]}]}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        path = written(folder, *trace)
        page = folder / "page.html"
        tool.output("report", path, "-o", page, "--check", written(folder, finding, name="check.json"))
        parsed, columns = check_page(page, trace)
        expect("img" not in parsed.tags, "a name became an element")
        expect(parsed.title == EVIL + " - aclimb report", parsed.title)
        data = json.loads(parsed.scripts[0])
        expect(columns["names"] == [EVIL] and columns["lanes"][1]["name"] == EVIL, "other names")
        expect(columns["arguments"] == [[
            [EVIL, EVIL], ["t", EVIL + " [2, 3], strides [1, 2], offset 4, NCHW"],
            ["s", "nan (FLOAT)"], ["n", "none"], ["l", "[1, 2]"], ["b", "true"],
            ["c", "FLOAT [2, 1, 3]"]]], columns["arguments"])
        expect(data["findings"] == [{**finding, "involved": [{"what": EVIL, "frames": [
            f"{EVIL} ({EVIL}:3)", "main (lib+0x10)"]}]}], data["findings"])
        summary = json.loads(tool.output("report", path, "--json"))
        expect([row["name"] for row in summary["operators"]] == [EVIL], summary["operators"])


def rows_of_a_lane(tool, *_):
    """Calls inside calls lie in rows below; what comes behind goes up again."""
    trace = [event(name="outer", ts=0, dur=10), event(name="inner", ts=0, dur=4),
             event(name="deep", ts=1, dur=1), event(name="inner", ts=4, dur=2, args={"code": 9}),
             event(name="outer", ts=10, dur=1), event(name="other", tid=8, ts=3, dur=0)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        tool.output("report", written(folder, *trace), "-o", folder / "page.html")
        _, columns = check_page(folder / "page.html", trace)
        expect([lane["rows"] for lane in columns["lanes"]] == [[2, 2, 1], [1]], columns["lanes"])


def keeps_files(tool, *_):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        trace = written(folder, event())
        page = folder / "page.html"
        page.write_text("precious")
        said = tool.refused("report", trace, "-o", page, status=1, said="--force")
        expect(said.count("\n") == 1 and page.read_text() == "precious", said)
        tool.output("report", trace, "-o", page, "--force")
        expect("<!doctype html>" in page.read_text(), "--force does not replace")
        tool.refused("report", trace, "-o", folder / "none" / "page.html", status=1, said="No such")
        tool.refused("report", trace, "-o", folder, "--force", status=1, said="directory")
        # What is read is not replaced, not even by force.
        before = trace.read_text()
        tool.refused("report", trace, "-o", trace, "--force", said="which is read")
        tool.refused("report", trace, "-o", page, "--force", "--check", page, said="which is read")
        expect(trace.read_text() == before, "the trace was replaced")


def breaks_off(tool, program, examples):
    """Every prefix of a trace is either the trace of a crash, or said to be none."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        path = folder / "trace.json"
        run(pathlib.Path(examples, "example_elu_backward"), ACLIMB_TRACE=path)
        whole = path.read_text()
        lines = whole.splitlines()
        ends = list(itertools.accumulate(len(line) + 1 for line in lines))
        for keep in (ends[4] - 2, ends[4] - 1, ends[4], ends[9] + 30, len(whole) - 3):
            path.write_text(whole[:keep])
            complete = sum(end - 2 <= keep for end in ends[1:-1])
            summary = json.loads(tool.output("report", path, "--json"))
            expect(not summary["complete"], "it is not complete")
            compare(summary, [json.loads(line.rstrip(",")) for line in lines[1:complete + 1]])


def bad_inputs(tool, *_):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        good = written(folder, event(cat="work", pid=2, args={"id": 1, "code": 0, "bytes": 5}))
        bad = folder / "bad.json"
        page = folder / "page.html"

        def refuses(words, said):
            text = tool.refused("report", *words, "-o", page, status=1, said=said)
            expect(text.count("\n") == 1 and text.startswith("aclimb report: "), text)
            expect(not page.exists(), f"{words} left a page")

        refuses((folder / "none.json",), "No such file")
        refuses((folder,), "Is a directory")
        for text, line in {"": 1, "hello": 1, '{"traceEvents": []}': 1, "[\n1]": 2, "[{}]": 1,
                           '[\n{"ph":"X"}\n]': 2, '[{"ph":1}]': 1, '[\n{"ph" "X"}]': 2,
                           "[\n" + json.dumps(event()) + "]\nx": 3,
                           "[\n" + json.dumps(event()) + "\n" + json.dumps(event()) + "]": 3,
                           "[\n\n" + json.dumps(event(ts="x")) + "]": 3,
                           "[" + json.dumps(event(args={"code": []})) + "]": 1}.items():
            bad.write_text(text)
            refuses((bad,), f"bad.json, line {line}: expected a trace")
        for depth, begin, end in ((50000, '{"a":', "}"), (254, "[", "]")):
            nested = json.dumps(event(args={"id": 1, "code": 0, "arguments": {"a": 7}}))
            nested = nested.replace('"a": 7', f'"a": {begin * depth}7{end * depth}')
            bad.write_text("[\n" + nested + "]")
            refuses((bad,), "bad.json, line 2: expected a trace, as ACLIMB_TRACE writes it, of at "
                            "most 256 objects and lists within each other")
        bad.write_text("[" + nested.replace("[7]", "7") + "]")
        tool.output("report", bad, "--json")
        bad.write_text("[\n]\n")
        refuses((bad,), "no events")
        bad.write_text("[" + json.dumps(event(ts=1e300)) + "]")
        refuses((bad,), "out of range")
        for text in ("", "{", "[]", '{"limits": []}', '{"limits": [{"threads": 2}]}',
                     '{"limits": 3}'):
            bad.write_text(text)
            refuses((good, "--limits", bad), "bad.json: expected measured limits")
        bad.write_text(json.dumps(LIMITS))
        refuses((good, "--limits", bad, "--threads", "3"), "no limits of 3 threads")
        refuses((good, "--limits", folder / "none.json"), "No such file")
        bad.write_text('[{"rule": "x"}]')
        refuses((good, "--check", bad), "line 1: expected the checker's findings")
        refuses((good, "--check", folder / "none.json"), "No such file")
        tool.refused("report", good, said="--output or --json is needed")
        tool.refused("report", said="TRACE")
        for threads, said in {"0": '--threads is "0"; expected a whole number, 1 to 1024.',
                              "all": '--threads needs a number, got "all"; '}.items():
            tool.refused("report", good, "--json", "--threads", threads, said=said)


def found_mistakes(tool, program, examples):
    """Findings as the checker writes them now."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run(program, ACLIMB_CHECK=1, ACLIMB_CHECK_OUT=folder / "check.json", ACLIMB_DEVICES=2,
            ACLIMB_TRACE=folder / "trace.json")
        findings = json.loads(tool.output("report", folder / "trace.json", "--json",
                                          "--check", folder / "check.json"))["findings"]
        rules = {finding["rule"]: finding for finding in findings}
        expect({"check/memory/past-end", "check/race/copy-before-sync"} == set(rules), rules)
        race = rules["check/race/copy-before-sync"]
        expect("aclrtSynchronizeStream" in race["fix"] and len(race["involved"]) == 3, race)
        for call in race["involved"]:
            expect(call["frames"] and not any("_start" in frame for frame in call["frames"]), call)


if __name__ == "__main__":
    main(real_traces, escaping, rows_of_a_lane, keeps_files, breaks_off, bad_inputs, found_mistakes)
