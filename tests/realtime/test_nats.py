"""The NATS bus during outages and errors, with credentials and with TLS."""

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from nats.aio.client import Client

from greenroom.realtime.bus import BusMessage, Topic
from greenroom.realtime.nats import NatsBus, bus, connection, send_queue
from greenroom.realtime.nats.bus import CONNECT_SECONDS
from greenroom.realtime.nats.subjects import subject_of
from greenroom.realtime.problems import BusUnavailable
from scripts.engines import Engine, nats as server
from tests.realtime.bus_client import BusClient, a_topic, nodes, until
from tests.realtime.cuttable_link import cuttable_link_to


@pytest.fixture
def own_server(nats_url: str) -> Iterator[Engine]:
    """A server of its own, which the test may stop."""
    with serving() as engine:
        yield engine


@contextmanager
def serving(*options: str) -> Iterator[Engine]:
    engine = server.start(*options)
    try:
        yield engine
    finally:
        engine.process.send_signal(signal.SIGCONT)
        engine.stop()


def port_of(engine: Engine) -> int:
    port = urlsplit(engine.url).port
    assert port is not None
    return port


# Outages


async def test_after_a_restart_of_nats_nodes_resubscribe_and_report_a_gap(
    own_server: Engine,
) -> None:
    stays, goes, comes = a_topic(), a_topic(), a_topic()
    async with nodes(own_server.url, own_server.url) as (publisher, subscriber):
        await subscriber.subscribe(stays, goes)
        own_server.stop()
        await until(lambda: not publisher.bus._up and not subscriber.bus._up)  # type: ignore[attr-defined]
        subscriber.bus.unsubscribe(goes)
        subscriber.bus.subscribe(comes)
        again = server.start_at(port_of(own_server))
        try:
            await until(lambda: publisher.gaps and subscriber.gaps)
            await subscriber.bus.ready()
            for topic in (goes, stays, comes):
                publisher.publish(topic, "again")
            await until(lambda: subscriber.texts(comes))
            assert subscriber.texts(stays) == subscriber.texts(comes) == ["again"]
            assert subscriber.texts(goes) == []
        finally:
            again.stop()


async def test_publishing_neither_waits_nor_fails_while_nats_is_down(own_server: Engine) -> None:
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (publisher, subscriber):
        await publisher.subscribe(topic)
        await subscriber.subscribe(topic)
        own_server.stop()
        started = monotonic()
        for number in range(1000):
            publisher.publish(topic, f"into the void {number}")
        assert monotonic() - started < 1
        assert len(publisher.received) == 1000
        await until(lambda: not publisher.bus._up)  # type: ignore[attr-defined]
        for number in range(1000):
            publisher.publish(topic, f"into the void {number}")
        assert len(publisher.received) == 2000
        again = server.start_at(port_of(own_server))
        try:
            await until(lambda: publisher.gaps and subscriber.gaps)
            publisher.publish(topic, "again")
            await until(lambda: subscriber.texts(topic) == ["again"])
        finally:
            again.stop()


async def test_a_disconnect_is_a_gap_for_the_node_and_for_its_subscribers(
    own_server: Engine,
) -> None:
    topic = a_topic()
    async with (
        cuttable_link_to(own_server.url) as cuttable_link,
        nodes(cuttable_link.url, own_server.url, own_server.url) as (cut, other, silent),
    ):
        await other.subscribe(topic)
        cut.publish(topic, "before")
        await until(lambda: other.received)
        cuttable_link.cut()
        await until(lambda: not cut.bus._up)  # type: ignore[attr-defined]
        cut.publish(topic, "lost")
        cuttable_link.mend()
        await until(lambda: cut.gaps and other.gaps and silent.gaps)
        cut.publish(topic, "after")
        await until(lambda: other.texts(topic) == ["before", "after"])


async def test_a_disconnect_without_unconfirmed_messages_is_no_gap_for_others(
    own_server: Engine,
) -> None:
    topic = a_topic()
    async with (
        cuttable_link_to(own_server.url) as cuttable_link,
        nodes(cuttable_link.url, own_server.url) as (cut, other),
    ):
        await other.subscribe(topic)
        cut.publish(topic, "hello")
        await until(lambda: other.received)
        await cut.subscribe(a_topic())
        cuttable_link.cut()
        await until(lambda: not cut.bus._up)  # type: ignore[attr-defined]
        cuttable_link.mend()
        await until(lambda: cut.gaps)
        await cut.subscribe(a_topic())
        await other.subscribe(a_topic())
        assert other.gaps == 0


async def test_closing_during_a_reconnect_closes_the_bus(own_server: Engine) -> None:
    """At each step of the handshake with the server."""
    loop = asyncio.get_running_loop()

    async def come_back_and_close(pong: int, turns: int) -> None:
        async with (
            cuttable_link_to(own_server.url) as cuttable_link,
            nodes(cuttable_link.url) as (node,),
        ):
            cuttable_link.cut()
            await until(lambda: not node.bus.is_up)
            closing: list[asyncio.Task[None]] = []
            pongs = 0

            def passed(some: bytes) -> None:
                nonlocal pongs
                pongs += some.count(b"PONG")
                if pongs >= pong and not closing:
                    close_after(turns)

            def close_after(left: int) -> None:
                if left:
                    loop.call_soon(close_after, left - 1)
                elif not closing:
                    closing.append(loop.create_task(node.bus.close()))

            cuttable_link.passed = passed
            cuttable_link.mend()
            await until(lambda: closing)
            async with asyncio.timeout(30):
                await closing[0]

    for pong in (1, 2, 3):
        for turns in range(8):
            await come_back_and_close(pong, turns)


async def test_gap_reports_of_many_nodes_are_combined(own_server: Engine) -> None:
    async with nodes(own_server.url) as (node,), raw(own_server.url) as client:
        for _ in range(100):
            await client.publish("greenroom.$lost", b"")
        await until(lambda: node.gaps)
        await client.flush()
        await until(lambda: node.gaps == 2)
        await asyncio.sleep(0.1)
        assert node.gaps == 2


async def test_a_dead_connection_is_noticed(
    own_server: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "CONFIRM_SECONDS", 0.1)
    monkeypatch.setattr(connection, "PONG_SECONDS", 0.3)
    topic = a_topic()
    async with (
        cuttable_link_to(own_server.url) as cuttable_link,
        nodes(cuttable_link.url, own_server.url) as (dead, other),
    ):
        await dead.subscribe(topic)
        cuttable_link.go_dead()
        await until(lambda: not dead.bus._up)  # type: ignore[attr-defined]
        cuttable_link.mend()
        await until(lambda: dead.gaps)
        other.publish(topic, "are you there?")
        await until(lambda: dead.texts(topic))


async def test_a_frozen_server_blocks_nobody_and_dropped_messages_are_reported(
    own_server: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_queue, "MOST_WAITING_BYTES", 2_000_000)
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (publisher, subscriber):
        await subscriber.subscribe(topic)
        own_server.process.send_signal(signal.SIGSTOP)
        for _ in range(200):
            publisher.bus.publish([topic], BusMessage("test", b"x" * 100_000))
            await asyncio.sleep(0)
        assert publisher.bus._send_queue.bytes <= 2_000_000  # type: ignore[attr-defined]
        own_server.process.send_signal(signal.SIGCONT)
        await until(lambda: subscriber.gaps)
        assert len(subscriber.received) < 200
        publisher.publish(topic, "at last")
        await until(lambda: subscriber.received[-1:] == [(topic, BusMessage("test", b"at last"))])
        assert publisher.gaps == 0


async def test_a_message_too_large_for_the_bus_is_reported_as_a_gap(own_server: Engine) -> None:
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (publisher, subscriber):
        await subscriber.subscribe(topic)
        publisher.bus.publish([topic], BusMessage("test", b"x" * 2_000_000))
        publisher.publish(topic, "small")
        await until(lambda: subscriber.gaps)
        assert subscriber.texts(topic) == ["small"]


async def test_a_node_reconnects_after_the_server_disconnects_it(
    nats_url: str, tmp_path: Path
) -> None:
    settings = tmp_path / "nats.conf"
    settings.write_text("max_control_line: 256\n")
    topic = a_topic()
    with serving("--config", str(settings)) as engine:
        async with nodes(engine.url, engine.url) as (publisher, subscriber):
            await subscriber.subscribe(topic)
            publisher.publish(Topic("x" * 500), "one line too long")
            await until(lambda: publisher.gaps)
            await until(lambda: subscriber.gaps)
            publisher.publish(topic, "back")
            await until(lambda: subscriber.texts(topic) == ["back"])


async def test_ready_times_out_while_nats_is_down(
    own_server: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "READY_SECONDS", 0.5)
    async with nodes(own_server.url) as (node,):
        own_server.stop()
        await until(lambda: not node.bus._up)  # type: ignore[attr-defined]
        async with asyncio.timeout(30):
            await node.subscribe(a_topic())


async def test_closing_is_fast_while_nats_is_down(own_server: Engine) -> None:
    async with nodes(own_server.url) as (node,):
        own_server.stop()
        node.publish(a_topic(), "into the void")
        async with asyncio.timeout(30):
            await node.bus.close()


# Messages of others


async def test_an_invalid_message_is_reported_as_a_gap(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (publisher, subscriber), raw(nats_url) as client:
        await subscriber.subscribe(topic)
        await client.publish(subject_of(topic), b"\xc1 what?")
        await client.publish(subject_of(topic), b"\x93\xa1x\xc0\x00", headers={"a": "b"})
        await until(lambda: subscriber.gaps)
        publisher.publish(topic, "after")
        await until(lambda: subscriber.texts(topic) == ["after"])


async def test_a_message_with_additional_fields_is_decoded(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url) as (subscriber,), raw(nats_url) as client:
        await subscriber.subscribe(topic)
        fields = msgspec.msgpack.decode(msgspec.msgpack.encode(BusMessage("test", b"hi")))
        await client.publish(subject_of(topic), msgspec.msgpack.encode([*fields, "new"]))
        await until(lambda: subscriber.received)
        assert subscriber.received == [(topic, BusMessage("test", b"hi"))]


async def test_after_a_failing_delivery_the_next_message_is_delivered(nats_url: str) -> None:
    topic = a_topic()
    received: list[bytes] = []

    def on_message(_: Topic, message: BusMessage) -> None:
        received.append(message.payload)
        if len(received) == 1:
            raise RuntimeError("for a test")

    bus = NatsBus(nats_url)
    await bus.start(on_message, lambda: None)
    try:
        bus.subscribe(topic)
        await bus.ready()
        async with nodes(nats_url) as (publisher,):
            publisher.publish(topic, "one")
            publisher.publish(topic, "two")
            await until(lambda: received == [b"one", b"two"])
    finally:
        await bus.close()


# Addresses


async def refused(url: str) -> BusUnavailable:
    node = BusClient(NatsBus(url))
    started = monotonic()
    with pytest.raises(BusUnavailable) as refusal:
        await node.start()
    assert monotonic() - started < CONNECT_SECONDS + 1
    await node.bus.close()
    return refusal.value


async def test_an_unreachable_bus_is_reported_without_the_password() -> None:
    problem = await refused("nats://ana:s,e@cret@127.0.0.1:1,nats://t0ken@127.0.0.1:2")
    assert problem.url == "nats://127.0.0.1:1,nats://127.0.0.1:2"
    assert "refused" in str(problem).lower() or "connect" in str(problem).lower()


@pytest.mark.parametrize("url", ["", "nats://", "http://a:1", "nats://u:s3cret@h:x", "s3cret@h:1"])
async def test_an_invalid_url_is_reported_without_the_password(url: str) -> None:
    problem = await refused(url)
    assert "nats://host:port" in problem.reason
    assert "s3cret" not in str(problem)


async def test_connecting_to_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus, "CONNECT_SECONDS", 1)
    async with listening(b"") as (url, _):
        assert "in time" in (await refused(url)).reason


async def test_a_server_that_is_not_nats_is_refused() -> None:
    async with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as (url, _):
        assert "INFO" in (await refused(url)).reason


async def test_the_first_reachable_server_is_used(nats_url: str) -> None:
    topic = a_topic()
    urls = f"nats://127.0.0.1:1, {nats_url},nats://127.0.0.1:2"
    async with nodes(urls, nats_url) as (publisher, subscriber):
        await subscriber.subscribe(topic)
        publisher.publish(topic, "hello")
        await until(lambda: subscriber.received)


@pytest.mark.parametrize(
    ("options", "right", "wrong"),
    [
        (("--user", "ana", "--pass", "p@ss,w/rd"), "ana:p%40ss,w%2Frd@", "ana:other@"),
        (("--auth", "t0ken+"), "t0ken%2B@", "other@"),
    ],
    ids=["password", "token"],
)
async def test_a_server_with_a_password_is_used_with_the_password(
    nats_url: str, options: tuple[str, ...], right: str, wrong: str
) -> None:
    topic = a_topic()
    with serving(*options) as engine:
        place = engine.url.removeprefix("nats://")
        async with nodes(*[f"nats://{right}{place}"] * 2) as (publisher, subscriber):
            await subscriber.subscribe(topic)
            publisher.publish(topic, "hello")
            await until(lambda: subscriber.received)
        for key in (wrong, ""):
            problem = await refused(f"nats://{key}{place}")
            assert problem.url == engine.url
            assert "authorization violation" in problem.reason.lower()


async def test_a_server_that_refuses_subscriptions_cannot_be_the_bus(
    nats_url: str, tmp_path: Path
) -> None:
    settings = tmp_path / "nats.conf"
    settings.write_text("authorization: {default_permissions: {subscribe: {deny: 'greenroom.>'}},")
    with settings.open("a") as file:
        file.write(" users: [{user: ana, password: secret}]}\n")
    with serving("--config", str(settings)) as engine:
        problem = await refused(engine.url.replace("nats://", "nats://ana:secret@"))
        assert "permissions violation" in problem.reason


# TLS


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "greenroom")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = tmp_path / "cert.pem", tmp_path / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


async def test_tls_is_used_if_the_certificate_is_trusted(
    nats_url: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = a_topic()
    cert, key = map(str, certificate)
    with serving("--tls", "--tlscert", cert, "--tlskey", key, "--auth", "t0ken") as engine:
        url = f"tls://t0ken@127.0.0.1:{port_of(engine)}"
        assert "certificate" in (await refused(url)).reason.lower()
        monkeypatch.setenv("SSL_CERT_FILE", cert)
        assert ssl.get_default_verify_paths().cafile == cert
        async with nodes(url, url) as (publisher, subscriber):
            await subscriber.subscribe(topic)
            publisher.publish(topic, "hello")
            await until(lambda: subscriber.received)


async def test_no_credentials_are_sent_without_tls_if_tls_is_configured(nats_url: str) -> None:
    async with listening(b'INFO {"auth_required":true}\r\n') as (url, received):
        problem = await refused(url.replace("nats://", "tls://s3cret@"))
        assert "secure" in problem.reason
        assert b"".join(received) == b""
    problem = await refused(nats_url.replace("nats://", "tls://"))
    assert "secure" in problem.reason


# Servers that are not NATS


@asynccontextmanager
async def raw(url: str) -> AsyncIterator[Client]:
    client = Client()
    await client.connect(url)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def listening(greeting: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Accepts connections but is not a NATS server."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        while some := await reader.read(1000):
            received.append(some)
        writer.close()

    subscriber = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        host, port = subscriber.sockets[0].getsockname()
        yield f"nats://{host}:{port}", received
    finally:
        subscriber.close()
