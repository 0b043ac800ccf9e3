#!/usr/bin/env python3
"""Makes a large trace in Chrome's JSON, as JAX writes them of a TPU job; for the bench.

What: four devices with modules and ops, whose arguments are those of real traces, and host threads;
items come line by line, as the profiler's converter writes them. Same options, same bytes.
What it does not do: truth (make_profile.py has it).
"""

import argparse
import random
import zlib

OPS = 400
STEP_US = 90000
HOST_NAMES = ["$threading.py:323 wait", "PjitFunction(train_step)", "ThunkExecutor::Execute",
              "TransferToDevice=>IssueEvent=>Done", "$poll.py:80 poll", "ParallelFor"]


def op_texts(draw):
    """The part of an op's items that is the same each time."""
    texts = []
    for number in range(OPS):
        rows, columns = draw.choice((512, 1024, 2048)), draw.choice((4096, 6400, 8192))
        shape = f"bf16[{rows},{columns}]{{1,0:T(8,128)(2,1)}}"
        texts.append(
            f'"name":"fusion.{number}","args":{{"bytes_accessed":"{rows * columns * 4}",'
            f'"hlo_category":"convolution fusion","long_name":"%fusion.{number} = {shape} '
            f'fusion({shape} %param.{number}, {shape} %get-tuple-element.{number * 7}), '
            f'kind=kOutput, calls=%fused_computation.{number}","model_flops":'
            f'"{rows * columns * 2048}","raw_bytes_accessed":"{rows * columns * 4}",'
            f'"shape_with_layout":"{shape}","source":"/job/model/layer_{number % 40}.py:'
            f'{number}","tf_op":"jit(train_step)/transpose(jvp(Model))/layer_{number % 40}/'
            f'mlp/dot_general:"}}}}')
    return texts


def items(draw):
    """Items without end, in chunks of text."""
    texts = op_texts(draw)
    step = 0
    while True:
        base = step * STEP_US
        for device in range(4):
            parts, at = [], base * 1000000
            for number in range(OPS):
                duration = draw.randrange(200000, 300000000)
                digits = f"{at // 1000000}.{at % 1000000:06d}"
                parts.append(f',{{"ph":"X","pid":{device + 3},"tid":3,"ts":{digits},"dur":'
                             f'{duration / 1000000:.6f},{texts[number]}')
                at += duration + draw.randrange(0, 2000)
            yield "".join(parts)
        parts, at = [], float(base)
        for _ in range(2 * OPS):
            at += draw.random() * 50
            parts.append(f',{{"ph":"X","pid":701,"tid":{draw.randrange(4) + 1807706515},'
                         f'"ts":{at:.3f},"dur":{draw.random() * 40 + 0.001:.3f},'
                         f'"name":"{draw.choice(HOST_NAMES)}"}}')
        yield "".join(parts)
        step += 1


def head():
    text = '{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[{}'
    for device in range(4):
        text += (f',{{"ph":"M","pid":{device + 3},"name":"process_name","args":{{"name":'
                 f'"/device:TPU:{device}"}}}},{{"ph":"M","pid":{device + 3},"tid":3,'
                 f'"name":"thread_name","args":{{"name":"XLA Ops"}}}}')
    return text + ',{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size-mb", type=int, default=300, help="of JSON")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    written = 0
    with open(options.output, "wb") as out:
        text = head()
        for chunk in items(random.Random(1)):
            out.write(packer.compress(text.encode()))
            written += len(text)
            if written >= options.size_mb * 1000000:
                break
            text = chunk
        out.write(packer.compress(b"]}") + packer.flush())


if __name__ == "__main__":
    main()
