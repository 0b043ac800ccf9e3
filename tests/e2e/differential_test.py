"""The program against a second implementation of profile_summary.v1, on inputs nobody planned.

What: random profiles, random profiles with changed bytes, and real profiles with random changes are
summarized, and random summaries compared, tracked, queried and reported, by the program and by
tests/support/reference, which is written from the specification alone. Every member must be equal,
numbers to 1e-9 of their size, order included, reports to the byte. Where one refuses a file, the
other must too. Why: stored documents show only what their inputs reach.
More seeds, on a machine with time:

    DIFFERENTIAL_SEEDS=20000 DIFFERENTIAL_FIRST=1000 make check-now T=e2e/differential

takes so many seeds per kind, from that number on; an input that makes a difference is kept in
$BUILD/differential, and the failure says with which options it was read.
Differences that are known, and therefore not made here: a text ends at a NUL character; a dimension
of hundreds of digits is no error; what is whole of a cut-off file is read; names in a question are
compared without regard to the case of ASCII letters alone. A question that no rule of the reference
knows may have an answer of ours.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from document_differences import differences  # noqa: E402
from profile_mutations import mutated  # noqa: E402
from random_document import Maker  # noqa: E402
from random_profile import random_profile  # noqa: E402
from reference.compare import comparison_of  # noqa: E402
from reference.document import summary_of  # noqa: E402
from reference.query import answer_of  # noqa: E402
from reference.reading import summary_read  # noqa: E402
from reference.report import report_of  # noqa: E402
from reference.track import assessment_of  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
KEPT = pathlib.Path(os.environ.get("BUILD", "build")) / "differential"
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
REAL = sorted((SHARED / "profiles/xplane").glob("*.xplane.pb"))
REAL_BYTES_MOST = 300_000  # a real profile larger than this takes seconds in Python
SEEDS = int(os.environ.get("DIFFERENTIAL_SEEDS", "0"))
FIRST = int(os.environ.get("DIFFERENTIAL_FIRST", "0"))
MODES = ("exclusive_per_track", "exclusive_global")
WARMUPS, LIMITS = (0, 0, 5, -2, 2), (25, 25, 25, 3, 0, -2, 600)
TOP_KS, QUESTIONS = (10, 10, 0, 1, 3, -1, 100), 4
REPORTED = 4  # differences of one profile, and profiles of one test
TIMEOUT_S = 120


def options_of(seed):
    choice = random.Random(seed).choice
    return {"mode": choice(MODES), "warmup_steps": choice(WARMUPS), "hot_op_limit": choice(LIMITS)}


def expected(data, options):
    """The document, or None when the file is to be refused."""
    try:
        return json.loads(json.dumps(summary_of(data, **options)))
    except (ValueError, OverflowError):
        return None


def call(*arguments):
    """Bytes are decoded here: universal newlines would change a report."""
    run = subprocess.run([BINARY, *arguments], capture_output=True, timeout=TIMEOUT_S, check=False)
    run.stdout, run.stderr = run.stdout.decode(), run.stderr.decode()
    return run


def summarize(path, options):
    return call("summarize", "--xplane-file", str(path), f"--breakdown-mode={options['mode']}",
                f"--warmup-steps={options['warmup_steps']}",
                f"--hot-op-limit={options['hot_op_limit']}")


def found_differences(path, data, options):
    document, run = expected(data, options), summarize(path, options)
    if document is None:
        refused = run.returncode == 1 and len(run.stderr.strip().splitlines()) == 1
        return [] if refused else [f"not refused: exit {run.returncode}, {run.stderr!r}"]
    if run.returncode != 0:
        return [f"exit {run.returncode}: {run.stderr.strip()}"]
    return list(differences(document, json.loads(run.stdout)))


def plain_answer(answer):
    """Without what ours says of a question that nobody knows."""
    if answer.get("recognized") is not False:
        return answer
    return {key: value for key, value in answer.items()
            if key not in ("recognized", "known_forms")}


class Documents:
    """Two random summaries, as files and as read, and what the commands say of them."""

    def __init__(self, seed):
        self.maker = Maker(seed)
        self.top_k = self.maker.pick(TOP_KS)
        self.paths = [KEPT / f"document-{seed}.{side}.json" for side in ("before", "after")]
        documents = [self.maker.document() for _ in self.paths]
        for path, document in zip(self.paths, documents):
            path.write_text(json.dumps(document), encoding="utf-8")
        self.before, self.after = map(summary_read, documents)

    def call(self, *arguments):
        run = call(*arguments, f"--top-k={self.top_k}")
        if run.returncode != 0:
            raise AssertionError(f"{arguments}: exit {run.returncode}: {run.stderr}")
        return run.stdout

    def pair_differences(self, command, wanted, member=None):
        before, after = map(str, self.paths)
        found = json.loads(self.call(command, "--before", before, "--after", after))
        return differences({command: json.loads(json.dumps(wanted))},
                           {command: found[member] if member else found})

    def report_differences(self):
        wanted = report_of(self.before, self.top_k)
        found = self.call("report", "--summary", str(self.paths[0]))
        return differences({"report": wanted + "\n"}, {"report": found})

    def answer_differences(self, question):
        wanted = answer_of(self.before, question, self.top_k)
        found = plain_answer(json.loads(self.call("query", "--summary", str(self.paths[0]),
                                                  f"--question={question}")))
        unknown = wanted["query_type"] == "optimization_candidates"
        if unknown and found["query_type"] != wanted["query_type"]:
            return []
        return differences({repr(question): wanted}, {repr(question): found})

    def found(self):
        both = self.before, self.after, self.top_k
        lines = list(self.pair_differences("compare", comparison_of(*both)))
        lines += self.pair_differences("track", assessment_of(*both), "assessment")
        lines += self.report_differences()
        for _ in range(QUESTIONS):
            lines += self.answer_differences(self.maker.question())
        return lines


class Differential(unittest.TestCase):
    """One test per way of making inputs."""

    def test_commands_that_read_summaries(self):
        KEPT.mkdir(parents=True, exist_ok=True)
        failures = []
        for seed in range(FIRST, FIRST + (SEEDS or 60)):
            documents = Documents(seed)
            found = documents.found()
            if found:
                failures.append("\n  ".join([f"{documents.paths[0]} --top-k={documents.top_k}:",
                                             *found[:REPORTED]]))
            else:
                for path in documents.paths:
                    path.unlink()
            if len(failures) == REPORTED:
                break
        self.assertEqual(failures, [], "\n".join(["", *failures]))

    def compare(self, kind, count, profile_of):
        KEPT.mkdir(parents=True, exist_ok=True)
        failures = []
        for seed in range(FIRST, FIRST + (SEEDS or count)):
            path = KEPT / f"{kind}-{seed}.xplane.pb"
            data, options = profile_of(seed), options_of(seed)
            path.write_bytes(data)
            found = found_differences(path, data, options)
            if found:
                failures.append("\n  ".join([f"{path} {options}:", *found[:REPORTED]]))
            else:
                path.unlink()
            if len(failures) == REPORTED:
                break
        self.assertEqual(failures, [], "\n".join(["", *failures]))

    def test_random_profiles(self):
        self.compare("random", 80, random_profile)

    def test_random_profiles_with_changed_bytes(self):
        shares = (0.0, 0.01, 0.05)
        self.compare("bytes", 50, lambda seed: mutated(random_profile(-1 - seed), seed,
                                                       shares[seed % len(shares)]))

    @unittest.skipUnless(REAL, f"no real profiles in '{SHARED}'; set STEPLEDGER_SHARED")
    def test_real_profiles_with_changes(self):
        small = [path for path in REAL if path.stat().st_size < REAL_BYTES_MOST]
        self.compare("real", 10, lambda seed: mutated(small[seed % len(small)].read_bytes(), seed,
                                                      0.002 if seed % 3 == 0 else 0.0))


if __name__ == "__main__":
    unittest.main()
