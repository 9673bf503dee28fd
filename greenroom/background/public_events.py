"""Declares the public events of a context: facts for the operator's own systems.

    EventSource("messaging", MESSAGING, KINDS, of_change, of_item)

A context writes its events into the item that it changes, in the same transaction. So each event
comes from the change of exactly one item, and the order per item, which every change feed keeps, is
the order of the events. `greenroom/webhooks` follows the table and keeps the events.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from msgspec import Struct

from greenroom.store.base import Change
from greenroom.store.tables import Table
from greenroom.store.values import Item

EventValue: TypeAlias = str | int | bool | list[str] | None


class EventKind(Struct, frozen=True):
    name: str
    """`noun.past_participle`, as on the socket where there is the same event."""
    meaning: str
    fields: tuple[str, ...] = ()
    """The names of its values. Stored events have the values alone: only ever add at the end."""
    is_restored: bool = True
    """Whether a rebuild can tell it from the tables."""


class Event(Struct, frozen=True, array_like=True):
    """What happened, as it is stored."""

    kind: str
    at_ms: int
    actor: str
    """Who did it."""
    values: tuple[EventValue, ...] = ()
    key: str = ""
    """Tells events of the same kind, subject and first value apart."""


class SubjectEvents(Struct, frozen=True, array_like=True):
    """Events of one subject, such as a thread, in order."""

    subject: str
    events: tuple[Event, ...]


class EventSource(Struct, frozen=True):
    name: str
    table: Table
    kinds: tuple[EventKind, ...]
    of_change: Callable[[Change], SubjectEvents | None]
    of_item: Callable[[Item], SubjectEvents | None]
    """What an item still tells of its past, for a rebuild: the same events as its changes."""
    prefixes: tuple[str, ...] = ()
    """`of_change` is given changes of items whose sort key begins with one of them, after the
    change; without any, of all items."""
    attributes: tuple[str, ...] = ()
    """The attributes of items that `of_change` looks at; it is given no others."""


encode_events: Callable[[list[Event]], bytes] = msgspec.msgpack.Encoder().encode
decode_events: Callable[[bytes], tuple[Event, ...]] = msgspec.msgpack.Decoder(
    tuple[Event, ...]
).decode
