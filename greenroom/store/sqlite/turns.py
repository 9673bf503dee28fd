"""When to commit: all writes in flight at once, or half of them while the loop works on the others.

All at once needs the fewest commits, but the disk rests while the loop works and the loop while the
disk does. Halves cost a second commit, and pay when the loop is busy with what is in flight for
longer than the disk takes. Both are measured as they go, each new group counting for a tenth.
"""

import time


class Turns:
    def __init__(self) -> None:
        self._commit_seconds = 0.0
        self._write_seconds = 0.0
        self._begun = time.perf_counter()
        self._worked = time.thread_time()

    def begin(self, writes: int) -> None:
        """The loop has done its part; the disk begins."""
        worked = time.thread_time()
        self._begun = time.perf_counter()
        if writes:
            self._write_seconds += ((worked - self._worked) / writes - self._write_seconds) / 10
        self._worked = worked

    def end(self) -> None:
        self._commit_seconds += (time.perf_counter() - self._begun - self._commit_seconds) / 10

    def share(self, in_flight: int) -> int:
        """How many of those in flight make a group."""
        if self._commit_seconds < self._write_seconds * in_flight:
            return -(-in_flight // 2)
        return in_flight
