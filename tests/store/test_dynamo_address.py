"""Where a DynamoDB is, and the signature that opens it."""

from datetime import UTC, datetime

import pytest
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.sign import Instant, signed_dynamo_request

from greenroom.store.dynamo.address import InvalidAddress, parse_address
from greenroom.store.dynamo.signature import Signer


def test_a_region_is_aws() -> None:
    address = parse_address("dynamodb://eu-west-1?prefix=prod-")
    assert address.endpoint == "https://dynamodb.eu-west-1.amazonaws.com/"
    assert address.streams_endpoint == "https://streams.dynamodb.eu-west-1.amazonaws.com/"
    assert (address.region, address.prefix) == ("eu-west-1", "prod-")
    assert parse_address("dynamodb://cn-north-1").endpoint.endswith(".amazonaws.com.cn/")


def test_an_endpoint_is_named_by_its_url() -> None:
    address = parse_address("dynamodb+http://127.0.0.1:8000?region=local&prefix=test-")
    assert address.endpoint == address.streams_endpoint == "http://127.0.0.1:8000/"
    assert (address.region, address.prefix) == ("local", "test-")
    assert isinstance(address.credentials, StaticCredentials)
    assert parse_address("dynamodb+https://[::1]:8000").endpoint == "https://[::1]:8000/"


def test_a_key_in_the_url_signs() -> None:
    credentials = parse_address("dynamodb+https://me:s%2Fcret@db.example?region=x1").credentials
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
def test_a_url_that_names_no_dynamodb_is_refused(url: str) -> None:
    with pytest.raises(InvalidAddress):
        parse_address(url)


def test_a_refusal_keeps_the_secret() -> None:
    with pytest.raises(InvalidAddress) as refused:
        parse_address("dynamodb+http://key:hush@localhost/path")
    assert "hush" not in str(refused.value)


def test_requests_are_signed_as_aiodynamo_signs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    instant = Instant(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    monkeypatch.setattr(Instant, "now", classmethod(lambda cls: instant))
    key = Key("id", "secret")
    theirs = signed_dynamo_request(key=key, payload={"a": 1}, action="GetItem", region="eu-west-1")
    signer = Signer(str(theirs.url), "eu-west-1", "DynamoDB_20120810")
    ours = signer.headers(key, "GetItem", theirs.body)
    assert ours["authorization"] == theirs.headers["Authorization"]


def test_a_session_token_and_a_port_are_signed() -> None:
    signer = Signer("http://127.0.0.1:8000/", "local", "DynamoDBStreams_20120810")
    headers = signer.headers(Key("id", "secret", "session"), "GetRecords", b"{}")
    assert headers["host"] == "127.0.0.1:8000"
    assert headers["x-amz-security-token"] == "session"
    assert "x-amz-security-token" in headers["authorization"]
    assert headers["x-amz-target"] == "DynamoDBStreams_20120810.GetRecords"
