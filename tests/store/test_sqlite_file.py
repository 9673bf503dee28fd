"""The SQLite file: what is refused unchanged, backup, a full disk, new tables."""

import asyncio
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import apsw
import msgspec
import pytest

from greenroom.clock import ManualClock, SystemClock
from greenroom.store.base import Key, Put, Store
from greenroom.store.problems import StoreCorrupt, StoreFull, StoreHeld, StoreTooNew
from greenroom.store.sqlite import BackupExists, SqliteStore, backup
from greenroom.store.tables import Index, Projection, Table
from tests.contracts.tables import BY_OWNER, NOTES, TABLES, at, note

ROOT = Path(__file__).parents[2]


async def opened(path: Path, tables: tuple[Table, ...] = TABLES) -> SqliteStore:
    return await SqliteStore.open(path, tables, clock=SystemClock(), cursor_secret=b"s")


async def filled(path: Path, items: int = 300) -> None:
    store = await opened(path)
    for start in range(0, items, 100):
        await store.write(
            *(
                Put(NOTES, note(sk=f"{n:04}", owner="ada", at=f"{n:04}", body="x" * 500))
                for n in range(start, min(items, start + 100))
            )
        )
    await store.close()


def start_holder(path: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.lock_holder", str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )


def fill_a_disk(path: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.store.full_disk", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def refused(path: Path, problem: type[Exception], says: str) -> None:
    """Opening is refused with a reason, and the file is unchanged."""
    before = fingerprint(path)
    with pytest.raises(problem, match=says) as refusal:
        await opened(path)
    assert str(path) in str(refusal.value)
    assert fingerprint(path) == before


async def test_a_file_that_is_not_a_database_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"These are not the items you are looking for.\n" * 200)
    await refused(path, StoreCorrupt, "not a valid Greenroom database")


async def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE recipes(name TEXT); INSERT INTO recipes VALUES('soup')")
    other.close()
    await refused(path, StoreCorrupt, "belongs to another program")


async def test_a_file_with_a_damaged_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    with path.open("r+b") as file:
        file.write(os.urandom(100))
    await refused(path, StoreCorrupt, "not a valid")


async def test_a_file_with_a_damaged_page_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    pages = path.stat().st_size // 4096
    assert pages > 20
    with path.open("r+b") as file:
        file.seek(4096 * (pages // 2))
        file.write(b"\xa5" * 4096)
    await refused(path, StoreCorrupt, "not a valid")


async def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    await refused(path, StoreCorrupt, "not a valid")


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    newer = apsw.Connection(str(path))
    newer.pragma("user_version", 99)
    newer.close()
    await refused(path, StoreTooNew, r"newer Greenroom \(format 99; this one knows 1\)")


async def test_a_file_that_was_refused_can_be_opened_once_it_is_whole_again(
    tmp_path: Path,
) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    await filled(path)
    backup(path, copy)
    path.write_bytes(b"garbage" * 1000)
    await refused(path, StoreCorrupt, "not a valid")
    shutil.copy(copy, path)
    store = await opened(path)
    assert await store.get(NOTES, at(sk="0007")) is not None
    await store.close()


async def test_one_file_belongs_to_one_process(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    holder = start_holder(path)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(StoreHeld, match=rf"pid {holder.pid}"):
            await opened(path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        store = await opened(path)
        assert await store.get(NOTES, at(sk="held")) == note(sk="held")
        await store.close()
    finally:
        holder.kill()
        holder.wait()


async def test_a_file_is_held_within_one_process_too(tmp_path: Path) -> None:
    store = await opened(tmp_path / "store.db")
    with pytest.raises(StoreHeld):
        await opened(tmp_path / "store.db")
    await store.close()
    again = await opened(tmp_path / "store.db")
    await again.close()


async def test_a_backup_during_writes_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path, 2000)
    store = await opened(path)
    stop, written = asyncio.Event(), asyncio.Queue[int]()

    async def write_pairs() -> None:
        for n in count(1):
            if stop.is_set():
                return
            await store.write(
                Put(NOTES, note("left", "s", n=n)), Put(NOTES, note("right", "s", n=n))
            )
            written.put_nowait(n)

    await store.write(Put(NOTES, note("left", n=0)), Put(NOTES, note("right", n=0)))
    writing = asyncio.create_task(write_pairs())
    copies = [tmp_path / f"copy{n}.db" for n in range(5)]
    for copy in copies:
        for _ in range(written.qsize() + 3):
            await asyncio.wait_for(written.get(), 60)
        await asyncio.to_thread(backup, path, copy)
    stop.set()
    await writing
    await store.close()
    seen = []
    for copy in copies:
        restored = await opened(copy)
        assert len((await restored.query(NOTES, "ada", index=BY_OWNER, limit=1000)).items) == 1000
        left = await restored.get(NOTES, at("left"))
        right = await restored.get(NOTES, at("right"))
        assert (left or {})["n"] == (right or {})["n"]
        seen.append((left or {})["n"])
        await restored.write(Put(NOTES, note("new")))
        await restored.close()
    assert len(set(seen)) == len(seen), "the copies are of different instants"


async def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    path, target = tmp_path / "store.db", tmp_path / "precious.txt"
    await filled(path)
    target.write_text("precious")
    with pytest.raises(BackupExists, match=r"precious\.txt"):
        backup(path, target)
    assert target.read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["precious.txt", "store.db", "store.db.lock"]


async def test_a_full_disk_refuses_the_write_and_loses_nothing(tmp_path: Path) -> None:
    """In a child process with a limit on the size of files (RLIMIT_FSIZE)."""
    path = tmp_path / "store.db"
    ran = fill_a_disk(path)
    assert ran.returncode == 0, ran.stderr
    written, refusals, afterwards = ran.stdout.split()
    assert int(refusals) > 0
    store = await opened(path)
    found = 0
    for start in range(int(written) + 1):
        found += await store.get(NOTES, at("disk", f"{start:04}")) is not None
    assert found == int(written)
    assert await store.get(NOTES, at("disk", "afterwards")) is not None
    assert afterwards == "afterwards"
    await store.close()


async def test_a_full_file_refuses_one_group_and_not_the_next(tmp_path: Path) -> None:
    store = await opened(tmp_path / "store.db")
    connection = store._connection
    await store.write(Put(NOTES, note(sk="before")))
    pages = int(connection.pragma("page_count"))
    connection.pragma("max_page_count", pages + 20)
    big = Put(NOTES, note(sk="big", body="x" * 200_000))
    small = Put(NOTES, note(sk="small"))
    answers = await asyncio.gather(store.write(big), store.write(small), return_exceptions=True)
    assert isinstance(answers[0], StoreFull)
    assert answers[1] is None, "what fits is written although it was in the same group"
    with pytest.raises(StoreFull, match="nothing was written"):
        await store.write(big)
    assert [item["sk"] for item in (await store.query(NOTES, "p", limit=9)).items] == [
        "before",
        "small",
    ]
    changes = [change.key.sort async for change in store.changes(NOTES, follow=False)]
    assert changes == ["before", "small"]
    connection.pragma("max_page_count", 1_000_000)
    await store.write(big)
    changes = [change.key.sort async for change in store.changes(NOTES, follow=False)]
    assert changes == ["before", "small", "big"]
    await store.close()


REPEATS = """
import asyncio, sys
from pathlib import Path
from greenroom.clock import SystemClock
from greenroom.store.base import Update
from greenroom.store.expressions import F
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, TABLES, at

async def main():
    store = await SqliteStore.open(
        Path(sys.argv[1]), TABLES, clock=SystemClock(), cursor_secret=b"s"
    )
    words = {"a", "b", "c", "d"}
    await store.write(
        Update(NOTES, at(), (F("n").add(1), F("words").add(words)), F("x").differs(words)),
        token="t",
    )
    await store.close()

asyncio.run(main())
"""


def repeat_with_hash_seed(path: Path, seed: str) -> None:
    subprocess.run(
        [sys.executable, "-c", REPEATS, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        timeout=120,
    )


async def test_a_token_is_known_again_by_another_process(tmp_path: Path) -> None:
    """There a set of texts iterates in another order."""
    path = tmp_path / "store.db"
    for seed in ("1", "2", "3"):
        repeat_with_hash_seed(path, seed)
    store = await opened(path)
    assert (await store.get(NOTES, at()) or {})["n"] == 1
    await store.close()


PLAIN = Table("Notes", "As it was", indexes=(), stream=False)
RENAMED = Index("ByOwner", "owner", "sk", Projection.KEYS)


async def owners(store: Store, table: Table) -> list[object]:
    [index] = [index for index in table.indexes if index.name == "ByOwner"]
    return [item["sk"] for item in (await store.query(table, "ada", index=index, limit=9)).items]


async def test_a_new_index_is_filled_from_the_items_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await opened(path, (PLAIN,))
    await store.write(Put(PLAIN, note(sk="1", owner="ada", at="2", body="b")))
    await store.write(Put(PLAIN, note(sk="2", owner="ada", at="1")))
    await store.write(Put(PLAIN, note(sk="3", owner="ada")))
    await store.write(Put(PLAIN, note(sk="4")))
    await store.close()
    store = await opened(path, TABLES)
    assert await owners(store, NOTES) == ["2", "1"]
    await store.write(Put(NOTES, note(sk="3", owner="ada", at="3")))
    assert await owners(store, NOTES) == ["2", "1", "3"]
    changes = [change.key.sort async for change in store.changes(NOTES, follow=False)]
    assert changes == ["3"], "a stream begins when it is declared"
    await store.close()


async def test_a_changed_index_is_filled_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await opened(path)
    await store.write(Put(NOTES, note(sk="1", owner="ada", at="2", body="b")))
    await store.write(Put(NOTES, note(sk="2", owner="ada", at="1")))
    await store.close()
    other = Table("Notes", "As it is now", indexes=(RENAMED,), stream=True)
    store = await opened(path, (other,))
    assert await owners(store, other) == ["1", "2"]
    page = await store.query(other, "ada", index=RENAMED, limit=1)
    assert page.items == ({"pk": "p", "sk": "1", "owner": "ada"},)
    await store.close()


async def test_an_index_that_is_declared_as_before_is_not_filled_again(tmp_path: Path) -> None:
    """Otherwise every start would read the whole table."""
    path = tmp_path / "store.db"
    await filled(path, 1)
    spoilt = apsw.Connection(str(path))
    for index in NOTES.indexes:
        spoilt.execute(f"""INSERT INTO "Notes/{index.name}" VALUES('mark','','','',1,NULL,x'80')""")
    spoilt.close()
    for table in (NOTES, msgspec.structs.replace(NOTES, stream=False, purpose="Said otherwise")):
        store = await opened(path, (table,))
        for index in NOTES.indexes:
            found = store._connection.execute(
                f"""SELECT count(*) FROM "Notes/{index.name}" WHERE ipk='mark'"""
            )
            assert found.fetchall() == [(1,)], index.name
        await store.close()


async def test_a_removed_and_restored_index_has_later_changes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    store = await opened(path)
    await store.write(Put(NOTES, note(sk="1", owner="ada", at="1")))
    await store.close()
    without = Table("Notes", "No index", stream=True)
    store = await opened(path, (without,))
    await store.write(Put(without, note(sk="1", owner="bob", at="1")))
    await store.write(Put(without, note(sk="2", owner="ada", at="1")))
    await store.close()
    store = await opened(path)
    assert await owners(store, NOTES) == ["2"]
    await store.close()


async def test_a_ttl_declared_later_holds_for_the_items_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await opened(path, (PLAIN,))
    await store.write(Put(PLAIN, note(expiresAt=5)))
    assert await store.get(PLAIN, at()) is not None
    await store.close()
    passing = Table("Notes", "Passes", ttl="expiresAt")
    store = await opened(path, (passing,))
    assert await store.get(passing, at()) is None
    await store.close()


async def test_a_new_table_is_created_and_the_old_ones_stay(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await opened(path, (NOTES,))
    await store.write(Put(NOTES, note()))
    await store.close()
    extra = Table("Extra", "New", sort=None)
    store = await opened(path, (*TABLES, extra))
    await store.write(Put(extra, {"pk": "x"}))
    assert await store.get(extra, Key("x")) == {"pk": "x"}
    assert await store.get(NOTES, at()) == note()
    await store.close()


async def test_a_table_with_other_keys_than_the_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path, 1)
    other = Table("Notes", "Other keys", partition="id", sort=None)
    with pytest.raises(StoreCorrupt, match="keys"):
        await opened(path, (other,))
    store = await opened(path)
    assert await store.get(NOTES, at(sk="0000")) is not None
    await store.close()


async def test_the_file_uses_the_given_clock(tmp_path: Path) -> None:
    clock = ManualClock(5_000)
    store = await SqliteStore.open(tmp_path / "store.db", TABLES, clock=clock, cursor_secret=b"s")
    await store.write(Put(NOTES, note()))
    assert [change.at_ms async for change in store.changes(NOTES, follow=False)] == [5_000]
    await store.close()
