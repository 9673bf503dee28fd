"""Compares what is stored, as everybody sees it over REST, with what each client was sent.

Each finding is a sentence; the figures count the findings of a kind. Nothing here waits or measures
time.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.torture.client import Client
from tests.torture.client_state import Message, plain
from tests.torture.population import Population
from tests.torture.scheduler import is_scheduled
from tests.torture.simulated_user import Sending, SimulatedUser


@dataclass
class Findings:
    """What is wrong, by kind, as sentences."""

    lost: list[str] = field(default_factory=list)
    """An acked message, edit, reaction or read position that is missing."""
    doubled: list[str] = field(default_factory=list)
    """A message that is stored twice, or that nobody sent."""
    reordered: list[str] = field(default_factory=list)
    """A gap, two different orders, or a sender's messages in another order than they were sent."""
    wrong_unread: list[str] = field(default_factory=list)
    wrong_sync: list[str] = field(default_factory=list)
    """A client's state differs from what a reload shows."""
    unpunctual: list[str] = field(default_factory=list)
    """A scheduled message that was sent too late, or is still waiting."""
    wrong_events: list[str] = field(default_factory=list)
    """The event log lacks an event, repeats one or has them in another order."""
    refused: list[str] = field(default_factory=list)
    """A refusal or error that should not have happened."""

    def all(self) -> list[str]:
        return [f"{kind}: {text}" for kind, texts in vars(self).items() for text in texts]


class Reloaded:
    """What a reload shows to each user."""

    def __init__(self) -> None:
        self.threads: dict[tuple[str, str], dict[str, Any]] = {}
        self.messages: dict[tuple[str, str], list[Message]] = {}
        self.inboxes: dict[str, dict[str, Any]] = {}

    @classmethod
    async def read(cls, population: Population) -> "Reloaded":
        reloaded = cls()
        for thread, names in population.threads.items():
            for name in names:
                client = population.people[name].client
                reloaded.threads[name, thread] = await client.rest("GET", f"/v1/threads/{thread}")
                reloaded.messages[name, thread] = await history(client, thread)
        for name, person in population.people.items():
            reloaded.inboxes[name] = await person.client.rest("GET", "/v1/inbox?limit=50")
        return reloaded


async def history(client: Client, thread: str) -> list[Message]:
    messages: list[Message] = []
    place = ""
    while True:
        page = await client.rest("GET", f"/v1/threads/{thread}/messages?limit=100{place}")
        messages = [plain(message) for message in page["messages"]] + messages
        if not page["hasBefore"]:
            return messages
        place = f"&before={messages[0]['messageId']}"


def check_run(
    population: Population,
    reloaded: Reloaded,
    *,
    clock_jumps: bool = False,
    store_fails: bool = False,
) -> Findings:
    """With clock jumps the stored times may be wrong. If the store fails, a send may fail on a node
    that its sender has left, and be stored after later ones when it is repeated."""
    findings = Findings()
    for thread, names in population.threads.items():
        stored = reloaded.messages[names[0], thread]
        for name in names[1:]:
            if reloaded.messages[name, thread] != stored:
                findings.reordered.append(f"{name} and {names[0]} are shown different messages")
        _check_order(findings, stored, by_time=not clock_jumps)
        _check_sendings(findings, population, thread, stored)
        if not store_fails:
            _check_pipelined(findings, population, thread)
        for person in population.members(thread):
            _check_changes(findings, person, stored)
    for name, person in population.people.items():
        for thread in person.threads:
            _check_unread(findings, name, person, thread, reloaded)
        _check_badge(findings, name, reloaded)
        findings.wrong_sync += differences(name, person.client, reloaded)
        findings.wrong_sync += person.client.view.contradictions
        findings.wrong_unread += [*person.client.view.wrong_unread, *person.went_back]
        findings.refused += [*person.refusals, *person.client.bugs]
    return findings


def _check_order(findings: Findings, stored: list[Message], *, by_time: bool) -> None:
    if [message["seq"] for message in stored] != list(range(1, len(stored) + 1)):
        findings.reordered.append(f"seqs are {[message['seq'] for message in stored]}")
    times = [message["createdAt"] for message in stored]
    if by_time and times != sorted(times):
        findings.reordered.append("times go back")
    for message_id, times_there in Counter(one["messageId"] for one in stored).items():
        if times_there > 1:
            findings.doubled.append(f"{message_id} is there {times_there} times")


def _check_sendings(
    findings: Findings, population: Population, thread: str, stored: list[Message]
) -> None:
    by_user = {person.user: person for person in population.members(thread)}
    places: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for message in stored[1:]:  # the first opened the thread
        if message["kind"] == "text" and not is_scheduled(message["body"]):
            name = message["body"].split()[0]
            places[message["authorUserId"], name].append((message["messageId"], message["seq"]))
    for (user, name), found in places.items():
        sent = by_user[user].sendings.get(name)
        if sent is None or sent.thread != thread:
            findings.doubled.append(f"{user} never sent {name}, and it is there at {found}")
        if len(found) > 1:
            findings.doubled.append(f"{name} of {user} is there at {found}")
    for user, person in by_user.items():
        mine = [one for one in person.sendings.values() if one.thread == thread]
        for sending in mine:
            if not sending.acks <= set(places[user, sending.name]):
                findings.lost.append(f"{sending} was acked; found: {places[user, sending.name]}")
        _check_own_order(findings, mine)


def _check_own_order(findings: Findings, sendings: list[Sending]) -> None:
    """Messages sent on one connection into one thread must be stored in that order."""
    last: dict[int, tuple[int, int]] = {}
    certain = [one for one in sendings if one.place is not None]
    for sending in sorted(certain, key=lambda one: one.place or (0, 0)):
        assert sending.place is not None
        connection, number = sending.place
        (_, seq), *_ = sending.acks
        if connection in last and seq < last[connection][1]:
            findings.reordered.append(f"{sending} came before what was sent earlier: {last}")
        last[connection] = number, seq


def _check_pipelined(findings: Findings, population: Population, thread: str) -> None:
    """Messages that a sender repeats in order must be stored in order, over any connections."""
    for person in population.members(thread):
        last = 0
        for sending in person.sendings.values():
            if sending.thread == thread and sending.pipelined and not sending.failed:
                (_, seq), *_ = sending.acks or {("", 0)}
                if 0 < seq < last:
                    findings.reordered.append(f"{sending} came before what was sent earlier")
                last = max(last, seq)


def _check_changes(findings: Findings, person: SimulatedUser, stored: list[Message]) -> None:
    for message in stored:
        message_id, version = message["messageId"], message["version"]
        edits = person.edits.get(message_id)
        if edits is not None:
            if message["body"] not in edits.bodies:
                findings.doubled.append(f"nobody wrote {message}")
            if edits.acked and version < max(edits.acked):
                findings.lost.append(f"an edit to version {max(edits.acked)}: {message}")
            if message["body"] != edits.acked.get(version, message["body"]):
                findings.lost.append(f"the edit {edits.acked[version]!r}: {message}")
        there = any(person.user in users for users in message["reactions"].values())
        if there != (person.reactions.get(message_id, False) or False) and (
            person.reactions.get(message_id, False) is not None
        ):
            findings.lost.append(f"{person.user} reacted: {not there}; {message}")


def _check_unread(
    findings: Findings, name: str, person: SimulatedUser, thread: str, reloaded: Reloaded
) -> None:
    """Unread is the last seq minus the read position, which moves by reading and by sending."""
    stored = reloaded.messages[name, thread]
    sent = [one["seq"] for one in stored if one["authorUserId"] == person.user]
    read, last = max(person.read_acked[thread], *sent, 0), len(stored)
    rows = [row for row in reloaded.inboxes[name]["threads"] if row["threadId"] == thread]
    for shown in (reloaded.threads[name, thread], *rows):
        mine = shown["mine"]
        if (shown["lastSeq"], mine["lastReadSeq"], mine["unread"]) != (last, read, last - read):
            findings.wrong_unread.append(f"{name} has read {read} of {last} and sees {mine}")
    if len(rows) != 1:
        findings.wrong_unread.append(f"{thread} is {len(rows)} times in the inbox of {name}")
    for (_, seen_in), shown in reloaded.threads.items():
        for one in shown["participants"] if seen_in == thread else ():
            if one["userId"] == person.user and one["lastReadSeq"] != read:
                findings.wrong_unread.append(f"{name} has read {read} and others see {one}")


def _check_badge(findings: Findings, name: str, reloaded: Reloaded) -> None:
    inbox = reloaded.inboxes[name]
    unread = sum(row["mine"]["unread"] for row in inbox["threads"])
    if inbox["counts"]["badge"] != unread:
        findings.wrong_unread.append(f"the badge of {name} is {inbox['counts']}, not {unread}")


def differences(name: str, client: Client, reloaded: Reloaded) -> list[str]:
    """Differences between a client's state and what a reload shows."""
    found = []
    for (whose, thread), shown in reloaded.threads.items():
        if whose != name:
            continue
        seen = client.view.threads[thread]
        stored = {message["seq"]: message for message in reloaded.messages[name, thread]}
        for seq in sorted(stored.keys() | seen.messages.keys()):
            is_there, told = stored.get(seq), seen.messages.get(seq)
            if is_there != told:
                found.append(f"{name} was told {told} where there is {is_there}")
        receipts = {
            one["userId"]: (one["lastReadSeq"], one["lastDeliveredSeq"])
            for one in shown["participants"]
        }
        if seen.receipts() != receipts:
            found.append(f"{name} was told of receipts {seen.receipts()}, they are {receipts}")
    return found
