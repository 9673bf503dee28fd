"""The people context: the ports that its use cases take as their first argument."""

from dataclasses import dataclass, field

from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.people.policy import Usernames
from greenroom.store.base import Store


@dataclass(frozen=True)
class People:
    store: Store
    clock: Clock
    ids: Ids
    names: Usernames = field(default_factory=Usernames)
    contact: str = ""
    """Where people can ask about a moderation decision: an e-mail address or a URL."""
