"""What was made of items lately, by their bytes: whoever reads a busy thread finds its messages
ready.

It is never stale: an item that has changed has other bytes. What one would get wrong: it is of use
only for what is read again, and must not grow with what is not; so there are two generations, and
what was not asked for while `_MOST_BYTES` of others were is forgotten. A model takes several times
as much memory as the item has bytes.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from greenroom.store.sqlite.codec import unpack
from greenroom.store.values import Item

_MOST_BYTES = 1_000_000
_LARGEST = 2048
_Made = TypeVar("_Made")
_Model: TypeAlias = Callable[[Item], Any]


class _Kept:
    """Of one model."""

    __slots__ = ("bytes", "old", "young")

    def __init__(self) -> None:
        self.young: dict[bytes, Any] = {}
        self.old: dict[bytes, Any] = {}
        self.bytes = 0

    def keep(self, blob: bytes, made: object) -> None:
        if len(blob) > _LARGEST:
            return
        if self.bytes + len(blob) > _MOST_BYTES:
            self.old, self.young, self.bytes = self.young, {}, 0
        self.young[blob] = made
        self.bytes += len(blob)


class Made:
    def __init__(self) -> None:
        self._by_model: dict[_Model, _Kept] = {}

    def of(self, model: Callable[[Item], _Made], blobs: Sequence[bytes]) -> tuple[_Made, ...]:
        kept = self._by_model.get(model)
        if kept is None:
            kept = self._by_model[model] = _Kept()
        found = tuple(map(kept.young.get, blobs))
        if all(found):
            return found  # type: ignore[return-value]
        both = zip(found, blobs, strict=True)
        return tuple([one or _make(kept, model, blob) for one, blob in both])


def _make(kept: _Kept, model: _Model, blob: bytes) -> Any:
    made = kept.old.get(blob) or model(unpack(blob))
    kept.keep(blob, made)
    return made
