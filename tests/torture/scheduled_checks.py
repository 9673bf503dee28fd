"""Compares the scheduled messages that the threads have with what their authors were told."""

from collections import defaultdict
from datetime import datetime

from tests.torture.checks import Findings, Reloaded
from tests.torture.client_state import Message
from tests.torture.population import Population
from tests.torture.scheduler import Scheduled, is_scheduled

MAX_LATE_MS = 20_000
"""Once everything is up: the leases of a dead node are free after 6 seconds."""


def check_scheduled(
    findings: Findings,
    population: Population,
    reloaded: Reloaded,
    *,
    up_ms: int,
    clock_jumps: bool = False,
) -> list[tuple[int, int]]:
    """Returns when each was due and when it was sent that was certainly sent. `up_ms` is when the
    last incident was over. With clock jumps no times are checked."""
    sent = []
    for thread, names in population.threads.items():
        found = _found(reloaded.messages[names[0], thread])
        for person in population.members(thread):
            for one in person.scheduler.scheduled.values():
                if one.thread == thread:
                    there = found.pop((person.user, one.name), [])
                    _check(findings, one, there)
                    if one.is_certain and there and not clock_jumps:
                        sent.append(_sent(findings, one, there[0], up_ms))
        findings.doubled += [f"nobody scheduled {name} of {user}" for user, name in found]
    for person in population.people.values():
        findings.refused += person.scheduler.refusals
    return sent


def _found(stored: list[Message]) -> dict[tuple[str, str], list[Message]]:
    found = defaultdict(list)
    for message in stored:
        if is_scheduled(message["body"] or ""):
            found[message["authorUserId"], message["body"].split()[0]].append(message)
    return dict(found)


def _check(findings: Findings, one: Scheduled, there: list[Message]) -> None:
    if len(there) > 1:
        findings.doubled.append(f"{one} is there {len(there)} times")
    if there and (one.canceled or one.refused):
        findings.doubled.append(f"{one} was canceled or refused, and is there: {there}")
    if one.is_certain and not there:
        findings.lost.append(f"{one} was never sent")
    for message in there:
        if message["body"] not in one.bodies:
            findings.lost.append(f"a change of {one}: {message['body']}")


def _sent(findings: Findings, one: Scheduled, message: Message, up_ms: int) -> tuple[int, int]:
    sent_ms = round(datetime.fromisoformat(message["createdAt"]).timestamp() * 1000)
    if sent_ms < one.earliest_ms:
        findings.reordered.append(f"{one} was sent {one.earliest_ms - sent_ms} ms too early")
    if sent_ms - max(one.send_ms, up_ms) > MAX_LATE_MS:
        findings.unpunctual.append(f"{one} was sent {sent_ms - one.send_ms} ms late")
    return one.send_ms, sent_ms
