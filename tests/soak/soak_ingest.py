#!/usr/bin/env python3
"""The soak of the queue: `make soak SECS=300`.

8 workers in two services (a ledger may have several at once), and 2 submitters, on 2,000 small
profiles, while workers, jobs, the supervisors and PostgreSQL itself are killed (kill -9) at random.
At the end every profile is stored exactly once, no job is stuck, and `verify` (when the program has
it) finds nothing. Kills go on for SECS; then what is left is finished without kills. Exits 1 when
one of that does not hold.

Submissions are spread over the time, so that there is work to the end.

STEPLEDGER_BIN names the program, SECS how long, SOAK_PROFILES how many profiles, SOAK_SEED the
kills.
"""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
from standstill import Standstill  # noqa: E402
from xplane_writer import encode_varint  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
SECS = float(os.environ.get("SECS", "60"))
PROFILES = int(os.environ.get("SOAK_PROFILES", "2000"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
SERVICES, WORKERS_EACH, SUBMITTERS = 2, 4, 2
WORKLOADS = 4
KILL_EVERY_S = (0.1, 1.2)
APART_NS = 120 * 10**9  # two captures of one host: their windows do not meet
SUBMIT_SHARE = 0.85  # of the time
SCOPE = ["--project", "soak"]
SETTINGS = {
    "STEPLEDGER_QUEUE_LEASE_MS": "3000", "STEPLEDGER_QUEUE_BASE_MS": "50",
    "STEPLEDGER_QUEUE_CAP_MS": "1000", "STEPLEDGER_QUEUE_ATTEMPTS": "20",
    "STEPLEDGER_WORKERS": str(WORKERS_EACH), "STEPLEDGER_THREADS": "1",
}
# What is killed, and how often compared to the others.
TARGETS = {"worker": 10, "job": 6, "supervisor": 2, "backend": 3, "postmaster": 1}


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def processes():
    """pid -> (parent, arguments, working folder) of every process that can be read."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            arguments = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            place = os.readlink(folder / "cwd")
        except OSError:
            continue
        if stat[0] != "Z":
            found[int(folder.name)] = (int(stat[1]), arguments, place)
    return found


class Soak:
    """One run in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.chance = random.Random(SEED)
        self.over = threading.Event()
        self.services = [None] * SERVICES
        self.kills = collections.Counter()
        self.failed_submissions = 0
        self.lock = threading.Lock()
        data = folder / "data"
        data.mkdir()
        if os.geteuid() == 0:
            shutil.chown(data, "postgres", "postgres")
        self.data = str(data)
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("STEPLEDGER_")},
            **SETTINGS, "XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(folder / "config"),
        }

    # --- the program ------------------------------------------------------------------------------

    def call(self, *arguments):
        return subprocess.run([BINARY, *map(str, arguments)], env=self.environment, text=True,
                              capture_output=True, timeout=300, check=False,
                              stdin=subprocess.DEVNULL)

    def must(self, *arguments):
        """Until it succeeds: the database may be down at the moment."""
        deadline = time.monotonic() + 120
        while True:
            done = self.call(*arguments)
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() > deadline:
                sys.exit(f"soak: {arguments}: {done.stderr}")
            time.sleep(0.2)

    def service_start(self, number):
        log = open(self.folder / f"serve-{number}.log", "ab")
        with log:
            self.services[number] = subprocess.Popen(
                [BINARY, "serve"], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log)

    def service_stop(self, number):
        self.services[number].send_signal(signal.SIGTERM)
        return self.services[number].wait(30)

    # --- what is worked on ------------------------------------------------------------------------

    def profiles_make(self):
        """One profile, made many by when it was recorded and by a warning, which is field 3 of the
        file's message. Captures of one host at one time would be no such load as a user's: each is
        held against all whose windows meet its own."""
        source = self.folder / "source"
        subprocess.run(
            [sys.executable, str(ROOT / "tests/support/make_profile.py"), "--output", str(source),
             "--devices", "2", "--layers", "1", "--steps", "6", "--seed", str(SEED)],
            check=True, stdout=subprocess.DEVNULL)
        data = next(source.rglob("*.xplane.pb")).read_bytes()
        host = json.loads(self.must("summarize", "--profile-dir", source))["capture"]["hosts"][0]
        times = [host["begin_ns"], host["end_ns"]]
        assert all(data.count(encode_varint(at)) == 1 for at in times), "a time is not found"
        paths = []
        for number in range(PROFILES):
            text = f"soak {number}".encode()
            path = self.folder / "profiles" / f"{number}.xplane.pb"
            path.parent.mkdir(exist_ok=True)
            own = data
            for at in times:
                own = own.replace(encode_varint(at), encode_varint(at + number * APART_NS))
            path.write_bytes(own + b"\x1a" + bytes([len(text)]) + text)
            paths.append(path)
        say(f"{PROFILES} profiles of {len(data)} bytes")
        return paths

    def submit(self, paths):
        """A few at a time, one in five with its bytes; what fails is submitted again as a whole, so
        some are submitted twice."""
        chance = random.Random(SEED + len(paths))
        began = time.monotonic()
        for start in range(0, len(paths), 5):
            time.sleep(max(0, began + SUBMIT_SHARE * SECS * start / len(paths) - time.monotonic()))
            batch = paths[start:start + 5]
            more = ["--bytes"] if chance.random() < 0.2 else []
            scope = [*SCOPE, "--workload", f"w{start % WORKLOADS}"]
            while self.call("queue", "add", *scope, *more, *batch).returncode != 0:
                with self.lock:
                    self.failed_submissions += 1
                time.sleep(0.2)

    # --- kills ------------------------------------------------------------------------------------

    def targets(self):
        """Kind -> process ids, of this run only."""
        found = collections.defaultdict(list)
        every = processes()
        supervisors = {service.pid for service in self.services if service.poll() is None}
        workers = {pid for pid, (parent, arguments, _) in every.items()
                   if parent in supervisors and arguments[1:2] == ["work"]}
        found["supervisor"] = sorted(supervisors)
        found["worker"] = sorted(workers)
        found["job"] = sorted(pid for pid, (parent, _, _) in every.items() if parent in workers)
        for pid, (parent, arguments, place) in every.items():
            if not place.startswith(self.data):
                continue
            if not every.get(parent, (0, [], ""))[2].startswith(self.data):
                found["postmaster"].append(pid)
            elif "[local]" in arguments[0]:
                found["backend"].append(pid)  # of a session; that alone restarts all of the server
        return found

    def kill_one(self):
        found = self.targets()
        kinds = [kind for kind in TARGETS if found[kind]]
        if not kinds:
            return
        kind = self.chance.choices(kinds, [TARGETS[kind] for kind in kinds])[0]
        try:
            os.kill(self.chance.choice(found[kind]), signal.SIGKILL)
            self.kills[kind] += 1
        except ProcessLookupError:
            pass

    def services_keep(self):
        """A supervisor that was killed is started again, as a service manager would."""
        for number, service in enumerate(self.services):
            if service.poll() is not None:
                self.service_start(number)

    # --- the end ----------------------------------------------------------------------------------

    def queue_states(self):
        numbers = json.loads(self.must("status", "--format", "json"))["queue"]
        return {state: row["count"] for state, row in numbers.items()}

    def finish(self):
        """Until nothing waits or runs any more, however slow the machine is."""
        states, standstill = self.queue_states(), Standstill()
        while (left := states["ready"] + states["running"]) > 0 and not standstill.has_come(left):
            self.services_keep()
            time.sleep(0.5)
            states = self.queue_states()
        return states

    def query(self, text):
        url = self.must("db", "url").strip()
        psql = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
        done = subprocess.run([psql, "-X", "-q", "-A", "-t", "-d", url, "-c", text], text=True,
                              check=True, capture_output=True, timeout=60,
                              env={**os.environ, "PGOPTIONS": "-c search_path=stepledger"})
        return done.stdout.split("\n")[:-1]

    def check(self, states):
        """The findings, as sentences."""
        one = lambda text: int(self.query(text)[0])
        stored = one("SELECT count(*) FROM profiles")
        distinct = one("SELECT count(DISTINCT trace_sha256) FROM profiles")
        whole = one("SELECT count(*) FROM profiles p WHERE EXISTS (SELECT FROM summaries s WHERE "
                    "s.profile_id = p.id) AND (SELECT count(*) FROM profile_steps t WHERE "
                    "t.profile_id = p.id) = 6 AND EXISTS (SELECT FROM op_rows o WHERE "
                    "o.profile_id = p.id)")
        jobs = sum(states.values())
        firsts = one("SELECT count(*) FROM queue WHERE state = 'done' AND NOT duplicate")
        tries = one("SELECT max(attempt) FROM queue")
        claims = one("SELECT sum(fence) FROM queue")
        say(f"profiles {stored} (distinct {distinct}, whole {whole}) of {PROFILES}; jobs {jobs}: "
            f"{states}; done first {firsts}, as duplicate {states['done'] - firsts}; claims "
            f"{claims}, most attempts of a job {tries}")
        rules = [
            (stored == distinct == whole == PROFILES, "every profile is stored once and whole"),
            (firsts == PROFILES, "every profile is the result of one job"),
            (states["ready"] + states["running"] == 0, "no job is stuck"),
            (states["aside"] + states["dropped"] == 0, "no job is set aside"),
        ]
        if self.call("verify", "--help").returncode == 0:
            verified = self.call("verify")
            said = (verified.stdout + verified.stderr).strip()[:300]
            rules.append((verified.returncode == 0, f"verify is clean: {said}"))
        else:
            say("this program has no `verify` yet: not checked")
        for holds, rule in rules:
            say(f"{'holds ' if holds else 'BROKEN'}: {rule}")
        return all(holds for holds, _ in rules)

    def run(self):
        paths = self.profiles_make()
        self.must("db", "start")
        began = time.monotonic()
        for number in range(SERVICES):
            self.service_start(number)
        half = len(paths) // SUBMITTERS
        submitters = [threading.Thread(target=self.submit, args=(paths[n * half:(n + 1) * half],))
                      for n in range(SUBMITTERS)]
        for submitter in submitters:
            submitter.start()
        told = began
        while time.monotonic() - began < SECS:
            time.sleep(self.chance.uniform(*KILL_EVERY_S))
            self.kill_one()
            self.services_keep()
            if time.monotonic() - told > 20:
                told = time.monotonic()
                say(f"{told - began:4.0f} s: kills {dict(self.kills)}; {self.queue_states()}")
        for submitter in submitters:
            submitter.join()
        left, last_kill = self.queue_states()["ready"], time.monotonic()
        states = self.finish()
        say(f"{left} jobs waited behind the last kill, {time.monotonic() - last_kill:.0f} s")
        say(f"kills {dict(self.kills)}, submissions that failed and were repeated "
            f"{self.failed_submissions}, {time.monotonic() - began:.0f} s in all")
        fine = self.check(states)
        for number in range(SERVICES):
            if self.service_stop(number) != 0:
                say(f"BROKEN: service {number} did not end in order")
                fine = False
        return fine

    def close(self):
        for service in self.services:
            if service is not None and service.poll() is None:
                service.kill()
                service.wait()
        self.call("db", "stop")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stepledger-soak-"))
    folder.chmod(0o755)
    soak = Soak(folder)
    fine = False
    try:
        fine = soak.run()
    finally:
        soak.close()
        if fine:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            say(f"everything is left in {folder}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
