"""Makes self-signed certificates, in PKCS#12 files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    pkcs12,
)
from cryptography.x509.oid import NameOID

PASSPHRASE = "correct horse"


def make_key_file(path: Path, *, days: int = 365) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Atelier & Co.")])
    begins = datetime.now(UTC) - timedelta(days=400 if days < 0 else 1)
    usage = x509.KeyUsage(True, True, False, False, False, False, False, False, False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(datetime.now(UTC) + timedelta(days=days))
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    encryption = BestAvailableEncryption(PASSPHRASE.encode())
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(b"seal", key, certificate, None, encryption)
    )
    return certificate
