"""Tests of texts before they are printed."""

from hypothesis import given, strategies as st

from greenroom.bookings.pdf.canonical import Json
from greenroom.bookings.pdf.printable import printable, printable_text


def test_ordinary_texts_stay_as_they_are() -> None:
    text = "2*3*4 # 1 <b>\n\n"
    text += "\u05e9\u05dc\u05d5\u05dd, مرحبا, 王小明, नमस्ते, 👩\u200d👧 1.250,00\u00a0EUR"
    assert printable_text(text) == text


def test_what_hides_or_reverses_text_is_shown() -> None:
    assert printable_text("a\u202eb\u200bc\x07d\ufeffe\ue000f\x00g") == (
        "a[U+202E]b[U+200B]c[U+0007]d[U+FEFF]e[U+E000]f[U+0000]g"
    )


def test_lines_end_in_one_way() -> None:
    assert printable_text("a\r\nb\rc\u2028d\x0be\tf") == "a\nb\nc\nd\ne    f"


def test_characters_without_a_font_become_their_numbers_everywhere() -> None:
    page: dict[str, Json] = {"title": "王a", "rows": [{"name": "b王"}], "none": None}
    assert printable(page, {"王"}) == {
        "title": "[U+738B]a",
        "rows": [{"name": "b[U+738B]"}],
        "none": None,
    }


def test_stacks_of_marks_are_cut() -> None:
    assert len(printable_text("a" + "\u0301" * 1000)) < 10


@given(st.text())
def test_nothing_printed_is_hidden(text: str) -> None:
    printed = printable_text(text)
    assert not {*printed} & {*"\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\ufeff\x00\r\x1b"}
    assert printable_text(printed) == printed
