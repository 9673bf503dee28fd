"""File names as they are shown: nothing hides in them, and joined emoji stay whole."""

import pytest

from greenroom.files.names import MAX_NAME, cleaned

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
RAINBOW = "\U0001f3f3\ufe0f\u200d\U0001f308"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
SINHALA = "\u0dc1\u0dca\u200d\u0dbb\u0dd3"


@pytest.mark.parametrize("name", [FAMILY, RAINBOW, SCOTLAND, PERSIAN, SINHALA])
def test_joiners_and_tags_stay_where_they_join(name: str) -> None:
    assert cleaned(f"{name}.jpg") == f"{name}.jpg"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\photos\\a.png", "a.png"),
        ("a\0b.png", "ab.png"),
        ("invoice\u202egnp.exe", "invoicegnp.exe"),
        ("\u2066a\u2069\u200f\u200e\u061cb.txt", "ab.txt"),
        ("a\u2028b\nc.txt", "a bc.txt"),
        ("pay\u200dpal.exe", "paypal.exe"),
        ("pay\u200c\u200dpal.exe", "paypal.exe"),
        ("\U0001f468\u200d.exe", "\U0001f468.exe"),
        ("\u0645\u200c.exe", "\u0645.exe"),
        ("\U0001f468\u200d\u200d\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("a\U000e0067\U000e0062.txt", "a.txt"),
        ("\u200d\u200c", "file"),
        ("...", "file"),
        ("\ud83d.txt", "txt"),
    ],
)
def test_what_hides_reverses_or_separates_is_dropped(name: str, shown: str) -> None:
    assert cleaned(name) == shown


def test_a_long_name_of_joined_emoji_keeps_its_ending() -> None:
    shown = cleaned(FAMILY * 100 + ".jpeg")
    assert len(shown) <= MAX_NAME
    assert shown.endswith("….jpeg")
    assert "\u200d…" not in shown
    assert cleaned("e" + "\u0301" * 900 + ".txt") == "\u00e9\u0301\u0301.txt"
