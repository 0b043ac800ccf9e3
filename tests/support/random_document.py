"""Random summaries and questions, for asking two readers of documents the same.

What: a seed → documents of profile_summary.v1 as a reader may meet them: members absent or null,
old names, ties, zeros, names that need escaping; and questions in which the words of the rules
meet. Same seed, same documents. Values of wrong types are left to other tests.
"""

import random as python_random

import random_words as words
from reference.names import canonical_name

TIMES = (0.0, 0.5, 1.0, 2.5, 2.5, 10.0, 0.0005, 2.0005, 1000.125, 123456.7895, 1e-9, 1e12, 7.125)
SHARES = (0.0, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 0.12345, 2.101, 0.3)
COUNTS = (0, 1, 2, 4, 7, 100, 12345)
ODD_NAMES = ("a`b|c.1", "`", "|", "", "op x.1", "operation y.2", "before.2", "for", "Fusion.1",
             "FUSION.1", "prefusion.1", "copy.3", "a b", "it's", "\u00e9t\u00e9.1",
             "\u212aelvin.1", "line\nbreak", "x\u2028y", "%", ".5")
CLASSES = ("light", "heavy", "typical", "odd|`class")
FAMILIES = ("other", "copy", "collective", "attention_flash", "loss_xent", "x|y`z")
COLLECTIVES = ("all-reduce", "all-gather", "send-recv", "other-collective", "")
TEXTS = ("", "abc", "p|q", "e/p/r", "`x`", "h w", "None")
SIGNATURES = ("2,3", "2,4,64,128|2,4,64,64", "8,128", "|", "0,4", "-2", "a", "1,\u0663", "")
QUESTION_WORDS = (
    "top", "op", "ops", "stop", "comm", "collective", "compute", "dominating", "dominant", "worst",
    "communication", "gap", "before", "Before", "beforehand", "context", "for", "of", "copy",
    "region",
    "hierarchical", "memory-bound", "compute-bound", "improve", "regress", "compare", "operation",
    "what", "is", "the", "GAP", "CONTEXT", "next?", "fusion.1", "1fusion.1", "x_y.22", "'op'", "\"",
    "`copy.3`?", "!!", ".", ", ", "\u212aelvin.1", "\u00e9t\u00e9.1", "gaps", "contexts",
    "\u00a0", "\n", "_before_", "be\u017fore", "cop\u0443", "gap-before", "op.1", "of.2")
LEADS = ("", "", "op ", "operation ", "op op ", "Op ", "op\t", "op", "op\u00a0 ")


class Maker:
    """Documents that share their names, so that they can be compared."""

    def __init__(self, seed):
        self.random = python_random.Random(seed)
        some = words.Words(self.random)
        self.names = [some.op_name() for _ in range(self.random.randint(1, 8))]
        self.names += self.random.sample(ODD_NAMES, self.random.randint(0, 6))
        self.paths = ["=>".join(self.random.choices(self.names, k=self.random.randint(1, 4)))
                      for _ in range(6)]

    def pick(self, values):
        return self.random.choice(values)

    def name(self):
        return self.pick(self.names)

    def text(self):
        return self.pick(TEXTS)

    def time(self):
        return self.pick(TIMES) if self.random.random() < 0.97 else -self.pick(TIMES)

    def share(self):
        return self.pick(SHARES)

    def maybe(self, value, null=0.3):
        return None if self.random.random() < null else value

    def rows(self, make, most=7):
        return [make() for _ in range(self.random.randint(0, most))]

    def without_some(self, item, names):
        """An object in which some members that may be absent are."""
        return {key: value for key, value in item.items()
                if key not in names or self.random.random() > 0.15}

    def durations(self):
        values = {name: self.maybe(self.time(), 0.2) for name in ("mean", "median", "p90", "min",
                                                                  "max")}
        return self.without_some({"count": self.pick(COUNTS), **values}, values)

    def step_class(self):
        item = {"name": self.pick(CLASSES), "count": self.pick(COUNTS),
                "fraction_of_steady": self.share(), "duration_stats": self.durations(),
                "representative_step": self.maybe(self.pick(COUNTS)),
                "representative_duration": self.maybe(self.time()),
                "periodicity": self.maybe(self.pick(COUNTS))}
        return self.without_some(item, ("representative_step", "representative_duration",
                                        "periodicity"))

    def op(self):
        proxy = self.pick(("flop_proxy_per_invocation", "flop_proxy_per_invocation",
                           "work_proxy_per_invocation"))
        name = self.name()
        item = {"name": name, "canonical_name": self.maybe(canonical_name(name), 0.1),
                "category": self.pick(("compute", "communication", "stall")),
                "count": self.pick(COUNTS), "total_duration": self.time(),
                "exclusive_duration": self.time(), "avg_duration": self.time(),
                "shape_signature": self.maybe(self.pick(SIGNATURES)),
                "source_file": self.maybe(self.text()), "tf_op_path": self.maybe(self.text()),
                proxy: self.maybe(self.pick(TIMES))}
        return self.without_some(item, ("canonical_name", "shape_signature", "source_file",
                                        "tf_op_path", proxy))

    def family(self):
        total, per_flop = self.pick((("flop_proxy_total", "time_per_flop_proxy"),
                                     ("work_proxy_total", "normalized_exclusive_per_work")))
        item = {"family": self.pick(FAMILIES), "count": self.pick(COUNTS),
                "total_duration": self.time(), "exclusive_duration": self.time(),
                "share_of_total": self.share(), "avg_duration": self.time(),
                "avg_exclusive_duration": self.time(), "example_op": self.maybe(self.name(), 0.1),
                "dominant_shape_signature": self.maybe(self.pick(SIGNATURES)),
                total: self.maybe(self.pick(TIMES)), per_flop: self.maybe(self.time())}
        return self.without_some(item, ("dominant_shape_signature", total, per_flop))

    def collective(self):
        return {"collective": self.pick(COLLECTIVES), "count": self.pick(COUNTS),
                "total_duration": self.time(), "avg_duration": self.time()}

    def gap(self):
        item = {"name": self.name(), "count": self.pick(COUNTS), "total_gap_duration": self.time(),
                "max_gap_duration": self.time(), "avg_gap_duration": self.time(),
                "payload_op": self.maybe(self.name(), 0.1),
                "marker_op": self.maybe(self.name(), 0.1)}
        return self.without_some(item, ("payload_op", "marker_op"))

    def region(self):
        path = self.pick(self.paths)
        depth = path.count("=>") + 1 if self.random.random() < 0.9 else self.pick((0, 1, 2))
        return {"path": path, "depth": depth, "count": self.pick(COUNTS),
                "inclusive_duration": self.time(), "exclusive_duration": self.time()}

    def regions(self):
        """No path twice, as in every real document."""
        return list({row["path"]: row for row in self.rows(self.region, 14)}.values())

    def context(self):
        return {"op_name": self.name(), "region_path": self.pick(self.paths),
                "count": self.pick(COUNTS), "total_gap_duration": self.time(),
                "avg_gap_duration": self.time()}

    def candidate(self):
        return {"candidate_id": self.text(), "title": self.text(), "rationale": self.text(),
                "evidence": self.rows(self.text, 3), "suggestions": self.rows(self.text, 3)}

    def overview(self):
        item = {"display_time_unit": self.maybe("us"), "num_events_total": self.pick(COUNTS),
                "num_complete_events": self.pick(COUNTS), "num_processes": self.pick(COUNTS),
                "num_threads": self.pick(COUNTS), "profile_start_ts": self.maybe(self.time()),
                "profile_end_ts": self.maybe(self.time()),
                "duration_basis": "exclusive_duration_per_track",
                "suspected_truncation": self.pick((True, False)),
                "quality_warnings": self.rows(self.text, 3)}
        return self.without_some(item, ("display_time_unit", "profile_start_ts", "profile_end_ts",
                                        "suspected_truncation", "quality_warnings"))

    def provenance(self):
        item = {"trace_sha256": self.maybe(self.pick(("aa", "bb", "c`c", ""))),
                "run_ids": self.rows(self.text, 10), "source_file_hints": self.rows(self.text, 3)}
        return self.without_some(item, tuple(item))

    def run_metadata(self):
        names = ("run_path", "run_id", "artifact_ref", "artifact_name", "hardware_type",
                 "mesh_or_topology", "git_sha", "config_hash")
        item = {name: self.maybe(self.text()) for name in names}
        item.update(num_devices=self.maybe(4), num_hosts=self.maybe(1))
        return self.without_some(item, tuple(item))

    def breakdown(self):
        shares = {name: {"total_duration": self.time(), "share_of_total": self.share()}
                  for name in ("compute", "communication", "host", "stall", "other")}
        return {"duration_basis": "exclusive_duration_per_track", "total_duration": self.time(),
                **shares}

    def document(self):
        steps = {"warmup_steps_ignored": 5, "all_steps": self.durations(),
                 "steady_state_steps": self.durations(), "classes": self.rows(self.step_class, 4)}
        item = {
            "schema_version": self.pick(("profile_summary.v1", "profile_summary.v0")),
            "generated_at_utc": "2026-01-02T03:04:05.000006Z", "source_format": "xplane_pb",
            "source_path": self.pick(("a.pb", "b.pb", "x/./y//c.pb")),
            "run_metadata": self.run_metadata(), "trace_overview": self.overview(),
            "trace_provenance": self.provenance(),
            "step_time": self.without_some(steps, ("classes",)),
            "time_breakdown": self.breakdown(), "hot_ops": self.rows(self.op, 14),
            "semantic_families": self.rows(self.family),
            "communication_ops": self.rows(self.collective), "gap_before_ops": self.rows(self.gap),
            "hierarchical_regions": self.regions(),
            "gap_region_contexts": self.rows(self.context, 14),
            "optimization_candidates": self.rows(self.candidate, 3), "an_unknown_member": [1]}
        return self.without_some(item, ("trace_provenance", "semantic_families",
                                        "gap_region_contexts", "an_unknown_member"))

    def question(self):
        """Words of the rules, names, and marks around them."""
        parts = self.random.choices(QUESTION_WORDS, k=self.random.randint(0, 6))
        if self.random.random() < 0.6:
            mark = self.pick(("", "'", "`", "\"", " ", "?"))
            lead = self.pick(LEADS)
            parts += [self.pick(("before", "for", "of", "op")), mark + lead + self.name() + mark]
        if self.random.random() < 0.3:
            self.random.shuffle(parts)
        return self.pick((" ", " ", "", "  ")).join(parts)
