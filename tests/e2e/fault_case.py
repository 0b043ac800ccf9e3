"""Every command under the failure of its n-th write, flush, open, rename, allocation, connection.

What: a seeded ledger, and a loop that runs one command with one fault after the other until none
is left to meet. After each: the exit code is a documented one, stderr says what failed, stdout is
empty, whole or not said to be (never half a document with exit 0), a file of output is old or new,
nothing lies beside it, the ledger is as before or as after, and the same command then succeeds.
Where the machine has no memory for us the process ends at once, with one line and 75: then, as
after a kill, a part may lie beside, which the same command removes.
`STEPLEDGER_TORTURE` is a pattern of command lines that meet every fault (of memory and of what goes
over the wire: every call stack that no earlier command has met), `STEPLEDGER_TORTURE_SECONDS` ends
each of them then; without a pattern a few of each kind are drawn, the same each time.
"""

import dataclasses
import gzip
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import time
import unittest
import zlib

from cli_case import BINARY, ROOT
from server_case import ServerCase

sys.path.insert(0, str(ROOT / "tests" / "support" / "doubles"))

# pylint: disable=wrong-import-position
import fail_call  # noqa: E402
from launch import Launch  # noqa: E402
import xprof_writer  # noqa: E402
from pprof_writer import Allocation, memory_profile  # noqa: E402
from trace_writer import trace_of  # noqa: E402
from xplane_decoder import space_read  # noqa: E402

TORTURE = os.environ.get("STEPLEDGER_TORTURE")  # "" are all commands
REPORT = os.environ.get("STEPLEDGER_TORTURE_REPORT", "")
SECONDS = float(os.environ.get("STEPLEDGER_TORTURE_SECONDS", "inf"))  # for one command
BY_STACK = {"memory", "send", "receive"}  # else each call is one to fail
SCOPE = ["--project", "p", "--workload", "w"]
PARTS = "*.stepledger-part.*"
HANG_S = 30  # no command of the table takes a tenth of it, on a busy machine a third
AGAIN_EVERY = 12  # of those, the same command is tried once more
CODES = {0, 1, 2, 3, 4, 5, 6, 65, 69, 75}
# What is done to the calls of a class. "+": to those after the n-th too, every seventh of them.
FAULTS = [("write", "ENOSPC"), ("write", "EIO"), ("write", "full"), ("write", "short"),
          ("write", "EINTR"), ("write", "kill"), ("sync", "EIO"), ("sync", "kill"),
          ("open", "EMFILE"), ("open", "EACCES"), ("name", "ENOSPC"), ("name", "kill"),
          ("read", "EIO"), ("memory", "ENOMEM"), ("memory+", "ENOMEM"),
          ("connect", "ECONNREFUSED"), ("send", "ECONNRESET"), ("send", "kill"),
          ("receive", "ECONNRESET")]
HEALED = {"short", "EINTR"}  # a caller that is right goes on
SAID = {"ENOSPC": "No space left on device", "full": "No space left on device",
        "EIO": "Input/output error",
        "EMFILE": "Too many open files", "EACCES": "Permission denied"}
# What differs from one whole run to the next.
VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z|\+00)?|\b[0-9a-f]{32,}\b|\b\d{8}-\d{6}\b"
    r"|\b(?:[a-z]|rp)\d+\b|\b\d+\.\d+ (?:s|ms|min|h|d|kB|MB|GB)\b"
    r"|\"\w*(?:ms|seconds|_id|_s)\": [\d.]+")
MESSAGE = re.compile(r"^(?:stepledger(?: [a-z-]+)?: |<\d>|.*event=)")
LAST_WORDS = "stepledger: no memory: "


@dataclasses.dataclass
class Row:
    """A command of the table. {folder} in arguments is the place it may write to, {owner} how the
    schema's owner gets into the ledger."""

    arguments: list
    code: int = 0
    again: tuple = ()  # exit codes of the same command once more, where it is not `code`
    output: str = ""  # below {folder}, replaced by it; or appended to
    appends: bool = False  # to its output
    writes: bool = False  # to the ledger
    steps: bool = False  # in several transactions: it may end between two
    environment: dict = dataclasses.field(default_factory=dict)
    quiet: tuple = ()  # classes whose loss it may live with, with another document
    reports: bool = False  # what it could not do, with exit 0; that waits for another time
    finds: bool = False  # things, which it prints and exits 1
    ledger: str = "seed"  # or "bare"
    done: str = ""  # SQL: whether the work of a process that goes on is done
    begun: str = ""  # where what one has begun is due again much later: whether all is
    last: int = 0  # so many of the last call stacks that ask for memory are met in `make check` too

    @property
    def name(self):
        return " ".join(self.arguments)


def neutral(text):
    return VARIES.sub("~", text)


def words(content):
    """What a file says, packed or not; of a torn one as far as it goes."""
    packed = content.startswith(b"\x1f\x8b")
    return (zlib.decompressobj(wbits=31).decompress(content) if packed else content).decode()


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


@unittest.skipUnless(fail_call.LIBRARY, "no STEPLEDGER_FAIL_CALL: make builds it (not with SAN)")
class FaultCase(ServerCase):
    """A ledger with runs, a fail, its alert and a message; a copy of it that is put back."""

    drawn = 2  # for each command, of as many classes, where not all are met
    left = 0  # faults of a command for which there was no time
    unchanged = 0  # of that many faults of memory nothing was left behind
    met = set()  # (call stack, what was done to it)
    intact = None  # the name of the ledger that stands as it was kept: making it anew takes seconds

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.met_before()
        cls.keep("bare")
        cls.double = Launch("chat_server.py")
        cls.addClassCleanup(cls.double.stop)
        cls.seed, cls.work = cls.folder / "seed", cls.folder / "work"
        cls.seed.mkdir()
        cls.configure()
        for run in range(1, 7):
            case.ingest("--branch", "main", "--run", f"main-{run}", "--commit", f"{run:040x}",
                        cls.profile(f"m{run}", "--kind", "tpu", "--seed", str(run)))
        slow = ["--kind", "tpu", "--slow-op", "attention=2.5"]
        case.expect(1, "gate", *SCOPE, "--branch", "topic", "--commit", "a" * 40, *(
            cls.profile(f"s{seed}", *slow, "--seed", str(seed)) for seed in (31, 32, 33)))
        cls.profile("new", "--kind", "tpu", "--seed", "50")
        for name, path in {"a.json": "m1", "b.json": "s31"}.items():
            case.expect(0, "summarize", "--profile-dir", cls.profile(path), "--output",
                        cls.seed / name)
        case.expect(0, "checkpoint", "--output", cls.seed / "c1.json")
        case.expect(0, "export", "--output", cls.seed / "all.jsonl")
        case.expect(0, "track", cls.seed / "a.json", cls.seed / "b.json", "--history",
                    cls.seed / "h.jsonl")
        (cls.seed / "series.json").write_text(json.dumps([1.0] * 30 + [1.2] * 30))
        case.expect(0, "queue", "add", *SCOPE, cls.profile("q", "--kind", "tpu", "--seed", "60"))
        case.expect(0, "report", "--project", "p", "--period", "day", "--record")
        [xplane] = pathlib.Path(cls.profile("m1")).rglob("*.xplane.pb")
        (cls.seed / "t.trace.json").write_text(trace_of(space_read(xplane.read_bytes())).text())
        gpu = cls.profile("launches", "--kind", "gpu", "--seed", "70")
        [xplane] = pathlib.Path(gpu).rglob("*.xplane.pb")
        shutil.copy(xplane, cls.seed / "launches.xplane.pb")
        for name, size in (("memory.prof", 1000), ("more.prof", 2000)):
            (cls.seed / name).write_bytes(gzip.compress(
                memory_profile([Allocation(1, size, "gpu:0", "buffer")]), mtime=0))
        (cls.seed / "tables").mkdir()
        (cls.seed / "tables" / "h.op_stats_v2.pb").write_bytes(xprof_writer.op_stats(
            [{"name": "copy.1", "self_ps": 9, "count": 1, "program": 5}], {5: "jit_step"},
            xprof_writer.kernel_stats([("gemm", 4, 300, 70, 80)])))
        (cls.seed / "tables" / "overview_page.json").write_text(
            xprof_writer.overview_json([["0", 8, 1, .5, .25, 10]]))
        (cls.seed / "policy").write_text("policy_version = 1\n")
        cls.seed_more(case)
        shutil.copytree(cls.folder / "state", cls.folder / "state-seed", dirs_exist_ok=True)
        (cls.folder / "state").mkdir(exist_ok=True)
        cls.keep("seed")
        cls.restore()

    @classmethod
    def seed_more(cls, case):
        """What else a class's commands need."""

    @classmethod
    def configure(cls):
        """One destination, and attempts that come at once."""
        config = cls.folder / "config" / "stepledger"
        config.mkdir(parents=True)
        secret = cls.folder / "hook"
        secret.write_text(cls.double.url("/services/T0000001/B0000001/planted0slack0hook") + "\n")
        secret.chmod(0o600)
        (config / "config").write_text(
            f"notify = people\n[destination people]\nkind = slack\nurl = file:{secret}\n"
            "allow_addresses = 127.0.0.0/8\nallow_http = yes\nmin_interval_ms = 0\n"
            "[report daily]\nproject = p\nperiod = day\nat = 0 0 * * *\nto = people\n")

    @classmethod
    def keep(cls, name):
        """The ledger as it is now, under a name."""
        cls.primary.sql(f"CREATE DATABASE {name} TEMPLATE stepledger STRATEGY file_copy",
                        "postgres")

    @classmethod
    def restore(cls, ledger="seed"):
        """Ledger, what this machine has seen of it, and the folder, as they were."""
        cls.intact = ledger
        cls.primary.sql("DROP DATABASE IF EXISTS stepledger WITH (FORCE)", "postgres")
        cls.primary.sql(f"CREATE DATABASE stepledger TEMPLATE {ledger} STRATEGY file_copy"
                        " OWNER stepledger_owner", "postgres")
        cls.restore_files()

    @classmethod
    def restore_files(cls):
        for name, source in (("work", "seed"), ("state", "state-seed")):
            shutil.rmtree(cls.folder / name, ignore_errors=True)
            shutil.copytree(cls.folder / source, cls.folder / name)

    def ledger(self):
        """{table: its rows}; what workers leave of themselves is no part of it."""
        rows = self.primary.sql(
            "SELECT c.relname || '=' || (xpath('/row/n/text()', query_to_xml(format("
            "'SELECT count(*) AS n FROM stepledger.%I', c.relname), false, true, '')))[1] "
            "FROM pg_class c WHERE c.relnamespace = 'stepledger'::regnamespace AND c.relkind = 'r'"
            " AND c.relname NOT IN ('workers')"
            " UNION ALL SELECT 'jobs ' || state || '=' || count(*) FROM queue GROUP BY state"
            " UNION ALL SELECT 'messages ' || state || '=' || count(*) FROM outbox GROUP BY state")
        return {name: int(count) for name, count in (row.split("=") for row in rows)}

    # ---- one command ----------------------------------------------------------------------------

    def under(self, row, fault):
        """Runs the row's command; a fault of None only counts."""
        if row.writes:
            type(self).intact = None
        owner = self.primary.conninfo("stepledger_owner")
        arguments = [BINARY, *(a.format(folder=self.work, owner=owner)
                               for a in map(str, row.arguments))]
        return fail_call.run(arguments, self.folder / "counts", fault, cwd=self.work,
                             timeout=HANG_S, env={**self.environment, **row.environment})

    def begin(self, row):
        if self.intact == row.ledger:
            self.restore_files()
        else:
            self.restore(row.ledger)

    def learn(self, row):
        """What the command does when nothing fails."""
        self.begin(row)
        self.before, self.files_before = self.ledger(), files_of(self.work)
        done, counted = self.under(row, None)
        self.assertEqual(done.returncode, row.code, f"{row.name}: {done.stderr}")
        self.whole = neutral(done.stdout)
        self.after, self.files_after = self.ledger(), files_of(self.work)
        return counted

    def faults_of(self, row, counted):
        """(fault, class, what), all that are new or those that are drawn."""
        found = {}
        for kind, what in FAULTS:
            name = kind.rstrip("+")
            places = [(place, "") for place in range(1, counted.calls[name] + 1)]
            if name in BY_STACK:
                places = self.places_of(counted.places[name], what)
            if kind != name:
                places = places[::7]
            lasts = "+" if kind.endswith("+") else ""
            found.setdefault(name, []).extend(
                (f"{name}:{place}{lasts}:{what}{stack}", name, what) for place, stack in places)
        draw = random.Random(row.name)
        if TORTURE is not None:
            return self.until_time_is_up(found.values(), draw)
        some = [draw.choice(faults) for faults in found.values() if faults]
        single = [fault for fault in found["memory"] if "+" not in fault[0]]
        return draw.sample(some, min(self.drawn, len(some))) + single[len(single) - row.last:]

    def until_time_is_up(self, classes, draw):
        """All faults, one of each class in turn; remembers those that were met."""
        end, self.left = time.monotonic() + SECONDS, sum(map(len, classes))
        drawn = [draw.sample(faults, len(faults)) for faults in classes]
        for turn in itertools.zip_longest(*drawn):
            for fault, kind, what in filter(None, turn):
                if time.monotonic() > end:
                    return
                yield fault, kind, what
                self.left -= 1
                self.met |= {(int(stack), what) for stack in fault.split(":")[3:]}

    def places_of(self, places, what):
        """Of each call stack the first call; none of those met before."""
        of_stack = {}
        for number, stack in places:
            if (stack, what) not in self.met:
                of_stack.setdefault(stack, number)
        return sorted((number, f":{stack}") for stack, number in of_stack.items())

    # ---- what must be true afterwards -----------------------------------------------------------

    def torture(self, row):
        """All faults of one command; returns what was wrong."""
        try:
            counted, met, wrong = self.learn(row), {}, []
        except AssertionError as error:
            return [str(error)]
        self.begin(row)
        for fault, kind, what in self.faults_of(row, counted):
            done, counted = self.under(row, fault)
            if counted.failed == 0:
                continue
            met[kind] = met.get(kind, 0) + 1
            if done.returncode == fail_call.CRASHED_INSIDE or (
                    done.returncode == fail_call.HANGS and counted.in_libpq()):
                met["in a library"] = met.get("in a library", 0) + 1
                continue
            if found := self.faults_found(row, kind, what, done, counted):
                stack = counted.stack(BINARY)
                wrong += [f"{fault}: {text}\n      at {stack}" for text in found]
        if not row.writes and self.ledger() != self.before:
            wrong.append(f"{row.name}: it wrote to the ledger")
            type(self).intact = None
        self.report(row, met, wrong)
        return wrong

    def faults_found(self, row, kind, what, done, counted):
        """What is wrong after one fault; leaves everything as before."""
        found = list(self.ending_wrong(row, kind, what, done, counted))
        files, ledger = files_of(self.work), self.ledger() if row.writes else self.before
        found += self.files_wrong(row, what, files, what == "kill" or self.ended_at_once(done))
        found += self.ledger_wrong(row, ledger)
        changed = ledger != self.before
        self.unchanged += not changed and files == self.files_before and kind == "memory"
        if changed or files != self.files_before or found or (
                row.writes and (kind != "memory" or self.unchanged % AGAIN_EVERY == 0)):
            found += self.again_wrong(row, ledger)
            changed |= row.writes
        if changed:
            self.begin(row)
        elif files != self.files_before:
            self.restore_files()
        said = done.stderr[-700:]
        return [f"{text}\n      exit {done.returncode}: {said}" for text in found]

    def ending_wrong(self, row, kind, what, done, counted):
        if what == "kill":
            if done.returncode not in (-signal.SIGKILL, row.code):
                yield "neither killed nor done"
            return
        if done.returncode == fail_call.HANGS:
            yield f"it does not end within {HANG_S} s"
        elif done.returncode not in CODES:
            yield "not a documented exit code"
        elif done.returncode == row.code and done.stdout and neutral(done.stdout) != self.whole \
                and kind not in row.quiet and not row.reports \
                and not self.is_said(what, done.stdout):
            yield f"another document with the exit code of success: {done.stdout[:300]!r}"
        elif done.returncode == row.code and not done.stdout and self.whole:
            yield "nothing was printed, and the exit code is that of success"
        if what in HEALED and done.returncode != row.code:
            yield "it is no failure"
        elif done.returncode != row.code:
            yield from self.message_wrong(row, kind, what, done, counted)

    @staticmethod
    def ended_at_once(done):
        """For want of memory, as a crash would."""
        return done.returncode == 75 and LAST_WORDS in done.stderr

    @staticmethod
    def is_said(what, document):
        """One that lacks a thing, as it could not be read, says why."""
        return SAID.get(what, "\0") in document

    @staticmethod
    def message_wrong(row, kind, what, done, counted):
        if row.finds and done.returncode == 1 and done.stdout:
            return  # a finding, and no failure
        lines = [line for line in done.stderr.splitlines() if line]
        if not any(MESSAGE.match(line) for line in lines):
            yield "no message"
        if "(null)" in done.stderr or re.search(r": *$", done.stderr.strip("\n")):
            yield "a message without its end"
        if kind in ("write", "sync", "open", "name") and SAID[what] not in done.stderr:
            yield f"does not say: {SAID[what]}"
        if kind == "memory" and "memory" not in done.stderr.lower() and not counted.in_libc():
            yield "does not say: memory"
        if LAST_WORDS in done.stderr and (done.returncode != 75 or
                                          not lines[-1].startswith(LAST_WORDS)):
            yield "does not end with its last words, and 75"
        if kind == "memory" and re.search(": the limit .* is used up", done.stderr):
            yield "blames the limit, which was not reached"

    def files_wrong(self, row, what, files, at_once):
        for name in files.keys() | self.files_before.keys():
            now, old = files.get(name), self.files_before.get(name)
            new = self.files_after.get(name)
            if now == old or (row.output and name.startswith(row.output) and now == new):
                continue
            if name.startswith(row.output) and row.output and now is not None and \
                    new is not None and neutral(words(now)) == neutral(words(new)):
                continue
            if name.startswith(row.output) and row.output and now is not None and \
                    self.is_said(what, words(now)):
                continue
            if at_once and now is not None and old is None and new is None:
                continue  # a part of a name of its own
            if at_once and row.appends and now is not None and now.startswith(old or b""):
                continue  # a torn last line, which the next one finds
            yield f"file {name} is neither old nor new: {now and len(now)} bytes"

    def ledger_wrong(self, row, ledger):
        if ledger in (self.before, self.after):
            return
        ends = {table: sorted((self.before.get(table, 0), self.after.get(table, 0)))
                for table in ledger}
        between = all(low <= ledger[table] <= high for table, (low, high) in ends.items()
                      if " " not in table)
        if not (row.steps and between):
            yield "the ledger is neither as before nor as after: " + str(
                {t: (self.before.get(t), n, self.after.get(t)) for t, n in ledger.items()
                 if n != self.before.get(t)})

    def again_wrong(self, row, ledger):
        """The same once more, without a fault; it removes what a killed one left of its output."""
        done, _ = self.under(row, None)
        if row.output and not row.appends and (parts := list(self.work.rglob(PARTS))):
            yield f"a part stays: {parts}"
        was_done = ledger != self.before
        if done.returncode != row.code and not (was_done and done.returncode in row.again):
            yield f"once more it exits {done.returncode}: {done.stderr[-500:]}"
        elif row.writes and not row.reports and not was_done and self.ledger() != self.after:
            yield "once more, the ledger is not as it would be"

    def report(self, row, met, wrong):
        """One line a command for whoever runs all of it."""
        if TORTURE is not None:
            line = f"{row.name[:60]}: {met} not tried {self.left} wrong {len(wrong)}"
            print(line, file=sys.stderr)
            if REPORT:
                with open(REPORT, "a", encoding="utf-8") as file:
                    file.write("".join([line + "\n", *(f"    {w}\n" for w in wrong)]))
                pathlib.Path(REPORT + ".met").write_text(json.dumps(
                    [self.build(), sorted(self.met)]))

    @staticmethod
    def build():
        """Call stacks are of one build of the program."""
        return [os.stat(BINARY).st_size, os.stat(BINARY).st_mtime]

    @classmethod
    def met_before(cls):
        """What other groups and earlier runs met, whose report is at the same place."""
        path = pathlib.Path(REPORT + ".met")
        build, met = json.loads(path.read_text()) if REPORT and path.exists() else (None, [])
        cls.met = {(stack, what) for stack, what in met} if build == cls.build() else set()

    def torture_all(self, rows):
        wrong = {row.name: self.torture(row) for row in rows
                 if re.search(TORTURE or "", row.name)}
        text = "\n".join(f"{name}\n    " + "\n    ".join(found[:12])
                         for name, found in wrong.items() if found)
        self.assertFalse(text, text)
        self.expect(0, "verify")
