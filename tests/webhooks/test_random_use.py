"""Random use of messaging: the log equals a list of what was done, kept by the test itself."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from greenroom.background.compare import compare
from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import (
    Messaging,
    delete,
    edit,
    lock,
    open as opening,
    participants,
    react,
    rename,
    respond,
    set_status,
)
from greenroom.messaging.models import Kind, Message, Status
from greenroom.messaging.problems import MessageNotFound
from greenroom.people.actor import SYSTEM, Actor, Scope
from greenroom.webhooks import Webhooks
from greenroom.webhooks.context import DAY_MS
from greenroom.webhooks.event_log import EventLog
from greenroom.webhooks.models import PublicEvent
from tests.messaging.model_runner import SCENES, ModelRunner, Step
from tests.messaging.world import MessagingWorld, world_on
from tests.stores import SQLITE
from tests.webhooks.fixtures import SOURCE, differences, events, follow
from tests.world import UNLIMITED

NAMES = ("ana", "ben", "cleo", "dan", "eve")
STATUSES = (Status.OPEN, Status.PENDING_DECISION, Status.ARCHIVED)
SERVICE = Actor(SYSTEM, frozenset({Scope.SERVICE}))


@dataclass
class Driver:
    """Does something at random, on one of two nodes, and notes which events it expects."""

    world: MessagingWorld
    nodes: list[Messaging]
    chance: random.Random
    expected: defaultdict[str, list[tuple[object, ...]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    messages: defaultdict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    seqs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    threads: list[ThreadId] = field(default_factory=list)

    @property
    def node(self) -> Messaging:
        return self.chance.choice(self.nodes)

    def note(self, thread: ThreadId, kind: str, actor: UserId, *values: object) -> None:
        self.expected[thread].append((kind, actor, *values))

    def note_system(self, thread: ThreadId, kind: str, actor: UserId, *values: object) -> None:
        self.seqs[thread] += 1
        self.note(thread, "message.created", actor, self.seqs[thread], kind)
        self.note(thread, kind, actor, *values)

    async def step(self) -> None:
        thread = self.chance.choice(self.threads)
        actor = self.world.actors[self.chance.choice(NAMES)]
        verbs = [self.send] * 5 + [
            *(self.edit, self.delete, self.react, self.add, self.remove, self.leave),
            *(self.rename, self.lock, self.answer, self.status, self.open),
        ]
        try:
            await self.chance.choice(verbs)(thread, actor)
        except Problem:
            return  # refused: nothing happened

    async def open(self, _: ThreadId, actor: Actor) -> None:
        others = [self.world.actors[name] for name in NAMES if self.world.actors[name] != actor]
        invited = tuple(opening.Invited(other.user) for other in others[:2])
        group = opening.Opening(kind=Kind.GROUP, others=invited)
        head = await opening.open_thread(self.node, actor, group)
        if head.id in self.threads:
            return
        self.threads.append(head.id)
        self.note(head.id, "thread.created", actor.user, "group")
        for target, gate in head.gates.items():
            self.note(head.id, "request.created", actor.user, gate.id, target)

    async def send(self, thread: ThreadId, actor: Actor) -> None:
        name = next(name for name in NAMES if self.world.actors[name] == actor)
        message = await self.world.say(name, thread, "hello")
        self.messages[thread].append(message)
        self.seqs[thread] += 1
        self.note(thread, "message.created", actor.user, message.seq)
        assert message.seq == self.seqs[thread]

    def one_of(self, thread: ThreadId) -> Message:
        if not self.messages[thread]:
            raise MessageNotFound
        return self.chance.choice(self.messages[thread])

    async def edit(self, thread: ThreadId, actor: Actor) -> None:
        message = self.one_of(thread)
        body = f"better {self.chance.random()}"
        await edit.edit(self.node, actor, thread, message.id, body)
        self.note(thread, "message.edited", actor.user, message.seq, "text")

    async def delete(self, thread: ThreadId, actor: Actor) -> None:
        message = self.one_of(thread)
        if message.deleted_ms is None:
            await delete.delete(self.node, actor, thread, message.id)
            self.messages[thread].remove(message)
            self.note(thread, "message.deleted", actor.user, message.seq)

    async def react(self, thread: ThreadId, actor: Actor) -> None:
        message, emoji = self.one_of(thread), self.chance.choice("👍🎉")
        change = self.chance.choice((react.react, react.remove_reaction))
        after = await change(self.node, actor, thread, message.id, emoji)
        known = self.messages[thread]
        before = known[known.index(message)]
        if after.reactions != before.reactions:
            added = change is react.react
            self.note(thread, "reaction.changed", actor.user, message.seq, emoji, added)
        known[known.index(message)] = after

    async def add(self, thread: ThreadId, actor: Actor) -> None:
        user = self.world.actors[self.chance.choice(NAMES)].user
        invited = opening.Invited(user)
        added = await participants.find_or_add(self.node, actor, thread, invited)
        if added.created:
            self.note_system(thread, "participant.added", actor.user, user)
            if (gate := added.thread.gates.get(user)) is not None:
                self.note(thread, "request.created", actor.user, gate.id, user)

    async def remove(self, thread: ThreadId, actor: Actor) -> None:
        user = self.world.actors[self.chance.choice(NAMES)].user
        if user != actor.user:
            gate = await self.gate(thread, user)
            await participants.remove(self.node, actor, thread, user)
            self.note_system(thread, "participant.removed", actor.user, user)
            if gate is not None and gate.status.value == "pending":
                self.note(thread, "request.withdrawn", actor.user, gate.id, user)

    async def leave(self, thread: ThreadId, actor: Actor) -> None:
        gate = await self.gate(thread, actor.user)
        await participants.leave(self.node, actor, thread)
        if gate is not None:
            self.note(thread, "request.declined", actor.user, gate.id, actor.user)
        else:
            self.note_system(thread, "participant.left", actor.user, actor.user)

    async def gate(self, thread: ThreadId, user: UserId) -> Any:
        head = await self.node.thread_cache.read(thread)
        assert head is not None
        return head.gates.get(user)

    async def rename(self, thread: ThreadId, actor: Actor) -> None:
        name = f"About {self.chance.randrange(4)}"
        before = await self.node.thread_cache.read(thread)
        await rename.rename(self.node, actor, thread, name)
        if before is not None and before.subject != name:
            self.note_system(thread, "subject.changed", actor.user)

    async def lock(self, thread: ThreadId, _: Actor) -> None:
        moderator = self.world.actors["mod"]
        before = await self.node.thread_cache.read(thread)
        assert before is not None
        is_locked = before.status is Status.LOCKED
        await (lock.unlock if is_locked else lock.lock)(self.node, moderator, thread)
        self.note_system(
            thread, "thread.unlocked" if is_locked else "thread.locked", moderator.user
        )

    async def answer(self, thread: ThreadId, actor: Actor) -> None:
        gate = await self.gate(thread, actor.user)
        if gate is None or gate.status.value != "pending":
            return
        if self.chance.random() < 0.7:
            await respond.accept(self.node, actor, gate.id)
            self.note(thread, "request.accepted", actor.user, gate.id, actor.user)
        else:
            await respond.decline(self.node, actor, gate.id)
            self.note(thread, "request.declined", actor.user, gate.id, actor.user)

    async def status(self, thread: ThreadId, _: Actor) -> None:
        before = await self.node.thread_cache.read(thread)
        assert before is not None
        was, now = before.locked_from or before.status, self.chance.choice(STATUSES)
        change = set_status.ThreadChange(status=now)
        await set_status.set_status(self.node, SERVICE, thread, change)
        if was is not now:
            self.note_system(thread, "status.changed", SYSTEM, was.value, now.value)


def short(event: PublicEvent) -> tuple[object, ...]:
    """As the driver notes it: without the message's id and the expiry."""
    left_out = ("messageId", "expiresAtMs")
    values = [value for name, value in event.data.items() if name not in left_out]
    plain = [value[0] if isinstance(value, list) else value for value in values]
    return (event.kind, event.actor, *plain)


@pytest.mark.parametrize("seed", range(4))
async def test_the_log_equals_what_was_done(world: MessagingWorld, seed: int) -> None:
    for name in NAMES:
        await world.person(name)
    await world.person("mod", Scope.MODERATOR)
    nodes = [world.messaging, world.another_node().messaging]
    driver = Driver(world, nodes, random.Random(seed))
    await driver.open(ThreadId(""), world.actors["ana"])
    for turn in range(150):
        world.clock.advance(ms=driver.chance.choice((0, 3, 900_000)))
        await driver.step()
        if turn % 40 == 0:
            await follow(world)
    await follow(world)
    found: defaultdict[str, list[tuple[object, ...]]] = defaultdict(list)
    for event in await events(world):
        found[event.subject].append(short(event))
    assert found == driver.expected
    assert len({kind for rows in found.values() for kind, *_ in rows}) > 10
    assert await differences(world) == []


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(scene=SCENES)
def test_nothing_is_missing_or_doubled_whatever_people_do(
    tmp_path_factory: pytest.TempPathFactory, scene: list[Step]
) -> None:
    asyncio.run(_play(tmp_path_factory.mktemp("events"), scene))


async def _play(folder: Path, scene: list[Step]) -> None:
    async with world_on(f"{SQLITE}{folder}/world.db", UNLIMITED) as world:
        play = await ModelRunner.begin(world, world.another_node())
        play.every = 1000
        await play.run(scene)
        await follow(world)
        webhooks = Webhooks(world.store, world.clock, kept_ms=10_000 * DAY_MS)
        compared = await compare(world.store, EventLog(webhooks, SOURCE).follower())
        assert compared.lines == []
        found = await events(world)
        assert len({event.id for event in found}) == len(found)
        seqs: defaultdict[str, list[object]] = defaultdict(list)
        for event in found:
            if event.kind == "message.created":
                seqs[event.subject].append(event.data["seq"])
        assert all(given == list(range(1, len(given) + 1)) for given in seqs.values())
