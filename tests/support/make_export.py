#!/usr/bin/env python3
"""Makes an SQLite export of Nsight Systems of a made training job on GPUs.

What: one process that launches the kernels of a few layers on each device, step after step, with
the ranges of XLA around the launches, NVTX ranges of the steps where they are asked for, and the
tables of the machine. Same options, same rows. What it does not do: the call chains, samples and
enumerations that real exports hold too.
"""

import argparse
import random
import sqlite3

PID = 4711
GLOBAL_PID = PID << 24 | 1 << 48
GLOBAL_TID = GLOBAL_PID | PID
# Name, XLA's op, and how long it takes, in ns.
LAYER = [("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>(Params)", "gemm_fusion",
          90000),
         ("loop_softmax_fusion", "loop_softmax_fusion", 30000),
         ("input_reduce_fusion", "input_reduce_fusion", 20000),
         ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "all-reduce-start", 40000)]
TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
 deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
 streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
 demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
 launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,
 gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,
 blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
 dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,
 localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER,
 graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
 deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
 streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
 copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
 eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
 returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
 rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
 endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
 totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER,
 computeMajor INTEGER, computeMinor INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL,
 name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
"""


class Export:
    """The database, and the numbers of its texts."""

    def __init__(self, path):
        self.base = sqlite3.connect(path)
        self.base.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + TABLES)
        self.texts = {}
        self.rows = {}

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = len(self.texts) + 1
        return self.texts[value]

    def add(self, table, *row):
        rows = self.rows.setdefault(table, [])
        rows.append(row)
        if len(rows) == 10000:
            self.flush(table)

    def flush(self, table):
        rows = self.rows.pop(table, [])
        if rows:
            places = ",".join("?" * len(rows[0]))
            self.base.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def close(self):
        for table in list(self.rows):
            self.flush(table)
        self.base.executemany("INSERT INTO StringIds VALUES (?,?)",
                              [(number, value) for value, number in self.texts.items()])
        self.base.commit()
        self.base.close()


class Job:
    """What runs when."""

    def __init__(self, options, export):
        self.options, self.export = options, export
        self.draw = random.Random(options.seed)
        self.speed = 1 + self.draw.gauss(0, options.noise)
        self.now, self.correlation, self.free = 1000000, 0, {}

    def range(self, start, name):
        self.export.add("NVTX_EVENTS", start, self.now, 59, None, None, None, None, GLOBAL_TID,
                        None, self.export.text(name), 0)

    def launch(self, device, kernel):
        """A call and its kernel, which begins when the one before it has ended."""
        name, op, length = kernel
        begin = self.now
        self.correlation += 1
        self.now += 4000
        call = self.export.text("cudaLaunchKernelExC_v11060")
        self.export.add("CUPTI_ACTIVITY_KIND_RUNTIME", begin + 500, self.now - 500, 0, GLOBAL_TID,
                        self.correlation, call, 0, None)
        if self.options.xla:
            self.range(begin, f"Thunk:#hlo_op={op}#")
        length *= self.speed * (1 + self.draw.gauss(0, 0.01)) * self.options.slow.get(op, 1)
        start = max(self.now + 2000, self.free.get(device, 0) + 300)
        self.free[device] = start + int(length)
        text = self.export.text(name)
        self.export.add("CUPTI_ACTIVITY_KIND_KERNEL", start, self.free[device], device, 1, None, 7,
                        self.correlation, GLOBAL_PID, text, text, None, None, None, 64, 128, 1, 1,
                        256, 1, 1, 0, 1024, 0, 0, self.correlation, None, None, None)

    def step(self, number):
        begin = self.now
        for device in range(self.options.devices):
            program = self.now
            self.correlation += 1
            start = max(self.now, self.free.get(device, 0)) + 1000
            self.free[device] = start + 5000
            self.export.add("CUPTI_ACTIVITY_KIND_MEMCPY", start, self.free[device], device, 1,
                            None, 7, self.correlation, GLOBAL_PID, 1 << 20, 1, None, 1, 2)
            for layer in range(self.options.layers):
                for name, op, length in LAYER:
                    self.launch(device, (name, f"{op}.{layer}" if self.options.many else op,
                                         length))
            if self.options.xla:
                self.range(program, "XlaModule:#hlo_module=jit_train_step,program_id=7#")
        if self.options.marks:
            self.range(begin, f"{self.options.marks} {number}")
        self.now = max(self.now, max(self.free.values()) - 100000)


def machine(export, options):
    for device in range(options.devices):
        export.add("TARGET_INFO_GPU", 1 << 48, device, options.gpu, 84942979072, 3352320000000,
                   1980000000, 132, 9, 0)
    facts = [("Hostname", "node-0"), ("CudaDriverVersion", "12080")]
    for number, (name, value) in enumerate(facts):
        export.add("TARGET_INFO_SYSTEM_ENV", 1 << 48, "", name, number, value)
    begin = 1760000000000000000 + options.seed * 10 ** 12
    export.add("TARGET_INFO_SESSION_START_TIME", begin, "", "")
    export.add("ThreadNames", export.text("python3"), 20, GLOBAL_TID)
    export.add("META_DATA_EXPORT", "EXPORT_SCHEMA_VERSION", "3.16.1")


def options_read():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--first-step", type=int, default=10)
    parser.add_argument("--kernels", type=int, help="so many steps that there are so many kernels")
    parser.add_argument("--marks", default="", help="word of the NVTX ranges of steps")
    parser.add_argument("--xla", action="store_true", help="ranges of XLA")
    parser.add_argument("--many", action="store_true", help="ops of layers have names of their own")
    parser.add_argument("--noise", type=float, default=0.002)
    parser.add_argument("--gpu", default="NVIDIA H100 80GB HBM3")
    parser.add_argument("--slow", action="append", default=[], metavar="OP=FACTOR")
    options = parser.parse_args()
    options.slow = {op: float(factor) for op, factor in (item.split("=") for item in options.slow)}
    if options.kernels is not None:
        options.steps = -(-options.kernels // (options.devices * options.layers * len(LAYER)))
    return options


def main():
    options = options_read()
    export = Export(options.output)
    machine(export, options)
    job = Job(options, export)
    for number in range(options.first_step, options.first_step + options.steps):
        job.step(number)
    export.close()


if __name__ == "__main__":
    main()
