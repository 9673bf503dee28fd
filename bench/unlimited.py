"""The contexts as they are served, but without rate limits."""

from greenroom.app import REGISTRY, compose
from greenroom.clock import Clock
from greenroom.messaging import Messaging
from greenroom.safety.limits import Rate
from greenroom.store.base import Store

_MOST = 1_000_000
UNLIMITED = {
    limit: Rate(most=_MOST, window_ms=1000, local_share=_MOST, lease_size=1, lease_ms=1000)
    for limit in REGISTRY.policy.limits
}


def messaging_on(store: Store, clock: Clock, secret: bytes) -> Messaging:
    return compose(store, clock, secret, rates=UNLIMITED)[Messaging]
