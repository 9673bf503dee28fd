"""Both engines give the same results for random sequences of calls.

`make soak` runs it for as long as you like; docs/reliability.md lists its findings.
"""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.contracts.lockstep import Disagreement, Pair
from tests.contracts.sequences import Step, as_python, sequences
from tests.contracts.shrink import shrink
from tests.stores import kept_open


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(scope="module")
def pair(
    runner: asyncio.Runner, dynamodb_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    with kept_open(runner, Pair.opened(tmp_path_factory.mktemp("pair"), dynamodb_url)) as opened:
        yield opened


@pytest.mark.timeout(1200)
@settings(
    max_examples=200,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(sequence=sequences)
def test_both_engines_agree_on_random_sequences(
    runner: asyncio.Runner, pair: Pair, sequence: list[Step]
) -> None:
    def disagree(shorter: list[Step]) -> bool:
        try:
            runner.run(pair.run(shorter))
        except Disagreement:
            return True
        return False

    try:
        runner.run(pair.run(sequence))
    except Disagreement as found:
        pytest.fail(f"{found}\n{as_python(shrink(sequence, disagree))}", pytrace=False)
