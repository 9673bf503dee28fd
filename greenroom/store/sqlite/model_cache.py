"""Caches decoded models, keyed by the item's bytes, so that a busy thread is decoded once.

An entry is never stale: a changed item has other bytes. A model takes several times as much memory
as its item has bytes.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from greenroom.lru import LruCache
from greenroom.store.sqlite.codec import unpack
from greenroom.store.values import Item

_MOST_BYTES = 2_000_000
_LARGEST = 2048
_Model = TypeVar("_Model")
_ModelFunction: TypeAlias = Callable[[Item], Any]


class ModelCache:
    def __init__(self) -> None:
        self._by_function: dict[_ModelFunction, LruCache[bytes, Any]] = {}

    def decode(self, model: Callable[[Item], _Model], blobs: Sequence[bytes]) -> tuple[_Model, ...]:
        cache = self._by_function.get(model)
        if cache is None:
            cache = self._by_function[model] = LruCache(_MOST_BYTES, weight=len)
        found = cache.get_young(blobs)
        if all(found):
            return found  # type: ignore[return-value]
        both = zip(found, blobs, strict=True)
        return tuple([one or _decode(cache, model, blob) for one, blob in both])


def _decode(cache: LruCache[bytes, Any], function: _ModelFunction, blob: bytes) -> Any:
    model = cache.get(blob)
    if model is None:
        model = function(unpack(blob))
        if len(blob) <= _LARGEST:
            cache.put(blob, model)
    return model
