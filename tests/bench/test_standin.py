"""The stand-in for DynamoDB answers as SQLite does, and counts its calls."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bench.standin.process import StandInProcess
from greenroom.clock import ManualClock
from greenroom.store.base import Put, Store
from greenroom.store.dynamo import DynamoStore
from greenroom.store.problems import InvalidItem, ItemTooLarge
from greenroom.store.sqlite import SqliteStore
from tests.contracts.lockstep import Outcome, compare, outcome
from tests.contracts.sequences import Advance, Again, Step, Write, sequences, with_namespace
from tests.contracts.tables import NOTES, TABLES, VISITS, at, note
from tests.stores import IN_2100_MS, SECRET, kept_open


class Twins:
    """SQLite and the stand-in with the same tables."""

    def __init__(self, sqlite: Store, dynamo: Store, clock: ManualClock) -> None:
        self._sqlite = sqlite
        self._dynamo = dynamo
        self._clock = clock
        self._runs = 0

    async def run(self, sequence: list[Step]) -> int:
        """How many calls were compared."""
        self._runs += 1
        self._clock.advance(ms=IN_2100_MS - self._clock.now_ms())
        compared, with_token = 0, list[Write]()
        for template in sequence:
            step = with_namespace(template, f"{self._runs:06}/")
            if isinstance(step, Advance):
                self._clock.advance(seconds=step.seconds)
                continue
            if isinstance(step, Again):
                if len(with_token) <= step.back:
                    continue
                step = with_token[-1 - step.back]
            elif isinstance(step, Write) and step.token is not None:
                with_token.append(step)
            compared += await self._compare(step, template)
        return compared

    async def _compare(self, step: Step, template: Step) -> bool:
        one = await outcome(self._sqlite, step)
        if isinstance(one.refusal, InvalidItem | ItemTooLarge):
            return False  # the stand-in has no limits
        other = await outcome(self._dynamo, step)
        compare(repr(template), step, _without_units(one), _without_units(other))
        return True


def _without_units(found: Outcome) -> Outcome:
    return Outcome(found.answer, found.refusal, {})


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Twins]:
    clock = ManualClock(IN_2100_MS)
    async with (
        StandInProcess() as standin,
        await SqliteStore.open(
            folder / "twin.db", TABLES, clock=clock, cursor_secret=SECRET, sweep_seconds=1e6
        ) as sqlite,
        await DynamoStore.open(
            standin.url("t-"), TABLES, clock=clock, cursor_secret=SECRET, create=True
        ) as dynamo,
    ):
        yield Twins(sqlite, dynamo, clock)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(scope="module")
def twins(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    with kept_open(runner, opened(tmp_path_factory.mktemp("twins"))) as both:
        yield both


@pytest.mark.timeout(300)
@settings(
    max_examples=60,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(sequence=sequences)
def test_the_stand_in_answers_as_sqlite_does(
    runner: asyncio.Runner, twins: Twins, sequence: list[Step]
) -> None:
    runner.run(twins.run(sequence))


@pytest.fixture
async def standin() -> AsyncIterator[StandInProcess]:
    async with StandInProcess() as started:
        yield started


@pytest.fixture
async def store(standin: StandInProcess) -> AsyncIterator[DynamoStore]:
    clock = ManualClock(IN_2100_MS)
    async with await DynamoStore.open(
        standin.url(), TABLES, clock=clock, cursor_secret=SECRET, create=True
    ) as opened:
        yield opened


async def test_messages_are_counted_by_transaction(
    standin: StandInProcess, store: DynamoStore
) -> None:
    before = await standin.counters()
    await store.write(Put(NOTES, note(sk="MSG#1")), Put(NOTES, note(sk="MSG#2")))
    await store.write(Put(NOTES, note(sk="MSG#3")), Put(VISITS, note()))
    await store.write(Put(NOTES, note(sk="PART#1")), Put(VISITS, note(sk="t")))
    await store.get(NOTES, at())
    after = await standin.counters()
    assert after.calls["TransactWriteItems"] == 3
    assert after.calls["GetItem"] == 1
    assert (after.frames, after.frame_transactions) == (3, 2)
    assert after.bytes - before.bytes > 2000


async def test_an_answer_waits_for_the_delay(standin: StandInProcess, store: DynamoStore) -> None:
    await standin.delay(40)
    begun = time.perf_counter()
    await store.get(NOTES, at())
    assert time.perf_counter() - begun >= 0.039
    await standin.delay(0)
    assert await store.get(NOTES, at()) is None


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("Scan", "{}"),
        ("PutItem", '{"TableName": "Notes", "Item": {}}'),
        (
            "PutItem",
            '{"TableName": "Notes", "Item": {"pk": {"S": "a"}, "sk": {"S": "b"}},'
            ' "ConditionExpression": "attribute_type(#0, :0)"}',
        ),
    ],
)
async def test_the_stand_in_reports_an_unknown_call(
    standin: StandInProcess, store: DynamoStore, action: str, body: str
) -> None:
    headers = {"X-Amz-Target": f"DynamoDB_20120810.{action}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"http://{standin.place}/", data=body, headers=headers) as answer,
    ):
        assert answer.status == 500
        assert "StandInDoesNotKnow" in await answer.text()
