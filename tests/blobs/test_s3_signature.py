"""Signatures for S3 are those that botocore makes."""

import itertools
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import botocore.auth  # type: ignore[import-untyped]
import pytest
from aiodynamo.credentials import Key
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]
from botocore.credentials import Credentials  # type: ignore[import-untyped]

from greenroom.aws.signature import UnsafeHeader
from greenroom.blobs.base import BlobKey
from greenroom.blobs.s3 import parse_location
from greenroom.blobs.s3.signature import S3Signer
from greenroom.clock import ManualClock

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BLOB = BlobKey("files/fil~1/a.b-c")
LOCATIONS = [
    "s3://pictures?region=eu-central-1&prefix=prod/",
    "s3://pictures.example.com?region=us-east-2",
    "s3://pictures?endpoint=http://127.0.0.1:9000",
]
KEYS = [Key("id", "secret"), Key("id", "sécret", "session/token+=")]
QUERIES: list[dict[str, str]] = [
    {},
    {"uploads": ""},
    {"uploadId": "a/b+c==", "partNumber": "10", "part-number-marker": "2"},
    {"response-content-disposition": "attachment; filename=\"a b\"; filename*=UTF-8''%C3%A9"},
]


@pytest.fixture(autouse=True)
def _held_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: AT.replace(tzinfo=None))


def cases() -> list[Any]:
    return list(itertools.product(map(parse_location, LOCATIONS), KEYS, QUERIES))


@pytest.mark.parametrize(("location", "key", "query"), cases())
def test_a_url_is_signed_as_botocore_signs_it(location: Any, key: Key, query: Any) -> None:
    clock, path = ManualClock(int(AT.timestamp() * 1000)), location.path(BLOB)
    headers = {"content-length": "5", "content-type": "image/png"}
    ours = S3Signer(location, clock).url(key, "PUT", path, query, headers, 60)
    request = AWSRequest("PUT", location.public + path, params=query, headers=headers)
    credentials = Credentials(key.id, key.secret, key.token)
    botocore.auth.S3SigV4QueryAuth(credentials, "s3", location.region, 60).add_auth(request)
    theirs = urlsplit(request.prepare().url)
    assert urlsplit(ours)[:3] == theirs[:3]
    assert parse_qs(urlsplit(ours).query) == parse_qs(theirs.query)


@pytest.mark.parametrize(("location", "key", "query"), cases())
def test_headers_are_signed_as_botocore_signs_them(location: Any, key: Key, query: Any) -> None:
    clock, path = ManualClock(int(AT.timestamp() * 1000)), location.path(BLOB)
    given, body = {"content-type": "image/png", "x-amz-meta-a": "b"}, b"<xml/>"
    ours = S3Signer(location, clock).headers(key, "POST", path, query, given, body)
    url = f"{location.endpoint}{path}?{urlencode(query, quote_via=quote)}".rstrip("?")
    request = AWSRequest("POST", url, headers=given, data=body)
    request.context["payload_signing_enabled"] = True
    credentials = Credentials(key.id, key.secret, key.token)
    botocore.auth.S3SigV4Auth(credentials, "s3", location.region).add_auth(request)
    assert ours["authorization"] == request.headers["Authorization"]


@pytest.mark.parametrize("bad", ["two\r\nlines: 1", "two words", "é", "nul\0"])
def test_a_key_cannot_add_headers(bad: str) -> None:
    signer = S3Signer(parse_location(LOCATIONS[0]), ManualClock())
    for key in (Key(bad, "secret"), Key("id", "secret", bad)):
        with pytest.raises(UnsafeHeader) as refused:
            signer.url(key, "GET", "/", {}, {}, 60)
        assert bad not in str(refused.value)
