#!/usr/bin/env python3
"""What changed between two measurements.

    bench/compare.py old.json new.json [--over 3]      rows that changed by more than 3 percent
"""

import argparse
import json
import pathlib

from report import key, mean_ratio, milliseconds, threads_of


def ratio_text(row):
    return f"{row['ratio']:.2f}" if "ratio" in row else "no peer"


def noisy(old, new):
    """True when the turns of the two overlap: the change may be chance."""
    return (min(old["all_ns"]) <= max(new["all_ns"])) and (min(new["all_ns"]) <= max(old["all_ns"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--over", type=float, default=3,
                        help="percent below which a row is left out")
    options = parser.parse_args()
    old_rows, new_rows = ({key(row): row for row in json.loads(path.read_text())["rows"]}
                          for path in (options.old, options.new))
    for each in sorted(old_rows.keys() | new_rows.keys()):
        old, new = old_rows.get(each), new_rows.get(each)
        name = f"{each[0]}/{each[1]} {each[3]}T"
        if old is None or new is None:
            print(f"{name}: only in the {'new' if old is None else 'old'} one")
        elif "failed" in old or "failed" in new:
            if ("failed" in old) != ("failed" in new):
                print(f"{name}: {'failed before' if 'failed' in old else 'FAILS NOW'}")
        elif abs(new["ns"] / old["ns"] - 1) * 100 > options.over:
            word = "slower" if new["ns"] > old["ns"] else "faster"
            chance = ", within the spread" if noisy(old, new) else ""
            print(f"{name}: {milliseconds(old['ns'])} -> {milliseconds(new['ns'])} ms "
                  f"({new['ns'] / old['ns']:.2f}x, {word}{chance}), "
                  f"ratio {ratio_text(old)} -> {ratio_text(new)}")
    common = old_rows.keys() & new_rows.keys()
    for threads in threads_of(new_rows.values()):
        pair = [mean_ratio([rows[each] for each in common if each[3] == threads])[0]
                for rows in (old_rows, new_rows)]
        print(f"{threads}T: geometric mean of the common rows {pair[0]:.2f} -> {pair[1]:.2f}")


if __name__ == "__main__":
    main()
