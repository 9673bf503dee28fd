"""What the people context works with. Use cases are functions that take it first."""

from dataclasses import dataclass

from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.policy import DEFAULT, Names
from greenroom.store.base import Store


@dataclass(frozen=True)
class People:
    store: Store
    clock: Clock
    ids: Ids
    names: Names = DEFAULT.names
    contact: str = ""
    """Where people turn to about a decision of moderation: an e-mail address or a URL."""
