"""The settings of bookings."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from greenroom.settings import InvalidSetting, SettingsGroup, split_list, variable_of

_LONGEST_URL = 200


class BookingSettings(SettingsGroup, frozen=True):
    group: ClassVar = "bookings"
    payments: Annotated[
        Literal["none", "sandbox"],
        Meta(
            description="The payment provider. `none`: prices are agreed here and settled "
            "elsewhere. `sandbox` moves no money, and is for trying things out."
        ),
    ] = "none"
    marketplace: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=60,
            description="The marketplace's name, as PDF files print it.",
        ),
    ] = "Greenroom"
    public_url: Annotated[
        str,
        Meta(
            description="Where browsers reach this server, such as `https://greenroom.example`. "
            "Signed PDF files lead to its page `/verify`; empty means that they lead nowhere."
        ),
    ] = ""
    fonts: Annotated[
        str,
        Meta(
            description="Folders with fonts for PDF files, as absolute paths separated by commas "
            "([documents](../guides/documents.md)). The fonts of typst are always there."
        ),
    ] = ""
    pdfs_at_once: Annotated[
        int, Meta(ge=1, le=16, description="PDF files that a node draws at the same time.")
    ] = 1
    seal_file: Annotated[
        str,
        Meta(
            description="A PKCS#12 file with the key and certificate that seal signed PDF files "
            "(PAdES). Needs `greenroom[pades]`. Empty means that they are not sealed."
        ),
    ] = ""
    seal_passphrase: Annotated[str, Meta(description="The passphrase of the PKCS#12 file.")] = ""

    def __post_init__(self) -> None:
        for name, fits in (("public_url", _is_url), ("fonts", _are_folders)):
            if (reason := fits(getattr(self, name))) is not None:
                raise InvalidSetting(variable_of(f"{self.group}_{name}"), reason)


def _is_url(url: str) -> str | None:
    """Why it cannot be used."""
    if url and not url.startswith(("https://", "http://")):
        return "it must begin with https:// or http://"
    if len(url) > _LONGEST_URL or not url.isprintable() or " " in url or "?" in url or "#" in url:
        return f"it must be a URL of at most {_LONGEST_URL} characters without a query"
    return None


def _are_folders(fonts: str) -> str | None:
    relative = [one for one in split_list(fonts) if not Path(one).is_absolute()]
    return f"{relative[0]} must be an absolute path" if relative else None
