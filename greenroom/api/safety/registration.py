"""Registers safety: blocks, reports, moderation, notices, limits."""

from collections.abc import Sequence
from functools import partial

from greenroom.api.composition import Composition, Contexts
from greenroom.api.platform.policy import Retention
from greenroom.api.registry import ContextApi, Example, Job, SocketEvent
from greenroom.api.safety.access_matrix import ACCESS
from greenroom.api.safety.events import BLOCKS, SafetyEvents
from greenroom.api.safety.examples import EXAMPLES
from greenroom.api.safety.frames import NoticeAcknowledged, NoticeCreated
from greenroom.api.safety.problems import PROBLEMS
from greenroom.api.safety.properties import PARAMETERS, PROPERTIES
from greenroom.api.safety.rest import blocks_and_reports, moderation, notices, staff
from greenroom.api.safety.sync import NoticeChanges, NoticeSource
from greenroom.api.sync import SyncPart
from greenroom.ids import UserId
from greenroom.people import People
from greenroom.realtime.publish import guarded
from greenroom.safety import Safety, records
from greenroom.safety.block_cache import BlockCache
from greenroom.safety.context import discard
from greenroom.safety.enforce import enforce_pending
from greenroom.safety.limits import Limits, rates_of
from greenroom.safety.policy import LIMITS, SECTIONS, ContentRules
from greenroom.safety.rules import rule_set_of

_PENDING_SECONDS = 60


class _BlockInvalidation:
    def __init__(self, cache: BlockCache) -> None:
        self._cache = cache

    def invalidate(self, key: str, version: int) -> None:
        one, _, other = key.partition(" ")
        self._cache.forget(UserId(one), UserId(other))

    def invalidate_all(self) -> None:
        self._cache.forget_all()


def _build(composition: Composition) -> Safety:
    hub, policy = composition.hub, composition.policy
    rates = rates_of(policy.limits) | dict(composition.rates or {})
    safety = Safety(
        composition.store,
        composition.contexts[People],
        composition.clock,
        composition.ids,
        Limits(composition.store, composition.clock, rates),
        composition.cursors,
        rule_set=rule_set_of(policy[ContentRules]),
        sync_ms=policy[Retention].sync_ms,
        publish=discard if hub is None else guarded(SafetyEvents(hub.bus).publish),
    )
    if hub is not None:
        hub.add_cache(BLOCKS, _BlockInvalidation(safety.block_cache))
    return safety


def _jobs(contexts: Contexts) -> Sequence[Job]:
    return (
        Job("pending enforcement", _PENDING_SECONDS, partial(enforce_pending, contexts[Safety])),
    )


_NOTICE = EXAMPLES["getNotices"].answers[200].notices[0]

API = ContextApi(
    name="safety",
    build=_build,
    tables=records.TABLES,
    ephemeral_kinds=records.EPHEMERAL_KINDS,
    policy=SECTIONS,
    limits=LIMITS,
    routes=(blocks_and_reports.routes, moderation.routes, notices.routes, staff.routes),
    dependencies={"safety": lambda contexts: contexts[Safety]},
    events=(
        SocketEvent(frame=NoticeCreated, examples=(Example("a warning", NoticeCreated(_NOTICE)),)),
        SocketEvent(
            frame=NoticeAcknowledged,
            examples=(Example("acknowledged", NoticeAcknowledged(_NOTICE.notice_id)),),
        ),
    ),
    problems=PROBLEMS,
    examples=EXAMPLES,
    properties=PROPERTIES,
    parameters=PARAMETERS,
    sync=(
        SyncPart(
            name="notices",
            shape=NoticeChanges,
            description="Changes in the list of moderation notices; left out if there are none.",
            example=NoticeChanges([_NOTICE], []),
            source=lambda contexts: NoticeSource(contexts[Safety]),
            share=8,
        ),
    ),
    access=ACCESS,
    jobs=_jobs,
    costs=("greenroom.cost.safety",),
)
