"""One run: users who keep sending, incidents as planned, a calm phase, and the checks."""

import asyncio
import time
from collections.abc import Sequence

from msgspec import Struct

from greenroom.store.server_clock import SLACK_MS
from tests.torture.checks import Findings, Reloaded, check_run, differences
from tests.torture.event_checks import check_events, followed
from tests.torture.fleet import Fleet
from tests.torture.plan import Step
from tests.torture.population import Population, begin, gather
from tests.torture.scheduled_checks import check_scheduled
from tests.torture.scheduler import now_ms

_SETTLE_SECONDS = 240
_CALM_SECONDS = 3
_OFFLINE_SECONDS = SLACK_MS / 1000 + 10
"""Longer than the slack of a cursor."""
_OFFLINE = ("dan", "finn")
_DELIVERY_SECONDS = 120
"""More than delivery can take: a node's death is noticed after 20 seconds."""


class Tally(Struct, kw_only=True):
    kills: int = 0
    sent: int = 0
    acked: int = 0
    pipelined: int = 0
    lost: int = 0
    doubled: int = 0
    reordered: int = 0
    wrong_unread: int = 0
    wrong_sync: int = 0
    unpunctual: int = 0
    wrong_events: int = 0
    unsettled: int = 0
    refused: int = 0
    crashed: int = 0
    pauses: int = 0
    clock_jumps: int = 0
    resets: int = 0
    bus_restarts: int = 0
    faults: int = 0
    resumes: int = 0
    reloads: int = 0
    retried: int = 0
    edits: int = 0
    reactions: int = 0
    gaps: int = 0
    scheduled: int = 0
    """Acked ones; also the next two."""
    rescheduled: int = 0
    canceled: int = 0
    uncertain: int = 0
    """Scheduled messages whose outcome the authors cannot know."""
    late_p50_ms: int = 0
    """How late scheduled messages were sent, without the time in which no node was up."""
    late_p99_ms: int = 0
    late_max_ms: int = 0
    late_with_downtime_max_ms: int = 0
    events: int = 0
    """In the event log."""
    seconds: float = 0

    def wrong(self) -> int:
        return (
            self.lost
            + self.doubled
            + self.reordered
            + self.wrong_unread
            + self.wrong_sync
            + self.unpunctual
            + self.wrong_events
            + self.unsettled
            + self.refused
            + self.crashed
        )

    def __add__(self, other: "Tally") -> "Tally":
        """Of the times that messages were late, the worse one."""
        both = {
            name: (getattr(self, name), getattr(other, name)) for name in self.__struct_fields__
        }
        return Tally(
            **{
                name: max(pair) if name.startswith("late_") else sum(pair)
                for name, pair in both.items()
            }
        )


async def torture(fleet: Fleet, steps: Sequence[Step], seed: str) -> tuple[Tally, Findings]:
    started = time.monotonic()
    population = await gather(fleet.urls, seed)
    try:
        for person in population.people.values():
            person.client.start()
        for person in population.people.values():
            await person.client.live.wait()
        begin(population)
        await _apply_plan(fleet, population, steps)
        await fleet.up()
        up_ms = now_ms()
        unsettled = await _settle(fleet, population)
        undelivered = await _undelivered(population)
        for person in population.people.values():
            await person.client.reconnect()
        reloaded = await Reloaded.read(population)
        findings = check_run(
            population,
            reloaded,
            clock_jumps=fleet.clock is not None,
            store_fails=fleet.store_fails,
        )
        sent = check_scheduled(
            findings, population, reloaded, up_ms=up_ms, clock_jumps=fleet.clock is not None
        )
        findings.unpunctual += await _unsent(population)
        await followed(fleet.given, reloaded)
    finally:
        for person in population.people.values():
            person.stop()
            await person.client.stop()
    await fleet.stop()
    events = await check_events(findings, fleet.given, population, reloaded)
    findings.wrong_sync += undelivered
    if fleet.clock is None:
        findings.wrong_sync += _resets(population)
    if len(fleet.nodes) == 1:
        findings.wrong_sync += _gaps(population)
    tally = _tally(fleet, population, findings, unsettled)
    tally.events = events
    if sent:
        late = [fleet.up_ms(due_ms, sent_ms) for due_ms, sent_ms in sent]
        tally.late_with_downtime_max_ms = max(sent_ms - due_ms for due_ms, sent_ms in sent)
        tally.late_p50_ms, tally.late_max_ms = sorted(late)[len(late) // 2], max(late)
        tally.late_p99_ms = sorted(late)[len(late) * 99 // 100]
    tally.seconds = round(time.monotonic() - started, 1)
    return tally, findings


def _resets(population: Population) -> list[str]:
    """No cursor is too old; only a clock that was set back invalidates one."""
    return [
        f"{name} was told {person.client.resets} times to start over"
        for name, person in population.people.items()
        if person.client.resets
    ]


def _gaps(population: Population) -> list[str]:
    """With several nodes one may die before it publishes; a single node publishes in order."""
    return [
        f"{name} found {person.client.gaps} gaps"
        for name, person in population.people.items()
        if person.client.gaps
    ]


async def _apply_plan(fleet: Fleet, population: Population, steps: Sequence[Step]) -> None:
    begun, most = time.monotonic(), max(step.at for step in steps)
    async with asyncio.TaskGroup() as under_way:
        if most > 2 * _OFFLINE_SECONDS:
            under_way.create_task(_go_offline(population, most - _OFFLINE_SECONDS))
        for step in steps:
            await asyncio.sleep(max(0, step.at - (time.monotonic() - begun)))
            under_way.create_task(fleet.apply(step))


async def _go_offline(population: Population, after: float) -> None:
    await asyncio.sleep(after)
    clients = [population.people[name].client for name in _OFFLINE]
    await asyncio.gather(*(client.go_offline(_OFFLINE_SECONDS) for client in clients))


async def _settle(fleet: Fleet, population: Population) -> int:
    """Waits until all nodes are up and all users have repeated what was not acked. Returns how many
    messages never were."""
    people = population.people.values()
    try:
        async with asyncio.timeout(_SETTLE_SECONDS):
            await fleet.up()
            for person in people:
                await person.client.live.wait()
            await asyncio.sleep(_CALM_SECONDS)
            for person in people:
                person.finish()
            while not all(person.is_settled for person in people):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            while await _unsent(population):  # noqa: ASYNC110
                await asyncio.sleep(0.2)
            await _delivered_to_authors(population)
            for person in people:
                for thread in person.threads:
                    await person.read_to_the_end(thread)
    except TimeoutError:
        sendings = [sending for person in people for sending in person.sendings.values()]
        return max(1, sum(not sending.acks for sending in sendings))
    return 0


async def _unsent(population: Population) -> list[str]:
    """All that the authors' lists still have."""
    people = population.people.values()
    lists = await asyncio.gather(*(person.scheduler.remaining() for person in people))
    return [f"{item} is still there" for listed in lists for item in listed]


async def _delivered_to_authors(population: Population) -> None:
    """Until they know of all messages, so that they know how far to read."""
    for person in population.people.values():
        for thread in person.threads:
            shown = await person.client.rest("GET", f"/v1/threads/{thread}")
            while person.client.view.have()[thread] < shown["lastSeq"]:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def _undelivered(population: Population) -> list[str]:
    """What has not reached the connected clients after a generous time. Clients do not resume
    unless they see a gap or are told to."""
    begun = time.monotonic()
    while True:
        reloaded = await Reloaded.read(population)
        undelivered = [
            text
            for name, person in population.people.items()
            for text in differences(name, person.client, reloaded)
        ]
        if not undelivered or time.monotonic() - begun > _DELIVERY_SECONDS:
            return undelivered
        await asyncio.sleep(0.5)


def _tally(fleet: Fleet, population: Population, findings: Findings, unsettled: int) -> Tally:
    people = population.people.values()
    sendings = [sending for person in people for sending in person.sendings.values()]
    scheduled = [one for person in people for one in person.scheduler.scheduled.values()]
    return Tally(
        kills=sum(node.kills for node in fleet.nodes),
        sent=len(sendings),
        acked=sum(bool(sending.acks) for sending in sendings),
        pipelined=sum(sending.pipelined for sending in sendings),
        lost=len(findings.lost),
        doubled=len(findings.doubled),
        reordered=len(findings.reordered),
        wrong_unread=len(findings.wrong_unread),
        wrong_sync=len(findings.wrong_sync),
        unpunctual=len(findings.unpunctual),
        wrong_events=len(findings.wrong_events),
        unsettled=unsettled,
        refused=len(findings.refused),
        crashed=sum(node.crashes for node in fleet.nodes),
        pauses=fleet.pauses,
        clock_jumps=fleet.jumps,
        resets=sum(person.client.resets for person in people),
        bus_restarts=fleet.bus_restarts,
        faults=fleet.faults,
        resumes=sum(person.client.resumes for person in people),
        reloads=sum(person.client.reloads for person in people),
        retried=sum(sending.tries > 1 for sending in sendings),
        edits=sum(len(edits.acked) for person in people for edits in person.edits.values()),
        reactions=sum(person.reacted for person in people),
        gaps=sum(person.client.gaps for person in people),
        scheduled=sum(one.id is not None for one in scheduled),
        rescheduled=sum(one.changes for one in scheduled),
        canceled=sum(one.canceled is True for one in scheduled),
        uncertain=sum(not (one.is_certain or one.canceled or one.refused) for one in scheduled),
    )
