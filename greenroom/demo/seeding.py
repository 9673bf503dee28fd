"""Writes the sample people into the store, and lets each context write its samples about them.

Everything is written once; existing data is left as it is.
Careful: never seed with contexts that serve requests. Their clock is the real one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, TypeVar

from msgspec import Struct

from greenroom.clock import Clock, ManualClock
from greenroom.demo.sample_people import SAMPLE_PEOPLE, SamplePerson
from greenroom.people import People, directory, join
from greenroom.people.actor import Actor, Scope, StaffRole, system
from greenroom.people.models import Person
from greenroom.safety import Safety
from greenroom.safety.grant import grant

T = TypeVar("T")


class ContextsByClass(Protocol):
    def __getitem__(self, kind: type[T]) -> T: ...


ContextsAt = Callable[[Clock], ContextsByClass]
"""Makes the contexts on the demo's store, with the given clock."""


class Seeding(Struct, frozen=True):
    """What a context writes its samples with."""

    contexts_at: ContextsAt
    actors: Mapping[str, Actor]
    """The sample people, by username."""
    now_ms: int


class JoinedSample(Struct, frozen=True):
    """A sample person and their account."""

    person: Person
    sample: SamplePerson


async def seed(
    contexts_at: ContextsAt, now_ms: int, modules: Sequence[str]
) -> tuple[JoinedSample, ...]:
    """Writes the people, and then the samples of each context's module."""
    clock = ManualClock(now_ms)
    contexts = contexts_at(clock)
    joined_samples = await join_sample_people(contexts[People], clock)
    await grant_staff_roles(contexts[Safety], joined_samples)
    actors = {one.sample.username: Actor(one.person.id) for one in joined_samples}
    for module in modules:
        await import_module(module).seed_samples(Seeding(contexts_at, actors, now_ms))
    return joined_samples


async def grant_staff_roles(safety: Safety, joined_samples: Iterable[JoinedSample]) -> None:
    for one in joined_samples:
        for role in StaffRole:
            if Scope(role.value) in one.sample.scopes:
                await grant(safety, system(), one.person.id, role, "sample data")


async def join_sample_people(
    people: People, clock: ManualClock | None = None
) -> tuple[JoinedSample, ...]:
    """The accounts of all sample people; creates missing ones. With a clock they join
    `joined_days_ago`."""
    joined_samples = []
    for sample in SAMPLE_PEOPLE:
        found = await directory.by_username(people, sample.username)
        joined_samples.append(JoinedSample(found or await _join(people, sample, clock), sample))
    return tuple(joined_samples)


async def _join(people: People, sample: SamplePerson, clock: ManualClock | None) -> Person:
    back = 0 if clock is None else sample.joined_days_ago
    if clock is not None:
        clock.advance(days=-back)
    try:
        return await join.join(
            people, sample.username, first_name=sample.first_name, last_name=sample.last_name
        )
    finally:
        if clock is not None:
            clock.advance(days=back)
