"""The ports that contexts are built from, and the container of built contexts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from greenroom.blobs.base import Blobs
from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.policy import Limit, Policy
from greenroom.realtime.hub import Hub
from greenroom.safety.limits import Rate
from greenroom.settings import Settings
from greenroom.sql.base import Database
from greenroom.store.base import Store
from greenroom.store.cursors import CursorCodec

_T = TypeVar("_T")


class Contexts:
    """The contexts of an app, each found by its class: `contexts[Messaging]`."""

    def __init__(self) -> None:
        self._by_type: dict[type, Any] = {}

    def __getitem__(self, kind: type[_T]) -> _T:
        found: _T = self._by_type[kind]
        return found

    def __iter__(self) -> Iterator[object]:
        return iter(self._by_type.values())

    def add(self, context: object) -> None:
        """Adds a context, or replaces the one of the same class."""
        self._by_type[type(context)] = context


@dataclass(frozen=True)
class Composition:
    """The ports that every context may use, and the contexts built before it."""

    store: Store
    clock: Clock
    ids: Ids
    cursors: CursorCodec
    policy: Policy
    settings: Settings
    hub: Hub | None = None
    """None where no client connects: in commands, and while sample data is written."""
    blobs: Blobs | None = None
    """None where no file is read or written."""
    sql: Database | None = None
    """None where no contract is read or written."""
    rates: Mapping[Limit, Rate] | None = None
    """Rate limits that replace those of the policy, for benchmarks and tests."""
    contexts: Contexts = field(default_factory=Contexts)
