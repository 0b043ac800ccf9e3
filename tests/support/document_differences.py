"""Where two documents differ: for tests that compare the program's JSON with another's.

Numbers may differ by 1e-9 of their size, as sums of doubles do when they are added up otherwise;
everything else must be equal, types and order included.
"""

import math

RELATIVE_TOLERANCE = 1e-9


def same_number(theirs, ours):
    return type(theirs) is type(ours) and math.isclose(theirs, ours, rel_tol=RELATIVE_TOLERANCE)


def object_differences(theirs, ours, place, skipped):
    extra = [] if not place else sorted(set(ours) - set(theirs))
    for name in extra:
        yield f"{place}.{name}: not in the reference"
    for name, value in theirs.items():
        if not place and name in skipped:
            continue
        if name in ours:
            yield from differences(value, ours[name], f"{place}.{name}")
        else:
            yield f"{place}.{name}: missing"


def differences(theirs, ours, place="", skipped=()):
    """Lines that say where two documents differ.

    At the root, members of ours alone are allowed, and members in `skipped` are not compared.
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        yield from object_differences(theirs, ours, place, skipped)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield f"{place}: {len(theirs)} entries in the reference, {len(ours)} in ours"
        for index, pair in enumerate(zip(theirs, ours)):
            yield from differences(*pair, f"{place}[{index}]")
    elif isinstance(theirs, (int, float)) and not isinstance(theirs, bool):
        if not same_number(theirs, ours):
            yield f"{place}: {theirs!r} in the reference, {ours!r} in ours"
    elif theirs != ours or type(theirs) is not type(ours):
        yield f"{place}: {theirs!r} in the reference, {ours!r} in ours"
