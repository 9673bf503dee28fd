"""The commands in the guides work: the tests run them in order, against servers of their own."""

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import botocore.session  # type: ignore[import-untyped]
import pytest
from aiodynamo.credentials import StaticCredentials
from yarl import URL

from greenroom.app import TABLES
from greenroom.blobs.base import BlobKey, InvalidParts, UploadedPart, UploadNotFound
from greenroom.blobs.s3 import parse_location
from greenroom.clock import SystemClock
from greenroom.store.dynamo import DynamoStore
from scripts.engines.requirements import Unavailable, command
from tests.buckets import fresh_bucket, opened
from tests.cli.test_serving import server
from tests.stores import fresh_prefix

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs/guides"
ADDRESS = "http://127.0.0.1:8080"


def blocks(guide: str, language: str = "sh") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (GUIDES / guide).read_text(), re.DOTALL)


def commands(guide: str) -> str:
    """All commands but the first, which starts the server."""
    found = blocks(guide)
    assert found[0].strip() == "greenroom serve"
    return "".join(found[1:])


def run(script: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=folder,
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "GREENROOM_DATA": str(folder),
            **environment,
        },
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    return done.stdout


def test_the_commands_of_the_first_guide_work(tmp_path: Path) -> None:
    script = commands("messaging.md")
    assert script.count("ask $") > 20
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        said = run(script.replace(ADDRESS, address), tmp_path)
    assert "See you on the 14th." in said
    assert '"decision":"dismiss"' in said


def test_the_commands_of_the_guide_to_bookings_work(tmp_path: Path) -> None:
    settings = {"GREENROOM_LOG": "warning", "GREENROOM_BOOKINGS_PAYMENTS": "sandbox"}
    with server("serve", tmp_path, **settings) as (address, _):
        said = run(commands("bookings.md").replace(ADDRESS, address), tmp_path)
    assert '"total":{"minor":40000,"currency":"EUR"}' in said
    assert "BEGIN:VCALENDAR" in said
    assert '"transition":"respond"' in said
    assert "Every chain is whole" in said


def test_the_commands_of_the_guide_to_files_work(tmp_path: Path) -> None:
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        said = run(commands("files.md").replace(ADDRESS, address), tmp_path)
    assert '"state":"ready"' in said
    assert "The same." in said
    assert "upload-offset: 47" in said.lower()
    assert '"files":3' in said


def test_the_client_of_the_socket_guide_sends_receives_and_reconnects(tmp_path: Path) -> None:
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        said = run(commands("socket.md").replace(ADDRESS, address), tmp_path)
    assert said.count('"type": "ack"') == 2
    assert said.splitlines().count("Is Friday free?") == 2, "once for Ana, and once for Ben"
    assert (tmp_path / "ben.txt").read_text() == "Or Saturday?\n", "what was known came again"


async def test_a_message_on_one_node_reaches_the_other_as_the_guide_says(
    tmp_path: Path, dynamodb_url: str, nats_url: str
) -> None:
    *_, people, talk = blocks("nodes.md")[:4]
    (client,) = (block for block in blocks("socket.md") if "chat.py <<" in block)
    async with (
        fresh_prefix(dynamodb_url, TABLES) as store,
        await DynamoStore.open(
            store, TABLES, clock=SystemClock(), cursor_secret=b"secret", create=True
        ),
    ):
        shared = {
            "GREENROOM_STORE": store,
            "GREENROOM_BUS": nats_url,
            "GREENROOM_SECRET": "the same 32 characters or more on every node",
        }
        quiet = {"GREENROOM_LOG": "warning", **shared}
        with (
            server("serve", tmp_path / "one", **quiet) as (one, _),
            server("serve", tmp_path / "two", **quiet) as (two, _),
        ):
            script = (client + people + talk).replace("http://127.0.0.1:8081", one)
            said = run(script.replace("http://127.0.0.1:8082", two), tmp_path, **shared)
    assert said.count('"type": "ack"') == 1
    assert (tmp_path / "ben.txt").read_text().endswith("Is Friday free?\n")


_DRIVER = """
const [host, token, thread] = process.argv.slice(2);
const kept = { cursor: null, have: {} };
const heard = new Promise((done) => {
  const told = (message) => message.body === "Hi!" && done(message);
  const client = connect(host, () => token, told, kept);
  const waiting = setInterval(async () => {
    if (kept.cursor === null) return;
    clearInterval(waiting);
    const send = { threadId: thread, clientMessageId: "b-1", body: "Hi!" };
    const ack = await client.request("send", send);
    if (ack.message.messageId === (await heard).messageId) console.log("\\nheard");
    client.close();
  }, 20);
});
"""


def test_the_browser_snippet_sends_and_receives(tmp_path: Path) -> None:
    (snippet,) = blocks("socket.md", "js")
    (tmp_path / "snippet.js").write_text(snippet + _DRIVER)
    begin = commands("socket.md").split("cat > chat.py")[0]
    flags = _flags_for_websocket()
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        at = address.replace("http", "ws")
        script = f"{begin}\ntimeout 120 node {flags} snippet.js {at} $ana $thread\n"
        said = run(script.replace(ADDRESS, address), tmp_path)
    assert said.endswith("\nheard\n")


def _flags_for_websocket() -> str:
    """Node has the browser's WebSocket since 20.10, at first behind a flag."""
    try:
        node = command("node", debian="nodejs")
    except Unavailable as reason:
        pytest.skip(str(reason))
    flags = "--no-warnings --experimental-websocket"
    asked = [node, *flags.split(), "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]
    if subprocess.run(asked, capture_output=True).returncode != 0:
        pytest.skip("this node is too old to have a WebSocket")
    return flags


def test_the_code_of_the_guide_to_contexts_is_that_of_the_example() -> None:
    example = ROOT / "tests/example_context"
    code = "\n".join(path.read_text() for path in sorted(example.glob("*.py")))
    found = blocks("contexts.md", "python")
    assert len(found) >= 6
    for block in found:
        assert block in code, block


def settings_of(guide: str) -> list[str]:
    """What the guide sets GREENROOM_BLOBS to."""
    return re.findall(r"GREENROOM_BLOBS='([^']+)'", (GUIDES / guide).read_text())


@pytest.mark.parametrize("guide", ["s3.md", "nodes.md"])
def test_the_buckets_that_the_guides_name_are_valid(guide: str) -> None:
    found = settings_of(guide)
    assert found
    for url in found:
        assert parse_location(url).bucket == "my-bucket"


def s3_client(url: str) -> Any:
    found = parse_location(url)
    assert isinstance(found.credentials, StaticCredentials)
    assert found.credentials.key is not None
    return botocore.session.Session().create_client(
        "s3",
        region_name=found.region,
        endpoint_url=found.endpoint,
        aws_access_key_id=found.credentials.key.id,
        aws_secret_access_key=found.credentials.key.secret,
    )


async def test_a_browser_can_upload_with_the_rules_of_the_guide_to_s3(s3_url: str) -> None:
    [cors], [lifecycle] = blocks("s3.md", "json cors"), blocks("s3.md", "json lifecycle")
    name = f"guide-{uuid4().hex[:8]}"
    url, client = s3_url.replace("@greenroom?", f"@{name}?"), s3_client(s3_url)
    client.create_bucket(Bucket=name)
    client.put_bucket_cors(Bucket=name, CORSConfiguration=json.loads(cors))
    client.put_bucket_lifecycle_configuration(
        Bucket=name, LifecycleConfiguration=json.loads(lifecycle)
    )
    page = {"Origin": "https://chat.example.com"}
    async with opened(url) as blobs, aiohttp.ClientSession() as browser:
        key = BlobKey("files/fil_1")
        upload = await blobs.begin_multipart(key, "image/png")
        request = blobs.presign_part(key, upload, 1, size=5, seconds=60)
        target = URL(request.url, encoded=True)
        asked = {**page, "Access-Control-Request-Method": "PUT"}
        async with browser.options(target, headers=asked) as answer:
            assert answer.status == 200
            assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
        async with browser.put(target, headers=page, data=b"bytes") as answer:
            assert answer.status == 200
            assert answer.headers["Access-Control-Allow-Origin"] == page["Origin"]
            assert "ETag" in answer.headers["Access-Control-Expose-Headers"]


async def test_the_permissions_of_the_guide_are_those_that_requests_need(s3_url: str) -> None:
    """Each request needs one action: https://docs.aws.amazon.com/AmazonS3/latest/userguide."""
    needed = {
        "PutObject": "s3:PutObject",
        "GetObject": "s3:GetObject",
        "HeadObject": "s3:GetObject",
        "DeleteObject": "s3:DeleteObject",
        "CreateMultipartUpload": "s3:PutObject",
        "CompleteMultipartUpload": "s3:PutObject",
        "ListParts": "s3:ListMultipartUploadParts",
        "AbortMultipartUpload": "s3:AbortMultipartUpload",
    }
    key = BlobKey("files/fil_1")
    async with fresh_bucket(s3_url) as blobs:
        await blobs.check()
        upload = await blobs.begin_multipart(key, "image/png")
        await blobs.uploaded_parts(key, upload)
        with suppress(InvalidParts, UploadNotFound):  # no part was sent
            await blobs.complete_multipart(key, upload, [UploadedPart(1, '"0"', 1)])
        await blobs.abort_multipart(key, upload)
    assert set(blobs.requests) == set(needed)
    [policy] = blocks("s3.md", "json iam")
    objects, bucket = json.loads(policy)["Statement"]
    assert set(objects["Action"]) == set(needed.values())
    assert bucket["Action"] == "s3:ListBucket"
