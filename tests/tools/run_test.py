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
    # What is asked for in vain is told, unless the program's own environment says else.
    expect(ours == ["ACLIMB_MISSING"], f"set without a switch: {ours}")
    expect(variables["ACLIMB_MISSING"] == "1", variables["ACLIMB_MISSING"])
    _, variables = seen(tool, program, ACLIMB_MISSING="0")
    expect(variables["ACLIMB_MISSING"] == "0", variables["ACLIMB_MISSING"])


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
    "--seed": ("ACLIMB_FAULT_SEED", "18446744073709551615", "-1"),
}
# Beside that switch, which would be refused without.
NEEDED = {"--schedule-out": ("--schedule", "random:1")}
NUMBERS = {"--devices": "1 to 64", "--threads": "0 to 1024", "--seed": "0 to 2^64-1"}
FLAGS = {
    "--check": "ACLIMB_CHECK",
    "--force": "ACLIMB_FORCE",
    "--launch-blocking": "ASCEND_LAUNCH_BLOCKING",
    "--host-access": "ACLIMB_HOST_ACCESS",
    "--strict": "ACLIMB_STRICT",
    "--extensions": "ACLIMB_EXTENSIONS",
}


def switches(tool, program):
    for switch, (variable, good, bad) in SWITCHES.items():
        for words in ([switch, good], [f"{switch}={good}"]):
            _, variables = seen(tool, *words, *NEEDED.get(switch, ()), program,
                                **{variable: "overridden"})
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
        if switch != "--check":
            tool.refused("run", f"{switch}=all", program, said=f'{switch} takes no value, got "all"')


def the_log_can_be_written(tool, program):
    with tempfile.TemporaryDirectory() as folder:
        for file, why in {f"{folder}/none/log": "No such file or directory",
                          folder: "Is a directory"}.items():
            tool.refused("run", "--log", f"plan,file={file}", program,
                         said=f'ACLIMB_LOG is "plan,file={file}"; expected a file that can be '
                              f"written ({why}).")
        log = pathlib.Path(folder, "log")
        seen(tool, "--log", f"file={log}", program)
        expect(not log.exists(), "asking made the file")


def check_takes_a_list(tool, program):
    for value in ("1", "all", "nan", "nan,all", "0"):
        _, variables = seen(tool, f"--check={value}", program)
        expect(variables.get("ACLIMB_CHECK") == value, f"{value}: {variables.get('ACLIMB_CHECK')}")
    for words in (["--check", "--devices", "2", program], ["--check", "--", program]):
        _, variables = seen(tool, *words)
        expect(variables.get("ACLIMB_CHECK") == "1", f"{words}: {variables.get('ACLIMB_CHECK')}")
    for value in ("yes", "true", "all,none"):
        tool.refused("run", f"--check={value}", program, said="a comma list of 1, nan and all")


def a_switch_does_not_take_the_program(tool, program):
    for switch, expected in NUMBERS.items():
        for words in ([program], [program, "word"]):
            text = tool.refused("run", switch, *words)
            said = f'aclimb run: {switch} needs a number, got "{program}"; expected {expected}.\n'
            expect(text == said, f"{switch}: {text}")
    for switch, name in {"--trace": "FILE", "--memory": "SIZE", "--soc": "NAME"}.items():
        tool.refused("run", switch, program,
                     said=f'no program is given; {switch} took "{program}" as its {name}\n')
    text = tool.refused("run", "--trace", program, "--host-access", said="no program is given\n")
    expect("took" not in text, text)


def faults_are_of_functions(tool, program):
    for order, said in {
        "aclrtMaloc:1=207001": "there is no function aclrtMaloc; aclrtMalloc is meant?\n",
        "aclrtFree:1=1,aclnnEluBackwrad@run:1=507015": "; aclnnEluBackward is meant?\n",
        "main:1=1": "there is no function main; expected one of the public interface, or *.\n",
        "aclimb_observing:1=1": "there is no function aclimb_observing; ",
    }.items():
        tool.refused("run", "--fault", order, program, said=said)
    for order in ("*:p0.1=500000", "aclCreateTensor:1=1,aclnnEluBackwardGetWorkspaceSize:2=161002"):
        seen(tool, "--fault", order, program)


def misspelled_variables_are_told(tool, program):
    result = tool.call("run", program, ACLIMB_CHEK="1", ACLIMB_QQQQQQQQ="1")
    expect(result.returncode == 0, result)
    told = [f"aclimb: {line}" for line in tool.call(
        "env", ACLIMB_CHEK="1", ACLIMB_QQQQQQQQ="1").stdout.splitlines() if "nothing reads" in line]
    expect(len(told) == 2 and "ACLIMB_CHECK is meant?" in told[0], told)
    expect(result.stderr.splitlines() == told, result.stderr)


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
        tool.refused("run", "--trace", path, program, said="aclimb run --force")
        tool.refused("run", "--record", folder, program, said="aclimb run --force")
        for words in (["--trace", path, "--force"], ["--force", "--record", folder]):
            seen(tool, *words, program)
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
    tool.refused("run", "--devcies", "2", program,
                 said="there is no option --devcies; --devices is meant?")


def found_in_path(tool, program):
    folder, name = os.path.split(program)
    given, _ = seen(tool, name, "x", PATH=f"{folder}:{CLEAN['PATH']}")
    expect(given == ["x"], given)
    said = tool.refused("run", name, status=127, cwd=folder, said="no such program in PATH")
    expect(said.endswith(f"; did you mean ./{name}?\n"), said)
    said = tool.refused("run", "tests", status=127, cwd="/", said="no such program in PATH")
    expect("did you mean" not in said, said)


if __name__ == "__main__":
    main(
        toolkit_variables,
        switches,
        all_switches_are_tested,
        check_takes_a_list,
        a_switch_does_not_take_the_program,
        faults_are_of_functions,
        misspelled_variables_are_told,
        several_switches,
        traces_replace_no_file,
        words_of_the_program,
        bad_environment_is_left_to_the_program,
        the_log_can_be_written,
        exit_status,
        programs_that_cannot_run,
        found_in_path,
    )
