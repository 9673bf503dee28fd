"""Logs a trouble that repeats itself once a minute, with how often it came."""

import logging
import time
from collections.abc import Callable

_SECONDS = 60


class RepeatedErrors:
    """By a key of the caller's: the first is logged at once, the rest is counted."""

    def __init__(self, log: logging.Logger, now: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._now = now
        self._since: dict[str, tuple[float, int]] = {}

    def error(self, key: str, message: str) -> None:
        since, more = self._since.get(key, (None, 0))
        if since is not None and self._now() - since < _SECONDS:
            self._since[key] = since, more + 1
            return
        self._since[key] = self._now(), 0
        self._log.error("%s%s", message, f" (and {more} times before this)" if more else "")
