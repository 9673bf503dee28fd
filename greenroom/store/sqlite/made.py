"""What was made of items lately, by their bytes: whoever reads a busy thread finds its messages
ready.

It is never stale: an item that has changed has other bytes. What one would get wrong: it is of use
only for what is read again, and must not grow with what is not; so there are two generations, and
what was not asked for while `_MOST` others were is forgotten.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from greenroom.store.sqlite.codec import unpack
from greenroom.store.values import Item

_MOST = 4096
_LARGEST = 2048
_Made = TypeVar("_Made")
_Model: TypeAlias = Callable[[Item], Any]


class Made:
    def __init__(self) -> None:
        self._young: dict[_Model, dict[bytes, Any]] = {}
        self._old: dict[_Model, dict[bytes, Any]] = {}

    def of(self, model: Callable[[Item], _Made], blobs: Sequence[bytes]) -> tuple[_Made, ...]:
        young = self._young.setdefault(model, {})
        found = tuple(map(young.get, blobs))
        if all(found):
            return found  # type: ignore[return-value]
        both = zip(found, blobs, strict=True)
        return tuple([one or self._make(model, blob) for one, blob in both])

    def _make(self, model: _Model, blob: bytes) -> Any:
        made = self._old.get(model, {}).get(blob) or model(unpack(blob))
        if len(blob) <= _LARGEST:
            if len(self._young[model]) >= _MOST:
                self._old[model], self._young[model] = self._young[model], {}
            self._young[model][blob] = made
        return made
