"""Parsing of DynamoDB URLs, and request signatures."""

import itertools
from datetime import UTC, datetime

import pytest
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.sign import Instant, signed_dynamo_request

from greenroom.store.dynamo import signature
from greenroom.store.dynamo.endpoint import InvalidEndpoint, parse_endpoint
from greenroom.store.dynamo.signature import Signer
from greenroom.store.problems import StoreUnavailable


def test_a_region_is_aws() -> None:
    endpoint = parse_endpoint("dynamodb://eu-west-1?prefix=prod-")
    assert endpoint.url == "https://dynamodb.eu-west-1.amazonaws.com/"
    assert endpoint.streams_url == "https://streams.dynamodb.eu-west-1.amazonaws.com/"
    assert (endpoint.region, endpoint.prefix) == ("eu-west-1", "prod-")
    assert parse_endpoint("dynamodb://cn-north-1").url.endswith(".amazonaws.com.cn/")


def test_an_endpoint_is_named_by_its_url() -> None:
    endpoint = parse_endpoint("dynamodb+http://127.0.0.1:8000?region=local&prefix=test-")
    assert endpoint.url == endpoint.streams_url == "http://127.0.0.1:8000/"
    assert (endpoint.region, endpoint.prefix) == ("local", "test-")
    assert isinstance(endpoint.credentials, StaticCredentials)
    assert parse_endpoint("dynamodb+https://[::1]:8000").url == "https://[::1]:8000/"


def test_a_key_in_the_url_signs() -> None:
    credentials = parse_endpoint("dynamodb+https://me:s%2Fcret@db.example?region=x1").credentials
    assert credentials == StaticCredentials(Key("me", "s/cret"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "dynamodb",
        "dynamodb://",
        "dynamodb://eu_west",
        "dynamodb://eu-west-1:80",
        "dynamodb://key:secret@eu-west-1",
        "dynamodb+http://",
        "dynamodb+http://localhost:port",
        "dynamodb+http://localhost/path",
        "dynamodb+http://localhost?prefix=a/b",
        "dynamodb+http://localhost?prefx=a",
        "dynamodb+http://key@localhost",
        "sqlite:///file",
    ],
)
def test_an_invalid_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidEndpoint):
        parse_endpoint(url)


def test_a_refusal_does_not_contain_the_secret() -> None:
    with pytest.raises(InvalidEndpoint) as refused:
        parse_endpoint("dynamodb+http://key:hush@localhost/path")
    assert "hush" not in str(refused.value)


def headers_of(head: bytes) -> dict[str, str]:
    first, *lines = head.decode().removesuffix("\r\n\r\n").split("\r\n")
    assert first == "POST / HTTP/1.1"
    return dict(line.split(": ", 1) for line in lines)


def test_requests_are_signed_as_aiodynamo_signs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    instants = [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)]
    signers = {
        region: Signer(f"https://dynamodb.{region}.amazonaws.com/", region, "DynamoDB_20120810")
        for region in ("eu-west-1", "us-east-2")
    }
    cases = itertools.product(
        instants,
        (Key("id", "secret"), Key("other", "secret"), Key("id", "sécret")),
        ("GetItem", "PutItem"),
        ({"a": "1"}, {"b": "é"}),
        signers.items(),
    )
    for second, (instant, key, action, payload, (region, signer)) in enumerate(cases):
        monkeypatch.setattr(Instant, "now", classmethod(lambda cls, at=instant: cls(at)))
        monkeypatch.setattr(signature, "time", lambda at=second: 1e9 + at // 4)
        theirs = signed_dynamo_request(key=key, payload=payload, action=action, region=region)
        ours = headers_of(signer.head(key, action, theirs.body))
        for name, value in theirs.headers.items():
            assert ours[name.lower()] == value
        assert ours["content-length"] == str(len(theirs.body))


def test_a_session_token_and_a_port_are_signed() -> None:
    signer = Signer("http://127.0.0.1:8000/", "local", "DynamoDBStreams_20120810")
    headers = headers_of(signer.head(Key("id", "secret", "session"), "GetRecords", b"{}"))
    assert headers["host"] == "127.0.0.1:8000"
    assert headers["x-amz-security-token"] == "session"
    assert "x-amz-security-token" in headers["authorization"]
    assert headers["x-amz-target"] == "DynamoDBStreams_20120810.GetRecords"


@pytest.mark.parametrize("bad", ["two\r\nlines: 1", "two words", "é", "nul\0"])
def test_a_key_cannot_add_headers(bad: str) -> None:
    signer = Signer("http://127.0.0.1:8000/", "local", "DynamoDB_20120810")
    for key in (Key(bad, "secret"), Key("id", "secret", bad)):
        for _ in range(2):
            with pytest.raises(StoreUnavailable) as refused:
                signer.head(key, "GetItem", b"{}")
            assert bad not in str(refused.value)
