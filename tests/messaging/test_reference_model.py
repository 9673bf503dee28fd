"""Random users do random things, and everybody sees what the reference model says.

`make soak-messaging` runs until it is stopped.
"""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.messaging.model_runner import SCENES, ModelRunner, Step
from tests.messaging.world import MessagingWorld, world_on
from tests.stores import SQLITE, kept_open
from tests.world import UNLIMITED

_SETTINGS = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


SAFE_MODE: list[Step] = [
    *(("accept", 3, 0, 0), ("announce", 3, 1, 1), ("band", 1, 0, 0)),
    *(("view", 1, 0, 1), ("view", 1, 0, 0), ("band", 2, 0, 0), ("view", 1, 0, 1)),
]
"""A picture gets a band, and its thread requires safe mode of a viewer who prefers to see it. So
much comes together in few random scenes."""
STRANGER: list[Step] = [
    *(("add", 3, 2, 8), ("accept", 4, 0, 0), ("accept", 2, 0, 0), ("accept", 1, 0, 0)),
    *(("look", 0, 0, 0), ("look", 0, 0, 0), ("announce", 3, 1, 1), ("send", 4, 2, 2)),
]
"""A member sees an unrated picture of another whom they do not know, and then writes."""


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(scope="module")
def sqlite(
    runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MessagingWorld]:
    url = f"{SQLITE}{tmp_path_factory.mktemp('truth')}/world.db"
    with kept_open(runner, world_on(url, UNLIMITED)) as world:
        yield world


@pytest.fixture(scope="module")
def dynamodb(runner: asyncio.Runner, dynamodb_url: str) -> Iterator[MessagingWorld]:
    with kept_open(runner, world_on(dynamodb_url, UNLIMITED)) as world:
        yield world


async def _play(world: MessagingWorld, scene: list[Step], every: int = 1) -> None:
    play = await ModelRunner.begin(world, world.another_node())
    play.every = every
    await play.run(scene)


@pytest.mark.timeout(1200)
@_SETTINGS
@given(scene=SCENES)
@example(scene=SAFE_MODE)
@example(scene=STRANGER)
def test_everybody_sees_what_the_reference_model_says(
    runner: asyncio.Runner, sqlite: MessagingWorld, scene: list[Step]
) -> None:
    runner.run(_play(sqlite, scene))


@pytest.mark.timeout(1200)
@settings(_SETTINGS, max_examples=5)
@given(scene=SCENES)
def test_everybody_sees_the_same_on_dynamodb(
    runner: asyncio.Runner, dynamodb: MessagingWorld, scene: list[Step]
) -> None:
    runner.run(_play(dynamodb, scene, every=12))
