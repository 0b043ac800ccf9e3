"""The table of captures: trees x steps x recipes x changes, and what the gate has to say of each.

What: lays the files of job_capture.py down as people do, hands them to the binary as they would,
and compares verdict, exit code and headline with what was planted. Why beside the test: `make
check` runs a covering selection, `make accuracy` all 540 cells.
What a cell expects: a planted loss fails with exit 1 and a headline that names it, or is
`inconclusive` (or warned of, as probable) with exit 0 when the smallest effect that the verdict
says it could see is larger than the loss; the same job passes, or is inconclusive when that effect
is not small. A warning of the same job is no failure (a p of .04 earns one).
"""

import concurrent.futures
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import threading
import time
from typing import Dict, List, NamedTuple, Optional, Tuple

import job_capture
from job_capture import Job

TREES = ("one_directory", "stamps_apart", "process_n", "flat_folder", "command_per_host",
         "queue_job_per_host")
STEPS = (1, 2, 5, 20, 50)
RECIPES = ("unmarked", "from_0", "from_5")
CHANGES = ("same", "host_slow", "device_slow", "all_5", "all_20", "op_slow")
FIRST_STEP = {"unmarked": None, "from_0": 0, "from_5": 5}
BASELINE_RUNS, CANDIDATE_RUNS = 10, 3
RUN_SD, STEP_SD = .01, .02
SLOW_OP = "fusion.mlp_up"
SEEN_ANYWAY = .02  # inconclusive is no answer to `same` when an effect this small was visible
# A loss of the smallest effect is missed 20 times of 100, one so many times larger 4 times.
SURELY_SEEN = 1.3
EXIT = {"pass": 0, "warn": 0, "fail": 1, "inconclusive": 0, "incomparable": 5}
TIMEOUT_S = 120


class Cell(NamedTuple):
    tree: str
    steps: int
    recipe: str
    change: str
    kind: str = "tpu"
    coupled: bool = True
    epoch: bool = True

    def __str__(self):
        world = [self.kind, "coupled" if self.coupled else "free"]
        return "/".join([self.tree, f"{self.steps}_steps", self.recipe, self.change, *world] +
                        ([] if self.epoch else ["no_epoch"]))


def world_of(steps: int, recipe: str) -> Dict[str, object]:
    """Kind and coupling are no dimensions of the table, but neither may all be alike."""
    place = STEPS.index(steps) + RECIPES.index(recipe)
    return {"kind": ("tpu", "gpu")[place % 2], "coupled": (place // 2) % 2 == 0}


def whole_table() -> List[Cell]:
    return [Cell(tree, steps, recipe, change, **world_of(steps, recipe))
            for steps, recipe, tree, change in itertools.product(STEPS, RECIPES, TREES, CHANGES)]


def covering_cells() -> List[Cell]:
    """36 cells in which every two values of different dimensions meet, but for some pairs of tree
    and recipe with steps: the place in a Latin square chooses them."""
    cells = []
    for (row, tree), (column, change) in itertools.product(enumerate(TREES), enumerate(CHANGES)):
        steps = STEPS[(row + column) % len(STEPS)]
        recipe = RECIPES[(row + 2 * column) % len(RECIPES)]
        cells.append(Cell(tree, steps, recipe, change, **world_of(steps, recipe)))
    return cells


# --- what is planted -----------------------------------------------------------------------------
def slow_place(cell: Cell) -> Tuple[int, int]:
    """The host, and the device of it, that are slow; not always the first ones."""
    mark = hashlib.sha256(str(cell).encode()).digest()
    return mark[0] % 3, mark[1] % 2


def planted(cell: Cell, seed: int, when: int = 0) -> Job:
    host, device = slow_place(cell)
    change = {"same": {}, "host_slow": {"slow_host": (host, 1.2)},
              "device_slow": {"slow_device": (host, device, 1.2)}, "all_5": {"slow_all": 1.05},
              "all_20": {"slow_all": 1.2}, "op_slow": {"slow_op": (SLOW_OP, 1.5)}}[cell.change]
    return Job(seed, when, cell.kind, steps=cell.steps, first_step=FIRST_STEP[cell.recipe],
               epoch=cell.epoch, coupled=cell.coupled, run_sd=RUN_SD, step_sd=STEP_SD, **change)


def estimate_sd(cell: Cell) -> float:
    """Of the ratio of both sides' step times; the median of n steps has pi/2 the variance."""
    run = RUN_SD ** 2 + STEP_SD ** 2 * (math.pi / 2 if cell.steps > 2 else 1) / cell.steps
    return math.sqrt(run * (1 / CANDIDATE_RUNS + 1 / BASELINE_RUNS))


# --- trees ---------------------------------------------------------------------------------------
def stamp(started_s: int) -> str:
    return time.strftime("%Y_%m_%d_%H_%M_%S", time.gmtime(started_s))


def write(path: pathlib.Path, data: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def lay(tree: str, folder: pathlib.Path, job: Job) -> List[str]:
    """Writes one run; returns what is handed over: the run's folder, or a file per host."""
    files, paths = job_capture.host_files(job), []
    for file in files:
        name = f"{file.host}.xplane.pb"
        session = pathlib.Path("plugins", "profile", stamp(
            files[0].started_s if tree == "one_directory" else file.started_s + 3 * file.rank))
        place = {"one_directory": session, "stamps_apart": session, "flat_folder": "",
                 "process_n": pathlib.Path("profiler", f"process_{file.rank}", session),
                 }.get(tree, pathlib.Path(file.host, session))
        paths.append(write(folder / place / name, file.data))
    return paths if tree.endswith("per_host") else [str(folder)]


# --- the gate ------------------------------------------------------------------------------------
class Answer(NamedTuple):
    code: int
    headline: str
    verdict: Dict[str, object]
    error: str
    command: str


class Table:
    """One ledger; a baseline per tree, steps, recipe and world is made when a cell asks for it."""

    def __init__(self, binary: str, environment: Dict[str, str], folder: pathlib.Path,
                 own_trees: bool, draw: int = 0):
        self.binary, self.environment, self.folder = binary, environment, folder
        self.seed = draw * 10**8  # another draw of the same table
        self.own_trees = own_trees  # the baseline lies in the tree of the cell, else in one folder
        self.baselines: Dict[str, concurrent.futures.Future] = {}
        self.lock, self.queue_lock = threading.Lock(), threading.Lock()
        self.workers = 0

    def call(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *arguments], env=self.environment, text=True,
                              check=False, capture_output=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)

    def done(self, *arguments: str) -> str:
        result = self.call(*arguments)
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)}: exit {result.returncode}\n"
                                 f"{result.stdout[-1500:]}\n{result.stderr[-1500:]}")
        return result.stdout

    def workload(self, cell: Cell) -> str:
        tree = cell.tree if self.own_trees else "all"
        return "-".join([tree, str(cell.steps), cell.recipe, cell.kind,
                         "c" if cell.coupled else "f", "e" if cell.epoch else "n"])

    def take_in(self, tree: str, paths: List[List[str]], scope: List[str], name: str) -> None:
        """Each run of `paths` as the tree's people do: in one command, or host by host."""
        if not tree.endswith("per_host"):
            self.done("ingest", *scope, *itertools.chain(*paths))
            return
        for index, files in enumerate(paths):
            for path in files:
                run = ["--run", f"{name}-{index}", path]
                if tree == "command_per_host":
                    self.done("ingest", *scope, *run)
                else:
                    self.done("queue", "add", *scope, *run)
        if tree == "queue_job_per_host":
            with self.queue_lock:
                self.done("work", "ingest", "--once")

    def baseline(self, cell: Cell) -> str:
        """The workload that holds it; made once, by the thread that asks first."""
        workload = self.workload(cell)
        with self.lock:
            future = self.baselines.get(workload)
            mine = future is None
            if mine:
                future = self.baselines[workload] = concurrent.futures.Future()
        if mine:
            try:
                self.make_baseline(cell, workload)
                future.set_result(workload)
            except BaseException as error:  # the other threads wait for it
                future.set_exception(error)
        return future.result()

    def make_baseline(self, cell: Cell, workload: str) -> None:
        tree = cell.tree if self.own_trees else "one_directory"
        seed = int.from_bytes(hashlib.sha256(workload.encode()).digest()[:2], "big") * 100
        seed += self.seed
        same = cell._replace(change="same")
        runs = [lay(tree, self.folder / workload / f"run-{index}",
                    planted(same, seed + index, index)) for index in range(BASELINE_RUNS)]
        scope = ["--project", "table", "--workload", workload, "--branch", "main"]
        if not self.own_trees:  # one command is enough where nothing else is asked
            self.take_in(tree, runs, scope, "base")
            return
        for index, paths in enumerate(runs):
            self.take_in(tree, [paths], [*scope, "--commit", f"base{index:04d}"], f"base-{index}")

    def answer(self, cell: Cell) -> Answer:
        workload = self.baseline(cell)
        mark = hashlib.sha256(str(cell).encode()).hexdigest()
        seed, when = self.seed + int(mark[:4], 16) * 100 + 50, 100 + int(mark[4:6], 16) * 10
        paths = [lay(cell.tree, self.folder / workload / f"{cell.tree}-{cell.change}-{index}",
                     planted(cell, seed + index, when + index))
                 for index in range(CANDIDATE_RUNS)]
        scope = ["--project", "table", "--workload", workload, "--branch", "change",
                 "--commit", mark[:12]]
        operands = list(itertools.chain(*paths))
        if cell.tree.endswith("per_host"):
            self.take_in(cell.tree, paths, scope, mark[:8])
            operands = [mark[:12]]
        command = ["gate", *scope, "--format", "text", *operands]
        result = self.call(*command)
        named = re.search(r"^Recorded as (v\d+)", result.stdout, re.M)
        verdict = json.loads(self.done("show", named[1])) if named else {}
        return Answer(result.returncode, " ".join(result.stdout.partition("\n\n")[0].split()),
                      verdict, result.stderr, " ".join(command))

    # --- judging the answer ----------------------------------------------------------------------
    def faults(self, cell: Cell) -> Tuple[List[str], Optional[Answer]]:
        """What is wrong with the gate's answer to a cell, in words; and the answer."""
        try:
            answer = self.answer(cell)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return [str(error)], None
        if not answer.verdict:
            return [f"no verdict: exit {answer.code}: {answer.error[-600:]}"], answer
        return judged(cell, answer), answer


def runs_of(side: Dict[str, object]) -> Tuple[object, int]:
    return side.get("run_count"), len(side.get("profile_ids", []))


def judged(cell: Cell, answer: Answer) -> List[str]:
    verdict, faults = answer.verdict, []
    status, seen = verdict["status"], verdict["statistics"].get("mde_pct")
    if runs_of(verdict["candidate"]) != (CANDIDATE_RUNS, CANDIDATE_RUNS):
        faults.append("candidate: %s runs of %d profiles, not 3 of 3" %
                      runs_of(verdict["candidate"]))
    aside = sum(1 for _ in verdict["baseline"].get("set_aside") or [])
    if runs_of(verdict["baseline"])[0] + aside != BASELINE_RUNS:
        faults.append("baseline: %s runs of %d profiles, not 10" % runs_of(verdict["baseline"]))
    if answer.code != EXIT[status]:
        faults.append(f"exit {answer.code} of a {status}")
    loss = job_capture.planted_loss(planted(cell, 1))
    if status == "inconclusive" or (status == "warn" and loss):
        if seen is None:
            faults.append(f"{status}, with no smallest effect")
        elif seen / 100 * (SURELY_SEEN if loss else 1) <= (loss or SEEN_ANYWAY):
            faults.append(f"{status}, though it could see {seen:.1f} %")
    elif status not in (("fail",) if loss else ("pass", "warn")):
        faults.append(f"{status}, with {100 * loss:.1f} % planted")
    if status == "fail":
        faults += headline_faults(cell, answer.headline, loss)
    return faults


def headline_faults(cell: Cell, headline: str, loss: float) -> List[str]:
    host, device = slow_place(cell)
    kind = cell.kind.upper()
    wanted = {"same": "", "host_slow": rf"\bworker-{host}\b",
              "device_slow": rf"\bworker-{host}\b.*{kind}:{device}\b|"
                             rf"{kind}:{device}\b.*\bworker-{host}\b",
              "all_5": r"all ops alike", "all_20": r"all ops alike",
              "op_slow": r"fusion[._]mlp_up\b(?!_grad)"}[cell.change]
    faults = [] if re.search(wanted, headline) else [f"the headline does not say {wanted}"]
    step = re.search(r"([+-]\d+(?:\.\d+)?) %", headline)
    if not step:
        faults.append("the headline gives no percentage")
    elif abs(float(step[1]) / 100 - loss) > 4 * estimate_sd(cell) + .01:
        faults.append(f"the headline says {step[1]} %, planted were {100 * loss:+.1f} %")
    return faults


def run_cells(table: Table, cells: List[Cell], jobs: int = 2):
    """(cell, faults, answer) in the order of `cells`."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for cell, (faults, answer) in zip(cells, pool.map(table.faults, cells)):
            yield cell, faults, answer


def scratch_environment(folder: pathlib.Path) -> Dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not k.startswith("STEPLEDGER_")},
            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
