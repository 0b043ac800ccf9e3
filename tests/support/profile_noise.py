"""Run-to-run and step-to-step noise of a made profile.

What: factors around 1 drawn from a seed. Step time in training is autocorrelated and differs from
run to run more than from step to step; a gate that is tested with independent noise looks better
than it is. Why no math.exp and no Random.gauss: they end in the C library, whose last digit differs
between machines. Only + - * / sqrt (exact by IEEE 754) and Random.random() are used, so that a seed
gives the same bytes everywhere.
What it does not do: outliers, drift, bimodal runs.
Model: run factor exp(N(0, run_sd)); step factor exp(x_i), x_i = rho x_(i-1) + N(0, step_sd
sqrt(1-rho^2)), so that step_sd is the stationary deviation; every op instance exp(N(0, op_sd)).
"""

import math
import random
from typing import List

# A sum of twelve uniforms minus six has mean 0 and variance 1; its tails end at six deviations.
UNIFORMS_PER_NORMAL = 12
# Terms of the power series of exp; for |x| < 0.5 the rest is below one unit in the last place.
EXP_TERMS = 16


def stream_open(*key: object) -> random.Random:
    """An independent stream for a purpose: (seed, "step"), (seed, "op", host, device, step) …"""
    return random.Random("/".join(str(part) for part in key))


def normal_draw(stream: random.Random) -> float:
    # Not sum(): it adds plainly up to Python 3.11 and with compensation from 3.12 on.
    total = -UNIFORMS_PER_NORMAL / 2
    for _ in range(UNIFORMS_PER_NORMAL):
        total += stream.random()
    return total


def exp_series(x: float) -> float:
    """exp by its power series, halving the argument while it is large."""
    if abs(x) > 0.5:
        half = exp_series(x / 2)
        return half * half
    total, term = 1.0, 1.0
    for n in range(1, EXP_TERMS):
        term = term * x / n
        total = total + term
    return total


def run_factor(seed: int, run_sd: float) -> float:
    return exp_series(run_sd * normal_draw(stream_open(seed, "run")))


def step_factors(seed: int, count: int, step_sd: float, rho: float) -> List[float]:
    """AR(1) factors, one per step; the first is drawn from the stationary distribution."""
    stream = stream_open(seed, "step")
    innovation_sd = step_sd * math.sqrt(1 - rho * rho)
    level = step_sd * normal_draw(stream)
    factors = []
    for _ in range(count):
        factors.append(exp_series(level))
        level = rho * level + innovation_sd * normal_draw(stream)
    return factors


def jitter_draw(stream: random.Random, sd: float) -> float:
    """A small factor for one event; linear, since exp is not worth its cost for 0.3 %."""
    return 1 + sd * normal_draw(stream)
