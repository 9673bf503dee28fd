"""Registers messaging: threads, messages, the inbox, requests."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial

from greenroom.api.composition import Composition, Contexts
from greenroom.api.example_values import READ, SEEN
from greenroom.api.messaging import panel_socket, socket
from greenroom.api.messaging.access_matrix import ACCESS
from greenroom.api.messaging.events import THREADS, MessagingEvents
from greenroom.api.messaging.examples import EXAMPLES, SCHEDULED, WAITING
from greenroom.api.messaging.focused_threads import FocusedThreads
from greenroom.api.messaging.list_sync import ListSource
from greenroom.api.messaging.panel_examples import PANEL_EXAMPLES
from greenroom.api.messaging.panel_properties import PANEL_PROPERTIES
from greenroom.api.messaging.problems import PROBLEMS
from greenroom.api.messaging.properties import PARAMETERS, PROPERTIES
from greenroom.api.messaging.rest import (
    held,
    inbox,
    manifests,
    messages,
    own_view,
    panel,
    preview,
    scheduled,
    thread_settings,
    threads,
    waiting,
)
from greenroom.api.messaging.scheduled_shapes import ScheduledMessages, all_scheduled
from greenroom.api.messaging.sync import InboxChanges, InboxSource, ThreadChanges
from greenroom.api.messaging.waiting_shapes import WaitingMessages, all_waiting
from greenroom.api.platform.policy import Retention
from greenroom.api.registry import ContextApi, Job
from greenroom.api.sync import SyncPart
from greenroom.background.follower import Follower
from greenroom.background.leased_jobs import LeasedJob
from greenroom.background.public_events import EventSource
from greenroom.background.timers import TimerHandler
from greenroom.bookings import Bookings
from greenroom.files import Files
from greenroom.files.context import Audience
from greenroom.files.records import FILE, FILES
from greenroom.ids import ThreadId
from greenroom.messaging import (
    Messaging,
    follow_files,
    public_events,
    records,
    request_timers,
    restored_events,
    scheduled_items,
    waiting_items,
)
from greenroom.messaging.attachment_ops import MESSAGE
from greenroom.messaging.cards import background
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.events import discard, unpublished
from greenroom.messaging.expire_requests import expire_requests
from greenroom.messaging.file_audience import MessageAudience, ThreadsForFiles
from greenroom.messaging.follow_files import on_files_changed, rebuild
from greenroom.messaging.pictures import (
    AVATAR,
    THREAD_PICTURE,
    AvatarAudience,
    ThreadPictureAudience,
)
from greenroom.messaging.policy import LIMITS, SECTIONS, RequestGate, Scheduling
from greenroom.messaging.records import DAY_MS
from greenroom.messaging.scheduled import scheduled_state
from greenroom.messaging.send_scheduled import send_due, stop_due
from greenroom.messaging.send_waiting import send_when_ready, stop_waiting
from greenroom.messaging.text import MAX_TEXT
from greenroom.messaging.thread_cache import ThreadCache
from greenroom.messaging.waiting import waiting_state
from greenroom.people import People
from greenroom.realtime.publish import guarded
from greenroom.safety import Safety
from greenroom.sql.missing import MissingDatabase


class _ThreadInvalidation:
    def __init__(self, cache: ThreadCache) -> None:
        self._cache = cache

    def invalidate(self, key: str, version: int) -> None:
        self._cache.drop_older(ThreadId(key), version)

    def invalidate_all(self) -> None:
        """Not needed: heads are written conditionally on their version, so a stale one is
        refused."""


def _build(composition: Composition) -> Messaging:
    contexts, hub, policy = composition.contexts, composition.hub, composition.policy
    gate = policy[RequestGate]
    thread_cache = ThreadCache(composition.store)
    events = None if hub is None else MessagingEvents(hub.bus, composition.clock)
    if hub is not None:
        hub.add_cache(THREADS, _ThreadInvalidation(thread_cache))
    messaging = Messaging(
        store=composition.store,
        people=contexts[People],
        safety=contexts[Safety],
        files=contexts[Files],
        clock=composition.clock,
        ids=composition.ids,
        thread_cache=thread_cache,
        cursors=composition.cursors,
        request_ms=gate.expires_days * DAY_MS,
        ask_again_ms=gate.ask_again_days * DAY_MS,
        request_messages=gate.messages,
        request_characters=_characters(gate.characters),
        max_scheduled=policy[Scheduling].messages,
        max_scheduled_days=policy[Scheduling].days,
        sync_log_ms=policy[Retention].sync_ms,
        publish=discard if events is None else guarded(events.publish),
        publish_person=unpublished if events is None else guarded(events.publish_person),
        publish_scheduled=unpublished if events is None else guarded(events.publish_scheduled),
        publish_waiting=unpublished if events is None else guarded(events.publish_waiting),
    )
    safety = dataclasses.replace(contexts[Safety], enforcer=Enforcement(messaging))
    files = _with_audiences(contexts[Files], messaging, safety)
    contexts.add(safety)
    contexts.add(files)
    return dataclasses.replace(messaging, safety=safety, files=files)


def _with_audiences(files: Files, messaging: Messaging, safety: Safety) -> Files:
    """Files ask messaging who may see them, and where they may be uploaded; and safety, who may
    judge them."""
    audiences: dict[str, Audience] = {
        MESSAGE: MessageAudience(messaging),
        AVATAR: AvatarAudience(messaging),
        THREAD_PICTURE: ThreadPictureAudience(messaging),
    }
    return dataclasses.replace(
        files,
        safety=safety,
        threads=ThreadsForFiles(messaging),
        audiences={**files.audiences, **audiences},
    )


def _characters(most: int) -> int:
    """0 if the limit is that of any message: then the gate does not store it."""
    return 0 if most >= MAX_TEXT else most


def _jobs(contexts: Contexts) -> Sequence[Job]:
    return (Job("deferred work", 1, contexts[Messaging].deferred.run),)


def _leased_jobs(contexts: Contexts) -> Sequence[LeasedJob]:
    messaging, bookings = contexts[Messaging], contexts[Bookings]
    if isinstance(bookings.database, MissingDatabase):
        return ()
    sweep = partial(background.sweep, messaging, bookings)
    return (
        LeasedJob("cards", background.SWEEP_SECONDS, sweep),
        LeasedJob("outbox", background.FORGET_SECONDS, partial(background.forget, bookings)),
    )


def _timers(contexts: Contexts) -> Mapping[str, TimerHandler]:
    messaging = contexts[Messaging]
    return {
        request_timers.KIND: TimerHandler(partial(expire_requests, messaging)),
        scheduled_items.KIND: TimerHandler(
            partial(send_due, messaging), on_dropped=partial(stop_due, messaging)
        ),
        waiting_items.KIND: TimerHandler(
            partial(send_when_ready, messaging), on_dropped=partial(stop_waiting, messaging)
        ),
        **background.timer_handlers(messaging, contexts[Bookings]),
    }


def _followers(contexts: Contexts) -> Sequence[Follower]:
    return (
        Follower(
            follow_files.NAME,
            FILES,
            partial(on_files_changed, contexts[Messaging]),
            partial(rebuild, contexts[Messaging]),
            begins_with_scan=False,
            prefixes=(FILE,),
            needs_old=False,
            max_batch=50,
        ),
    )


def _scheduled(contexts: Contexts) -> ListSource:
    messaging = contexts[Messaging]
    state, read = partial(scheduled_state, messaging), partial(all_scheduled, messaging)
    return ListSource(messaging.clock, state, read)


def _waiting(contexts: Contexts) -> ListSource:
    messaging = contexts[Messaging]
    state, read = partial(waiting_state, messaging), partial(all_waiting, messaging)
    return ListSource(messaging.clock, state, read)


async def _after_restore(contexts: Contexts) -> None:
    await background.heal(contexts[Messaging], contexts[Bookings])


API = ContextApi(
    name="messaging",
    build=_build,
    after_restore=_after_restore,
    tables=records.TABLES,
    ephemeral_kinds=records.EPHEMERAL_KINDS,
    policy=SECTIONS,
    limits=LIMITS,
    routes=(
        threads.opening_routes,
        threads.routes,
        thread_settings.routes,
        messages.routes,
        manifests.routes,
        panel.routes,
        preview.routes,
        own_view.routes,
        inbox.routes,
        held.routes,
        scheduled.routes,
        waiting.routes,
    ),
    dependencies={"messaging": lambda contexts: contexts[Messaging]},
    requests=socket.REQUESTS + panel_socket.REQUESTS,
    events=socket.EVENTS + panel_socket.EVENTS,
    session_parts=(FocusedThreads,),
    problems=PROBLEMS,
    examples={**EXAMPLES, **PANEL_EXAMPLES},
    properties={**PROPERTIES, **PANEL_PROPERTIES},
    parameters=PARAMETERS,
    sync=(
        SyncPart(
            name="inbox",
            shape=InboxChanges,
            description="Changes in the inbox; left out if there are none.",
            example=InboxChanges([ThreadChanges(SEEN, [READ], False)], []),
            source=lambda contexts: InboxSource(contexts[Messaging]),
            share=16,
        ),
        SyncPart(
            name="scheduled",
            shape=ScheduledMessages,
            description="All your scheduled messages; left out if none has changed.",
            example=ScheduledMessages([SCHEDULED]),
            source=_scheduled,
        ),
        SyncPart(
            name="waiting",
            shape=WaitingMessages,
            description="All your messages that wait for their files or have failed; left out if "
            "none has changed.",
            example=WaitingMessages([WAITING]),
            source=_waiting,
        ),
    ),
    access=ACCESS,
    jobs=_jobs,
    leased_jobs=_leased_jobs,
    timers=_timers,
    followers=_followers,
    demo="greenroom.demo.threads",
    costs=(
        "greenroom.cost.threads",
        "greenroom.cost.messages",
        "greenroom.cost.attachments",
        "greenroom.cost.pictures",
        "greenroom.cost.manifests",
        "greenroom.cost.panel",
        "greenroom.cost.scheduled",
        "greenroom.cost.inbox",
        "greenroom.cost.cards",
    ),
    public_events=(
        EventSource(
            "messaging",
            records.MESSAGING,
            public_events.KINDS,
            public_events.of_change,
            restored_events.of_item,
            prefixes=(records.OVERVIEW,),
            attributes=(records.PUBLIC_EVENTS,),
        ),
    ),
)
