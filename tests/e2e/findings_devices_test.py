"""What findings say of devices that are not alike.

What: a device that holds up the others is named, and what those wait for it is no communication.
"""

import json
import sys
import unittest

from findings_case import FindingsCase, busy
from gpu_job import Job


def uneven(job, base, number):
    busy(job, base)
    job.launch("fusion", base + 2, base + 5, base + 800, device=1)


def exchanges(job, base, last):
    """Three devices, of which `last` computes 200 µs longer; then all exchange for 100 µs."""
    for device in range(3):
        until = base + (800 if device == last else 600)
        job.launch("fusion", base, base + 5, until, device=device)
        job.launch("ncclDevKernel_AllReduce", base + 4, until, base + 900, device=device)
        job.launch("fusion_2", base + 8, base + 900, base + 1000, device=device)


def straggles(job, base, number):
    exchanges(job, base, 1)


def straggles_in_turn(job, base, number):
    exchanges(job, base, number % 3)


class Devices(FindingsCase):
    """Who waits for whom."""

    def test_a_slow_device_is_named(self):
        found = self.planted(uneven, devices=2)
        self.assertEqual(list(found), ["slow_device"])
        self.assertIn("/device:GPU:0", found["slow_device"]["evidence"])

    def test_a_slow_device_of_another_host_is_named(self):
        folder = self.folder / "two_hosts"
        folder.mkdir()
        for host, until in (("worker-0", 800), ("worker-1", 1000)):
            job = Job(host=host)
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 900)
                busy(job, 1000 * number, until=until)
            job.write(folder / f"{host}.xplane.pb")
        row = self.found(folder)["slow_device"]
        self.assertEqual(row["host"], "worker-1")
        self.assertIn("/device:GPU:0 is the slowest in 8 of 8 steps, by 200", row["evidence"])

    def hosts(self, name, *fills):
        folder = self.folder / name
        folder.mkdir()
        for rank, fill in enumerate(fills):
            job = Job(host=f"worker-{rank}")
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 900)
                fill(job, 1000 * number)
            job.write(folder / f"worker-{rank}.xplane.pb")
        return self.found(folder)

    def test_what_a_host_waits_that_holds_nobody_up_is_no_stall(self):
        def gaps(job, base):
            for part in range(10):
                job.launch("fusion", base + part, base + 100 * part, base + 100 * part + 80)

        def saves(job, base):
            busy(job, base, until=780)
            job.call("save_checkpoint", base + 785, base + 995)

        def waits(job, base):
            busy(job, base, until=780)

        def held(job, base):
            """Waits for who comes late in collectives, and so for its stall."""
            busy(job, base, until=500)
            job.launch("ncclDevKernel_AllReduce", base + 8, base + 500, base + 1000)

        def late(job, base):
            job.launch("fusion", base, base + 5, base + 100)
            job.call("data_load", base + 105, base + 495)
            job.launch("fusion", base + 495, base + 500, base + 900)
            job.launch("ncclDevKernel_AllReduce", base + 498, base + 900, base + 1000)

        self.assertEqual(list(self.hosts("waits_for_busy", busy, gaps)), [])
        self.assertEqual(list(self.hosts("waits_for_saving", waits, saves)),
                         ["checkpoint_writes"])
        found = self.hosts("waits_alone", held, late)
        self.assertEqual(found["host_stall"]["host"], "worker-1")
        self.assertIn("for input", found["host_stall"]["evidence"])
        self.assertEqual(self.hosts("all_wait", gaps, gaps)["host_stall"]["time_per_step_us"], 200)

    def test_processes_that_say_no_host_are_told_apart(self):
        folder = self.folder / "processes"
        folder.mkdir()
        for rank, until in enumerate((800, 1000)):
            document = {"schemaVersion": 1, "distributedInfo":
                        {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": [
                            {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0,
                             "args": {"labels": label}} for pid, label in ((0, "GPU 0"),
                                                                           (99, "CPU"))]}
            for number in range(8):
                base = 1000 * number
                for name, cat, pid, tid, begin, length in (
                        (f"ProfilerStep#{number}", "user_annotation", 99, 1, base, 900),
                        ("cudaLaunchKernel", "cuda_runtime", 99, 1, base + 1, 2),
                        ("gemm", "kernel", 0, 7, base + 5, until - 5)):
                    document["traceEvents"].append(
                        {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                         "ts": begin, "dur": length, "args": {"correlation": number + 1}})
            (folder / f"rank{rank}.pt.trace.json").write_text(json.dumps(document))
        rows = self.table("steps", folder)["rows"]
        self.assertEqual([(row["scope"], row["host"], row["device"]) for row in rows[:3]],
                         [("step", "process_1", "/device:GPU:0"),
                          ("device", "process_1", "/device:GPU:0"),
                          ("device", "process_0", "/device:GPU:0")])
        row = self.found(folder)["slow_device"]
        self.assertEqual(row["host"], "process_1")
        self.assertIn("/device:GPU:0 of rank 1 is the slowest", row["evidence"])

    def test_a_host_all_of_whose_devices_are_slow_is_named(self):
        folder = self.folder / "slow_host"
        folder.mkdir()
        for host, until in (("worker-0", 800), ("worker-1", 1000)):
            job = Job(host=host, devices=2)
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 900)
                for device in range(2): # in turn one of them is a little slower
                    job.launch("fusion", 1000 * number + device, 1000 * number + 5,
                               1000 * number + until - 2 * (number % 2 == device), device=device)
            job.write(folder / f"{host}.xplane.pb")
        row = self.found(folder)["slow_device"]
        self.assertEqual(row["host"], "worker-1")
        self.assertIn("all 2 devices of its host are the slowest in 8 of 8 steps",
                      row["evidence"])
        self.assertIn("look at the host", row["remedy"])

    def test_a_device_that_others_wait_for_in_collectives_is_named(self):
        folder = self.folder / "coupled"
        folder.mkdir()
        for rank, until in enumerate((600, 800, 600)):
            job = Job(host=f"worker-{rank}")
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 900)
                busy(job, 1000 * number, until=until)
                job.launch("ncclDevKernel_AllReduce", 1000 * number + 8, 1000 * number + until,
                           1000 * number + 1000)
            job.write(folder / f"worker-{rank}.xplane.pb")
        row = self.found(folder)["slow_device"]
        self.assertEqual(row["host"], "worker-1")
        self.assertIn("takes longest before collectives in 8 of 8 steps, by 200", row["evidence"])

    def test_waiting_for_a_straggler_is_no_communication(self):
        # the step is told by its first device, which is the last to come in 3 of 8 steps in turn
        for fill, rule, waits in ((straggles, "slow_device", 200),
                                  (straggles_in_turn, "uneven_devices", 125)):
            with self.subTest(fill.__name__):
                found = self.planted(fill, devices=3)
                self.assertEqual(list(found), [rule])
                self.assertAlmostEqual(found[rule]["time_per_step_us"], 200)
                path = self.folder / f"{fill.__name__}.xplane.pb"
                overview = self.table("overview", path)["properties"]
                self.assertAlmostEqual(overview["collectives_wait_us_average"], waits)
                self.assertIn("waiting for slower devices", overview["collectives_statement"])
                explained = self.explained(path)
                self.assertEqual(
                    {part["name"]: part["average_us"] for part in explained["parts"]
                     if "collectives" in (part["name"], part["parent"])},
                    {"collectives": 100 + waits, "moving data": 100,
                     "waiting for slower devices": waits})
        # as many others: what only some of the devices exchange is no waiting
        job = Job(devices=2)
        for number in range(8):
            base = 1000 * number
            job.annotate(number, base, base + 900)
            busy(job, base, until=600)
            job.launch("ncclDevKernel_AllReduce", base + 4, base + 600, base + 1000)
            job.launch("fusion", base + 4, base + 5, base + 1000, device=1)
        found = self.found(job.write(self.folder / "alone.xplane.pb"))
        self.assertAlmostEqual(found["exposed_communication"]["time_per_step_us"], 400)


if __name__ == "__main__":
    sys.exit(unittest.main())
