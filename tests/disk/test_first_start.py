"""A power cut during the first start: the next start succeeds, with a complete secret."""

import random
import sqlite3
from pathlib import Path

import pytest

from greenroom.store.sqlite import schema
from tests.disk.machine import Machine, machine
from tests.disk.media import Kept

POINTS = 8
"""The number of moments of writes and syncs to test; `make torture` tests more."""


def steps_of_a_start(folder: Path) -> int:
    folder.mkdir()
    with machine(folder) as computer:
        assert computer.start() is not None, computer.said()
        return computer.disk.steps


def check_comes_up(computer: Machine) -> bytes:
    assert computer.start() is not None, computer.said()
    secret = (computer.data / "secret").read_bytes()
    assert len(secret.strip()) >= 32
    computer.end()
    with sqlite3.connect(computer.data / "greenroom.db") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    file.close()
    assert [path.name for path in computer.data.iterdir() if path.name.startswith(".")] == []
    return secret


def check_cut(folder: Path, step: int, kept: Kept) -> None:
    folder.mkdir()
    with machine(folder) as computer:
        computer.disk.cut_after(step, kept, f"{step} {kept}")
        address = computer.start()
        served = computer.read("secret") if address else b""
        computer.cut(kept, f"{step} {kept}")
        secret = check_comes_up(computer)
        if served:
            assert secret == served, "tokens given out before still work"


@pytest.mark.timeout(300)
def test_the_next_start_succeeds_wherever_the_first_was_cut(a_disk: None, tmp_path: Path) -> None:
    steps = steps_of_a_start(tmp_path / "whole")
    assert steps > POINTS
    chance = random.Random("first start")
    for number in range(POINTS):
        step = chance.randrange(steps * number // POINTS, steps * (number + 1) // POINTS)
        check_cut(tmp_path / f"{number}", step, [*Kept][number % len(Kept)])


def test_files_of_a_running_server_survive(computer: Machine) -> None:
    assert computer.start() is not None, computer.said()
    before = (computer.data / "secret").read_bytes()
    computer.cut(Kept.NOTHING, "as soon as it was up")
    assert check_comes_up(computer) == before


def test_nobody_waits_for_a_file_of_a_frozen_disk(computer: Machine) -> None:
    assert computer.start() is not None, computer.said()
    computer.disk.cut(Kept.NOTHING, "while it is read")
    assert computer.read("secret") == b""
    computer.cut(Kept.NOTHING, "")
    assert computer.start() is not None, computer.said()
