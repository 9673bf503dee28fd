"""Logs a repeated error at most once a minute, with a count."""

import logging
import time
from collections.abc import Callable

_SECONDS = 60


class RepeatedErrors:
    """Per key: the first error is logged at once, repeats within a minute are counted."""

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
