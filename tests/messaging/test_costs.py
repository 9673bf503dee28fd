"""Every cost budget holds, and DynamoDB Local reports the same units where it can."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import uvloop

from greenroom import cost
from greenroom.clock import ManualClock
from greenroom.cost import Measured
from greenroom.cost.counted_blobs import BlobRequests
from greenroom.cost.fixture import BEGIN_MS, Fixture
from greenroom.cost.fixture_files import ready_photo
from greenroom.files.access import own_file
from greenroom.files.own_files import own_files
from greenroom.files.rater import LABELS
from tests.stores import SQLITE, fresh_store
from tests.world import TABLES

NAMES = [pattern.name for pattern in cost.PATTERNS]
COMPARABLE = frozenset(
    {
        *("read_running", "delivered", "unread", "pin", "mute", "archive", "claim", "rate_lease"),
        *("thread_open", "message", "history_page", "history_around", "draft_read", "queue_page"),
        *("project_threads", "open_direct_again", "hide", "sent_requests"),
        *("timer_schedule", "timer_move", "timer_cancel", "leases_hour", "follower_hour"),
        *("person_by_id", "people_by_ids", "person_by_username", "people_by_name"),
    }
)
"""Patterns of single writes, and reads that find something. DynamoDB Local counts transactions of
many items and missing items differently from AWS: docs/reference/dynamodb.md.
"""


@pytest.fixture(scope="module")
def on_sqlite() -> dict[str, Measured]:
    found = uvloop.run(cost.on_a_fresh_file(cost.PATTERNS))
    return {one.pattern.name: one for one in found}


def test_every_budget_holds(on_sqlite: dict[str, Measured]) -> None:
    assert len(on_sqlite) == len(NAMES) > 50
    assert any(one.pattern.most_write for one in on_sqlite.values())
    over = {name: (one.read, one.write) for name, one in on_sqlite.items() if not one.holds}
    assert over == {}


@pytest.mark.timeout(1200)
def test_the_command_prints_one_line_of_json_and_finds_the_same_again(
    on_sqlite: dict[str, Measured],
) -> None:
    command = [sys.executable, "-m", "greenroom", "cost", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1000)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    figures = json.loads(done.stdout)
    assert figures["send_running"] <= 6
    assert figures["send_first"] <= 12
    assert figures["inbox_open"] <= 20
    assert figures == json.loads(cost.show.one_line(list(on_sqlite.values())))
    assert set(NAMES) <= set(figures)
    assert figures["history_page"].keys() == {"read", "write", "dollars"}


def test_the_table_names_every_pattern_and_the_list_price(
    on_sqlite: dict[str, Measured],
) -> None:
    shown = cost.show.text(list(on_sqlite.values()))
    assert [line.split()[0] for line in shown.splitlines()[2:] if line][: len(NAMES)] == NAMES
    assert "$0.625" in shown
    assert "us-east-1" in shown


@pytest.mark.timeout(1200)
async def test_dynamodb_reports_the_same_units(
    on_sqlite: dict[str, Measured], dynamodb_url: str
) -> None:
    patterns = [pattern for pattern in cost.PATTERNS if pattern.name in COMPARABLE]
    assert len(patterns) == len(COMPARABLE)
    async with fresh_store(dynamodb_url, TABLES, ManualClock(BEGIN_MS)) as store:
        found = await cost.measured(store, patterns, at_once=4)
    for one in found:
        assert one.by_source == on_sqlite[one.pattern.name].by_source, one.pattern.name


S3_REQUESTS = {
    "announce_file": (1, 0),  # begins the upload
    "upload_part": (1, 0),
    "upload_20_mib": (6, 1),  # begins, sends three parts, and completes as the others
    "resume_upload": (1, 0),
    "complete_upload": (2, 1),  # lists the parts, joins them, looks at the result
    "check_photo": (4, 1),  # reads the bytes once, writes three sizes and a blurred one
    "check_video": (5, 1),  # and a clip; a version without metadata would be another
    "check_text": (0, 1),
    "check_refused": (0, 1),
    "file_urls": (0, 0),  # a URL is signed here
    "file_urls_10": (0, 0),
    "download": (0, 1),
    "moderator_urls": (0, 0),
    "moderator_reveal": (0, 0),
    "view_avatar": (0, 0),
    "public_manifest": (0, 0),
    "delete_own_file": (0, 0),
    "cancel_upload": (0, 0),
    "remove_parts": (0, 0),  # deleting is free
    "remove_bytes": (0, 0),
}
"""Requests that write or list, and requests that read."""


def test_files_need_few_requests_to_s3(on_sqlite: dict[str, Measured]) -> None:
    for name, expected in S3_REQUESTS.items():
        asked = on_sqlite[name].blobs
        assert asked is not None
        assert (asked.puts, asked.gets) == expected, name
    others = {name for name, one in on_sqlite.items() if one.blobs} - S3_REQUESTS.keys()
    for name in others:
        assert on_sqlite[name].blobs == BlobRequests(), name


def test_the_table_of_requests_to_s3_has_only_patterns_that_send_some(
    on_sqlite: dict[str, Measured],
) -> None:
    rows = cost.show.blob_requests(list(on_sqlite.values())).splitlines()[2:]
    shown = {row.split("`")[1] for row in rows}
    assert shown == {name for name, asked in S3_REQUESTS.items() if asked != (0, 0)}


async def test_the_photos_of_the_fixture_have_every_field_of_a_checked_one(
    tmp_path: Path,
) -> None:
    [check] = [pattern for pattern in cost.PATTERNS if pattern.name == "check_photo"]
    async with fresh_store(f"{SQLITE}{tmp_path}/store.db", TABLES, ManualClock(BEGIN_MS)) as store:
        fixture = Fixture(store, "world")
        await (await check.prepare(fixture))()
        ana = await fixture.person("ana")
        [checked] = (await own_files(fixture.files, ana)).files
        ready = await own_file(fixture.files, ana, await ready_photo(fixture, ana))
    assert msgspec.to_builtins(checked).keys() <= msgspec.to_builtins(ready).keys()
    assert ready.labels.keys() == set(LABELS)


def test_patterns_without_a_bucket_ask_nothing_of_it(on_sqlite: dict[str, Measured]) -> None:
    for name in ("history_page", "send_10_files", "delete_10_files", "set_avatar", "tus_append"):
        assert on_sqlite[name].blobs is None, name
