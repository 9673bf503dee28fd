"""Finds the virus scanner that GREENROOM_SCANNER names."""

from greenroom.files.clamd import Clamd, address_of
from greenroom.files.scanner import Scanner
from greenroom.settings import InvalidSetting, variable_of


def scanner_of(url: str) -> Scanner | None:
    """None if the setting is empty."""
    if not url:
        return None
    try:
        return Clamd(address_of(url))
    except ValueError as error:
        raise InvalidSetting(variable_of("scanner"), str(error)) from None
