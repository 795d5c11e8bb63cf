"""The report's page in a browser.  report_page.py <tool> <report_program> <folder for pictures>"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from browser import Browser
from tool import CLEAN, Failure, Tool, expect

LANES = "[...document.querySelectorAll('#labels .lane')].map(e => e.textContent)"
ROWS = "[...document.querySelectorAll('#{} tbody tr')].map(e => [...e.cells].map(c => c.textContent))"
TIP = "document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText"
PICTURE = "document.getElementById('lanes').toDataURL()"
BOX = ("(r => ({x: r.x, y: r.y, width: r.width, height: r.height}))"
       "(document.getElementById('lanes').getBoundingClientRect())")


def make(tool, program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run([program], capture_output=True, text=True, env={
        **CLEAN, "ACLIMB_DEVICES": "2", "ACLIMB_TRACE": str(folder / "trace.json"),
        "ACLIMB_CHECK": "1", "ACLIMB_CHECK_OUT": str(folder / "check.json")})
    expect(done.returncode == 86, f"{done.returncode}: {done.stderr}")
    tool.output("report", folder / "trace.json", "-o", folder / "report.html",
                "--check", folder / "check.json")
    told = json.loads(tool.output("report", folder / "trace.json", "--json",
                                  "--check", folder / "check.json"))
    return json.loads((folder / "trace.json").read_text()), told["findings"]


def content(browser, events, findings):
    lanes = browser.value(LANES)
    threads = {event["tid"] for event in events if event.get("cat") == "call"}
    streams = [event for event in events if event["name"] == "thread_name"]
    expect(len(lanes) == len(threads) + len(streams), f"lanes: {lanes}")
    for table, category in (("operators", "work"), ("functions", "call")):
        names = {event["name"] for event in events if event.get("cat") == category}
        rows = browser.value(ROWS.format(table))
        expect({row[0] for row in rows} == names, f"{table}: {rows}")
    text = browser.value("document.body.innerText")
    for finding in findings:
        for part in (finding["rule"], finding["what"], finding["fix"]):
            expect(part in text, f"the page does not tell {part}")
    sites = [frame for finding in findings for call in finding["involved"]
             for frame in call["frames"]]
    expect(sites and all("at " + site in text for site in sites), "call sites are missing")
    calls = sum(event.get("cat") == "call" for event in events)
    facts = browser.value("document.getElementById('facts').innerText")
    expect(f"calls\n{calls}\n" in facts.replace("\n\n", "\n"), facts)


def sorting(browser):
    """A click sorts by that column, a second one the other way round."""
    click = "document.querySelectorAll('#functions th button')[{}].click()"
    for column, first in ((1, "descending"), (0, "ascending")):
        browser.value(click.format(column))
        sort = f"document.querySelectorAll('#functions th')[{column}].getAttribute('aria-sort')"
        expect(browser.value(sort) == first, "not marked as sorted")
        cells = [row[column] for row in browser.value(ROWS.format("functions"))]
        if column == 1:
            counts = [int("".join(filter(str.isdigit, cell))) for cell in cells]
            expect(counts == sorted(counts, reverse=True) and len(set(counts)) > 2, counts)
        else:
            expect(cells == sorted(cells, key=str.lower), cells)
        browser.value(click.format(column))
        turned = [row[column] for row in browser.value(ROWS.format("functions"))]
        expect(turned[0] == cells[-1], "a second click does not turn the order")


def hovering(browser, events):
    """The tooltip of the longest convolution, found where the trace says that it ran."""
    spans = [event for event in events if event["ph"] == "X"]
    begin = min(event["ts"] for event in spans)
    end = max(event["ts"] + event["dur"] for event in spans)
    air = (end - begin) * 0.01
    work = max((event for event in spans if event.get("cat") == "work"
                and event["name"] == "aclnnConvolutionBackward"), key=lambda each: each["dur"])
    box = browser.value(BOX)
    labels = browser.value("[...document.querySelectorAll('#labels div')].map(e => "
                           "[e.textContent, e.offsetTop, e.className])")
    device = [i for i, label in enumerate(labels) if label[0] == f"device {work['pid'] - 2}"][0]
    top = labels[device + 1 + work["tid"]][1]
    middle = work["ts"] + work["dur"] / 2
    x = box["x"] + (middle - begin + air) / (end - begin + 2 * air) * box["width"]
    y = box["y"] + top + 12
    before = browser.value(PICTURE)
    browser.mouse("mouseMoved", x, y)
    tip = browser.value(TIP)
    for part in ("aclnnConvolutionBackward", "GFLOP/s", "GB/s", "FLOAT [8, 32, 28, 28]",
                 f"stream {work['tid']}"):
        expect(part in tip, f"the tooltip {tip!r} misses {part}")
    expect(browser.value(PICTURE) != before, "hovering draws nothing")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600)
    zoomed = browser.value(PICTURE)
    expect("aclnnConvolutionBackward" in browser.value(TIP), "zooming moved what is below the mouse")
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", x - 150, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x - 150, y, button="left", clickCount=1)
    expect(browser.value(PICTURE) != zoomed, "dragging does not pan")
    browser.mouse("mouseMoved", 1, 1)


def keyboard(browser):
    browser.value("document.getElementById('lanes').focus()")
    selected = "document.getElementById('selected').textContent"
    browser.key("0")
    whole = browser.value(PICTURE)
    browser.key("ArrowDown")
    expect("on thread" in browser.value(selected), "no lane is selected")
    first = browser.value(selected)
    browser.key(",")
    expect(browser.value(selected) != first, "no other event is selected")
    browser.key("f")
    expect("failed: " in browser.value(selected), "the failed call is not found")
    expect("failed: " in browser.value(TIP), "the tooltip does not tell the failure")
    browser.key("Escape")
    browser.key("0")
    expect(browser.value(PICTURE) == whole, "0 does not show everything")


def is_drawn(browser):
    """The picture has the colours of work, of memory and of the failed call."""
    style = "getComputedStyle(document.documentElement).getPropertyValue('{}').trim()"
    colours = [browser.value(style.format(name))
               for name in ("--hue-0", "--memory-line", "--failed")]
    found = browser.value("""(() => {
      const canvas = document.getElementById('lanes');
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const found = {};
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] < 255) continue;
        const hex = '#' + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, '0')).join('');
        found[hex] = (found[hex] || 0) + 1;
      }
      return found;
    })()""")
    for colour in colours:
        expect(found.get(colour, 0) > 20, f"nothing is drawn in {colour}")


def main():
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    expect(program, "there is no chromium; scripts/setup browser installs it")
    folder = pathlib.Path(sys.argv[3])
    events, findings = make(Tool(sys.argv[1]), sys.argv[2], folder)
    browser = Browser(program)
    try:
        for scheme in ("light", "dark"):
            browser.open(folder / "report.html", dark=scheme == "dark")
            is_drawn(browser)
            content(browser, events, findings)
            browser.picture(folder / f"{scheme}.png")
            hovering(browser, events)
            keyboard(browser)
            sorting(browser)
            expect(browser.complaints() == [], f"the page complains: {browser.complaints()}")
            print(f"passed: {scheme}, first drawn after",
                  browser.value("document.getElementById('timeline').dataset.drawnAfter"), "ms;",
                  folder / f"{scheme}.png")
    finally:
        browser.close()


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
