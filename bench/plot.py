#!/usr/bin/env python3
"""The ratios as a picture: one bar a case on a logarithmic axis, one column a thread count.

    bench/plot.py results.json > ratios.svg
"""

import json
import math
import sys
from xml.sax.saxutils import escape

ROW, LABEL, PANEL, GAP, TOP = 13, 300, 330, 70, 44
COLOURS = ["#3b6ea5", "#b5651d", "#4f8a4b", "#8a5a9e", "#2a8c82", "#6b6b6b"]
SLOWER = "#c0392b"
TICKS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256]


def ratios_svg(rows):
    rows = [row for row in rows if "ratio" in row]
    threads = sorted({row["threads"] for row in rows})
    cases = list(dict.fromkeys((row["operator"], row["case"]) for row in rows))
    operators = list(dict.fromkeys(operator for operator, _ in cases))
    ratio = {(row["operator"], row["case"], row["threads"]): row for row in rows}
    low = min([0.5, *(row["ratio_range"][0] for row in rows)])
    high = max([4.0, *(row["ratio_range"][1] for row in rows)])
    height = TOP + ROW * (len(cases) + 2 * len(operators)) + 12
    width = LABEL + len(threads) * (PANEL + GAP)

    def x_of(value):
        return PANEL * math.log(value / low) / math.log(high / low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for column, count in enumerate(threads):
        left = LABEL + column * (PANEL + GAP)
        title = f"speed / fastest peer, {count} thread{'s' if count > 1 else ''}"
        out.append(f'<text x="{left}" y="14" font-weight="bold">{title}</text>')
        for tick in TICKS:
            if low <= tick <= high:
                x = left + x_of(tick)
                colour, line = ("#333", 1.2) if tick == 1 else ("#ddd", 0.6)
                out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 10}" '
                           f'stroke="{colour}" stroke-width="{line}"/>')
                out.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{tick:g}</text>')
    y = TOP
    for index, operator in enumerate(operators):
        colour = COLOURS[index % len(COLOURS)]
        y += ROW
        out.append(f'<text x="8" y="{y}" font-weight="bold" fill="{colour}">{operator}</text>')
        for case in (name for group, name in cases if group == operator):
            y += ROW
            out.append(f'<text x="{LABEL - 8}" y="{y}" text-anchor="end">{escape(case)}</text>')
            for column, count in enumerate(threads):
                row = ratio.get((operator, case, count))
                if row:
                    out += bar(row, LABEL + column * (PANEL + GAP), y, x_of, colour)
        y += ROW
    return "\n".join(out + ["</svg>", ""])


def bar(row, left, y, x_of, colour):
    """From 1 to the median; a thin line over the middle half of the pairs."""
    one, value = x_of(1), x_of(row["ratio"])
    start, end = min(one, value), max(one, value)
    low, high = (left + x_of(each) for each in row["ratio_range"])
    fill = colour if row["ratio"] >= 1 else SLOWER
    return [f'<rect x="{left + start:.1f}" y="{y - 8}" width="{max(end - start, 0.5):.1f}" '
            f'height="8" fill="{fill}" fill-opacity="0.75"/>',
            f'<line x1="{low:.1f}" y1="{y - 4}" x2="{high:.1f}" y2="{y - 4}" stroke="#222" '
            f'stroke-width="1"/>',
            f'<text x="{max(left + end, high) + 4:.1f}" y="{y}">{row["ratio"]:.2f}</text>']


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        sys.stdout.write(ratios_svg(json.load(file)["rows"]))
