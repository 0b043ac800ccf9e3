"""A job on GPUs whose every event a test says, as an XPlane file.

What: annotated steps, calls of the host, kernels with their launches, programs that these are of.
Why: make_profile.py makes whole training runs; what a table or a rule says of one event needs files
of a few. What it does not do: no device but GPUs.
"""

import xplane_writer

US = 1_000_000


class Job:
    """Two steps of a GPU and of the host that drives it; all times are µs."""

    def __init__(self, devices=1, traced=True, host="worker-0"):
        self.space = xplane_writer.Space([host])
        self.host = self.space.add_plane("/host:CPU", 1) if traced else None
        self.thread = self.host.add_line("python", 10, 0) if traced else None
        self.streams = []
        for device in range(devices):
            plane = self.space.add_plane(f"/device:GPU:{device}", 2 + device)
            self.streams.append([plane.add_line(f"Stream #{n}(Compute)", n, 0) for n in (7, 8)])
        self.correlation, self.metadata = 0, None

    def annotate(self, number, begin, end):
        if self.thread:
            self.thread.add_event("train", begin * US, (end - begin) * US,
                                  [xplane_writer.stat_int("step_num", number),
                                   xplane_writer.stat_int("_r", 1)])

    def call(self, name, begin, end):
        if self.thread:
            self.thread.add_event(name, begin * US, (end - begin) * US)

    def launch(self, name, at, begin, end, *, device=0, stream=0, more=()):
        """A kernel of begin..end that the host launches within 2 µs from `at` on."""
        self.correlation += 1
        shared = xplane_writer.stat_uint("correlation_id", self.correlation)
        if self.thread:
            self.thread.add_event("cuLaunchKernel", at * US, 2 * US, [shared])
        self.streams[device][stream].add_event(
            name, begin * US, (end - begin) * US,
            [shared, xplane_writer.stat_ref("kernel_details", "grid:1,1,1 block:64,1,1"), *more])

    def run(self, instruction, at, begin, end, *, kernel="kernel", program_id=7, **more):
        """The same of an instruction of a program."""
        self.launch(kernel, at, begin, end, more=(
            xplane_writer.stat_ref("hlo_op", instruction),
            xplane_writer.stat_ref("hlo_module", "jit_f"),
            xplane_writer.stat_int("program_id", program_id)), **more)

    def hold(self, proto, program_id=7):
        """A program, which the file holds then."""
        key = f"jit_f({program_id})"
        if self.metadata is None:
            self.metadata = self.space.add_plane("/host:metadata", 99)
        self.metadata.add_event_metadata(key, xplane_writer.EventMetadata(
            key, stats=(xplane_writer.stat_blob("Hlo Proto", proto),)))

    def allocate(self, at, in_use, allocator="GPU_0_bfc", frees=False):
        """What an allocator says behind an allocation, or a deallocation: the heap."""
        self.thread.add_event(
            "MemoryDeallocation" if frees else "MemoryAllocation", at * US, 0,
            [xplane_writer.stat_int("bytes_allocated", in_use),
             xplane_writer.stat_int("bytes_reserved", 0),
             xplane_writer.stat_ref("allocator_name", allocator)])

    def write(self, path):
        path.write_bytes(self.space.encode())
        return path
