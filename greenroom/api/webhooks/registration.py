"""Registers webhooks: the log of public events."""

from collections.abc import Sequence

from greenroom.api.composition import Composition, Contexts
from greenroom.api.registry import ContextApi, Registry
from greenroom.background.follower import Follower
from greenroom.webhooks import Webhooks, records
from greenroom.webhooks.context import DAY_MS
from greenroom.webhooks.event_log import EventLog
from greenroom.webhooks.policy import SECTIONS, EventRetention


def _build(composition: Composition) -> Webhooks:
    kept_ms = composition.policy[EventRetention].days * DAY_MS
    return Webhooks(composition.store, composition.clock, kept_ms)


def _followers(contexts: Contexts) -> Sequence[Follower]:
    webhooks = contexts[Webhooks]
    return [EventLog(webhooks, source).follower() for source in contexts[Registry].public_events]


API = ContextApi(
    name="webhooks",
    build=_build,
    tables=records.TABLES,
    policy=SECTIONS,
    followers=_followers,
    costs=("greenroom.cost.events",),
)
