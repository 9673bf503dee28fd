"""The composition root: the list of contexts, and how an app is composed from them."""

from collections.abc import Mapping

from greenroom import policy as policies
from greenroom.api.composition import Composition, Contexts
from greenroom.api.live.registration import API as LIVE
from greenroom.api.messaging.registration import API as MESSAGING
from greenroom.api.people.registration import API as PEOPLE
from greenroom.api.platform.registration import API as PLATFORM
from greenroom.api.registry import Registry
from greenroom.api.safety.registration import API as SAFETY
from greenroom.api.social.registration import API as SOCIAL
from greenroom.api.webhooks.registration import API as WEBHOOKS
from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.policy import Policy
from greenroom.realtime.hub import Hub
from greenroom.safety.limits import Limit, Rate
from greenroom.store.base import Store
from greenroom.store.cursors import CursorCodec

CONTEXTS = (PLATFORM, PEOPLE, SAFETY, MESSAGING, SOCIAL, LIVE, WEBHOOKS)
"""In the order in which they are built: each on those before it."""
REGISTRY = Registry(CONTEXTS)
TABLES = REGISTRY.tables


def compose(
    store: Store,
    clock: Clock,
    secret: bytes,
    *,
    hub: Hub | None = None,
    policy: Policy = policies.DEFAULT,
    rates: Mapping[Limit, Rate] | None = None,
    registry: Registry = REGISTRY,
) -> Contexts:
    """The contexts, for a server, a command, a test or a benchmark. `rates` replace the policy's
    rate limits, where a benchmark needs limits that never bind."""
    composition = Composition(store, clock, Ids(clock), CursorCodec(secret), policy, hub, rates)
    return registry.build(composition)
