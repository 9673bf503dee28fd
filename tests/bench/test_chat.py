"""The parts of the chat benchmark: its load, what it counts as delivered, and its report."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench import chat_report
from bench.chat import Server, in_turns
from bench.chat_load import (
    Conversation,
    Delivery,
    Stalled,
    fill,
    percentile,
    read,
)
from bench.chat_report import BEFORE, OURS, Round
from bench.chat_texts import plain
from bench.peers import Received
from bench.peers.greenroom import Greenroom
from bench.peers.processes import busy_seconds, cpu_seconds, family, resident_bytes
from bench.peers.stanzas import Stanzas

MESSAGE = b"<message to='b'><stanza-id id='1'/><body>5 0.25 xx</body></message>"
FORWARDED = b"<message><result id='1'><forwarded>" + MESSAGE + b"</forwarded></result></message>"
STREAM = b"".join(
    [
        b"<?xml version='1.0'?>",
        b"<stream:stream xmlns='jabber:client'>",
        b"<stream:features><bind xmlns='x'/></stream:features>",
        b"<presence/>",
        MESSAGE,
        b"\n ",
        FORWARDED,
        b"<iq type='result'><fin/></iq>",
        b"</stream:stream>",
    ]
)
STANZAS = [
    b"<stream:features><bind xmlns='x'/></stream:features>",
    b"<presence/>",
    MESSAGE,
    FORWARDED,
    b"<iq type='result'><fin/></iq>",
    b"</stream:stream>",
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, len(STREAM)])
def test_stanzas_are_found_however_the_bytes_are_split(size: int) -> None:
    scanner = Stanzas()
    pieces = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    assert [stanza for piece in pieces for stanza in scanner.feed(piece)] == STANZAS


def test_a_stanza_is_complete_with_its_last_byte() -> None:
    scanner = Stanzas()
    assert scanner.feed(FORWARDED[:-1]) == []
    assert scanner.feed(b">" + MESSAGE[:20]) == [FORWARDED]


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(n) for n in range(1, 201)]
    assert percentile(values, 50) == 100
    assert percentile(values, 99) == 198
    assert percentile([7.0], 99) == 7


class Echo:
    """A pair without a server: a message arrives in the next turn of the event loop."""

    def __init__(self) -> None:
        self.sent = 0
        self.most = 0
        self.silent = False
        self._under_way = 0
        self._received: Received | None = None

    def listen(self, received: Received) -> None:
        self._received = received

    def send(self, text: str) -> None:
        self.sent += 1
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        if not self.silent:
            asyncio.get_running_loop().call_soon(self._deliver, text)

    def _deliver(self, text: str) -> None:
        assert self._received is not None
        self._under_way -= 1
        self._received(text)

    async def last(self, count: int) -> int:
        await asyncio.sleep(0)
        return min(count, self.sent)


async def test_a_pair_keeps_as_many_in_flight_as_allowed() -> None:
    echo = Echo()
    conversation = Conversation(echo)
    conversation.begin(16)
    await asyncio.sleep(0.01)
    await conversation.end()
    assert echo.most == 16
    assert echo.sent == len(conversation.times) > 16


async def test_a_thread_is_filled_to_the_message() -> None:
    echo = Echo()
    await fill([echo], 60, 16)
    assert (echo.sent, echo.most) == (60, 16)


async def test_reading_a_thread_takes_a_whole_page() -> None:
    long, short = Echo(), Echo()
    await fill([long], 60, 16)
    await fill([short], 40, 16)
    assert await read([long], 0.005) > 0
    with pytest.raises(Stalled, match="newest 50 messages were 40"):
        await read([long, short], 0.005)


async def test_a_message_that_never_arrives_ends_the_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bench.chat_load.STALL_SECONDS", 0.01)
    echo = Echo()
    echo.silent = True
    with pytest.raises(Stalled, match="3 messages did not arrive"):
        await fill([echo], 3, 16)


async def test_a_message_that_arrives_twice_does_not_count() -> None:
    echo = Echo()
    conversation = Conversation(echo)
    conversation.begin(1, at_most=1)
    echo._deliver(plain(1))
    await asyncio.sleep(0.001)
    assert len(conversation.times) == 1
    with pytest.raises(Stalled, match="1 messages arrived that were not under way"):
        await conversation.quiet()


def test_what_a_process_started_counts_as_its_own() -> None:
    command = f"{sys.executable} -c 'input()'; true"
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE) as shell:
        assert {os.getpid(), shell.pid} <= family([os.getpid()])
        assert os.getpid() not in family([shell.pid])
        assert resident_bytes([os.getpid()]) > resident_bytes([shell.pid]) > 0
    assert 0 < cpu_seconds([os.getpid()]) < busy_seconds()


def _delivery(per_s: float, cpu_per_1000: float, p99: float = 1) -> Delivery:
    return Delivery(
        per_s=per_s, p50=1, p99=p99, cpu_per_1000=cpu_per_1000, resident_mb=20, others_cpu=0.0
    )


def _round(per_s: float, p99: float, last50: float) -> Round:
    figures = _delivery(per_s, 5, p99)
    return Round(loaded=figures, alone=figures, last50_per_s=last50)


def test_the_last_line_compares_us_with_the_best_of_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = {
        OURS: [_round(5000, 2, 900), _round(6000, 4, 1000), _round(7000, 3, 1100)],
        "fast": [_round(2000, 12, 50)],
        "slow": [_round(300, 9, 100)],
    }
    chat_report.show(runs, dict.fromkeys(runs, ""), {"pairs": 10})
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["messages_per_s"], figures["vs_best_peer"]) == (6000, 3.0)
    assert (figures["p99_ms"], figures["lowest_peer_p99_ms"]) == (3, 9)
    assert figures["last50_vs_best_peer"] == 10.0


def test_the_mix_is_compared_with_the_plain_sentence_of_the_same_round(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The median of the ratios 0.8, 0.75 and 1.14; that of the medians would be 0.75."""
    rounds = [
        replace(_round(5000, 2, 900), mixed=_delivery(4000, 8)),
        replace(_round(6000, 2, 900), mixed=_delivery(4500, 7)),
        replace(_round(7000, 2, 900), mixed=_delivery(8000, 6)),
    ]
    chat_report.show({OURS: rounds, "slow": [_round(300, 9, 100)]}, {OURS: "", "slow": ""}, {})
    shown = capsys.readouterr().out.splitlines()
    figures = json.loads(shown[-1])
    assert (figures["mix_messages_per_s"], figures["mix_vs_plain"]) == (4500, 0.8)
    assert (figures["cpu_ms_per_1000_mix"], figures["cpu_ms_per_1000"]) == (7, 5)
    beside = [line.split()[:2] for line in shown if line.startswith(("plain ", "mix "))]
    assert beside == [["plain", "6,000"], ["mix", "4,500"]]


def test_another_commit_is_compared_within_each_round(capsys: pytest.CaptureFixture[str]) -> None:
    """The ratios are 0.5, 0.9 and 1.0; that of the medians would be 0.45."""
    runs = {
        OURS: [_round(5000, 2, 900), _round(900, 2, 900), _round(4500, 2, 900)],
        BEFORE: [_round(10000, 1, 900), _round(1000, 2, 900), _round(4500, 2, 900)],
    }
    chat_report.show(runs, dict.fromkeys(runs, ""), {})
    ratios = json.loads(capsys.readouterr().out.splitlines()[-1])["vs_before"]
    assert (ratios["messages_per_s"], ratios["p99_ms"], ratios["last50_per_s"]) == (0.9, 1, 1)


def test_another_commit_is_reported_and_is_no_peer(capsys: pytest.CaptureFixture[str]) -> None:
    before = [replace(_round(9000, 1, 9000), mixed=_delivery(8100, 4))]
    runs = {OURS: [_round(6000, 4, 1000)], BEFORE: before, "slow": [_round(300, 9, 100)]}
    chat_report.show(runs, dict.fromkeys(runs, ""), {"before_commit": "HEAD~1"})
    shown = capsys.readouterr().out.splitlines()
    figures = json.loads(shown[-1])
    assert (figures["vs_best_peer"], figures["lowest_peer_p99_ms"]) == (20, 9)
    assert figures["last50_vs_best_peer"] == 10
    assert figures["peers"].keys() == {"slow"}
    assert figures["before"]["messages_per_s"] == 9000
    assert (figures["before"]["mix_messages_per_s"], figures["before"]["mix_vs_plain"]) == (
        8100,
        0.9,
    )
    rows = [line for line in shown if line.startswith(f"{BEFORE} ")]
    assert len(rows) == 3, "the medians, the ranges, and the title of its mix"
    assert "(0.67x)" in rows[0]


def test_the_last_line_has_every_tracked_figure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = replace(_round(5000, 2, 900), mixed=_delivery(4000, 8))
    chat_report.show({OURS: [ours], "slow": [_round(300, 9, 100)]}, {OURS: "", "slow": ""}, {})
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    watched = {"cpu_ms_per_1000_alone", "p50_ms", "p99_ms", "mix_vs_plain", "lowest_peer_p99_ms"}
    assert {name for name in watched if figures[name] is not None} == watched
    assert figures["before"] is None


def test_two_commits_take_turns_in_going_first(tmp_path: Path) -> None:
    names = ("prosody", OURS, BEFORE)
    servers = [Server(name, Greenroom(tmp_path), (), ()) for name in names]
    orders = [[server.name for server in in_turns(servers, number)] for number in (0, 1)]
    assert orders == [[OURS, BEFORE, "prosody"], [BEFORE, OURS, "prosody"]]


def test_one_message_alone_has_its_processor_time(capsys: pytest.CaptureFixture[str]) -> None:
    one = replace(_round(5000, 2, 900), alone=_delivery(400, 11))
    chat_report.show({OURS: [one]}, {OURS: ""}, {})
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["cpu_ms_per_1000_alone"], figures["cpu_ms_per_1000"]) == (11, 5)
    assert figures["mix_vs_plain"] is None


def test_without_us_our_figures_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    chat_report.show({"fast": [_round(2000, 12, 50)]}, {"fast": ""}, {})
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["messages_per_s"] is figures["vs_best_peer"] is None
    assert figures["mix_vs_plain"] is figures["cpu_ms_per_1000_mix"] is None
    assert figures["best_peer_messages_per_s"] == 2000
