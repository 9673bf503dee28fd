"""One table in memory: items by key, with the entries of its indexes in order."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bench.standin.conditions import Attribute, Image

ItemKey: TypeAlias = tuple[str, ...]
"""What orders the entries of one partition: the sort key, in an index the table's keys as well."""


class Listing:
    """The places of a table or of an index, in order, by partition key."""

    def __init__(self, keys: Sequence[Mapping[str, str]], tail: tuple[str, ...] = ()) -> None:
        names = {part["KeyType"]: part["AttributeName"] for part in keys}
        self.partition = names["HASH"]
        self.sort = names.get("RANGE")
        self._tail = tail
        self._places: dict[str, list[ItemKey]] = {}

    def locate(self, attributes: Image) -> tuple[str, ItemKey] | None:
        """Where an item is listed; None where it lacks a key of this index."""
        if self.partition not in attributes:
            return None
        if self.sort is None:
            place: ItemKey = ("",)
        elif self.sort in attributes:
            place = (_text(attributes[self.sort]),)
        else:
            return None
        rest = tuple(_text(attributes[name]) for name in self._tail)
        return _text(attributes[self.partition]), place + rest

    def move(self, old: Image | None, new: Image | None) -> None:
        before = None if old is None else self.locate(old)
        after = None if new is None else self.locate(new)
        if before == after:
            return
        if before is not None:
            places = self._places[before[0]]
            del places[bisect_left(places, before[1])]
        if after is not None:
            insort(self._places.setdefault(after[0], []), after[1])

    def places(self, partition: str) -> Sequence[ItemKey]:
        return self._places.get(partition, ())


class Index(Listing):
    def __init__(self, request: Mapping[str, Any], table_keys: tuple[str, ...]) -> None:
        super().__init__(request["KeySchema"], table_keys)
        carried = request["Projection"]
        others = carried.get("NonKeyAttributes", ())
        keys = [part["AttributeName"] for part in request["KeySchema"]]
        everything = carried["ProjectionType"] == "ALL"
        self._names = None if everything else frozenset((*keys, *table_keys, *others))

    def entry(self, item: Image) -> Image:
        if self._names is None:
            return item
        return {name: value for name, value in item.items() if name in self._names}


class MemoryTable:
    def __init__(self, request: Mapping[str, Any]) -> None:
        self.request = request
        self.ttl: str | None = None
        self.listing = Listing(request["KeySchema"])
        self.keys = tuple(part["AttributeName"] for part in request["KeySchema"])
        self.indexes = {
            index["IndexName"]: Index(index, self.keys)
            for index in request.get("GlobalSecondaryIndexes", ())
        }
        self._items: dict[ItemKey, Image] = {}

    def key(self, attributes: Image) -> ItemKey:
        return tuple([attributes[name]["S"] for name in self.keys])

    def get(self, key: ItemKey) -> Image | None:
        return self._items.get(key)

    def put(self, key: ItemKey, item: Image | None) -> None:
        """Replaces the item; None removes it."""
        old = self._items.get(key)
        if item is None:
            self._items.pop(key, None)
        else:
            self._items[key] = item
        if old is None or item is None:
            self.listing.move(old, item)
        for index in self.indexes.values():
            index.move(old, item)


def _text(attribute: Attribute) -> str:
    return str(attribute["S"])
