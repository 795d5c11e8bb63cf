"""aclimb run.  run_test.py <tool> <program that prints its words and its environment>"""

import os
import pathlib
import re
import tempfile

from tool import CLEAN, expect, main


def seen(tool, *words, **settings):
    """Words and environment of the program behind `aclimb run words...`."""
    text = tool.output("run", *words, **settings)
    given = [line[5:] for line in text.splitlines() if line.startswith("word ")]
    variables = dict(
        line[9:].split("=", 1) for line in text.splitlines() if line.startswith("variable ")
    )
    return given, variables


def root_of(tool):
    return str(pathlib.Path(tool.path).resolve().parent.parent)


def toolkit_variables(tool, program):
    root = root_of(tool)
    _, variables = seen(tool, program, LD_LIBRARY_PATH=f"/mine:{root}/lib64::/other")
    expected = {
        "ASCEND_TOOLKIT_HOME": root,
        "ASCEND_HOME_PATH": root,
        "ASCEND_AICPU_PATH": root,
        "ASCEND_OPP_PATH": f"{root}/opp",
        "TOOLCHAIN_HOME": f"{root}/toolkit",
        "LD_LIBRARY_PATH": f"{root}/lib64:/mine:/other",
    }
    for name, value in expected.items():
        expect(variables.get(name) == value, f"{name} is {variables.get(name)}, expected {value}")
    expect(variables["PATH"] == f"{root}/bin:{CLEAN['PATH']}", variables["PATH"])
    expect(os.path.isdir(variables["ASCEND_OPP_PATH"]), "ASCEND_OPP_PATH is no folder")
    ours = [name for name in variables if name.startswith("ACLIMB_")]
    expect(ours == [], f"set without a switch: {ours}")


SWITCHES = {
    "--soc": ("ACLIMB_SOC", "Ascend310P3", "Ascend42"),
    "--devices": ("ACLIMB_DEVICES", "3", "65"),
    "--device": ("ACLIMB_DEVICE", "cpu", "tpu"),
    "--threads": ("ACLIMB_THREADS", "2", "-1"),
    "--memory": ("ACLIMB_MEMORY", "512M", "12 apples"),
    "--log": ("ACLIMB_LOG", "plan,stderr", "everything"),
    "--trace": ("ACLIMB_TRACE", "/tmp/aclimb-no-such-trace-%p.json", "/no/such/folder/trace.json"),
    "--record": ("ACLIMB_RECORD", "/tmp/aclimb-no-such-record-%p", "/no/such/folder/calls"),
    "--fault": ("ACLIMB_FAULT", "aclrtMalloc:p0.5=207001,aclrtFree:2+=507899", "aclrtMalloc:0=207001"),
    "--schedule": ("ACLIMB_SCHEDULE", "random:7", "random:x"),
    "--schedule-out": ("ACLIMB_SCHEDULE_OUT", "no-such-order", "/no/such/folder/order"),
    "--seed": ("ACLIMB_FAULT_SEED", "18446744073709551615", "p0.5"),
}
FLAGS = {
    "--check": "ACLIMB_CHECK",
    "--launch-blocking": "ASCEND_LAUNCH_BLOCKING",
    "--host-access": "ACLIMB_HOST_ACCESS",
    "--strict": "ACLIMB_STRICT",
    "--extensions": "ACLIMB_EXTENSIONS",
}


def switches(tool, program):
    for switch, (variable, good, bad) in SWITCHES.items():
        for words in ([switch, good], [f"{switch}={good}"]):
            _, variables = seen(tool, *words, program, **{variable: "overridden"})
            expect(variables.get(variable) == good, f"{words}: {variables.get(variable)}")
        said = tool.refused("run", switch, bad, program, said=f"{switch} {bad}: {variable} ")
        # "has" is followed by the wrong part of a list.
        expect(re.search(rf'{variable} (is|has) ".+"; expected ', said), said)
        tool.refused("run", switch, said="aclimb run --help")
    for switch, variable in FLAGS.items():
        _, variables = seen(tool, switch, program)
        expect(variables.get(variable) == "1", f"{switch}: {variables.get(variable)}")
        _, variables = seen(tool, program)
        expect(variable not in variables, f"{variable} without {switch}")


def all_switches_are_tested(tool, program):
    listed = re.findall(r"^  (--[a-z-]+) ", tool.output("run", "--help"), re.MULTILINE)
    expect(
        sorted(listed) == sorted([*SWITCHES, *FLAGS]),
        f"switches of the help and of this test differ: {listed}",
    )


def several_switches(tool, program):
    _, variables = seen(tool, "--devices", 2, "--host-access", "--devices", 4, "--", program)
    expect(variables["ACLIMB_DEVICES"] == "4", "the last one of two does not win")
    expect(variables["ACLIMB_HOST_ACCESS"] == "1", "a switch between two others is lost")


def traces_replace_no_file(tool, program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        path.write_text("precious")
        tool.refused("run", "--trace", path, program, said="this one exists")
        tool.refused("run", "--trace", folder, program, said="expected a file")
        _, variables = seen(tool, "--trace", path, program, ACLIMB_FORCE="1")
        expect(variables["ACLIMB_TRACE"] == str(path), variables)
        expect(path.read_text() == "precious", "the value was tried out")
        expect(os.listdir(folder) == ["trace.json"], os.listdir(folder))


def words_of_the_program(tool, program):
    """Everything behind the program is the program's, whatever it looks like."""
    words = ["--soc", "x", "--", "--help", "-c", "a b", "", "--devices=9"]
    for front in ([], ["--"], ["--devices", "2"], ["--devices=2", "--"]):
        given, _ = seen(tool, *front, program, *words)
        # An empty word leaves "word " in its line.
        expect(given == words, f"{front}: {given}")


def bad_environment_is_left_to_the_program(tool, program):
    _, variables = seen(tool, "--threads", 1, program, ACLIMB_DEVICES="99")
    expect(variables["ACLIMB_DEVICES"] == "99", "a variable without a switch changed")


def exit_status(tool, program):
    for status in (0, 1, 2, 77, 255):
        result = tool.call("run", program, END_WITH=str(status))
        expect(result.returncode == status, f"{result.returncode}, expected {status}")
    result = tool.call("run", "sh", "-c", "kill -TERM $$")
    expect(result.returncode == -15, f"a signal became {result.returncode}")


def programs_that_cannot_run(tool, program):
    tool.refused("run", "no-such-program-anywhere", status=127, said="no such program in PATH")
    tool.refused("run", "/no/such/program", status=127, said="no such program")
    tool.refused("run", "/", status=126, said="cannot be run")
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder, "plain")
        plain.write_text("echo hello\n")
        tool.refused("run", plain, status=126, said="cannot be run")
        script = pathlib.Path(folder, "script")
        script.write_text("#!/no/such/interpreter\n")
        script.chmod(0o755)
        tool.refused("run", script, status=126, said="interpreter")
    tool.refused("run", "--", said="no program")
    tool.refused("run", "--devices", "2", said="no program")
    tool.refused("run", "--devcies", "2", program, said="--devcies")


def found_in_path(tool, program):
    folder, name = os.path.split(program)
    given, _ = seen(tool, name, "x", PATH=f"{folder}:{CLEAN['PATH']}")
    expect(given == ["x"], given)


if __name__ == "__main__":
    main(
        toolkit_variables,
        switches,
        all_switches_are_tested,
        several_switches,
        traces_replace_no_file,
        words_of_the_program,
        bad_environment_is_left_to_the_program,
        exit_status,
        programs_that_cannot_run,
        found_in_path,
    )
