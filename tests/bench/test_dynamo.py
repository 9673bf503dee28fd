"""The parts of the DynamoDB benchmark: its order, its report, and the other checkout."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.chat_load import Delivery
from bench.dynamo import MeasuredNode, _measured, in_turns
from bench.dynamo_report import Case, Measured, show
from bench.other_commit import NoSuchCommit, checkout
from bench.peers.greenroom import Greenroom
from bench.standin.process import StandInProcess
from bench.standin.server import Counters


def _seen(per_s: float, cpu: float) -> Delivery:
    return Delivery(per_s=per_s, p50=1, p99=2, cpu_per_1000=cpu, resident_mb=20, others_cpu=0.0)


def test_the_stand_ins_counts_are_given_per_message() -> None:
    before = Counters({"GetItem": 5}, 1000, 10, 10)
    after = Counters({"GetItem": 15, "TransactWriteItems": 10}, 41_000, 30, 15)
    measured = _measured(_seen(1, 1), before, after)
    assert (measured.calls, measured.bytes, measured.per_transaction) == (1, 2000, 4)


def test_the_last_line_has_the_figures_of_the_case_that_they_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = {
        Case("sqlite", None, 1): [Measured(_seen(2000, 300))],
        Case("dynamodb", 0.0, 1): [Measured(_seen(1000, cpu)) for cpu in (400, 500, 900)],
        Case("dynamodb", 8.0, 1): [Measured(_seen(900, 600))],
        Case("dynamodb", 8.0, 16): [Measured(_seen(4000, 200), 0.2, 900, per_transaction=7)],
        Case("dynamodb before", 8.0, 16): [Measured(_seen(800, 700), 1, 3000, per_transaction=1)],
    }
    show(runs, {"pairs": 10})
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (line["messages_per_s_8ms"], line["messages_per_transaction"]) == (4000, 7)
    assert (line["cpu_ms_per_1000_alone"], line["cpu_ms_per_1000_alone_8ms"]) == (500, 600)
    assert line["sqlite_cpu_ms_per_1000_alone"] == 300
    assert line["cases"]["dynamodb before, 8 ms, 16 in flight"]["messages_per_s"] == 800
    assert line["pairs"] == 10


def test_stores_and_commits_take_turns_in_going_first(tmp_path: Path) -> None:
    peer, standin = Greenroom(tmp_path), StandInProcess()
    nodes = [MeasuredNode(peer, [], on, note) for on in (None, standin) for note in ("", " before")]
    rounds = [[case for case, _ in in_turns(nodes, number, (0, 8), 16)] for number in (0, 1)]
    assert sorted(map(str, rounds[0])) == sorted(map(str, rounds[1]))
    alone = [
        [one.shown for one in cases if one.in_flight == 1 and not one.delay] for cases in rounds
    ]
    assert alone[0] == alone[1][::-1]
    assert len(alone[0]) == 4


async def test_another_checkout_is_what_is_measured(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "bench" / "peers").mkdir(parents=True)
    for folder in (tree / "bench", tree / "bench" / "peers"):
        (folder / "__init__.py").touch()
    server = tree / "bench" / "peers" / "greenroom_server.py"
    server.write_text("import time\nprint('http://the-other-tree', flush=True)\ntime.sleep(60)\n")
    peer = Greenroom(tmp_path, tree=tree)
    await peer.start()
    await peer.stop()
    assert peer.url == "http://the-other-tree"


def test_what_was_not_measured_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    show({Case("sqlite", None, 1): [Measured(_seen(2000, 300))]}, {})
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["messages_per_s_8ms"] is line["cpu_ms_per_1000_alone"] is None


def test_a_commit_is_checked_out_and_removed_afterwards(tmp_path: Path) -> None:
    for name in ("greenroom", "bench"):
        (tmp_path / name).mkdir()
    (tmp_path / "bench" / "file").write_text("same")
    _git(tmp_path, "init", "-q")
    for text in ("old", "new"):
        (tmp_path / "greenroom" / "file").write_text(text)
        _git(tmp_path, "add", ".")
        _git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", text)
    with checkout("HEAD~1", tmp_path) as folder:
        assert (folder / "greenroom" / "file").read_text() == "old"
        assert (folder / "bench" / "file").read_text() == "same"
    assert not folder.exists()
    with pytest.raises(NoSuchCommit), checkout("no-such-commit", tmp_path):
        raise AssertionError("there is no such commit")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
