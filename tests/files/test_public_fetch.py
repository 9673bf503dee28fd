"""Asking the URL of a manifest: never an address that is not public, whatever the URL looks like.

The resolver and the connection are the test's: nothing leaves this machine.
"""

from collections.abc import Sequence

import pytest

from greenroom.files.public_fetch import MAX_HEAD, UNREACHABLE, Reached, ask, is_public
from tests.files.network import OK, PUBLIC, Network, answering

NOT_PUBLIC = (
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd12:3456:789a::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "not an address",
    "",
)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_known(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_a_public_address_is_known(address: str) -> None:
    assert is_public(address)


async def _ask(url: str, answer: bytes, *addresses: Sequence[str]) -> tuple[Reached, Network]:
    async with answering(answer) as port:
        network = Network(port, *addresses)
        found = await ask(url, resolve=network.resolve, connect=network.connect)
    return found, network


async def test_a_public_address_is_asked_and_says_the_size() -> None:
    asked: list[bytes] = []
    async with answering(OK, asked) as port:
        network = Network(port, [PUBLIC])
        found = await ask(
            "http://files.example.com/a.zip?b=1", resolve=network.resolve, connect=network.connect
        )
    assert found == Reached(True, 123_456)
    assert network.connected == [PUBLIC]
    lines = asked[0].decode().split("\r\n")
    assert lines[:2] == ["HEAD /a.zip?b=1 HTTP/1.1", "Host: files.example.com"]


@pytest.mark.parametrize("address", NOT_PUBLIC)
async def test_nothing_is_sent_to_an_address_that_is_not_public(address: str) -> None:
    for answers in ([address], [PUBLIC, address], [address, PUBLIC]):
        found, network = await _ask("http://innocent.example.com/", OK, answers)
        assert found == UNREACHABLE
        assert network.connected == []


async def test_a_name_that_changes_its_address_is_asked_at_the_one_that_was_checked() -> None:
    found, network = await _ask("http://rebind.example.com/", OK, [PUBLIC], ["127.0.0.1"])
    assert found.reachable
    assert (network.connected, network.resolved) == ([PUBLIC], 1)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "http:///x",
        "http://example.com:22/",
        "http://example.com:8080/",
        "https://example.com:80/",
        "http://example.com:99999/",
    ],
)
async def test_other_schemes_and_ports_are_not_asked(url: str) -> None:
    found, network = await _ask(url, OK, [PUBLIC])
    assert found == UNREACHABLE
    assert network.connected == []


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"\r\n\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * (2 * MAX_HEAD),
    ],
)
async def test_anything_but_a_plain_answer_counts_as_unreachable(answer: bytes) -> None:
    found, network = await _ask("http://example.com/", answer, [PUBLIC])
    assert found == UNREACHABLE
    assert len(network.connected) == 1


@pytest.mark.parametrize("size", [b"-1", b"1e9", b"9" * 40, b"\xc2\xb2", b""])
async def test_a_size_that_is_no_number_is_left_out(size: bytes) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: " + size + b"\r\n\r\n"
    found, _ = await _ask("http://example.com/", answer, [PUBLIC])
    assert found == Reached(True, None)


async def test_a_name_that_does_not_exist_is_unreachable() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise OSError("no such name")

    assert await ask("http://nowhere.example.com/", resolve=resolve) == UNREACHABLE
