"""Rates pictures with the real model, in its process."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.files.models import BLUR, HIDE, SHOW
from greenroom.files.policy import SafeModeRules
from greenroom.files.rater import LABELS, PIXEL_BYTES, RaterUnavailable
from greenroom.files.rules import band_of
from greenroom.files.vision.client import ModelRater
from tests.files.rated_pictures import RATINGS, pixels


@pytest.fixture
async def rater(vision_model: Path) -> AsyncIterator[ModelRater]:
    rater = ModelRater(vision_model)
    yield rater
    await rater.close()


def pid_of(rater: ModelRater) -> int:
    assert rater._process is not None
    return rater._process.pid


@pytest.mark.parametrize("seed", RATINGS)
async def test_the_model_says_what_nsfwjs_says(rater: ModelRater, seed: int) -> None:
    labels = await rater.rate(pixels(seed))
    assert tuple(labels) == LABELS
    assert labels == pytest.approx(RATINGS[seed], abs=0.002)
    assert sum(labels.values()) == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize(("seed", "band"), [(1972, SHOW), (1872, BLUR), (2080, HIDE), (2378, HIDE)])
async def test_pictures_have_bands(rater: ModelRater, seed: int, band: int) -> None:
    assert band_of(await rater.rate(pixels(seed)), SafeModeRules()) == band


async def test_many_pictures_at_once_get_their_own_labels(rater: ModelRater) -> None:
    seeds = list(RATINGS) * 5
    rated = await asyncio.gather(*(rater.rate(pixels(seed)) for seed in seeds))
    for seed, labels in zip(seeds, rated, strict=True):
        assert labels == pytest.approx(RATINGS[seed], abs=0.002)
    assert sum(rater.seconds.counts) == len(seeds)


async def test_other_sizes_are_not_rated(rater: ModelRater) -> None:
    for size in (0, PIXEL_BYTES - 1, PIXEL_BYTES + 1):
        with pytest.raises(ValueError, match="150528"):
            await rater.rate(bytes(size))


async def test_a_rater_that_was_killed_starts_again(rater: ModelRater) -> None:
    before = await rater.rate(pixels(1972))
    first = pid_of(rater)
    os.kill(first, signal.SIGKILL)
    await asyncio.sleep(0.2)
    assert await rater.rate(pixels(1972)) == before
    assert pid_of(rater) != first


async def test_a_rater_that_is_killed_while_it_rates_is_unavailable_for_that_picture(
    rater: ModelRater,
) -> None:
    await rater.rate(pixels(1972))
    os.kill(pid_of(rater), signal.SIGSTOP)
    rating = asyncio.create_task(rater.rate(pixels(2080)))
    await asyncio.sleep(0.2)
    os.kill(pid_of(rater), signal.SIGKILL)
    with pytest.raises(RaterUnavailable):
        await rating
    assert (await rater.rate(pixels(2080)))["porn"] > 0.9


async def test_a_rater_that_hangs_is_ended(vision_model: Path) -> None:
    rater = ModelRater(vision_model)
    await rater.rate(pixels(1972))
    rater._seconds = 0.5
    os.kill(hanging := pid_of(rater), signal.SIGSTOP)
    with pytest.raises(RaterUnavailable):
        await rater.rate(pixels(1972))
    assert has_ended(hanging)


async def test_a_canceled_picture_does_not_disturb_the_next(rater: ModelRater) -> None:
    await rater.rate(pixels(1972))
    os.kill(pid_of(rater), signal.SIGSTOP)
    rating = asyncio.create_task(rater.rate(pixels(2378)))
    await asyncio.sleep(0.2)
    rating.cancel()
    await asyncio.gather(rating, return_exceptions=True)
    assert (await rater.rate(pixels(1972)))["neutral"] > 0.9


async def test_a_broken_model_makes_the_rater_unavailable(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    rater = ModelRater(tmp_path / "broken.onnx")
    for _ in range(2):
        with pytest.raises(RaterUnavailable):
            await rater.rate(bytes(PIXEL_BYTES))
    assert rater.failures == 2
    await rater.close()


async def test_the_process_is_ended_when_the_rater_is_closed(vision_model: Path) -> None:
    rater = ModelRater(vision_model)
    await rater.close()
    await rater.rate(pixels(1972))
    pid = pid_of(rater)
    await rater.close()
    assert has_ended(pid)


_RATE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from greenroom.files.vision.client import ModelRater

async def main():
    rater = ModelRater(Path(sys.argv[1]))
    await rater.rate(bytes(224 * 224 * 3))
    print(rater._process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_the_process_ends_with_a_server_that_is_killed(vision_model: Path) -> None:
    command = (sys.executable, "-c", _RATE_AND_DIE, str(vision_model))
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGKILL
    for _ in range(50):
        if has_ended(int(done.stdout)):
            return
        await asyncio.sleep(0.1)
    pytest.fail("the rater process has not ended")


async def test_the_process_has_one_thread_and_no_secrets(rater: ModelRater) -> None:
    os.environ["GREENROOM_SECRET"] = "x" * 40
    try:
        await rater.rate(pixels(1972))
    finally:
        del os.environ["GREENROOM_SECRET"]
    environment = of_process(pid_of(rater), "environ")
    assert "PYTHONPATH" in environment
    assert "GREENROOM_SECRET" not in environment
    status = of_process(pid_of(rater), "status")
    assert int(status.partition("Threads:")[2].split()[0]) <= 2


def of_process(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


def has_ended(pid: int) -> bool:
    try:
        state = of_process(pid, "stat").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"
