"""File permissions, and the separation of a demo from real data."""

import os
import shutil
import stat
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest

from greenroom.file_permissions import tighten
from greenroom.store.sqlite import backup
from tests.cli.test_commands import greenroom, refused
from tests.cli.test_serving import ask, server, token

SECRET = "a secret of thirty-two characters or more"


@pytest.fixture
def open_umask() -> Iterator[None]:
    """The most permissive umask; child processes inherit it."""
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, str]:
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder.parent)): _mode(path) for path in found}


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def _check_private(folder: Path, *names: str) -> None:
    for path in (folder, *folder.rglob("*")):
        assert _mode(path) == ("700" if path.is_dir() else "600"), _modes(folder)
    assert {*names} <= {path.name for path in folder.rglob("*")}


@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("command", ["serve", "demo"])
def test_only_the_owner_can_read_the_data_folder(tmp_path: Path, command: str) -> None:
    data, copy = tmp_path / "data", tmp_path / "backups" / "copy"
    copy.parent.mkdir(0o755)
    with server(command, data) as (address, _):
        assert ask(f"{address}/readyz") == {"status": "ready"}
        database = ("greenroom.db", "greenroom.db-wal", "greenroom.db-shm", "secret")
        _check_private(data, *database)
        where = data / "demo" if command == "demo" else data
        assert greenroom("backup", str(copy), GREENROOM_DATA=str(where)).returncode == 0
    _check_private(data, "greenroom.db", "secret")
    assert _mode(copy) == "700"
    _check_private(copy, "greenroom.db", "sql.db", "backup.json")


@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("command", ["serve", "demo"])
def test_files_readable_by_others_are_made_private_at_the_next_start(
    tmp_path: Path, command: str
) -> None:
    data = tmp_path / "data"
    where = data / "demo" if command == "demo" else data
    where.mkdir(0o755, parents=True)
    with server(command, data):
        _check_private(data, "secret")
        backup(where / "greenroom.db", where / "copy.db")  # as earlier versions made one
    for name in ("greenroom.db-wal", "greenroom.db-shm"):  # as after a killed server
        (where / name).touch()
    for path in (data, *data.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    with server(command, data):
        kept = ("secret", "greenroom.db", "greenroom.db.lock", "greenroom.db-wal", "copy.db")
        assert _mode(where) == "700"
        for folder in where.iterdir():
            if folder.is_dir():  # nobody reaches what is in it
                assert _mode(folder) == "700", folder
                shutil.rmtree(folder)
        _check_private(data, *kept)


@pytest.mark.usefixtures("open_umask")
def test_a_store_outside_of_the_data_folder_is_made_private_without_its_folder(
    tmp_path: Path,
) -> None:
    file = tmp_path / "elsewhere" / "my.db"
    file.parent.mkdir(0o755)
    given = {"GREENROOM_STORE": f"sqlite:///{file}"}
    with server("serve", tmp_path / "data", **given):
        pass
    for path in file.parent.iterdir():
        path.chmod(0o666)
    with server("serve", tmp_path / "data", **given):
        assert {_mode(path) for path in file.parent.iterdir()} == {"600"}
    assert _mode(file.parent) == "755"


def test_unrelated_files_keep_their_mode(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    data.mkdir()
    outside.write_text("x")
    (data / "secret").symlink_to(outside)
    (data / "notes.txt").write_text("x")
    for path in (outside, data / "notes.txt"):
        path.chmod(0o644)
    tighten([data], None)
    assert (_mode(data), _mode(outside), _mode(data / "notes.txt")) == ("700", "644", "644")


def test_a_shared_folder_stays_shared_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o1777)
    tighten([tmp_path], None)
    assert _mode(tmp_path) == "1777"
    assert f"The data folder {tmp_path} is shared with other users" in caplog.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_files_of_another_user_are_left_alone_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    os.chown(tmp_path, 12345, 12345)
    tighten([tmp_path], None)
    assert _mode(tmp_path) == "755"
    assert f"access to {tmp_path} (mode 0755)" in caplog.text
    assert "it belongs to another user. Set it to 0700." in caplog.text


def test_a_demo_writes_nothing_into_a_real_store(tmp_path: Path) -> None:
    with server("serve", tmp_path / "real"):
        pass
    file = tmp_path / "real" / "greenroom.db"
    given = {"GREENROOM_STORE": f"sqlite:///{file}", "GREENROOM_DATA": str(tmp_path / "data")}
    told = refused(greenroom("demo", GREENROOM_PORT="0", **given))
    assert "not the store of a demo" in told
    assert "No user named" in refused(greenroom("token", "maya", **given))


def test_a_demo_token_is_refused_by_other_servers(tmp_path: Path) -> None:
    given = {"GREENROOM_SECRET": SECRET}
    with server("demo", tmp_path, **given) as (address, _):
        maya = token("maya", "--demo", GREENROOM_DATA=str(tmp_path), **given)
        assert ask(f"{address}/v1/me", maya)["username"] == "maya"
        real = token("usr_1", "--scope", "service", GREENROOM_DATA=str(tmp_path), **given)
        _check_refused(address, real)
    made = (tmp_path / "demo" / "secret").read_text().strip()
    # The same data with the operator's secret, and with the demo's own.
    for secret in (SECRET, made):
        with server("serve", tmp_path / "demo", GREENROOM_SECRET=secret) as (address, _):
            _check_refused(address, maya)


def _check_refused(address: str, bearer: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refusal:
        ask(f"{address}/v1/people?name=ma", bearer)
    assert refusal.value.code == 401
    refusal.value.close()
