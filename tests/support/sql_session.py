"""One psql for many statements: to start one, and a session, for each takes ten times as long.

What it does not do: statements with psql's own commands or variables in them.
"""

import os
import subprocess
import tempfile

import postgres_server

END = "end of the statements"


class SqlSession:
    """Begun with the first statement, and anew when the server or a failure has ended it."""

    def __init__(self, conninfo):
        self.conninfo = conninfo
        self.process = self.errors = None

    def _begin(self):
        self.end()
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [postgres_server.binaries() / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
             self.conninfo], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})

    def _ask(self, text):
        """What it prints, None where it ended instead."""
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        lines = []
        for line in self.process.stdout:
            if line == f"{END}\n":
                return "".join(lines)
            lines.append(line)
        return None

    def run(self, *statements):
        """What they print. Each is a transaction of its own; settings end with the call."""
        if self.process is None or self._ask(f"DISCARD ALL;\n\\echo {END}\n") is None:
            self._begin()
        said = self._ask("".join(f"{statement};\n" for statement in statements) +
                         f"\\echo {END}\n")
        if said is None:
            self.errors.seek(0)
            raise AssertionError(f"{statements}: {self.errors.read()}")
        return said.strip()

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.errors.close()
            self.process = None
