"""Tests of the operator's seal on PDF files."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from asn1crypto.x509 import Certificate  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.serialization import Encoding
from msgspec.structs import replace
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import (
    async_validate_pdf_signature,
)
from pyhanko_certvalidator import ValidationContext

from greenroom.bookings.pdf.documents import Contract
from greenroom.bookings.pdf.open_seal import SealUnusable, open_seal
from greenroom.bookings.pdf.renderer import Rendered, Renderer
from tests.bookings.pdf.certificates import PASSPHRASE, make_key_file
from tests.bookings.pdf.reading import words_of
from tests.bookings.pdf.samples import CONTRACT, SIGNATURES

_SIGNED = replace(CONTRACT, signatures=SIGNATURES)


async def _sealed(document: Contract, key_file: Path) -> bytes:
    seal = open_seal(key_file, PASSPHRASE, datetime.now(UTC))
    rendered = await Renderer(marketplace="Atelier & Co.", seal=seal).render(document)
    assert isinstance(rendered, Rendered)
    return rendered.pdf


async def _is_valid(pdf: bytes, trusted: Certificate) -> tuple[bool, bool]:
    (signature,) = PdfFileReader(io.BytesIO(pdf)).embedded_signatures
    status = await async_validate_pdf_signature(
        signature, ValidationContext(trust_roots=[trusted], allow_fetching=False)
    )
    return status.intact and status.valid and status.trusted, status.bottom_line


async def test_a_signed_contract_has_a_valid_seal(tmp_path: Path) -> None:
    key_file = tmp_path / "seal.p12"
    made = Certificate.load(make_key_file(key_file).public_bytes(Encoding.DER))
    pdf = await _sealed(_SIGNED, key_file)
    assert await _is_valid(pdf, made) == (True, True)
    assert b"ETSI.CAdES.detached" in pdf
    assert "Who signed this document" in words_of(pdf)
    at = pdf.index(b"stream\n") + 20
    changed = pdf[:at] + bytes([pdf[at] ^ 1]) + pdf[at + 1 :]
    assert await _is_valid(changed, made) == (False, False)


async def test_a_contract_that_nobody_has_signed_has_no_seal(tmp_path: Path) -> None:
    key_file = tmp_path / "seal.p12"
    make_key_file(key_file)
    pdf = await _sealed(CONTRACT, key_file)
    assert not PdfFileReader(io.BytesIO(pdf)).embedded_signatures


def test_no_seal_is_the_default() -> None:
    assert open_seal(None, "", datetime.now(UTC)) is None


def test_a_seal_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    good, old, no_key = (tmp_path / name for name in ("good.p12", "old.p12", "no_key.p12"))
    make_key_file(good)
    make_key_file(old, days=-1)
    no_key.write_text("nothing")
    for path, passphrase, said in (
        (tmp_path / "missing.p12", PASSPHRASE, "cannot be read: No such file"),
        (no_key, PASSPHRASE, "is no PKCS#12 file, or its passphrase is another one"),
        (good, "wrong", "is no PKCS#12 file, or its passphrase is another one"),
        (old, PASSPHRASE, "Get a new one"),
    ):
        with pytest.raises(SealUnusable, match=said):
            open_seal(path, passphrase, now)
