"""Messaging is true: random people do random things, and everybody sees what the plain model says.

`make soak-messaging` plays on for as long as one likes.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from greenroom.clock import HeldClock
from tests.messaging.play import SCENES, Play, Step
from tests.messaging.world import IN_2100_MS, UNLIMITED, World, contexts, open_store

_SETTINGS = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(scope="module")
def sqlite(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    yield from _world(runner, "sqlite", tmp_path_factory.mktemp("truth"), "")


@pytest.fixture(scope="module")
def dynamodb(
    runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory, dynamodb_url: str
) -> Iterator[World]:
    yield from _world(runner, "dynamodb", tmp_path_factory.mktemp("truth"), dynamodb_url)


def _world(runner: asyncio.Runner, engine: str, folder: Path, url: str) -> Iterator[World]:
    clock = HeldClock(IN_2100_MS)
    store = runner.run(open_store(engine, folder, clock, url))
    yield World(contexts(store, clock, UNLIMITED), clock, rates=UNLIMITED)
    runner.run(store.close())


async def _play(world: World, scene: list[Step], every: int = 1) -> None:
    play = await Play.begin(world, world.another_node())
    play.every = every
    await play.run(scene)


@_SETTINGS
@given(scene=SCENES)
def test_everybody_sees_what_the_plain_model_says(
    runner: asyncio.Runner, sqlite: World, scene: list[Step]
) -> None:
    runner.run(_play(sqlite, scene))


@settings(_SETTINGS, max_examples=5)
@given(scene=SCENES)
def test_everybody_sees_the_same_on_dynamodb(
    runner: asyncio.Runner, dynamodb: World, scene: list[Step]
) -> None:
    runner.run(_play(dynamodb, scene, every=12))
