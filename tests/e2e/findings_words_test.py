"""In whose words findings advise, and what a recorder cannot tell.

What: remedies are those of the framework that a profile is of; what PyTorch's traces and exports of
Nsight Systems do not say is absent with a reason, and no zero.
"""

import subprocess
import sys
import unittest

from findings_case import FindingsCase

import make_export
import trace_writer
from gpu_job import Job

HOST, GPU = (1, 1), (0, 7)


def torch_trace():
    """Steps of which the device waits half, and nothing says for what."""
    trace = trace_writer.Trace(schemaVersion=1,
                               deviceProperties=[{"id": 0, "name": "NVIDIA A100"}])
    trace.process(1, "python", "CPU")
    trace.process(0, "python", "GPU 0")
    trace.thread(0, 7, "stream 7 ")
    for step in range(8):
        start = 1000 * step
        trace.event(HOST, f"ProfilerStep#{step}", start, 900, cat="user_annotation")
        for kernel in range(2):
            number = 2 * step + kernel
            trace.event(HOST, "cudaLaunchKernel", start + 10 + kernel, 0.5,
                        {"correlation": number}, cat="cuda_runtime")
            trace.event(GPU, ("gemm", "softmax")[kernel], start + 100 + 300 * kernel, 250,
                        {"correlation": number, "stream": 7, "device": 0}, cat="kernel")
    return trace


def stalls(job):
    for number in range(8):
        job.annotate(number, 1000 * number, 1000 * number + 900)
        job.run("fusion.1", 1000 * number, 1000 * number + 5, 1000 * number + 500)
    return job


class Words(FindingsCase):
    def advice(self, path):
        return self.found(path)["host_stall"]["remedy"], self.explained(path)["unseen"]

    def says(self, unseen, *words):
        for word in words:
            self.assertTrue(any(word in text for text in unseen), (word, unseen))

    def test_of_jax_they_are_its_own(self):
        remedy, unseen = self.advice(stalls(Job()).write(self.folder / "jax.xplane.pb"))
        self.assertIn("(float(loss), np.asarray, block_until_ready)", remedy)
        self.says(unseen, "memory_leak was not looked for: no event of an allocator tells")
        rows = self.table("steps", self.folder / "jax.xplane.pb")["rows"]
        self.assertEqual({row["compile_us"] for row in rows}, {0})  # XLA would say it

    def test_of_pytorch_too(self):
        path = self.folder / "rank0.pt.trace.json.gz"
        path.write_bytes(torch_trace().encode())
        remedy, unseen = self.advice(path)
        self.assertIn("(loss.item(), .cpu(), torch.cuda.synchronize)", remedy)
        self.assertNotIn("float(loss)", remedy)
        self.says(unseen, "compile: no event tells that the host compiles, which traces of PyTorch",
                  "memory_leak was not looked for: what traces of PyTorch tell of memory")
        document = self.table("steps", path)
        self.assertEqual({row["compile_us"] for row in document["rows"]}, {None})
        self.assertIn("record_function", document["properties"]["compile_absent"])
        self.assertIn("PyTorch", self.table("findings", path)["properties"]["unlooked_for"])

    def test_of_an_export_that_names_no_program_both_are_named(self):
        path = self.folder / "job.sqlite"
        subprocess.run([sys.executable, make_export.__file__, "--output", str(path), "--marks",
                        "step", "--steps", "6"], check=True, capture_output=True, timeout=120)
        document = self.table("steps", path)
        self.assertEqual({row["compile_us"] for row in document["rows"]}, {None})
        self.assertIn("NVTX range", document["properties"]["compile_absent"])
        told = self.table("findings", path)
        # names of kernels tell their bits
        self.assertEqual(told["properties"]["unlooked_for"], "memory_leak was not looked for: no "
                         "event of an allocator tells what is in use")
        for row in told["rows"]:
            self.assertEqual("JAX" in row["remedy"], "PyTorch" in row["remedy"], row)


if __name__ == "__main__":
    sys.exit(unittest.main())
