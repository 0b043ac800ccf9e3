"""Tells when a count that should fall to zero has not fallen for too long.

Why: a soak on a busy machine takes as long as it takes; only work that has stopped is a finding.
"""

import time


class Standstill:
    """To be asked again and again with what is left."""

    def __init__(self, seconds=120):
        self.seconds = seconds
        self.least, self.moved = None, time.monotonic()

    def has_come(self, left):
        now = time.monotonic()
        if self.least is None or left < self.least:
            self.least, self.moved = left, now
        return now - self.moved > self.seconds
