"""Slows an upload down, so that a test can interrupt it."""

import time


class Pace:
    """A whole file of `size` bytes takes at least `seconds`; a part of it, its share."""

    def __init__(self, seconds: float, size: int) -> None:
        self._seconds_per_byte = seconds / size
        self._begun = time.monotonic()
        self._sent = 0

    def wait(self, sent: int) -> None:
        """So many more bytes were sent."""
        self._sent += sent
        due = self._begun + self._sent * self._seconds_per_byte
        time.sleep(max(0.0, due - time.monotonic()))
