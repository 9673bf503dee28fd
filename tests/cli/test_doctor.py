"""`greenroom doctor`: one line per check, and exit code 1 if something fails."""

import re
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom import doctor
from greenroom.app import TABLES
from greenroom.background.follower import Follower
from greenroom.background.models import Stage, Timer
from greenroom.background.progress import create
from greenroom.background.records import SET_ASIDE, TIMERS, timer_item
from greenroom.clock import ManualClock
from greenroom.doctor import Level, check_scanner
from greenroom.files.settings import FileSettings
from greenroom.metrics import METRICS
from greenroom.settings import Settings
from greenroom.store.base import Op, Put, Store
from greenroom.store.ephemeral import CLOCK_KEY, EPHEMERAL
from greenroom.store.sqlite import ReadonlyStore, open_readonly
from greenroom.store.values import Item
from tests.background.fixtures import NOTES, note
from tests.buckets import with_prefix
from tests.cli.test_commands import greenroom
from tests.cli.test_serving import server
from tests.files.hostile_clamd import answering, serving
from tests.stores import fresh_prefix, fresh_store

CHECKS = ["disk", "bus", "files", "sql", "scanner", "decoder", "rating"]
CHECKS += ["store", "clock", "followers", "timers"]


def examined(code: int, *arguments: str, **environment: str) -> dict[str, tuple[str, str]]:
    """The level and the text, by check."""
    done = greenroom("doctor", *arguments, **environment)
    assert (done.returncode, done.stderr) == (code, "")
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    return {check: (level, text) for level, check, text in rows}


def test_nothing_is_created_where_no_server_has_run(tmp_path: Path) -> None:
    found = examined(0, GREENROOM_DATA=str(tmp_path / "data"))
    assert found["store"][0] == "warn"
    assert "`greenroom serve` creates it" in found["store"][1]
    assert list(tmp_path.iterdir()) == []


def test_what_serve_refuses_fails(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("[gate]\nmessages = 0\n")
    given = {"GREENROOM_POLICY": str(tmp_path / "policy.toml")}
    found = examined(1, GREENROOM_DATA=str(tmp_path / "data"), **given)
    assert found["policy"][0] == "fail"
    assert "line 2, has an invalid value for gate.messages" in found["policy"][1]
    (tmp_path / "file").touch()
    found = examined(1, GREENROOM_DATA=str(tmp_path / "file"))
    assert found["disk"] == (
        "fail",
        f"{tmp_path / 'file'} is not a folder. `greenroom serve` needs a folder there: see "
        "GREENROOM_DATA.",
    )


def test_a_store_is_checked_beside_its_server_and_without_it(tmp_path: Path) -> None:
    metrics = {"GREENROOM_METRICS": "true"}
    with server("demo", tmp_path, **metrics) as (address, _):
        beside = examined(0, "--demo", GREENROOM_DATA=str(tmp_path))
        assert beside["store"] == (
            "ok",
            f"The server at {address} is ready; the file can be read.",
        )
        with urllib.request.urlopen(f"{address}/metrics", timeout=60) as answer:
            exposed = answer.read().decode()
    alone = examined(0, "--demo", GREENROOM_DATA=str(tmp_path))
    assert alone["store"] == ("ok", "It opens, reads and writes.")
    for found in (beside, alone):
        assert list(found) == CHECKS
        levels = {level for check, (level, _) in found.items() if check != "disk"}
        assert levels == {"ok"}
    for metric in METRICS:
        assert f"# TYPE {metric.name} {metric.kind.value}\n" in exposed
    for line in (
        "greenroom_store_writable 1.0",
        "greenroom_bus_up 1.0",
        "greenroom_timers_due 0.0",
    ):
        assert f"\n{line}\n" in exposed
    assert "\nprocess_resident_memory_bytes " in exposed


def test_a_damaged_file_fails(tmp_path: Path) -> None:
    (tmp_path / "greenroom.db").write_bytes(b"this is no database" * 1000)
    level, text = examined(1, GREENROOM_DATA=str(tmp_path))["store"]
    assert level == "fail"
    assert "is not a valid Greenroom database" in text


def test_a_bus_that_cannot_be_reached_fails(tmp_path: Path) -> None:
    bus = "nats://user:hunter2@127.0.0.1:9"
    level, text = examined(1, GREENROOM_DATA=str(tmp_path), GREENROOM_BUS=bus)["bus"]
    assert level == "fail"
    assert "hunter2" not in text
    assert "Start NATS" in text


def test_a_scanner_is_asked_for_its_version(tmp_path: Path, clamd_url: str) -> None:
    given = {"GREENROOM_DATA": str(tmp_path), "GREENROOM_SCANNER": clamd_url}
    level, text = examined(0, **given)["scanner"]
    assert level == "ok"
    assert re.fullmatch(r"ClamAV \S+ can be reached\.", text)


@pytest.mark.parametrize(
    ("scanner", "said"),
    [
        ("clamd://127.0.0.1:9", "clamd cannot be reached"),
        ("clamav://127.0.0.1:9", "GREENROOM_SCANNER is not valid: it must be clamd://host:port"),
    ],
)
def test_a_scanner_that_cannot_be_used_fails(tmp_path: Path, scanner: str, said: str) -> None:
    given = {"GREENROOM_DATA": str(tmp_path), "GREENROOM_SCANNER": scanner}
    level, text = examined(1, **given)["scanner"]
    assert level == "fail"
    assert said in text


async def test_a_scanner_that_lets_things_through_is_warned_about() -> None:
    async with serving(answering(b"stream: OK\0")) as at:
        finding = await check_scanner(Settings(scanner=f"clamd://{at.host}:{at.port}"))
    assert finding.level is Level.WARN
    for advice in ("freshclam", "AlertEncrypted yes", "AlertExceedsMax yes"):
        assert advice in finding.advice


def test_a_bucket_is_checked_by_using_it(tmp_path: Path, s3_url: str) -> None:
    data = {"GREENROOM_DATA": str(tmp_path)}
    assert examined(0, **data)["files"] == ("ok", "Their content is in the data folder.")
    good = examined(0, GREENROOM_BLOBS=with_prefix(s3_url), **data)["files"]
    assert good == ("ok", "The bucket can be written, read and deleted from.")
    wrong = with_prefix(s3_url.replace(":greenroom-secret@", ":hunter2@"))
    level, text = examined(1, GREENROOM_BLOBS=wrong, **data)["files"]
    assert (level, "hunter2" in text) == ("fail", False)
    assert "The bucket greenroom cannot be used: the bucket answers SignatureDoesNotMatch" in text


@pytest.mark.usefixtures("vision_model")
async def test_a_picture_is_rated() -> None:
    finding = await doctor.check_rating(Settings())
    assert (finding.level, finding.text) == (Level.OK, "Pictures are rated.")


async def test_rating_can_be_switched_off() -> None:
    finding = await doctor.check_rating(Settings(groups=(FileSettings(rate_pictures=False),)))
    assert (finding.level, finding.text[:23]) == (Level.OK, "Pictures are not rated:")


@pytest.fixture
async def on_dynamodb(dynamodb_url: str) -> AsyncIterator[str]:
    async with fresh_prefix(dynamodb_url, TABLES) as url:
        yield url


def test_missing_tables_in_dynamodb_fail(tmp_path: Path, on_dynamodb: str) -> None:
    environment = {"GREENROOM_STORE": on_dynamodb, "GREENROOM_DATA": str(tmp_path)}
    level, text = examined(1, **environment)["store"]
    assert level == "fail"
    assert "There is no table" in text


def test_a_dynamodb_store_is_checked_beside_its_server(tmp_path: Path, on_dynamodb: str) -> None:
    environment = {"GREENROOM_STORE": on_dynamodb}
    with server("demo", tmp_path, **environment):
        found = examined(0, GREENROOM_DATA=str(tmp_path), **environment)
    assert found["store"] == ("ok", "It opens, reads and writes.")
    assert list(found) == CHECKS


# Each check by itself.


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Store]:
    tables = (*TABLES, NOTES)
    async with fresh_store(f"sqlite:///{tmp_path}/doctor.db", tables, clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("free", "level"), [(2 * 1024**3, Level.OK), (1024**3 - 1, Level.WARN), (1024**2, Level.FAIL)]
)
def test_little_disk_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: Level
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": free}))
    assert doctor.check_disk(Settings(data=tmp_path / "no/such/folder")).level is level


async def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    store = tmp_path / "greenroom.db"
    assert (await doctor.check_server(store)).level is Level.WARN
    (tmp_path / "greenroom.db.address").write_text("http://127.0.0.1:9\n")
    finding = await doctor.check_server(store)
    assert finding.level is Level.FAIL
    assert "does not answer" in finding.text


@pytest.mark.parametrize(
    ("ahead_ms", "drift_ms", "level"),
    [
        (-3_600_000, 0, Level.OK),
        (9_000, 9_000, Level.OK),
        (0, -11_000, Level.WARN),
        (11_000, 0, Level.FAIL),
    ],
)
async def test_a_wrong_clock(
    store: Store, clock: ManualClock, ahead_ms: int, drift_ms: int, level: Level
) -> None:
    assert (await doctor.check_clock(store, clock)).level is Level.OK
    at: Item = {
        "at": clock.now_ms() + ahead_ms,
        "drift": drift_ms,
        "epoch": 0,
        "began": 0,
        "node": "n",
    }
    await store.write(Put(EPHEMERAL, {"pk": CLOCK_KEY.partition, "sk": CLOCK_KEY.sort or "", **at}))
    finding = await doctor.check_clock(store, clock)
    assert finding.level is level
    assert ("NTP" in finding.advice) == (level is not Level.OK)


async def test_timers_that_are_late_or_set_aside(store: Store, clock: ManualClock) -> None:
    for number in range(3):
        await store.write(Put(TIMERS, _timer(number, clock.now_ms() + number * 1000)))
    assert (await doctor.check_timers(store, clock)).line.endswith("1 due, 0 late, 0 set aside.")
    clock.advance(seconds=61)
    late = await doctor.check_timers(store, clock)
    assert (late.level, late.text[:28]) == (Level.WARN, "3 due, 1 late, 0 set aside. ")
    aside = {**_timer(9, clock.now_ms()), "dueKey": f"{SET_ASIDE}0"}
    await store.write(Put(TIMERS, aside))
    stuck = await doctor.check_timers(store, clock)
    assert "1 set aside" in stuck.text
    assert "`greenroom background set-aside timers`" in stuck.advice


def _timer(number: int, due_ms: int) -> Item:
    return timer_item(Timer("test", str(number), due_ms, {}))


async def _nothing(changes: object) -> list[Op]:
    return []


async def test_followers_that_lag_or_need_a_rebuild(
    store: Store, clock: ManualClock, tmp_path: Path
) -> None:
    follower = Follower("notes", NOTES, _nothing)

    async def check(over: Store = store) -> doctor.Finding:
        return await doctor.check_followers(over, clock, [follower])

    assert (await check()).text == "notes: not begun."
    await create(store, "notes", Stage.FOLLOWING, await store.checkpoint(NOTES))
    assert (await check()).text == "notes: following."
    await store.write(note("a", 1))
    clock.advance(seconds=90)
    late = await check()
    assert (late.level, late.text) == (Level.WARN, "notes: following, 90 s behind.")
    with open_readonly(tmp_path / "doctor.db", clock) as reader:
        beside: Store = ReadonlyStore(reader, clock)  # type: ignore[assignment]
        assert await check(beside) == late
    await create(store, "other", Stage.NEEDS_REBUILD, None)
    follower = Follower("other", NOTES, _nothing)
    assert (await check()).line == (
        "fail  followers  other: needs rebuild. The changes that other lacks are gone: run "
        "`greenroom background rebuild other`."
    )
