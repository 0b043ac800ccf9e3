"""The files that lint looks at, each read once, with its comments and strings blanked on demand.

A finding is (path, line, text); a text that starts with "warning: " does not fail the run. Files
kept byte for byte (golden outputs, corpora) are not ours to judge and left out.
"""

import functools
import os
import pathlib
import re
import subprocess

KEPT_AS_THEY_ARE = ("tests/golden/", "tests/corpus/", "LICENSE")
KINDS = {".c": "c", ".h": "c", ".py": "python", ".sh": "shell", ".sql": "sql", ".awk": "awk",
         ".proto": "proto", ".md": "markdown"}
C_QUIET_PARTS = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'""", re.S | re.X)


class Source:
    """One text file: `path` is relative to the repository root, lines count from 1."""

    def __init__(self, root, path):
        self.path = path
        self.bytes = (root / path).read_bytes()
        self.binary = b"\0" in self.bytes
        self.text = self.bytes.decode("utf-8", "replace")
        self.lines = self.text.split("\n")
        self.kind = self._kind()

    def _kind(self):
        first = self.lines[0]
        if first.startswith("#!"):
            return "python" if "python" in first else "shell"
        if os.path.basename(self.path) == "Makefile":
            return "make"
        return KINDS.get(os.path.splitext(self.path)[1], "other")

    @property
    def folder(self):
        return os.path.dirname(self.path)

    @functools.cached_property
    def code(self):
        """The text of a C file with comments and literals blanked; offsets and lines stay."""
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        return C_QUIET_PARTS.sub(blank, self.text)

    def line_at(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def find_code(self, pattern):
        for match in re.finditer(pattern, self.code):
            yield self.line_at(match.start()), match


def paths_of(root):
    """What git tracks or would track; in an unpacked archive, every file outside build folders."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-coz",
         "--exclude-standard"], capture_output=True, check=False)
    if listing.returncode == 0:
        names = set(listing.stdout.decode().split("\0")) - {""}
        return sorted(name for name in names if (root / name).is_file())
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not re.fullmatch(r"\.git|build.*|__pycache__", f)]
        found += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(found)


def sources_of(root):
    root = pathlib.Path(root)
    sources = [Source(root, p) for p in paths_of(root) if not p.startswith(KEPT_AS_THEY_ARE)]
    return [source for source in sources if not source.binary]
