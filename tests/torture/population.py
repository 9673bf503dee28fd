"""The simulated users of a run: pairs, and a group with some of them.

All threads are set up over REST before the incidents begin.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.torture.client import Client
from tests.torture.fleet import token
from tests.torture.simulated_user import SimulatedUser

_NAMES = ("ana", "ben", "cleo", "dan", "eva", "finn")
_PAIRS = (("ana", "ben"), ("cleo", "dan"), ("eva", "finn"))
_GROUP = ("ana", "cleo", "dan", "eva")
_PACES: dict[tuple[str, ...], tuple[int, float]] = {
    ("ana", "ben"): (6, 0.02),
    ("cleo", "dan"): (4, 0.8),
}
"""How many messages each has in flight, and the seconds between two. The first pair hardly ever
pauses, so a resume always has too much for them; the others are slow enough to get everything.
"""
_USUAL_PACE = (3, 3.0)
_PIPELINING = ("ana", "cleo", "eva")
"""One of each pair: more messages in flight, the same number in all."""
_PIPELINED = 8


@dataclass
class Population:
    people: dict[str, SimulatedUser]
    threads: dict[str, tuple[str, ...]]
    """Members by thread."""

    def members(self, thread: str) -> list[SimulatedUser]:
        return [self.people[name] for name in self.threads[thread]]


async def gather(urls: Callable[[], list[str]], seed: str) -> Population:
    people = {}
    for name in _NAMES:
        chance = random.Random(f"{seed} {name}")
        user = f"usr_{name}"
        client = Client(user, token(user), urls, chance)
        await client.rest("PUT", "/v1/me", username=name)
        people[name] = SimulatedUser(client, chance, name)
    threads: dict[str, tuple[str, ...]] = {}
    for names in (*_PAIRS, _GROUP):
        threads[await _meet([people[name] for name in names])] = names
    return Population(people, threads)


def begin(population: Population) -> None:
    for thread, names in population.threads.items():
        at_once, pause = _PACES.get(names, _USUAL_PACE)
        for name in names:
            if name in _PIPELINING:
                population.people[name].begin_pipelining(thread, at_once=_PIPELINED, pause=pause)
            else:
                population.people[name].begin(thread, at_once=at_once, pause=pause)
    for person in population.people.values():
        person.begin_reading()
        person.begin_scheduling()


async def _meet(people: list[SimulatedUser]) -> str:
    first, *others = people
    opened = await first.client.rest(
        "POST",
        "/v1/threads",
        kind="inquiry",
        participants=[{"userId": other.user, "role": "seller"} for other in others],
        message={"body": "hello, all of you"},
    )
    thread: str = opened["thread"]["threadId"]
    for other in others:
        seen = await other.client.rest("GET", f"/v1/threads/{thread}")
        for request in seen["requests"]:
            if request["requestId"] is not None and request["status"] == "pending":
                path = f"/v1/requests/{request['requestId']}/accept"
                await other.client.rest("POST", path)
    return thread
