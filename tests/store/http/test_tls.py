"""TLS with a self-signed certificate."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from greenroom.store.dynamo.connection import ConnectFailed, HttpResponse
from tests.store.http.server import OK, REQUEST, answering, talking


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Self-signed, for `localhost` and ::1, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("::1"))]
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("host", ["localhost", "::1", "127.0.0.1"])
@pytest.mark.parametrize("trusted", [True, False])
async def test_tls_is_spoken_with_the_host_that_the_certificate_names(
    certificate: Path, host: str, trusted: bool
) -> None:
    server_tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_tls.load_cert_chain(certificate)
    tls = ssl.create_default_context(cafile=str(certificate)) if trusted else None
    async with talking(answering(OK), host=host, server_tls=server_tls, tls=tls) as (client, peer):
        if trusted and host != "127.0.0.1":
            for _ in range(2):
                assert await client.send(REQUEST) == HttpResponse(200, b"ok")
            assert peer.opened == 1
        else:
            with pytest.raises(ConnectFailed, match="certificate"):
                await client.send(REQUEST)
