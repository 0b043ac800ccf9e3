"""What other programs judge: clang-format for C, the shells and Python for syntax."""

import re
import shutil
import subprocess

UNFORMATTED = re.compile(r"^([^:\n]+):(\d+):\d+: error: code should be clang-formatted", re.M)


def check_format(sources):
    paths = [source.path for source in sources if source.kind == "c"]
    program = "clang-format-14" if shutil.which("clang-format-14") else "clang-format"
    if not paths:
        return
    said = subprocess.run([program, "--dry-run", "-Werror", *paths],
                          capture_output=True, text=True, check=False).stderr
    reported = set()
    for path, line in UNFORMATTED.findall(said):
        if path not in reported:
            reported.add(path)
            yield path, int(line), f"not formatted from here on; run: {program} -i {path}"


def check_shell(source):
    shell = "bash" if "bash" in source.lines[0] else "sh"
    said = subprocess.run([shell, "-n", source.path], capture_output=True, text=True, check=False)
    if said.returncode:
        line = re.search(r"(?:line )?(\d+): ", said.stderr)
        yield source.path, int(line[1]) if line else 1, said.stderr.strip().rpartition(": ")[2]


def check_python(source):
    try:
        compile(source.text, source.path, "exec")
    except SyntaxError as error:
        yield source.path, error.lineno or 1, error.msg


def check(sources):
    yield from check_format(sources)
    for source in sources:
        if source.kind == "shell":
            yield from check_shell(source)
        if source.kind == "python":
            yield from check_python(source)
