"""aclimb ops.  ops_test.py <tool> <source folder> <operator>..."""

import collections
import json
import pathlib
import re

from tool import expect, main


def function_of(operator):
    return "aclnn" + "".join(part.capitalize() for part in operator.split("_"))


def the_list(tool, source, *operators):
    printed = tool.output("ops")
    data = json.loads(tool.output("ops", "--json"))
    found = [entry["folder"] for entry in data]
    expect(sorted(found) == sorted(operators), f"{found}, expected {operators}")
    for entry in data:
        expect(entry["function"].lower() == function_of(entry["folder"]).lower(), entry["function"])
        block = re.search(rf"^{entry['function']}\n((?: .*\n)+)", printed, re.MULTILINE)
        expect(block and entry["summary"] in block[1], f"{entry['function']} is not listed")


def one_operator(tool, source, *operators):
    """The rules, parameters and dtypes are those of the operator's page: every sixteenth stands for all."""
    for operator in operators[::16]:
        page = pathlib.Path(source, "docs", "ops", f"{operator}.md").read_text()
        rules = re.findall(r"^\| `([^`]+)` \| (.*?) \| (\d+) .*? \| (.*?) \|$", page, re.MULTILINE)
        for name in (operator, function_of(operator), function_of(operator)[5:],
                     function_of(operator).upper()):
            data = json.loads(tool.output("ops", name, "--json"))
            expect(data["folder"] == operator, f"{name} gave {data['folder']}")
        found = [(r["rule"], r["holds_when"], str(r["code"]), r["fix"]) for r in data["rules"]]
        expect(found == rules, f"{operator}: {set(found) ^ set(rules)}")
        parameters = re.search(r"## Parameters\n\n(.*?)\n\n", page, re.DOTALL)[1].splitlines()[2:]
        names = [line.split("|")[1].strip() for line in parameters]
        expect([p["name"] for p in data["parameters"]] == names, f"{operator}: parameters")
        printed = tool.output("ops", operator)
        for part in [*names, *(rule[0] for rule in rules), *(rule[3] for rule in rules)]:
            expect(part in printed, f"{operator}: {part} is not printed")


def rules_have_names_of_their_own(tool, source, *operators):
    """One id, one rule: `aclimb explain` would tell one of two."""
    page = pathlib.Path(source, "docs", "errors.md").read_text()
    ids = re.findall(r"^\| `([a-z0-9_]+/[^`]+)` \|", page, re.MULTILINE)
    expect(len(ids) > 1000, f"docs/errors.md lists {len(ids)} rules")
    twice = {rule for rule, count in collections.Counter(ids).items() if count > 1}
    expect(not twice, f"two rules have the same id: {twice}")


def dtypes_of_a_chip(tool, source, *operators):
    def dtypes(name, parameter, *words):
        data = json.loads(tool.output("ops", name, "--json", *words))
        for entry in data["parameters"]:
            if entry["name"] == parameter:
                return entry["dtypes"]
        return None

    every = dtypes("elu_backward", "gradOutput")
    expect(len(every) == 5, f"{len(every)} products")
    new = dtypes("elu_backward", "gradOutput", "--soc", "Ascend910B3")
    expect(len(new) == 1 and set(*new.values()) == {"FLOAT", "FLOAT16", "BFLOAT16"}, new)
    old = dtypes("elu_backward", "gradOutput", "--soc", "Ascend310P3")
    expect(set(*old.values()) == {"FLOAT", "FLOAT16"}, old)
    none = dtypes("embedding_dense_backward", "grad", "--soc", "Ascend310P3")
    expect(list(none.values()) == [[]], none)
    expect("not supported\n" in tool.output("ops", "--soc", "Ascend310P3"), "a chip without it")
    listed = tool.output("ops", "--soc", "Ascend910B3")
    expect("BFLOAT16" in listed and "Ascend" not in listed.replace("Ascend910B3", ""), listed)


def what_a_call_needs(tool, source, *operators):
    """C types, and what relates outputs to inputs, for programs that call operators by their data."""
    data = json.loads(tool.output("ops", "elu_backward", "--json"))
    types = {p["name"]: p["c_type"] for p in data["parameters"]}
    expect((types["gradOutput"], types["isResult"]) == ("pointer", "bool"), types)
    shape = {"kind": "same shape", "subject": "gradInput", "other": "gradOutput"}
    expect(shape in data["relations"] and data["sizes_output"] is False, data["relations"])
    types = {p["name"]: p["c_type"] for p in json.loads(
        tool.output("ops", "roi_align_v2_backward", "--json"))["parameters"]}
    expect((types["spatialScale"], types["pooledHeight"]) == ("float", "int64_t"), types)


def names_of(printed):
    """Names that stand above each other, each with a summary."""
    lines = printed.splitlines()
    places = {re.match(r"aclnn\w+ +", line).end() for line in lines}
    expect(len(places) == 1, f"summaries begin at {places}")
    return [line.split()[0] for line in lines]


def words(tool, source, *operators):
    every = json.loads(tool.output("ops", "--json"))
    expect(names_of(tool.output("ops", "--list")) == sorted(entry["function"] for entry in every), "--list")

    def joined(text):
        return text.lower().replace(" ", "").replace("_", "")

    def having(word):
        return [entry["function"] for entry in every
                if any(joined(word) in joined(entry[key]) for key in ("function", "folder", "summary"))]

    # In names of functions, in those of folders, in summaries alone.
    for word in ("pool", "volution_backward", "pooled", "backward", "cross entropy"):
        found = having(word)
        expect(len(found) > 1 or word == "volution_backward", f"{word}: {found}")
        for call in (("ops", word), ("ops", word.upper()), ("ops", "--list", word)):
            expect(names_of(tool.output(*call)) == sorted(found), f"{call} does not list {found}")
        data = json.loads(tool.output("ops", word, "--json"))
        expect([entry["function"] for entry in data] == found, f"{word} --json")
    # A word that is a name too is that operator.
    printed = tool.output("ops", "elu")
    expect(printed.startswith("aclnnElu\n"), printed)
    more = len(having("elu")) - 1
    expect(f"\n{more} more have this word: aclimb ops --list elu\n" in printed, printed)
    expect("more have this word" not in tool.output("ops", "aclnnEluBackward"), "no more")
    of_chip = names_of(tool.output("ops", "--list", "embedding", "--soc", "Ascend310P3"))
    expect("aclnnEmbeddingDenseBackward" not in of_chip and "aclnnEmbedding" in of_chip, of_chip)


def wrong_use(tool, source, *operators):
    said = tool.refused("ops", "aclnnEluBackwards", said="Near matches:")
    expect("aclnnEluBackward\n" in said, said)
    tool.refused("ops", "zzzzzzzz", said="All of them: aclimb ops --list\n")
    tool.refused("ops", "--list", "zzzzzzzz", said="All of them: aclimb ops --list\n")
    tool.refused("ops", "--soc", "Ascend42", said="expected one of Ascend910B1")
    tool.refused("ops", "--soc", said="--soc")


if __name__ == "__main__":
    main(the_list, one_operator, dtypes_of_a_chip, what_a_call_needs, words, wrong_use)
