"""The webhooks context: the ports that its functions take as their first argument."""

from dataclasses import dataclass

from greenroom.clock import Clock
from greenroom.store.base import Store

DAY_MS = 86_400_000


@dataclass(frozen=True)
class Webhooks:
    store: Store
    clock: Clock
    kept_ms: int = 30 * DAY_MS
    """How long events are kept."""
