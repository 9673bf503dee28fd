"""`greenroom audit verify`: without a database, beside a server, and after a change."""

import sqlite3
from pathlib import Path

from tests.cli.test_commands import greenroom, refused
from tests.cli.test_serving import server


def test_there_has_to_be_a_database(tmp_path: Path) -> None:
    line = refused(greenroom("audit", "verify", GREENROOM_DATA=str(tmp_path / "none")))
    assert "There is no database at" in line
    assert not (tmp_path / "none" / "sql.db").exists()


def test_records_are_checked_beside_a_server(tmp_path: Path) -> None:
    with server("serve", tmp_path):
        whole = greenroom("audit", "verify", GREENROOM_DATA=str(tmp_path))
        assert (whole.returncode, whole.stderr) == (0, "")
        assert whole.stdout.startswith("Checked 0 bookings: 0 audit entries")
        _insert_group(tmp_path / "sql.db")
        changed = greenroom("audit", "verify", GREENROOM_DATA=str(tmp_path))
    assert (changed.returncode, changed.stderr) == (1, "")
    assert "FAULT  lbg_1: the audit trail ends with entry 0, not 7" in changed.stdout


def _insert_group(path: Path) -> None:
    """A group that says it has more entries than there are."""
    columns = "id, thread_id, buyer, sellers, names, currency, payment_method, version, cards"
    values = "'lbg_1', 'thr_1', 'usr_1', '[]', '{}', 'EUR', '', 1, 0"
    with sqlite3.connect(path) as connection:
        connection.execute(
            f"INSERT INTO booking_groups ({columns}, transfers, audit_number, audit_hash, "
            "created_ms) "
            f"VALUES ({values}, 0, 7, 'x', 1)"
        )
    connection.close()
