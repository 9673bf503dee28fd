"""Compares the event log with the messages that are stored and the edits that were acked."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from typing import cast

from greenroom import open_store, settings
from greenroom.app import REGISTRY
from greenroom.background.compare import compare
from greenroom.clock import ManualClock, SystemClock
from greenroom.store.base import Store
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import EventLog
from greenroom.webhooks.events import MAX_LIMIT, read_events
from greenroom.webhooks.models import PublicEvent
from tests.torture.checks import Findings, Reloaded
from tests.torture.population import Population
from tests.torture.scheduler import now_ms

_SOURCE = next(one for one in REGISTRY.public_events if one.name == "messaging")
_FOLLOW_SECONDS = 60
_SETTLED_MS = 120_000
"""The comparison passes over events that are younger than a minute."""


async def followed(given: Mapping[str, str], reloaded: Reloaded) -> None:
    """Waits until the log has as many messages as the threads, for a generous time. The nodes run
    on: they have to do it."""
    stored = sum(len(one) for one in _by_thread(reloaded).values())
    begun = time.monotonic()
    while time.monotonic() - begun < _FOLLOW_SECONDS:
        clock = SystemClock()
        opening = open_store.opened_to_read(settings.read_settings(given), clock)
        async with opening as store:
            found = await _events(cast("Store", store))
        if sum(event.kind == "message.created" for event in found) >= stored:
            return
        await asyncio.sleep(0.5)


async def check_events(
    findings: Findings, given: Mapping[str, str], population: Population, reloaded: Reloaded
) -> int:
    """Returns how many events there are. Once the nodes have stopped."""
    opening = open_store.opened(settings.read_settings(given), SystemClock(), create_tables=False)
    async with opening as store:
        events = await _events(store)
        later = ManualClock(now_ms() + _SETTLED_MS)
        log = EventLog(Webhooks(store, later), _SOURCE)
        findings.wrong_events += (await compare(store, log.follower())).lines
    findings.wrong_events += _differences(events, population, reloaded)
    return len(events)


def _differences(
    events: list[PublicEvent], population: Population, reloaded: Reloaded
) -> list[str]:
    found = []
    if [event.number for event in events] != list(range(1, len(events) + 1)):
        found.append("the numbers have gaps")
    found += [f"{id} is there {n} times" for id, n in _counts(events).items() if n > 1]
    for thread, stored in _by_thread(reloaded).items():
        created = [
            event.data["messageId"]
            for event in events
            if event.subject == thread and event.kind == "message.created"
        ]
        if created != stored:
            found.append(f"{thread} has {len(stored)} messages and {len(created)} events")
    edited = Counter(event.data["messageId"] for event in events if event.kind == "message.edited")
    for person in population.people.values():
        for message, edits in person.edits.items():
            if not len(edits.acked) <= edited[message] < len(edits.bodies):
                found.append(f"{message} has {edited[message]} events for {edits}")
    return found


def _counts(events: list[PublicEvent]) -> Counter[str]:
    return Counter(event.id for event in events)


def _by_thread(reloaded: Reloaded) -> dict[str, list[str]]:
    """The ids of the messages, in order."""
    return {
        thread: [message["messageId"] for message in messages]
        for (_, thread), messages in reloaded.messages.items()
    }


async def _events(store: Store) -> list[PublicEvent]:
    webhooks, found = Webhooks(store, SystemClock()), list[PublicEvent]()
    while True:
        last = found[-1].number if found else 0
        page = await read_events(webhooks, _SOURCE, last, MAX_LIMIT)
        found += page.events
        if not page.more:
            return found
