"""The upper limit: the benchmark's operations written by hand for sqlite3, without a store.

Typed columns, no layers, no change log, no conditions except the one that keeps `seq` in order, and
as many transactions per commit as the item store has in flight. It is as durable as the item store
(`synchronous=FULL`, one fsync per commit). No product could run on it; it shows what the disk and
SQLite allow.
"""

import sqlite3
import time
from pathlib import Path

from bench.store_load import BODY, PAGE, Rates, sort_stamp

_LAYOUT = """
CREATE TABLE thread(id TEXT PRIMARY KEY, seq INTEGER, last_at TEXT, last_sender TEXT, status TEXT)
  WITHOUT ROWID;
CREATE TABLE message(thread TEXT, sk TEXT, seq INTEGER, kind TEXT, author TEXT, body TEXT,
  band INTEGER, created TEXT, PRIMARY KEY(thread, sk)) WITHOUT ROWID;
CREATE TABLE participant(thread TEXT, user TEXT, inbox TEXT, activity TEXT, role TEXT,
  read_seq INTEGER, muted INTEGER, PRIMARY KEY(thread, user)) WITHOUT ROWID;
CREATE INDEX inbox ON participant(inbox, activity);
"""


class HandwrittenSqlite:
    def __init__(self, folder: Path, threads: int, in_flight: int) -> None:
        self._db = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA cache_size=-65536")
        self._db.executescript(_LAYOUT)
        self._threads = threads
        self._in_flight = in_flight
        self._seqs = [0] * threads
        self._n = 0
        self._db.execute("BEGIN")
        for i in range(threads):
            self._db.execute("INSERT INTO thread VALUES(?,0,'','','open')", (f"THR#{i}",))
            for user in (f"usr_{i % PAGE}", f"usr_x{i}"):
                self._db.execute(
                    "INSERT INTO participant VALUES(?,?,?,?,'buyer',0,0)",
                    (f"THR#{i}", user, f"{user}#all", sort_stamp(i)),
                )
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()

    def send(self, count: int) -> None:
        execute = self._db.execute
        execute("BEGIN IMMEDIATE")
        for _ in range(count):
            self._n += 1
            i = self._n % self._threads
            seq, stamp, thread = self._seqs[i], sort_stamp(self._n), f"THR#{i}"
            done = execute(
                "UPDATE thread SET seq=?, last_at=?, last_sender=? WHERE id=? AND seq=?",
                (seq + 1, stamp, "usr_1", thread, seq),
            )
            assert done.rowcount == 1
            execute(
                "INSERT INTO message VALUES(?,?,?,'text',?,?,0,?)",
                (thread, f"MSG#{stamp}#msg_{self._n}", seq + 1, "usr_1", BODY, stamp),
            )
            execute(
                "UPDATE participant SET activity=? WHERE thread=? AND user=?",
                (stamp, thread, f"usr_{i % PAGE}"),
            )
            self._seqs[i] = seq + 1
        execute("COMMIT")

    def inbox(self, i: int) -> None:
        rows = self._db.execute(
            "SELECT thread, user, inbox, activity, role, read_seq, muted FROM participant "
            "WHERE inbox=? ORDER BY activity DESC LIMIT 20",
            (f"usr_{i % PAGE}#all",),
        ).fetchall()
        names = ("thread", "user", "inbox", "activity", "role", "read_seq", "muted")
        assert len([dict(zip(names, row, strict=True)) for row in rows]) == 20

    def get(self, i: int) -> None:
        row = self._db.execute(
            "SELECT id, seq, last_at, last_sender, status FROM thread WHERE id=?",
            (f"THR#{i % self._threads}",),
        ).fetchone()
        assert dict(zip(("id", "seq", "last_at", "last_sender", "status"), row, strict=True))

    def measure(self, seconds: float) -> Rates:
        return Rates(
            send=self._rate(seconds, send=True),
            inbox=self._rate(seconds, inbox=True),
            get=self._rate(seconds, get=True),
            mix=self._rate(seconds, send=True, inbox=True, get=True),
        )

    def _rate(
        self, seconds: float, *, send: bool = False, inbox: bool = False, get: bool = False
    ) -> float:
        begun, done = time.perf_counter(), 0
        while time.perf_counter() - begun < seconds:
            if send:
                self.send(self._in_flight)
            for i in range(self._in_flight):
                if inbox:
                    self.inbox(done + i)
                if get:
                    self.get(done + i)
            done += self._in_flight
        return done * (send + inbox + get) / (time.perf_counter() - begun)
