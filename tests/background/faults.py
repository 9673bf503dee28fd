"""A store whose process is killed at a chosen call, before or after the call takes effect."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from greenroom.store.base import Store
from tests.forwarding_store import ForwardingStore

T = TypeVar("T")


class Killed(BaseException):
    """No code catches it: after it nothing of the process goes on."""


class KilledStore(ForwardingStore):
    def __init__(self, store: Store, dies_at: int, *, after: bool) -> None:
        """`dies_at` counts calls from 1. With `after` that call still takes effect."""
        super().__init__(store)
        self._dies_at = dies_at
        self._after = after
        self.calls = 0

    @property
    def is_dead(self) -> bool:
        return self.calls >= self._dies_at

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        self.calls += 1
        if self.calls > self._dies_at or (self.is_dead and not self._after):
            raise Killed
        answer = await call()
        if self.is_dead:
            raise Killed
        return answer
