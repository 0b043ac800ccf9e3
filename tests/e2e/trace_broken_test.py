"""Traces in Chrome's JSON that are broken in the middle, and events in two halves (B and E).

What: what is sound behind a broken event is read, whatever is wrong with it; made-up text that
looks like events takes no longer than other text; begins and ends become events. What it does not
do: what is cut off (trace_test.py), made-up bytes (tests/fuzz).
"""

import json
import unittest

from trace_test import TraceCase, run_summarize


class Broken(TraceCase):
    def test_what_follows_a_broken_event_is_read(self):
        events = [f'{{"ph":"X","pid":1,"tid":1,"ts":{10 * i},"dur":2,"name":"op{i}",'
                  '"args":{"name":"x","long_name":"%a = f32[1]{0} add()"}}' for i in range(7)]
        bad = events[3]
        for what, broken, lost in (
                ("a quote too many", bad.replace('"op3"', '"op"3"'), 1),
                ("a quote too few", bad.replace('"op3"', '"op3'), 1),
                ("no end", bad[:-1], 1),
                ("cut in a text", bad[:bad.index("op3") + 1], 1),
                ("cut in a number", bad[:bad.index('"ts":3') + 5], 1),
                ("a brace too many", bad + "}", 0),
                ("brackets too many", bad.replace('{"name"', '[[{"name"'), 1),
                ("a brace that stays open", bad.replace('"args":{', '"args":{"q":{'), 1),
                ("other text", "no event } at all {{ [", 1),
                ("two values", "12 13", 1),
                ("nothing", "", 1)):
            for end in ("]}", '],"displayTimeUnit":"us"}'):
                text = '{"traceEvents":[' + ",".join(events[:3] + [broken] + events[4:]) + end
                with self.subTest(what=what, end=end):
                    document = self.summary_of(text)
                    self.assertEqual(document["trace_overview"]["num_complete_events"], 7 - lost)
                    self.warned(document, "Places where the text makes no sense: 1, ")
                    self.assertGreater(document["coverage"]["bytes_unread"], 0)  # gates say so
                    if len(end) > 2:
                        self.assertEqual(document["trace_overview"]["display_time_unit"], "us")
        run = run_summarize(self.folder / "a.trace.json", "--strict-input")
        self.assertEqual(run.returncode, 1)
        self.assertIn("makes no sense behind byte", run.stderr)
        self.assertIn("--strict-input", run.stderr)

    def test_broken_events_are_counted_and_the_last_one_ends_the_text(self):
        event = '{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}'
        document = self.summary_of("[" + ",".join([event, event[:30]] * 5) + "]")
        self.assertEqual(document["trace_overview"]["num_complete_events"], 5)
        self.warned(document, "Places where the text makes no sense: 4, the first at byte 53")
        self.warned(document, "makes no sense from byte .* on: what follows was not read")
        self.refused(("[" + event[:30] + "," + event[:20] + "]").encode(), "before its first event",
                     name="a.trace.json")

    def test_text_that_looks_like_events_all_along_takes_no_time(self):
        """As often as an event could begin, looking for it must not go through all that follows."""
        event = '{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}'
        for piece in ('},{"ph":[', '{"ph":{', '{"args":"', '{"name":{"ph":1', "{     ", "[{"):
            text = f"[{event},{event[:30]}" + piece * (8000000 // len(piece))
            for end in ("", f"]]}}}}}}\"}},{event},{event}]"):
                with self.subTest(piece=piece, end=end):
                    document = self.summary_of(text + end)
                    self.assertGreaterEqual(document["trace_overview"]["num_complete_events"], 1)


class Halves(TraceCase):
    def test_begins_and_ends_are_events(self):
        def half(phase, time, name=None, tid=1, **more):
            return {"ph": phase, "pid": 1, "tid": tid, "ts": time, **more,
                    **({} if name is None else {"name": name})}
        trace = {"traceEvents": [
            {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:TPU:0"}},
            {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "XLA Ops"}},
            {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "XLA Ops"}},
            half("E", 1), half("B", 10, "outer", args={"hlo_category": "while"}),
            half("B", 20.25, "inner"), half("B", 21, "other", tid=2), half("E", 22.75),
            half("B", 23, "lost"), half("E", 40, "outer"), half("E", 51.5, tid=2),
            half("B", 60, "none"), half("E", 60), half("B", 70, "open"), half("E", 80, tid=2),
            half("B", 90), {"ph": "X", "pid": 1, "tid": 1, "ts": 100, "dur": 1, "name": "whole"}]}
        document = self.summary_of(json.dumps(trace))
        ops = {op["name"]: (op["count"], op["total_us"], op["self_us"], op["category"])
               for op in document["ops"]}
        self.assertEqual({name: op[:3] for name, op in ops.items()},
                         {"outer": (1, 30, 27.5), "inner": (1, 2.5, 2.5),
                          "other": (1, 30.5, 30.5), "whole": (1, 1, 1)})
        self.assertEqual(ops["outer"][3], "while")
        self.warned(document, "4 are begins without an end or ends without a begin")
        self.warned(document, "2 last no time, 1 have no name")

    def test_begins_without_an_end_are_bounded(self):
        begins = [{"ph": "B", "pid": 1, "tid": 1, "ts": i, "name": f"n{i % 5}"}
                  for i in range(20000)]
        ends = [{"ph": "E", "pid": 1, "tid": 1, "ts": 30000 + i} for i in range(20001)]
        document = self.summary_of(json.dumps(begins + ends))
        self.assertEqual(document["trace_overview"]["num_complete_events"], 4096)
        self.warned(document, f"{2 * (20000 - 4096) + 1} are begins without an end or ends")
        names = [{"ph": "E", "pid": 1, "tid": 1, "ts": 30000 + i, "name": "x"}
                 for i in range(50000)]
        document = self.summary_of(json.dumps(begins[:4000] + names + ends[:4000]))
        self.assertEqual(document["trace_overview"]["num_complete_events"], 4000)


if __name__ == "__main__":
    unittest.main()
