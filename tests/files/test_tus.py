"""tus 1.0 over HTTP, request by request, and with the published client against a real server."""

import io
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx import Response
from tusclient.client import TusClient

from greenroom.api.files.tus_headers import InvalidTusHeader, checksum_in, metadata_of
from greenroom.ids import FileId, UserId
from greenroom.people import People
from greenroom.people.suspend import suspend
from tests.api.world import ApiWorld, api_world_on, ok_json, refused
from tests.cli.test_serving import ask, server, token
from tests.stores import SQLITE

NOTES = b"What we agreed on: three looks, natural light, two retouched pictures each."
CHUNK = "application/offset+octet-stream"
RESUMABLE = {"Tus-Resumable": "1.0.0"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[ApiWorld]:
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db") as found:
        yield found


def announcing(content: bytes = NOTES, **metadata: str) -> dict[str, str]:
    known = {"filename": "notes.txt", "sha256": sha256(content).hexdigest()}
    return {"Upload-Length": str(len(content)), "Upload-Metadata": metadata_of(known | metadata)}


async def created(world: ApiWorld, content: bytes = NOTES, **metadata: str) -> str:
    """The URL of a new upload of Ben."""
    headers = world.bearer("ben") | RESUMABLE | announcing(content, **metadata)
    answer = await world.client.post("/v1/uploads", headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["tus-resumable"] == "1.0.0"
    return answer.headers["location"]


async def patched(
    world: ApiWorld, url: str, content: bytes, offset: int = 0, **headers: str
) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    given = RESUMABLE | {"Content-Type": CHUNK, "Upload-Offset": str(offset)} | named
    return await world.client.patch(url, headers=given, content=content)


async def offset_of(world: ApiWorld, url: str) -> int:
    answer = await world.client.head(url, headers=RESUMABLE)
    assert answer.status_code == 200
    return int(answer.headers["upload-offset"])


def file_id_in(url: str) -> FileId:
    return FileId(url.split("/")[3].partition("?")[0])


async def test_the_server_says_what_it_can_do(world: ApiWorld) -> None:
    url = await created(world)
    for path in ("/v1/uploads", url):
        answer = await world.client.options(path)
        assert answer.status_code == 204
        assert answer.headers["tus-version"] == "1.0.0"
        assert answer.headers["tus-max-size"] == "1000000000"
        assert answer.headers["tus-extension"] == "creation,checksum,expiration,termination"
        assert answer.headers["tus-checksum-algorithm"] == "sha1,sha256"


async def test_an_upload_in_two_requests_needs_no_token(world: ApiWorld) -> None:
    url = await created(world, threadId="")
    assert url.startswith("/v1/uploads/fil_")
    found = await world.client.head(url, headers=RESUMABLE)
    assert (found.headers["upload-offset"], found.headers["upload-length"]) == ("0", "75")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["upload-expires"] == "Sat, 02 Jan 2100 00:00:00 GMT"
    assert found.headers["upload-metadata"] == announcing()["Upload-Metadata"]
    first = await patched(world, url, NOTES[:30])
    assert (first.status_code, first.headers["upload-offset"]) == (204, "30")
    assert "upload-expires" in first.headers
    assert await offset_of(world, url) == 30
    last = await patched(world, url, NOTES[30:], 30)
    assert (last.status_code, last.headers["upload-offset"]) == (204, "75")
    assert "upload-expires" not in last.headers
    assert await offset_of(world, url) == 75
    file = await world.get("ben", f"/files/{file_id_in(url)}")
    assert (file["state"], file["name"]) == ("checking", "notes.txt")


async def test_other_versions_are_refused(world: ApiWorld) -> None:
    url = await created(world)
    for given in ({}, {"Tus-Resumable": "0.2.2"}):
        headers = world.bearer("ben") | announcing() | given
        for answer in (
            await world.client.post("/v1/uploads", headers=headers),
            await world.client.get(url, headers=given),
            await world.client.patch(url, headers=given),
            await world.client.delete(url, headers=given),
        ):
            refused(answer, 412, "tus-version-not-supported")
            assert answer.headers["tus-version"] == "1.0.0"


async def test_a_chunk_needs_its_type_and_its_offset(world: ApiWorld) -> None:
    url = await created(world)
    refused(await patched(world, url, NOTES, Content_Type="text/plain"), 415, "wrong-content-type")
    for offset in ("", "-1", "x", "1.5", "9" * 17):
        answer = await patched(world, url, NOTES, Upload_Offset=offset)
        refused(answer, 400, "invalid-tus-header")
    headers = RESUMABLE | {"Content-Type": CHUNK}
    answer = await world.client.patch(url, headers=headers, content=NOTES)
    refused(answer, 400, "invalid-tus-header")
    assert await offset_of(world, url) == 0


async def test_a_wrong_offset_is_a_conflict(world: ApiWorld) -> None:
    url = await created(world)
    await patched(world, url, NOTES[:30])
    for offset in (0, 29, 31):
        document = refused(await patched(world, url, b"x", offset), 409, "upload-conflict")
        assert document["offset"] == 30
    assert await offset_of(world, url) == 30


async def test_more_bytes_than_announced_are_refused(world: ApiWorld) -> None:
    url = await created(world)

    async def unknown_length() -> AsyncIterator[bytes]:
        yield NOTES
        yield b"!"

    refused(await patched(world, url, NOTES + b"!"), 413, "size-exceeded")
    assert await offset_of(world, url) == 0
    answer = await patched(world, url, unknown_length())  # type: ignore[arg-type]
    refused(answer, 413, "size-exceeded")


async def test_after_the_last_byte_the_upload_is_finished(world: ApiWorld) -> None:
    url = await created(world)
    await patched(world, url, NOTES)
    refused(await patched(world, url, b"", 75), 409, "upload-finished")
    refused(await patched(world, url, NOTES), 409, "upload-finished")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
async def test_a_damaged_chunk_is_taken_back(world: ApiWorld, algorithm: str) -> None:
    url, known = await created(world), {"sha1": sha1, "sha256": sha256}[algorithm]

    def checksum(content: bytes) -> str:
        return f"{algorithm} {b64encode(known(content).digest()).decode()}"

    await patched(world, url, NOTES[:30], Upload_Checksum=checksum(NOTES[:30]))
    for chunk in (b"damaged", NOTES[30:-1] + b"!"):
        answer = await patched(world, url, chunk, 30, Upload_Checksum=checksum(NOTES[30:]))
        refused(answer, 460, "chunk-damaged")
        assert await offset_of(world, url) == 30
    rest = await patched(world, url, NOTES[30:], 30, Upload_Checksum=checksum(NOTES[30:]))
    assert rest.status_code == 204
    assert (await world.get("ben", f"/files/{file_id_in(url)}"))["state"] == "checking"


async def test_a_checksum_must_be_readable(world: ApiWorld) -> None:
    url = await created(world)
    for given in ("md5 AAAA", "sha1 %%%", "sha1"):
        answer = await patched(world, url, NOTES, Upload_Checksum=given)
        assert answer.status_code in (400, 460), given


def test_a_checksum_of_other_characters_is_refused() -> None:
    """Some servers and clients pass on bytes beyond ASCII."""
    with pytest.raises(InvalidTusHeader):
        checksum_in({"Upload-Checksum": "sha1 \xe9\xe9=="})


@pytest.mark.parametrize(
    "changed",
    [
        {"Upload-Length": "x"},
        {"Upload-Length": "-5"},
        {"Upload-Defer-Length": "1"},
        {"Upload-Metadata": "filename ###"},
        {"Upload-Metadata": "filename " + "YWFh" * 3000},
        {"Upload-Metadata": metadata_of({"filename": "x"}) + ",sha256 /////w=="},
    ],
)
async def test_an_announcement_that_cannot_be_read_is_refused(
    world: ApiWorld, changed: dict[str, str]
) -> None:
    headers = world.bearer("ben") | RESUMABLE | announcing() | changed
    refused(await world.client.post("/v1/uploads", headers=headers), 400, "invalid-tus-header")


async def test_an_announcement_is_checked_as_over_rest(world: ApiWorld) -> None:
    for given in (
        {"Upload-Metadata": metadata_of({"filename": "x"})},
        {"Upload-Metadata": metadata_of({"sha256": "0" * 64})},
        {"Upload-Length": "0"},
    ):
        headers = world.bearer("ben") | RESUMABLE | announcing() | given
        refused(await world.client.post("/v1/uploads", headers=headers), 422, "invalid-file")
    headers = world.bearer("ben") | RESUMABLE | announcing() | {"Upload-Length": "1000000001"}
    refused(await world.client.post("/v1/uploads", headers=headers), 413, "file-too-large")


async def test_an_ended_upload_is_gone(world: ApiWorld) -> None:
    url = await created(world)
    await patched(world, url, NOTES[:30])
    answer = await world.client.delete(url, headers=RESUMABLE)
    assert (answer.status_code, answer.headers["tus-resumable"]) == (204, "1.0.0")
    assert (await world.client.head(url, headers=RESUMABLE)).status_code == 404
    refused(await patched(world, url, NOTES[30:], 30), 404, "file-not-found")
    assert (await world.get("ben", "/me/storage"))["files"] == 0


async def test_an_expired_upload_is_gone(world: ApiWorld) -> None:
    url = await created(world)
    world.clock.advance(seconds=86_400)
    refused(await patched(world, url, NOTES), 403, "link-expired")
    await world.run_timers()
    headers = world.bearer("ben") | RESUMABLE
    path = url.partition("?")[0]
    assert (await world.client.head(path, headers=headers)).status_code == 404


async def test_a_url_is_for_one_file_and_cannot_be_changed(world: ApiWorld) -> None:
    one, two = await created(world), await created(world)
    secret = one.partition("token=")[2]
    for wrong in (
        two.replace(two.partition("token=")[2], secret),
        one[:-1] + ("A" if one[-1] != "A" else "B"),
        one + "A",
        one.replace(secret, ""),
        f"/v1/uploads/fil_0000000000000000000000000a?token={secret}",
    ):
        refused(await patched(world, wrong, NOTES), 403, "link-expired")
    assert await offset_of(world, one) == await offset_of(world, two) == 0


async def test_a_creation_with_the_same_key_finds_the_same_upload(world: ApiWorld) -> None:
    headers = world.bearer("ben") | RESUMABLE | announcing(NOTES) | {"Idempotency-Key": "k1"}
    answers = [await world.client.post("/v1/uploads", headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    first, second = (file_id_in(answer.headers["location"]) for answer in answers)
    assert first == second


async def test_a_suspended_user_uploads_nothing_more(world: ApiWorld) -> None:
    url = await created(world)
    await suspend(world.contexts[People], UserId(world.ids["ben"]), None, "")
    world.clock.advance(seconds=5)
    refused(await patched(world, url, NOTES), 403, "account-suspended")


async def test_a_file_announced_over_rest_is_uploaded_by_tus(world: ApiWorld) -> None:
    new = {"name": "notes.txt", "size": len(NOTES), "sha256": sha256(NOTES).hexdigest()}
    made = ok_json(await world.ask("ben", "POST", "/files", new, Idempotency_Key="k1"), 201)
    url = made["upload"]["url"]
    await patched(world, url, NOTES[:30])
    again = ok_json(await world.ask("ben", "POST", "/files", new, Idempotency_Key="k1"), 201)
    assert again["file"]["fileId"] == made["file"]["fileId"]
    assert again["upload"]["offset"] == 30
    reused = await world.ask("ben", "POST", "/files", new | {"name": "other"}, Idempotency_Key="k1")
    refused(reused, 422, "idempotency-key-reused")
    path = f"/files/{made['file']['fileId']}"
    document = refused(await world.ask("ben", "POST", f"{path}/complete"), 409, "upload-incomplete")
    assert document["missingBytes"] == 45
    on = await world.get("ben", f"{path}/upload")
    assert (on["upload"]["protocol"], on["upload"]["offset"]) == ("tus", 30)
    await patched(world, on["upload"]["url"], NOTES[30:], 30)
    done = ok_json(await world.ask("ben", "POST", f"{path}/complete"))
    assert done["state"] == "checking"
    assert (await world.get("ben", f"{path}/upload"))["upload"] is None
    assert (await world.get("ben", "/files"))["files"] == [done]


async def test_pages_of_other_sites_may_use_tus(tmp_path: Path) -> None:
    home = "https://shop.example"
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", origins=[home]) as world:
        for method in ("POST", "PATCH", "HEAD", "DELETE"):
            asked = {
                "Origin": home,
                "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": "tus-resumable,upload-offset,upload-checksum,"
                "upload-length,upload-metadata,content-type,authorization",
            }
            answer = await world.client.options("/v1/uploads", headers=asked)
            assert answer.status_code == 204, answer.text
            assert answer.headers["access-control-allow-origin"] == home
        url = await created(world)
        answer = await world.client.head(url, headers=RESUMABLE | {"Origin": home})
        exposed = answer.headers["access-control-expose-headers"].lower()
        for name in ("upload-offset", "location", "tus-resumable", "upload-expires"):
            assert name in exposed


async def test_pages_of_other_sites_may_download_ranges(tmp_path: Path) -> None:
    """As viewers of PDFs do."""
    home = "https://shop.example"
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", origins=[home]) as world:
        asked = {
            "Origin": home,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "range,if-range",
        }
        answer = await world.client.options("/v1/blobs/users/a", headers=asked)
        assert answer.status_code == 204, answer.text
        answer = await world.client.get("/v1/blobs/users/a", headers={"Origin": home})
        exposed = answer.headers["access-control-expose-headers"].lower()
        for name in ("content-range", "accept-ranges", "content-disposition"):
            assert name in exposed


CONTENT = bytes(range(256)) * 12_000
"""3 MB: several chunks of the client."""


@pytest.fixture
def people(tmp_path: Path) -> dict[str, str]:
    return {"GREENROOM_DATA": str(tmp_path)}


def ben_on(address: str, people: dict[str, str]) -> str:
    service = token("shop", "--scope", "service", **people)
    made = httpx.post(
        f"{address}/v1/people",
        json={"username": "ben"},
        headers={"Authorization": f"Bearer {service}"},
    )
    assert made.status_code == 201, made.text
    return token(made.json()["userId"], **people)


def uploader(address: str, bearer: str, **more: Any) -> Any:
    client = TusClient(f"{address}/v1/uploads", headers={"Authorization": f"Bearer {bearer}"})
    metadata = {"filename": "clip.bin", "sha256": sha256(CONTENT).hexdigest()}
    return client.uploader(
        file_stream=io.BytesIO(CONTENT), chunk_size=700_000, metadata=metadata, **more
    )


def state_of(address: str, url: str, bearer: str) -> str:
    file_id = url.rpartition("/")[2].partition("?")[0]
    return str(ask(f"{address}/v1/files/{file_id}", bearer)["state"])


@pytest.mark.parametrize("checksum", [False, True])
def test_the_published_client_uploads_a_file(
    tmp_path: Path, people: dict[str, str], checksum: bool
) -> None:
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        bearer = ben_on(address, people)
        upload = uploader(address, bearer, upload_checksum=checksum)
        upload.upload()
        assert state_of(address, upload.url, bearer) in ("checking", "ready")
    [stored] = [path for path in (tmp_path / "files/users").rglob("fil_*") if path.is_file()]
    assert stored.read_bytes() == CONTENT


def test_an_upload_goes_on_after_the_server_was_restarted(
    tmp_path: Path, people: dict[str, str]
) -> None:
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        bearer = ben_on(address, people)
        first = uploader(address, bearer)
        first.upload(stop_at=1_400_000)
        path = first.url.removeprefix(address)
    with server("serve", tmp_path, GREENROOM_LOG="warning") as (address, _):
        second = uploader(address, bearer, url=f"{address}{path}")
        assert second.offset == 1_400_000
        second.upload()
        assert state_of(address, second.url, bearer) in ("checking", "ready")
    [stored] = [path for path in (tmp_path / "files/users").rglob("fil_*") if path.is_file()]
    assert stored.read_bytes() == CONTENT
