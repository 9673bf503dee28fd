"""The composition root: the list of contexts, and how an app is composed from them."""

from collections.abc import Mapping

from greenroom.api.background.registration import API as BACKGROUND
from greenroom.api.bookings.registration import API as BOOKINGS
from greenroom.api.composition import Composition, Contexts
from greenroom.api.files.registration import API as FILES
from greenroom.api.live.registration import API as LIVE
from greenroom.api.messaging.registration import API as MESSAGING
from greenroom.api.people.registration import API as PEOPLE
from greenroom.api.platform.registration import API as PLATFORM
from greenroom.api.registry import Registry
from greenroom.api.safety.registration import API as SAFETY
from greenroom.api.social.registration import API as SOCIAL
from greenroom.api.webhooks.registration import API as WEBHOOKS
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

CONTEXTS = (
    PLATFORM,
    BACKGROUND,
    PEOPLE,
    SAFETY,
    FILES,
    BOOKINGS,
    MESSAGING,
    SOCIAL,
    LIVE,
    WEBHOOKS,
)
"""In the order in which they are built: each on those before it."""
REGISTRY = Registry(CONTEXTS)
TABLES = REGISTRY.tables


def compose(
    store: Store,
    clock: Clock,
    secret: bytes,
    *,
    hub: Hub | None = None,
    blobs: Blobs | None = None,
    sql: Database | None = None,
    settings: Settings | None = None,
    policy: Policy | None = None,
    rates: Mapping[Limit, Rate] | None = None,
    registry: Registry = REGISTRY,
) -> Contexts:
    """The contexts, for a server, a command, a test or a benchmark. Without settings or a
    policy the defaults hold. `rates` replace some of the policy's rate limits, where a benchmark
    needs limits that never bind."""
    composition = Composition(
        store,
        clock,
        Ids(clock),
        CursorCodec(secret),
        policy or registry.policy.default,
        settings or Settings(),
        hub,
        blobs,
        sql,
        rates,
    )
    return registry.build(composition)
