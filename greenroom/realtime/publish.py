"""Guards publishing: an event that cannot be published is logged, and never fails its use case."""

import logging
from collections.abc import Callable
from typing import ParamSpec

_P = ParamSpec("_P")
_log = logging.getLogger(__name__)


def guarded(publish: Callable[_P, None]) -> Callable[_P, None]:
    """The same without exceptions. What is not published reaches clients with their next sync."""

    def publish_or_log(*args: _P.args, **named: _P.kwargs) -> None:
        try:
            publish(*args, **named)
        except Exception:
            _log.exception("an event could not be published")

    return publish_or_log
