"""The server as a process: its start, its end, and what it refuses."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from greenroom.app import TABLES
from greenroom.blobs.s3 import parse_location
from tests.buckets import with_prefix
from tests.cli.test_commands import greenroom, refused
from tests.stores import fresh_prefix


@contextmanager
def server(command: str, data: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """Starts a server, yields its address and pid, and stops it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "greenroom", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "GREENROOM_DATA": str(data),
            "GREENROOM_PORT": "0",
            **environment,
        },
    )
    assert process.stdout is not None
    said = ""
    try:
        while not (found := re.search(r"http://\S+", said)):
            line = process.stdout.readline()
            assert line, process.communicate()
            said += line
        yield found.group(), process.pid
        process.send_signal(signal.SIGTERM)
        _, complaints = process.communicate(timeout=120)
        assert (process.returncode, complaints) == (0, "")
    finally:
        process.kill()
        process.wait()


def ask(address: str, token: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    asked = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def token(*arguments: str, **environment: str) -> str:
    done = greenroom("token", *arguments, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_a_new_server_is_empty_and_ready(tmp_path: Path) -> None:
    with server("serve", tmp_path) as (address, _):
        assert ask(f"{address}/readyz") == {"status": "ready"}
        service = token("probe", "--scope", "service", GREENROOM_DATA=str(tmp_path))
        assert ask(f"{address}/v1/people?name=ma", service)["people"] == []


def test_the_demo_has_the_same_people_after_a_restart(tmp_path: Path) -> None:
    with server("demo", tmp_path) as (address, _):
        maya = token("maya", "--demo", GREENROOM_DATA=str(tmp_path))
        first = ask(f"{address}/v1/people?name=ma", maya)
    with server("demo", tmp_path) as (address, _):
        assert ask(f"{address}/v1/people?name=ma", maya) == first
        assert ask(f"{address}/v1/me", maya)["username"] == "maya"
    assert [person["username"] for person in first["people"]] == ["mateo", "maya"]
    assert [file.name for file in tmp_path.iterdir()] == ["demo"]


@pytest.fixture
async def on_dynamodb(dynamodb_url: str) -> AsyncIterator[str]:
    async with fresh_prefix(dynamodb_url, TABLES) as url:
        yield url


def test_the_demo_runs_on_dynamodb(tmp_path: Path, on_dynamodb: str) -> None:
    with server("demo", tmp_path, GREENROOM_STORE=on_dynamodb) as (address, _):
        maya = token("maya", "--demo", GREENROOM_STORE=on_dynamodb, GREENROOM_DATA=str(tmp_path))
        assert ask(f"{address}/v1/me", maya)["displayName"] == "Maya Lindqvist"


def test_missing_tables_in_dynamodb_are_reported(tmp_path: Path, on_dynamodb: str) -> None:
    done = greenroom(
        "serve",
        GREENROOM_STORE=on_dynamodb,
        GREENROOM_DATA=str(tmp_path),
        GREENROOM_PORT="0",
    )
    assert "There is no table" in refused(done)


def test_the_demo_keeps_its_files_in_a_bucket(tmp_path: Path, s3_url: str) -> None:
    bucket = with_prefix(s3_url)
    with server("demo", tmp_path, GREENROOM_BLOBS=bucket) as (address, _):
        with urllib.request.urlopen(address, timeout=60) as page:
            policy = page.headers["Content-Security-Policy"]
        assert ask(f"{address}/readyz") == {"status": "ready"}
    origin = parse_location(bucket).public
    is_built = "script-src" in policy
    assert [one.split()[0] for one in policy.split("; ") if origin in one] == (
        ["img-src", "media-src", "connect-src"] if is_built else []
    )
    assert not (tmp_path / "demo/files").exists()


@pytest.mark.parametrize(
    ("blobs", "reason"),
    [
        ("gs://bucket", "GREENROOM_BLOBS is not valid: it must begin with s3://"),
        ("s3://bucket", "GREENROOM_BLOBS is not valid: the region is missing"),
        ("s3://a:b@bucket?endpoint=http://127.0.0.1:9", "http://127.0.0.1:9 does not answer"),
        ("{missing}", "The bucket missing cannot be used: the bucket answers NoSuchBucket"),
    ],
)
def test_a_bucket_that_cannot_be_used_is_refused_at_start(
    tmp_path: Path, s3_url: str, blobs: str, reason: str
) -> None:
    given = blobs.format(missing=s3_url.replace("@greenroom?", "@missing?"))
    data = {"GREENROOM_DATA": str(tmp_path), "GREENROOM_PORT": "0"}
    done = greenroom("serve", GREENROOM_BLOBS=given, **data)
    assert done.returncode == 2
    assert reason in done.stderr
    for hidden in ("greenroom-secret", "Traceback"):
        assert hidden not in done.stderr


def test_a_backup_of_a_running_server_can_be_restored_and_served(tmp_path: Path) -> None:
    data, copy, restored = tmp_path / "data", tmp_path / "copy", tmp_path / "restored"
    with server("demo", data) as (address, _):
        maya = token("maya", "--demo", GREENROOM_DATA=str(data))
        people = ask(f"{address}/v1/people?name=ma", maya)
        inbox = ask(f"{address}/v1/inbox", maya)
        done = greenroom("backup", str(copy), GREENROOM_DATA=str(data / "demo"))
        assert (done.returncode, done.stderr) == (0, "")
        again = greenroom("backup", str(copy), GREENROOM_DATA=str(data / "demo"))
        assert "exists already" in refused(again)
    assert {path.name for path in copy.iterdir()} >= {"greenroom.db", "sql.db", "files"}
    where = {"GREENROOM_DATA": str(restored)}
    assert greenroom("restore", str(copy), **where).returncode == 0
    assert "is not empty" in refused(greenroom("restore", str(copy), **where))
    with server("serve", restored) as (address, _):
        maya = token("maya", **where)
        assert ask(f"{address}/v1/people?name=ma", maya) == people
        assert ask(f"{address}/v1/inbox", maya) == inbox


def test_a_taken_port_is_reported_before_any_file_is_created(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        data = tmp_path / "data"
        done = greenroom("serve", GREENROOM_PORT=port, GREENROOM_DATA=str(data))
    assert f"cannot listen on 127.0.0.1:{port}: address already in use" in refused(done)
    assert not data.exists()


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    with server("serve", tmp_path) as (_, pid):
        done = greenroom("serve", GREENROOM_DATA=str(tmp_path), GREENROOM_PORT="0")
        assert f"is in use by another process (pid {pid})" in refused(done)


def test_a_corrupt_file_is_refused_and_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "greenroom.db"
    file.write_bytes(b"this is no database" * 1000)
    done = greenroom("serve", GREENROOM_DATA=str(tmp_path), GREENROOM_PORT="0")
    assert "is not a valid Greenroom database" in refused(done)
    assert file.read_bytes() == b"this is no database" * 1000


def test_an_impossible_data_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = greenroom("serve", GREENROOM_DATA=str(tmp_path / "file/data"), GREENROOM_PORT="0")
    assert "cannot be written: Not a directory" in refused(done)
