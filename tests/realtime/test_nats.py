"""The bus between nodes when NATS is away, in trouble, or kept behind a password."""

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
    """One that a test may harm."""
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


# Away, and back


async def test_a_server_that_restarts_is_listened_to_again_and_everybody_missed_some(
    own_server: Engine,
) -> None:
    stays, goes, comes = a_topic(), a_topic(), a_topic()
    async with nodes(own_server.url, own_server.url) as (speaker, listener):
        await listener.subscribe(stays, goes)
        own_server.stop()
        await until(lambda: not speaker.bus._up and not listener.bus._up)  # type: ignore[attr-defined]
        listener.bus.unsubscribe(goes)
        listener.bus.subscribe(comes)
        again = server.start_at(port_of(own_server))
        try:
            await until(lambda: speaker.missed and listener.missed)
            await listener.bus.ready()
            for topic in (goes, stays, comes):
                speaker.say(topic, "again")
            await until(lambda: listener.texts(comes))
            assert listener.texts(stays) == listener.texts(comes) == ["again"]
            assert listener.texts(goes) == []
        finally:
            again.stop()


async def test_while_nats_is_away_publishing_neither_waits_nor_fails(own_server: Engine) -> None:
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (speaker, listener):
        await speaker.subscribe(topic)
        await listener.subscribe(topic)
        own_server.stop()
        started = monotonic()
        for number in range(1000):
            speaker.say(topic, f"into the void {number}")
        assert monotonic() - started < 1
        assert len(speaker.heard) == 1000
        await until(lambda: not speaker.bus._up)  # type: ignore[attr-defined]
        for number in range(1000):
            speaker.say(topic, f"into the void {number}")
        assert len(speaker.heard) == 2000
        again = server.start_at(port_of(own_server))
        try:
            await until(lambda: speaker.missed and listener.missed)
            speaker.say(topic, "again")
            await until(lambda: listener.texts(topic) == ["again"])
        finally:
            again.stop()


async def test_a_node_that_was_cut_off_missed_some_and_so_did_whoever_it_would_have_told(
    own_server: Engine,
) -> None:
    topic = a_topic()
    async with (
        cuttable_link_to(own_server.url) as cuttable_link,
        nodes(cuttable_link.url, own_server.url, own_server.url) as (cut, other, silent),
    ):
        await other.subscribe(topic)
        cut.say(topic, "before")
        await until(lambda: other.heard)
        cuttable_link.cut()
        await until(lambda: not cut.bus._up)  # type: ignore[attr-defined]
        cut.say(topic, "lost")
        cuttable_link.mend()
        await until(lambda: cut.missed and other.missed and silent.missed)
        cut.say(topic, "after")
        await until(lambda: other.texts(topic) == ["before", "after"])


async def test_a_node_whose_every_word_has_arrived_tells_nobody_that_it_was_cut_off(
    own_server: Engine,
) -> None:
    topic = a_topic()
    async with (
        cuttable_link_to(own_server.url) as cuttable_link,
        nodes(cuttable_link.url, own_server.url) as (cut, other),
    ):
        await other.subscribe(topic)
        cut.say(topic, "hello")
        await until(lambda: other.heard)
        await cut.subscribe(a_topic())
        cuttable_link.cut()
        await until(lambda: not cut.bus._up)  # type: ignore[attr-defined]
        cuttable_link.mend()
        await until(lambda: cut.missed)
        await cut.subscribe(a_topic())
        await other.subscribe(a_topic())
        assert other.missed == 0


async def test_a_bus_that_is_closed_just_as_it_comes_back_is_closed(own_server: Engine) -> None:
    """At each of the turns of the loop in which the server's answers are heard."""
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


async def test_many_who_were_lost_at_once_are_not_heard_one_by_one(own_server: Engine) -> None:
    async with nodes(own_server.url) as (node,), raw(own_server.url) as client:
        for _ in range(100):
            await client.publish("greenroom.$lost", b"")
        await until(lambda: node.missed)
        await client.flush()
        await until(lambda: node.missed == 2)
        await asyncio.sleep(0.1)
        assert node.missed == 2


async def test_a_cable_that_goes_dead_is_noticed(
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
        await until(lambda: dead.missed)
        other.say(topic, "are you there?")
        await until(lambda: dead.texts(topic))


async def test_a_server_that_stands_still_holds_nobody_up_and_what_is_let_go_is_owned_up_to(
    own_server: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_queue, "MOST_WAITING_BYTES", 2_000_000)
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (speaker, listener):
        await listener.subscribe(topic)
        own_server.process.send_signal(signal.SIGSTOP)
        for _ in range(200):
            speaker.bus.publish([topic], BusMessage(b"x" * 100_000))
            await asyncio.sleep(0)
        assert speaker.bus._send_queue.bytes <= 2_000_000  # type: ignore[attr-defined]
        own_server.process.send_signal(signal.SIGCONT)
        await until(lambda: listener.missed)
        assert len(listener.heard) < 200
        speaker.say(topic, "at last")
        await until(lambda: listener.heard[-1:] == [(topic, BusMessage(b"at last"))])
        assert speaker.missed == 0


async def test_what_is_too_large_for_the_bus_is_owned_up_to(own_server: Engine) -> None:
    topic = a_topic()
    async with nodes(own_server.url, own_server.url) as (speaker, listener):
        await listener.subscribe(topic)
        speaker.bus.publish([topic], BusMessage(b"x" * 2_000_000))
        speaker.say(topic, "small")
        await until(lambda: listener.missed)
        assert listener.texts(topic) == ["small"]


async def test_a_server_that_throws_somebody_out_sees_them_again(
    nats_url: str, tmp_path: Path
) -> None:
    settings = tmp_path / "nats.conf"
    settings.write_text("max_control_line: 256\n")
    topic = a_topic()
    with serving("--config", str(settings)) as engine:
        async with nodes(engine.url, engine.url) as (speaker, listener):
            await listener.subscribe(topic)
            speaker.say(Topic("x" * 500), "one line too long")
            await until(lambda: speaker.missed)
            await until(lambda: listener.missed)
            speaker.say(topic, "back")
            await until(lambda: listener.texts(topic) == ["back"])


async def test_ready_gives_up_while_nats_is_away(
    own_server: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "READY_SECONDS", 0.5)
    async with nodes(own_server.url) as (node,):
        own_server.stop()
        await until(lambda: not node.bus._up)  # type: ignore[attr-defined]
        async with asyncio.timeout(30):
            await node.subscribe(a_topic())


async def test_closing_takes_no_time_while_nats_is_away(own_server: Engine) -> None:
    async with nodes(own_server.url) as (node,):
        own_server.stop()
        node.say(a_topic(), "into the void")
        async with asyncio.timeout(30):
            await node.bus.close()


# What others do


async def test_what_is_no_notice_is_a_notice_missed(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (speaker, listener), raw(nats_url) as client:
        await listener.subscribe(topic)
        await client.publish(subject_of(topic), b"\xc1 what?")
        await client.publish(subject_of(topic), b"\x93\xa1x\xc0\x00", headers={"a": "b"})
        await until(lambda: listener.missed)
        speaker.say(topic, "after")
        await until(lambda: listener.texts(topic) == ["after"])


async def test_a_newer_nodes_notice_with_more_in_it_is_understood(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url) as (listener,), raw(nats_url) as client:
        await listener.subscribe(topic)
        await client.publish(subject_of(topic), b"\x98\xc4\x02hi\xc0\x00\xc0\x00\xc0\x00\xa3new")
        await until(lambda: listener.heard)
        assert listener.heard == [(topic, BusMessage(b"hi"))]


async def test_whoever_stumbles_over_a_notice_still_hears_the_next(nats_url: str) -> None:
    topic = a_topic()
    heard: list[bytes] = []

    def hear(_: Topic, message: BusMessage) -> None:
        heard.append(message.payload)
        if len(heard) == 1:
            raise RuntimeError("stumbled")

    bus = NatsBus(nats_url)
    await bus.start(hear, lambda: None)
    try:
        bus.subscribe(topic)
        await bus.ready()
        async with nodes(nats_url) as (speaker,):
            speaker.say(topic, "one")
            speaker.say(topic, "two")
            await until(lambda: heard == [b"one", b"two"])
    finally:
        await bus.close()


# Where it is


async def refused(url: str) -> BusUnavailable:
    node = BusClient(NatsBus(url))
    started = monotonic()
    with pytest.raises(BusUnavailable) as refusal:
        await node.start()
    assert monotonic() - started < CONNECT_SECONDS + 1
    await node.bus.close()
    return refusal.value


async def test_a_bus_that_is_not_there_is_told_clearly_and_without_the_password() -> None:
    problem = await refused("nats://ana:s,e@cret@127.0.0.1:1,nats://t0ken@127.0.0.1:2")
    assert problem.url == "nats://127.0.0.1:1,nats://127.0.0.1:2"
    assert "refused" in str(problem).lower() or "connect" in str(problem).lower()


@pytest.mark.parametrize("url", ["", "nats://", "http://a:1", "nats://u:s3cret@h:x", "s3cret@h:1"])
async def test_a_url_that_makes_no_sense_is_told_without_the_password(url: str) -> None:
    problem = await refused(url)
    assert "nats://host:port" in problem.reason
    assert "s3cret" not in str(problem)


async def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus, "CONNECT_SECONDS", 1)
    async with listening(b"") as (url, _):
        assert "in time" in (await refused(url)).reason


async def test_a_server_that_talks_nonsense_is_given_up() -> None:
    async with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as (url, _):
        assert "INFO" in (await refused(url)).reason


async def test_the_first_server_that_answers_will_do(nats_url: str) -> None:
    topic = a_topic()
    urls = f"nats://127.0.0.1:1, {nats_url},nats://127.0.0.1:2"
    async with nodes(urls, nats_url) as (speaker, listener):
        await listener.subscribe(topic)
        speaker.say(topic, "hello")
        await until(lambda: listener.heard)


@pytest.mark.parametrize(
    ("options", "right", "wrong"),
    [
        (("--user", "ana", "--pass", "p@ss,w/rd"), "ana:p%40ss,w%2Frd@", "ana:other@"),
        (("--auth", "t0ken+"), "t0ken%2B@", "other@"),
    ],
    ids=["password", "token"],
)
async def test_a_server_behind_a_password_is_talked_to_by_who_has_it(
    nats_url: str, options: tuple[str, ...], right: str, wrong: str
) -> None:
    topic = a_topic()
    with serving(*options) as engine:
        place = engine.url.removeprefix("nats://")
        async with nodes(*[f"nats://{right}{place}"] * 2) as (speaker, listener):
            await listener.subscribe(topic)
            speaker.say(topic, "hello")
            await until(lambda: listener.heard)
        for key in (wrong, ""):
            problem = await refused(f"nats://{key}{place}")
            assert problem.url == engine.url
            assert "authorization violation" in problem.reason.lower()


async def test_a_server_that_does_not_let_us_listen_is_no_bus(
    nats_url: str, tmp_path: Path
) -> None:
    settings = tmp_path / "nats.conf"
    settings.write_text("authorization: {default_permissions: {subscribe: {deny: 'greenroom.>'}},")
    with settings.open("a") as file:
        file.write(" users: [{user: ana, password: secret}]}\n")
    with serving("--config", str(settings)) as engine:
        problem = await refused(engine.url.replace("nats://", "nats://ana:secret@"))
        assert "permissions violation" in problem.reason


# In the dark


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


async def test_a_server_with_a_certificate_is_talked_to_in_the_dark_if_we_trust_it(
    nats_url: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = a_topic()
    cert, key = map(str, certificate)
    with serving("--tls", "--tlscert", cert, "--tlskey", key, "--auth", "t0ken") as engine:
        url = f"tls://t0ken@127.0.0.1:{port_of(engine)}"
        assert "certificate" in (await refused(url)).reason.lower()
        monkeypatch.setenv("SSL_CERT_FILE", cert)
        assert ssl.get_default_verify_paths().cafile == cert
        async with nodes(url, url) as (speaker, listener):
            await listener.subscribe(topic)
            speaker.say(topic, "hello")
            await until(lambda: listener.heard)


async def test_no_secret_is_told_in_the_clear_where_tls_was_asked_for(nats_url: str) -> None:
    async with listening(b'INFO {"auth_required":true}\r\n') as (url, received):
        problem = await refused(url.replace("nats://", "tls://s3cret@"))
        assert "secure" in problem.reason
        assert b"".join(received) == b""
    problem = await refused(nats_url.replace("nats://", "tls://"))
    assert "secure" in problem.reason


# Those who are no nodes


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
    """Somebody who takes connections, and is no NATS server."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        while some := await reader.read(1000):
            received.append(some)
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        host, port = listener.sockets[0].getsockname()
        yield f"nats://{host}:{port}", received
    finally:
        listener.close()
