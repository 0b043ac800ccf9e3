"""Who must stay away, and for how long: rate limits, and Retry-After as a rule to be obeyed.

What: a token bucket per destination, and the time before which a destination takes no request.
Why: a client that keeps posting while it is limited may be disabled (Slack says so), so
a request before its time is a rejection here, whoever had asked for the wait: bucket or fault.
What it does not do: it writes no answers.
"""

import threading
import time

# A request that was under way when the limit was told cannot know of it.
UNDER_WAY_S = 0.05


class Bucket:
    """`burst` requests at once, `per_s` a second in the long run."""

    def __init__(self, per_s, burst):
        self.per_s, self.burst = per_s, burst
        self.level, self.at = float(burst), time.monotonic()

    def take(self):
        """Seconds to wait, 0 when the request may pass."""
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.at) * self.per_s)
        self.at = now
        if self.level >= 1:
            self.level -= 1
            return 0.0
        return (1 - self.level) / self.per_s


class Pauses:
    """Waits by destination; rates as a pair (per second, burst), None for no limit."""

    def __init__(self, rate=None):
        self.rate, self.lock = rate, threading.Lock()
        self.buckets, self.waits = {}, {}

    def pause(self, key, seconds):
        now = time.monotonic()
        with self.lock:
            self.waits[key] = (now, now + seconds)

    def early_s(self, key):
        """How much too early a request of now is, 0 when it is not."""
        now = time.monotonic()
        with self.lock:
            told, until = self.waits.get(key, (0.0, 0.0))
        return until - now if now > told + UNDER_WAY_S and now < until else 0.0

    def limit_s(self, key):
        """Takes a place in the bucket; the seconds to wait when there is none, and then the
        destination is paused."""
        if self.rate is None:
            return 0.0
        with self.lock:
            wait = self.buckets.setdefault(key, Bucket(*self.rate)).take()
        if wait:
            self.pause(key, wait)
        return wait
