"""The rules by which the library's sources refuse, read from the calls that make the messages."""

import pathlib
import re

# Calls whose last text is the end of a rule's id, and what comes before it.
CALLS = {
    "BadValue": "runtime/",
    "Wrong": "runtime/config/",
    "WrongMaker": "runtime/event/",
    "RefusePhase2": "phase2/",
    "Invalid": "tensor/",
}
WHOLE = re.compile(
    r"(runtime|backend|check|fault|executor|tensor|array|list|scalar|destroy|inner|phase2)(/[a-z0-9-]+)+"
)
# "runtime/null/": the name of an argument follows.
OPEN = re.compile(r"(runtime|tensor)/[a-z-]+/|destroy/")
TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def call_at(text, begin):
    """The call whose parenthesis opens at `begin`, up to the one that closes it."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[begin : i + 1]
    return ""


def rules_of_file(text):
    for literal in TEXT.findall(text):
        if WHOLE.fullmatch(literal):
            yield literal
        # Configuration and event rules are closed sets, whose members the calls below name.
        elif OPEN.fullmatch(literal) and literal not in ("runtime/config/", "runtime/event/"):
            yield literal + "anything"
    for name, front in CALLS.items():
        if f"{name}(" not in text:
            continue
        for match in re.finditer(rf"\b{name}\(", text):
            literals = TEXT.findall(call_at(text, match.end() - 1))
            if literals and re.fullmatch(r"[a-z0-9/-]+", literals[-1]):
                yield front + literals[-1]


def rules_of_sources(source):
    """Rule -> the file that names it."""
    found = {}
    for folder in ("aclimb", "backends", "tools"):
        for path in sorted(pathlib.Path(source, folder).rglob("*")):
            if path.suffix not in (".cc", ".h") or path.name.endswith("_test.cc"):
                continue
            # What explains the rules is no use of them.
            if path.parent.name == "catalogue":
                continue
            for rule in rules_of_file(path.read_text()):
                if not rule.endswith("/"):
                    found.setdefault(rule, path.relative_to(source).as_posix())
    return found
