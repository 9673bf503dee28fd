"""Draws from a seed what goes wrong and when, so that a run can be repeated."""

import random
from enum import Enum

from msgspec import Struct


class Incident(Enum):
    KILL = "a node is killed once it is up"
    KILL_TWICE = "a node is killed, and again while it starts"
    KILL_FROZEN = (
        "a node is stopped for a while and then killed: its requests to the store finish meanwhile"
    )
    PAUSE = "a node is stopped for a while"
    BUS_RESTART = "the bus is killed, and comes back after a while"
    BUS_PAUSE = "the bus is stopped for a while"
    CLOCK = "the clock is set, forward or back, and set right after a while"
    STORE_FAULTS = "the store fails in one way or another for a while"


class FaultMode(Enum):
    """How the store fails."""

    THROTTLING = "it is asked for too much"
    FAILING = "it answers with errors, some of them after it has done what was asked"
    BREAKING = "connections break, before or after"
    SILENT = "some answers never come"
    LATE = "some requests are carried out long after the caller has given up"
    GONE = "nobody answers at all"


class Step(Struct, frozen=True):
    at: float
    """Seconds from the start."""
    incident: Incident
    node: int = 0
    seconds: float = 0
    fault_mode: FaultMode | None = None
    offset: str = ""
    """Of the clock, in faketime's format."""


_TWICE, _FROZEN = 0.15, 0.25
_LONGEST_PAUSE = 2.0


_OFFSETS = ("+1d", "-1d", "+5m", "-5m", "+90", "-90", "+400d")


def plan(seed: str, *, seconds: float, kills: int, nodes: int, clock: bool = False) -> list[Step]:
    """A single node has no bus, and its store does not fail by itself. The last step is a kill
    after everything else: the system must recover from it without help."""
    chance = random.Random(seed)
    incidents = _kills(chance, kills - 1)
    steps = [
        Step(at, incident, chance.randrange(nodes), chance.uniform(0.1, 1))
        for at, incident in zip(_spread(chance, len(incidents), seconds), incidents, strict=True)
    ]
    steps += [
        Step(at, Incident.PAUSE, chance.randrange(nodes), chance.uniform(0.05, _LONGEST_PAUSE))
        for at in _spread(chance, max(1, kills // 2), seconds)
    ]
    if nodes > 1:
        steps += _cluster_incidents(chance, seconds)
    if clock:
        steps += _wrong_clocks(chance, seconds)
    end = max(step.at + step.seconds for step in steps)
    steps.append(Step(end + 1, Incident.KILL_FROZEN, chance.randrange(nodes), 0.5))
    return sorted(steps, key=lambda step: step.at)


def _kills(chance: random.Random, kills: int) -> list[Incident]:
    incidents: list[Incident] = []
    while kills:
        drawn = chance.random()
        if drawn < _TWICE and kills > 1:
            incidents.append(Incident.KILL_TWICE)
        else:
            incidents.append(Incident.KILL_FROZEN if drawn > 1 - _FROZEN else Incident.KILL)
        kills -= 2 if incidents[-1] is Incident.KILL_TWICE else 1
    return incidents


def _wrong_clocks(chance: random.Random, seconds: float) -> list[Step]:
    """While nodes are killed, so that some start with a wrong clock."""
    moments = _spread(chance, max(2, round(seconds / 6)), seconds)
    return [
        Step(at, Incident.CLOCK, seconds=chance.uniform(1, 5), offset=chance.choice(_OFFSETS))
        for at in moments
    ]


def _cluster_incidents(chance: random.Random, seconds: float) -> list[Step]:
    steps = [
        Step(at, Incident.BUS_RESTART, seconds=chance.uniform(0, 3))
        for at in _spread(chance, max(1, round(seconds / 12)), seconds)
    ]
    steps += [
        Step(at, Incident.BUS_PAUSE, seconds=chance.uniform(0.1, _LONGEST_PAUSE))
        for at in _spread(chance, max(1, round(seconds / 20)), seconds)
    ]
    fault_modes = [*FaultMode] * (round(seconds / 5 / len(FaultMode)) + 1)
    chance.shuffle(fault_modes)
    some = fault_modes[: max(3, round(seconds / 5))]
    steps += [
        Step(at, Incident.STORE_FAULTS, seconds=chance.uniform(0.5, 4), fault_mode=fault_mode)
        for at, fault_mode in zip(_spread(chance, len(some), seconds), some, strict=True)
    ]
    return steps


def _spread(chance: random.Random, count: int, seconds: float) -> list[float]:
    """One moment in each of `count` equal parts of the time."""
    return [(part + chance.random()) * seconds / count for part in range(count)]
