"""Signs PDF files with the operator's certificate, as PAdES baseline B. Needs `greenroom[pades]`.

The seal says which server made the file, and lets every PDF reader notice a change. It is not the
signature of a user: those are on the certificate page.
"""

import io
from datetime import datetime
from pathlib import Path

from cryptography.x509 import load_der_x509_certificate
from pyhanko.pdf_utils.incremental_writer import (
    IncrementalPdfFileWriter,
)
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko.sign.signers import (
    PdfSignatureMetadata,
    SimpleSigner,
    sign_pdf,
)

from greenroom.bookings.pdf.open_seal import SealUnusable


class Seal:
    def __init__(self, key_file: Path, passphrase: str, now: datetime) -> None:
        """`key_file` is a PKCS#12 file with a key, its certificate and those above it."""
        try:
            content = key_file.read_bytes()
            self._signer = SimpleSigner.load_pkcs12_data(
                content, other_certs=(), passphrase=passphrase.encode()
            )
        except OSError as error:
            raise SealUnusable(f"{key_file} cannot be read: {error.strerror}.") from None
        except ValueError:
            raise SealUnusable(
                f"{key_file} is no PKCS#12 file, or its passphrase is another one."
            ) from None
        self._check_certificate(key_file, now)

    def __call__(self, pdf: bytes) -> bytes:
        """Takes some milliseconds of CPU: call it in a thread."""
        sealed = io.BytesIO()
        about = PdfSignatureMetadata(field_name="Seal", subfilter=SigSeedSubFilter.PADES)
        writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
        sign_pdf(writer, about, signer=self._signer, output=sealed)
        return sealed.getvalue()

    def _check_certificate(self, key_file: Path, now: datetime) -> None:
        own = self._signer.signing_cert
        if own is None:
            raise SealUnusable(f"{key_file} has a key and no certificate for it.")
        certificate = load_der_x509_certificate(own.dump())
        begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not begins <= now < ends:
            raise SealUnusable(
                f"The certificate in {key_file} is valid from {begins:%F} to {ends:%F}. "
                "Get a new one."
            )
