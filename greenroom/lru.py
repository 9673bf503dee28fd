"""A cache that keeps the entries used most recently, bounded by their number or total weight.

    heads: LruCache[ThreadId, Thread] = LruCache(20_000)
    models: LruCache[bytes, Model] = LruCache(2_000_000, weight=len)    # by the bytes of the keys

There are never more than `capacity` entries, and the half of that used most recently is always
kept. New entries go into a young generation. When it reaches half of the capacity it becomes the
old one, and entries of the previous old one that were not used meanwhile are dropped. So a hit
costs one dict lookup, and no order of use has to be maintained.

Careful: `get` returns None for a missing entry, so None cannot be cached.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    __slots__ = ("_half", "_old", "_total", "_weight", "_young")

    def __init__(self, capacity: int, *, weight: Callable[[Key], int] | None = None) -> None:
        """Without `weight` every entry weighs 1. An entry should weigh at most half of
        `capacity`."""
        self._half = max(1, capacity // 2)
        self._weight = weight
        self._total = 0
        """The weight of the young entries; not counted without `weight`."""
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}

    def get(self, key: Key) -> Value | None:
        value = self._young.get(key)
        if value is None and (value := self._old.get(key)) is not None:
            self.put(key, value)
        return value

    def get_young(self, keys: Iterable[Key]) -> tuple[Value | None, ...]:
        """One dict lookup per key; call `get` for those that are missing."""
        return tuple(map(self._young.get, keys))

    def peek(self, key: Key) -> Value | None:
        """As `get`, but does not count as a use."""
        value = self._young.get(key)
        return self._old.get(key) if value is None else value

    def put(self, key: Key, value: Value) -> None:
        if self._weight is None:
            if len(self._young) >= self._half:
                self._start_generation()
        elif key not in self._young:
            weight = self._weight(key)
            if self._total + weight > self._half:
                self._start_generation()
            self._total += weight
        self._young[key] = value

    def discard(self, key: Key) -> Value | None:
        """Removes the entry, and returns its value if there was one."""
        old, young = self._old.pop(key, None), self._young.pop(key, None)
        if young is None:
            return old
        if self._weight is not None:
            self._total -= self._weight(key)
        return young

    def clear(self) -> None:
        self._young, self._old, self._total = {}, {}, 0

    def __contains__(self, key: Key) -> bool:
        return key in self._young or key in self._old

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def _start_generation(self) -> None:
        self._old, self._young, self._total = self._young, {}, 0
