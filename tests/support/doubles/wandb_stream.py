"""The file_stream endpoint of the W&B double: heartbeats, lines, and the end of a run.

What: the shape and the limits of a call, and its effect on the run.
Why: a run whose end is never told shows as crashed.
What it does not do: it keeps lines but derives no history from them.
Source: README.md, "W&B, writing".
"""

import shape
from exchange import Answer, Rejected, json_read
from wandb_state import Refused
from wandb_writes import mark_uploaded

REQUEST_HIGH_BYTES = 10 << 20
LINE_HIGH_BYTES = 10_380_000
NAMES = ("wandb-history.jsonl", "wandb-events.jsonl", "wandb-summary.json", "output.log")


def is_one_line(text):
    return "holds more than one line" if "\n" in text.rstrip("\n") else None


PART = shape.Record("offset content", {
    "offset": shape.Whole(0),
    "content": shape.List(shape.Text(LINE_HIGH_BYTES, is_one_line, low=0, unit="bytes")),
})
CALL = shape.Record("", {
    "files": shape.Map(PART, name=shape.Choice(*NAMES)),
    "uploaded": shape.List(shape.Text(1000)),
    "preempting": shape.Flag(), "complete": shape.Flag(), "exitcode": shape.Whole(0, 255),
})


def fail(why, status=400):
    raise Rejected(why, Answer(status, {"error": why}))


def call_read(request):
    if request.method != "POST":
        fail(f"file_stream was called with {request.method}", 405)
    if request.media_type != "application/json":
        fail(f"Content-Type is '{request.header('content-type')}'")
    if request.header("content-encoding") is not None:
        fail("the body is encoded, and the server lacks FILESTREAM_GZIP")
    if len(request.body) > REQUEST_HIGH_BYTES:
        fail(f"{len(request.body)} bytes, at most {REQUEST_HIGH_BYTES}", 413)
    try:
        call = json_read(request.body)
        CALL.check(call)
    except (ValueError, shape.Wrong) as error:
        fail(f"file_stream: {error}")
    return call


def answer(world, request, place):
    """`place` is (entity, project, run)."""
    call = call_read(request)
    try:
        run = world.run_need(*place)
        mark_uploaded(world, run, call.get("uploaded", ()))
    except Refused as refused:
        fail(str(refused), 404)
    if call.get("complete") and "exitcode" not in call:
        fail("complete without exitcode")
    if run.exit_code is not None and call.get("exitcode", run.exit_code) != run.exit_code:
        fail(f"the run ended with {run.exit_code} before")
    run.stream.append(call)
    if call.get("complete"):
        run.exit_code = call["exitcode"]
        run.facts["state"] = "failed" if run.exit_code else "finished"
    return Answer(200, {"exitcode": None, "limits": {}})
