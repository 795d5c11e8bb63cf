"""aclimb explain.  explain_test.py <tool> <source folder>"""

import pathlib
import re

from sources import rules_of_sources
from tool import expect, main


def header_codes(source):
    """(name, number) of every code of the public headers, from the list the headers are held to."""
    text = pathlib.Path(source, "tests", "c_abi", "codes.inc").read_text()
    codes = re.findall(r"^ACLIMB_\w+_CODE\((\w+), (\d+)\)", text, re.MULTILINE)
    expect(len(codes) > 250, "tests/c_abi/codes.inc lists no codes")
    return codes


def collective_codes(source):
    """(name, number) of every HcclResult but the one that ends the enumeration."""
    text = pathlib.Path(source, "include", "hccl", "hccl_types.h").read_text()
    codes = re.findall(r"^  (HCCL_(?:SUCCESS|E_\w+)) = (\d+)", text, re.MULTILINE)
    expect(len(codes) == 26, f"include/hccl/hccl_types.h lists {len(codes)} codes")
    return [code for code in codes if code[0] != "HCCL_E_RESERVED"]


def own_codes(source):
    """The numbers that Aclimb itself returns."""
    text = pathlib.Path(source, "aclimb", "core", "codes.h").read_text()
    codes = set(re.findall(r"^  k\w+ = (\d+),", text, re.MULTILINE))
    expect(len(codes) > 30, "aclimb/core/codes.h lists no codes")
    return codes


def explained(tool, names):
    """Name -> its text, many in one call."""
    names = list(names)
    texts = {}
    for begin in range(0, len(names), 1000):
        part = names[begin : begin + 1000]
        blocks = tool.output("explain", *part).split("\n\n")
        expect(len(blocks) == len(part), f"{len(part)} names, {len(blocks)} texts")
        texts.update(zip(part, (block.rstrip("\n") + "\n" for block in blocks)))
    return texts


def fields(text):
    return dict(re.findall(r"^  ([\w ]+): +(.+)$", text, re.MULTILINE))


def check_explained(text, what, names):
    expect(text.count("\n") >= 4, f"{what}: too short: {text}")
    for name in names:
        found = fields(text).get(name, "")
        expect(len(found) >= 3, f"{what}: {name} is {found!r}")


def every_code(tool, source):
    own = own_codes(source)
    by_number = {}
    codes = header_codes(source)
    texts = explained(tool, [name for name, _ in codes])
    for name, number in codes:
        text = texts[name]
        expect(text.startswith(f"{number} {name}\n"), f"{name}: {text}")
        check_explained(text, name, ("meaning", "causes", "fix"))
        expect(("never returns" in text) == (number not in own), f"{name}: who returns it? {text}")
        by_number.setdefault(number, []).append(name)
    missing = own - set(by_number)
    expect(not missing, f"codes of our own that no header has: {missing}")
    texts = explained(tool, by_number)
    for number, names in by_number.items():
        text = texts[number]
        expect(text.startswith(f"{number} "), f"{number}: {text}")
        for name in names:
            expect(re.search(rf"\b{name}\b", text), f"{number}: {name} is not told")


def every_code_of_collectives(tool, source):
    """Those of a rank's refusals, and those that a rank can hear of; the others occur on an NPU alone."""
    codes = collective_codes(source)
    used = "".join(path.read_text() for path in pathlib.Path(source, "aclimb", "collectives").glob("*.cc")
                   if path.name != "errors.cc" and not path.name.endswith("_test.cc"))
    texts = explained(tool, [name for name, _ in codes])
    for name, number in codes:
        text = texts[name]
        expect(text.startswith(f"{number} {name}\n"), f"{name}: {text}")
        check_explained(text, name, ("meaning", "causes", "fix"))
        returned = re.search(rf"\b{name}\b", used) or name in ("HCCL_E_PTR", "HCCL_E_MEMORY")
        expect(("never returns" in text) != bool(returned), f"{name}: who returns it? {text}")
    expect(re.search(r"\bHCCL_SUCCESS\b", tool.output("explain", "0")), "0 is HCCL_SUCCESS too")
    expect(tool.output("explain", "21").startswith("21 HCCL_E_REMOTE\n"), "a number of HcclResult")


def texts_are_written(tool, source):
    """Meanings of different codes differ, but for names of one number and a few older twins."""
    meanings = {}
    codes = header_codes(source)
    texts = explained(tool, [name for name, _ in codes])
    for name, number in codes:
        meaning = fields(texts[name])["meaning"]
        meanings.setdefault(meaning, set()).add(number)
    same = {meaning: numbers for meaning, numbers in meanings.items() if len(numbers) > 2}
    expect(not same, f"one text for many codes: {same}")


def lower_case(tool, source):
    expect(
        tool.output("explain", "aclnn_err_param_invalid")
        == tool.output("explain", "ACLNN_ERR_PARAM_INVALID"),
        "upper and lower case differ",
    )


def rules(tool, source):
    text = tool.output("explain", "elu_backward/same-shape/selfOrResult")
    for part in ("selfOrResult has the shape of gradOutput", "aclnnEluBackward", "isResult=false",
                 "161002 ACLNN_ERR_PARAM_INVALID", "shape and dtype of gradOutput"):
        expect(part in text, f"{part!r} is missing in {text}")
    for rule, part in {
        "elu_backward/null/gradOutput": "161001 ACLNN_ERR_PARAM_NULLPTR",
        "elu_backward/dtype/gradOutput": "gradient of the forward output",
        "runtime/memcpy/kind": "107000 ACL_ERROR_RT_PARAM_INVALID",
        "runtime/null/devPtr": "100000 ACL_ERROR_INVALID_PARAM",
        "runtime/handle/stream": "107017",
        "runtime/handle/exhausted": "never destroyed",
        "destroy/aclTensor": "161002",
        "phase2/consumed-executor": "561103",
    }.items():
        text = tool.output("explain", rule)
        expect(text.startswith(f"{rule}\n") and part in text, f"{rule}: {text}")


def every_listed_name(tool, source):
    names = tool.output("explain", "--list").split("\n")
    expect(names.pop() == "", "the list does not end with a line break")
    expect(len(names) == len(set(names)), "a name is listed twice")
    texts = explained(tool, names)
    for name in names:
        text = texts[name]
        if "/" in name:
            expect(text.startswith(f"{name}\n"), f"{name}: {text}")
            check_explained(text, name, ("holds when", "fix", "code"))
    listed = set(names)
    for name, number in header_codes(source):
        expect({name, number} <= listed, f"{name} {number} is not listed")


def every_rule_of_the_sources(tool, source):
    """A message never names a rule that cannot be explained."""
    found = rules_of_sources(source)
    expect(len(found) > 100, f"only {len(found)} rules found in the sources")
    for rule in ("runtime/memcpy/queue", "check/memory/double-free", "fault/call"):
        expect(rule in found, f"{rule} is not found in the sources")
    listed = set(tool.output("explain", "--list").split("\n"))
    for rule, place in sorted(found.items()):
        kinds = {rule[:end] + "/*" for end in range(len(rule)) if rule[end] == "/"}
        expect(
            rule in listed or kinds & listed,
            f"{place} refuses by {rule}, which tools/catalogue/*_rules.cc does not explain",
        )


def several(tool, source):
    text = tool.output("explain", "107002", "runtime/memcpy/kind")
    expect(text == tool.output("explain", "107002") + "\n"
           + tool.output("explain", "runtime/memcpy/kind"), text)
    result = tool.call("explain", "107002", "107O03")
    expect(result.returncode == 2 and result.stdout == tool.output("explain", "107002"), result)


def pasted(tool, source):
    """The line of a message, as one word or as many, with its labels."""
    rule = "phase2/null-workspace"
    for words in (["rule: " + rule], ["rule:", rule], [f"  rule: {rule}\n"]):
        expect(tool.output("explain", *words) == tool.output("explain", rule), words)
    names = ("elu_backward/same-shape/selfOrResult", "161002", "ACLNN_ERR_PARAM_INVALID")
    line = "  rule: {}   code: {} {}".format(*names)
    for words in ([line], line.split()):
        expect(tool.output("explain", *words) == tool.output("explain", *names), words)
    tool.refused("explain", "rule: phase2/null-workspaces", said="\n  phase2/null-workspace\n")
    tool.refused("explain", "rule:", said="a code or a rule is needed")


def unknown(tool, source):
    for what, near in {
        "16102": "161002",
        "107O02": "107002",
        "ACLNN_ERR_PARAM_INVALIDE": "ACLNN_ERR_PARAM_INVALID",
        "CONTEXT_NULL": "ACL_ERROR_RT_CONTEXT_NULL",
        "elu_backward/same-shape/selforresult2": "elu_backward/same-shape/selfOrResult",
        "runtime/memcpy/kinds": "runtime/memcpy/kind",
        "elu_backward/same-shape": "elu_backward/same-shape/gradInput",
    }.items():
        said = tool.refused("explain", what, said=f'nothing is called "{what}"')
        expect(f"\n  {near}\n" in said, f"{what}: {near} is not offered: {said}")
    for function, header in {"aclrtMalloc": "acl/acl_rt.h", "aclCreateTensor": "aclnn/acl_meta.h",
                             "HcclAllReduce": "hccl/hccl.h"}.items():
        said = tool.refused("explain", function, said=f"{function} is a function, no code and no rule; for ")
        expect(said.endswith(f"/include/{header}\n"), said)
    tool.refused("explain", "aclrtMallo", said="explain --list")
    # A word of the headers that stands before a parenthesis.
    tool.refused("explain", "defined", said='nothing is called "defined"')
    tool.refused("explain", "zzzzzzzzzzzz", said="explain --list")
    tool.refused("explain", "runtime/null/", said="Near")


if __name__ == "__main__":
    main(
        every_code,
        every_code_of_collectives,
        texts_are_written,
        lower_case,
        rules,
        every_listed_name,
        every_rule_of_the_sources,
        several,
        pasted,
        unknown,
    )
