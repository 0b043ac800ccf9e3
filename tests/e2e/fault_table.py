"""The commands that fault_case.py puts through every fault; all of `stepledger help` are here.

Profiles, runs and entries are those of FaultCase: p1 to p6 of main, p7 to p9 of the topic, v1 its
fail, l1 its alert, c1 a checkpoint, rp1 a report, one job and one message that wait; a trace is of
the run p1. {folder} may be written to.
"""

import time

from fault_case import SCOPE, Row

WHY = ["--reason", "tried"]
SIDES = ["{folder}/a.json", "{folder}/b.json"]
NEW = "{folder}/../profiles/new"
TRACE = "{folder}/t.trace.json"
LAUNCHES = "{folder}/launches.xplane.pb"
DAY = ["--project", "p", "--period", "day"]
# However slow the machine is: what failed is not tried again by the run that it failed in.
NO_SECOND_TRY = {"STEPLEDGER_DELIVERY_BASE_MS": "600000", "STEPLEDGER_DELIVERY_CAP_MS": "600000"}
TOMORROW = {"SOURCE_DATE_EPOCH": str(int(time.time()) + 86400)}  # its report has runs

# Need no database.
FILES = [
    Row(["help"]),
    Row(["help", "config"]),
    Row(["summarize", "--profile-dir", NEW], last=8),  # programs are hashed there
    Row(["summarize", "--profile-dir", NEW, "--output", "{folder}/n.json"], output="n.json"),
    Row(["summarize", "--profile-dir", NEW, "--output", "{folder}/a.json"], output="a.json"),
    Row(["summarize", TRACE]),
    Row(["summarize", "--xprof-tables", "{folder}/tables"]),
    Row(["table", "steps", "{folder}/tables"]),
    Row(["summarize", LAUNCHES, "--xplane-output-dir", "{folder}/x"], output="x"),
    Row(["table", "allocations", "{folder}/memory.prof"]),
    Row(["compare", "{folder}/memory.prof", "{folder}/more.prof"]),
    Row(["table", "kernels", LAUNCHES, "--output", "{folder}/k.json"], output="k.json"),
    Row(["table", "findings", LAUNCHES]),
    Row(["table", "roofline", LAUNCHES]),
    Row(["explain", LAUNCHES, "--output", "{folder}/e.json"], output="e.json"),
    Row(["convert", LAUNCHES, "--to", "perfetto-json", "--output", "{folder}/c.json.gz"],
        output="c.json.gz"),
    Row(["convert", TRACE, "--to", "perfetto-json"]),
    Row(["query", "{folder}/a.json", "what is slow"]),
    Row(["compare", *SIDES]),
    Row(["compare", *SIDES, LAUNCHES, "--format", "html"]),
    Row(["compare", *SIDES, "--format", "csv", "--policy", "{folder}/policy"]),
    Row(["track", *SIDES, "--history", "{folder}/h.jsonl"], output="h.jsonl", appends=True),
    Row(["report", "{folder}/a.json", "--output", "{folder}/r.md"], output="r.md"),
    Row(["report", "{folder}/a.json", "--format", "html"]),
    Row(["history", "--history", "{folder}/h.jsonl"]),
    Row(["bundle", *SIDES, "--output-dir", "{folder}/b", "--output", "{folder}/b/m.json"],
        output="b"),
    Row(["publish", "{folder}/a.json", "--dry-run", "--entity", "e", "--project", "p"]),
    Row(["changepoints", "{folder}/series.json"]),
    Row(["capture-env", "--output", "{folder}/env.json", "--python", "/bin/false", "--repo", "/"],
        output="env.json", quiet=("read", "open")),
    Row(["policy", "show"]),
    # Where no cluster was made yet; faults_cluster_test.py has those that make, end and copy one.
    Row(["db", "status"]),
    Row(["db", "url"]),
    Row(["db", "stop"]),
    Row(["verify", "--check-proof", "{folder}/p1.json", "--against", "{folder}/c1.json"], last=24),
]

# Read the ledger.
READS = [
    Row(["list", "profiles"]),
    Row(["list", "runs", "--format", "text"]),
    Row(["show", "p1"]),
    Row(["show", "v1", "--format", "text"]),
    Row(["trend", *SCOPE, "--format", "svg", "--output", "{folder}/t.svg"], output="t.svg"),
    Row(["compare", "v1"]),
    Row(["compare", "p1", "p2", "p7", "--format", "text"]),
    Row(["query", "v1", "why did it fail"]),
    Row(["report", *DAY, "--format", "html", "--output", "{folder}/r.html"], output="r.html"),
    Row(["report", *DAY, "--format", "csv"]),
    Row(["report", "rp1", "--format", "text"]),
    Row(["list", "reports"]),
    Row(["canary", *SCOPE, "--runs", "1", "--last", "6"], code=6),
    Row(["log"]),
    Row(["verify"], finds=True),
    Row(["verify", "--proof", "p1", "--output", "{folder}/p1.json"], output="p1.json"),
    Row(["export"]),
    Row(["export", "--output", "{folder}/all.jsonl"], output="all.jsonl"),
    Row(["status"]),
    Row(["check", "--offline"], code=1,
        quiet=("read", "open", "connect", "send", "receive", "memory")),
    Row(["queue", "list"]),
    Row(["alert", "list"]),
    Row(["alert", "show", "1"]),
    Row(["migrate", "--db", "{owner}"]),
]

# Write to it.
WRITES = [
    Row(["ingest", *SCOPE, "--branch", "main", NEW], writes=True),
    Row(["gate", *SCOPE, "--branch", "other", "--commit", "b" * 40, NEW], writes=True, steps=True),
    Row(["interleave", *SCOPE, "--rounds", "1", "--seed", "1", "--", "/bin/sh", "-c", "cp -r $0 "
         "\"$STEPLEDGER_CAPTURE_DIR\"", NEW, "--", "/bin/sh", "-c", "cp -r $0 "
         "\"$STEPLEDGER_CAPTURE_DIR\"", "{folder}/../profiles/q"], writes=True, steps=True,
        again=(65,)),  # the bytes are of the round that took them
    Row(["amend", "p1", "--branch", "old", *WHY], writes=True, again=(65,)),
    Row(["retract", "p1", *WHY], writes=True, again=(65,)),
    Row(["accept", "v1", *WHY], writes=True, again=(65,)),
    Row(["rebaseline", "s1", *WHY], writes=True),
    Row(["report", *DAY, "--record", "--format", "json"], writes=True),
    Row(["ingest", *SCOPE, "--branch", "main", TRACE], writes=True),
    Row(["checkpoint", "--output", "{folder}/c1.json"], writes=True, output="c1.json"),
    Row(["import", "{folder}/all.jsonl"], writes=True, steps=True,
        ledger="bare"),
    Row(["queue", "add", *SCOPE, NEW], writes=True),
    Row(["queue", "drop", "1"], writes=True, again=(6, 65)),
    Row(["queue", "judge", *SCOPE, "p7"], writes=True),
    Row(["alert", "acknowledge", "l1", *WHY], writes=True, again=(65,)),
    Row(["alert", "silence", "l1", "--for", "60", *WHY], writes=True, again=(65,)),
    Row(["alert", "test", "people"], writes=True),
    Row(["work", "ingest", "--once"], writes=True, steps=True, reports=True),
    Row(["work", "compare", "--once"], writes=True, steps=True, reports=True),
    Row(["work", "alert", "--once"], writes=True, steps=True, reports=True,
        environment=NO_SECOND_TRY),
    Row(["work", "schedule", "--once"], writes=True, steps=True, reports=True,
        environment=TOMORROW),
]

# Run until they are told to end.
SERVICE = [
    Row(["work", "ingest"], done="SELECT count(*) = 0 FROM queue WHERE state IN ('ready', "
        "'running')"),
    Row(["work", "compare"], done="SELECT count(*) = 0 FROM judgements WHERE state IN ('ready', "
        "'running')"),
    Row(["work", "alert"], begun="SELECT count(*) = 0 FROM outbox WHERE state = 'pending'",
        done="SELECT count(*) = 0 FROM outbox WHERE state IN ('pending', 'sending')"),
    Row(["work", "schedule"], begun="SELECT count(*) = {tasks} FROM schedules "
        "WHERE name NOT LIKE 'report %'", done="SELECT count(*) = {tasks} + 1 AND "
        "bool_and(coalesce(ended_at >= last_run_at, false)) FROM schedules", environment=TOMORROW),
    Row(["work", "metrics"]),
    Row(["serve"], done="SELECT count(*) = 0 FROM queue WHERE state IN ('ready', 'running')"),
]
