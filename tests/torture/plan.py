"""What will go wrong, and when: drawn from a seed, so that it can be repeated."""

import random
from enum import Enum

from msgspec import Struct


class Trouble(Enum):
    KILL = "a node is killed once it is up"
    KILL_TWICE = "and killed again while it starts"
    KILL_FROZEN = (
        "it stands still for a while first: what it has asked of the store is done meanwhile"
    )
    PAUSE = "a node stands still for a while"
    BUS_RESTART = "the bus is killed, and comes back after a while"
    BUS_PAUSE = "the bus stands still for a while"
    CLOCK = "the clock is set, forward or back, and set right after a while"
    WEATHER = "the store fails in one way or another for a while"


class Mood(Enum):
    """How the store fails."""

    THROTTLING = "it is asked for too much"
    FAILING = "it answers with errors, some of them after it has done what was asked"
    BREAKING = "connections break, before or after"
    SILENT = "some answers never come"
    LATE = "some requests are done long after whoever asked has given up"
    GONE = "nobody answers at all"


class Step(Struct, frozen=True):
    at: float
    """Seconds from the start."""
    trouble: Trouble
    node: int = 0
    seconds: float = 0
    mood: Mood | None = None
    offset: str = ""
    """Of the clock, as faketime has it."""


_TWICE, _FROZEN = 0.15, 0.25
_LONGEST_PAUSE = 2.0


_OFFSETS = ("+1d", "-1d", "+5m", "-5m", "+90", "-90", "+400d")


def plan(seed: str, *, seconds: float, kills: int, nodes: int, clock: bool = False) -> list[Step]:
    """With one node there is neither a bus nor a store that could fail by itself. The last step is
    a kill, when everything else is over: whatever it cost must come out by itself."""
    chance = random.Random(seed)
    troubles = _kills(chance, kills - 1)
    steps = [
        Step(at, trouble, chance.randrange(nodes), chance.uniform(0.1, 1))
        for at, trouble in zip(_spread(chance, len(troubles), seconds), troubles, strict=True)
    ]
    steps += [
        Step(at, Trouble.PAUSE, chance.randrange(nodes), chance.uniform(0.05, _LONGEST_PAUSE))
        for at in _spread(chance, max(1, kills // 2), seconds)
    ]
    if nodes > 1:
        steps += _troubles_of_many(chance, seconds)
    if clock:
        steps += _wrong_clocks(chance, seconds)
    end = max(step.at + step.seconds for step in steps)
    steps.append(Step(end + 1, Trouble.KILL_FROZEN, chance.randrange(nodes), 0.5))
    return sorted(steps, key=lambda step: step.at)


def _kills(chance: random.Random, kills: int) -> list[Trouble]:
    """So many in all."""
    troubles: list[Trouble] = []
    while kills:
        drawn = chance.random()
        if drawn < _TWICE and kills > 1:
            troubles.append(Trouble.KILL_TWICE)
        else:
            troubles.append(Trouble.KILL_FROZEN if drawn > 1 - _FROZEN else Trouble.KILL)
        kills -= 2 if troubles[-1] is Trouble.KILL_TWICE else 1
    return troubles


def _wrong_clocks(chance: random.Random, seconds: float) -> list[Step]:
    """Now and then while nodes are killed, so that some start with a wrong clock."""
    moments = _spread(chance, max(2, round(seconds / 6)), seconds)
    return [
        Step(at, Trouble.CLOCK, seconds=chance.uniform(1, 5), offset=chance.choice(_OFFSETS))
        for at in moments
    ]


def _troubles_of_many(chance: random.Random, seconds: float) -> list[Step]:
    steps = [
        Step(at, Trouble.BUS_RESTART, seconds=chance.uniform(0, 3))
        for at in _spread(chance, max(1, round(seconds / 12)), seconds)
    ]
    steps += [
        Step(at, Trouble.BUS_PAUSE, seconds=chance.uniform(0.1, _LONGEST_PAUSE))
        for at in _spread(chance, max(1, round(seconds / 20)), seconds)
    ]
    moods = [*Mood] * (round(seconds / 5 / len(Mood)) + 1)
    chance.shuffle(moods)
    some = moods[: max(3, round(seconds / 5))]
    steps += [
        Step(at, Trouble.WEATHER, seconds=chance.uniform(0.5, 4), mood=mood)
        for at, mood in zip(_spread(chance, len(some), seconds), some, strict=True)
    ]
    return steps


def _spread(chance: random.Random, count: int, seconds: float) -> list[float]:
    """One in each of so many equal parts of the time."""
    return [(part + chance.random()) * seconds / count for part in range(count)]
