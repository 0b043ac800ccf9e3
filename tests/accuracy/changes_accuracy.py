#!/usr/bin/env python3
"""How well `stepledger changepoints` finds changes: the public TCPD series and injected steps.

    tests/accuracy/changes_accuracy.py [--draw N]

Three tables of the tier `confirmed`, with the goals beside them:
- the 25 complete univariate series of TCPD that may be passed on, against five people's marks: F1
  within 5 values (precision against the union of the marks, recall as the mean over people, the
  series' beginning a mark of all) and covering (mean over people of the overlap of their segments
  with the nearest found ones, by length). Saying nothing earns .647 and .557; the best published
  detectors at their defaults .690 (binseg) and .657 (amoc);
- injected steps: none or one in shuffled histories (iid) or histories shuffled in blocks of five
  (block5): F1 over all series, and false points in a series without a step;
- fresh ones, of the same histories and others, by a seed (--draw).
STEPLEDGER_BIN names the binary; STEPLEDGER_SHARED the folder with the series, without which nothing
is measured. Exit 1 when a goal is missed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", ROOT.parent / "shared")) / "changepoint"
MARGIN = 5
FRESH_LENGTH, FRESH_SIGMAS, BLOCK = 200, (0, 1, 2, 3, 5), 5


def find(folder, number, values):
    path = folder / f"{number}.json"
    path.write_text(json.dumps(values))
    done = subprocess.run([BINARY, "changepoints", str(path)], check=True, capture_output=True)
    points = json.loads(done.stdout)["change_points"]
    return [p["index"] for p in points if p["tier"] == "confirmed"]


def find_all(series):
    with tempfile.TemporaryDirectory(prefix="stepledger-changes-") as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda s: find(folder, *s), enumerate(series)))


def hits(marks, found):
    """Marks with a found point of their own within the margin."""
    left, count = set(found), 0
    for mark in sorted(marks):
        near = [point for point in left if abs(point - mark) <= MARGIN]
        if near:
            left.remove(min(near, key=lambda point: (abs(point - mark), point)))
            count += 1
    return count


def people_f1(people, found):
    people, found = [set(marks) | {0} for marks in people], set(found) | {0}
    precision = hits(set().union(*people), found) / len(found)
    recall = statistics.mean(hits(marks, found) / len(marks) for marks in people)
    return 2 * precision * recall / (precision + recall)


def segments(points, count):
    ends = sorted({0, count} | {p for p in points if 0 < p < count})
    return list(zip(ends, ends[1:]))


def covering(people, found, count):
    def best(one, others):
        return max(max(0, min(one[1], o[1]) - max(one[0], o[0])) /
                   (max(one[1], o[1]) - min(one[0], o[0])) for o in others)
    mine = segments(found, count)
    return statistics.mean(
        sum((one[1] - one[0]) * best(one, mine) for one in segments(marks, count)) / count
        for marks in people)


def tcpd_scores():
    names = (SHARED / "tcpd" / "TCPD25.txt").read_text().split()
    marks = json.loads((SHARED / "tcpd" / "annotations.json").read_text())
    series = [json.loads((SHARED / "tcpd" / "datasets" / f"{name}.json").read_text())
              ["series"][0]["raw"] for name in names]
    found = find_all(series)
    people = [list(marks[name].values()) for name in names]
    return (statistics.mean(map(people_f1, people, found)),
            statistics.mean(covering(p, f, len(s)) for p, f, s in zip(people, found, series)))


def injected_scores(records):
    """{mode: (F1, false points in a series without a step)}"""
    found, scores = find_all([record["value"] for record in records]), {}
    for mode in sorted({record["mode"] for record in records}):
        pairs = [(r["truth"], f) for r, f in zip(records, found) if r["mode"] == mode]
        right = sum(hits(truth, points) for truth, points in pairs)
        said = sum(len(points) for _, points in pairs)
        planted = sum(len(truth) for truth, _ in pairs)
        null = [len(points) for truth, points in pairs if not truth]
        scores[mode] = (2 * right / max(said + planted, 1), statistics.mean(null))
    return scores


def histories():
    """Real histories of benchmarks, in stretches of up to FRESH_LENGTH values."""
    for path in sorted((SHARED / "perf_histories").glob("*/*.series.json")):
        for series in json.loads(path.read_text()):
            values = [float(value) for value in series["value"] if value is not None]
            if len(values) >= 60 and len(set(values)) > 10:
                yield values[:FRESH_LENGTH]
    for name in ("a11y", "tp5rss", "runs2", "runs4"):
        runs = json.loads((SHARED / "perfherder" / f"{name}.json").read_text())["test_runs"]
        values = [float(run[3]) for run in runs]
        for start in range(0, len(values) - FRESH_LENGTH, FRESH_LENGTH):
            yield values[start:start + FRESH_LENGTH]


def fresh_records(seed):
    chance = random.Random(seed)
    for history in histories():
        middle = statistics.median(history)
        sigma = (1.4826 * statistics.median(abs(value - middle) for value in history)
                 or statistics.pstdev(history))
        for mode, width in (("iid", 1), ("block5", BLOCK)):
            for sigmas in FRESH_SIGMAS:
                blocks = [history[i:i + width] for i in range(0, len(history), width)]
                chance.shuffle(blocks)
                values = [value for block in blocks for value in block]
                at = chance.randrange(len(values) // 4, 3 * len(values) // 4)
                step = [sigmas * sigma * (i >= at) for i in range(len(values))]
                yield {"mode": mode, "truth": [at] if sigmas else [],
                       "value": [value + more for value, more in zip(values, step)]}


def row(name, value, goal, least=True):
    held = round(value, 3) >= goal if least else round(value, 3) <= goal
    print(f"{name:<44} {value:6.3f}  {'>=' if least else '<='} {goal:5.3f}  "
          f"{'' if held else 'open'}")
    return held


def main(draw):
    if not SHARED.is_dir():
        print(f"SKIPPED: no series in {SHARED}")
        return 0
    f1, cover = tcpd_scores()
    held = [row("TCPD25, F1", f1, .70), row("TCPD25, covering", cover, .66)]
    given = json.loads((SHARED / "injected" / "injected_steps.json").read_text())
    for name, records in (("injected", given), (f"fresh (draw {draw})", list(fresh_records(draw)))):
        for mode, (f1, false) in injected_scores(records).items():
            held += [row(f"{name}, {mode}, F1", f1, .85 if mode == "iid" else .66),
                     row(f"{name}, {mode}, false points a null series", false, .10, least=False)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int, default=1)
    sys.exit(main(parser.parse_args().draw))
