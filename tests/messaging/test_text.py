"""Texts are stored as typed and can be shown safely, also hostile ones."""

import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings, strategies as st

from greenroom.messaging import text
from greenroom.messaging.problems import InvalidReaction, InvalidText
from greenroom.unicode import MAX_ACCENTS, MAX_MARKS, MAX_STACK, character_classes
from tests.messaging.rendered_page import SAFE, UNSAFE, RenderedPage


def refusal(call: Callable[[str], object], written: str) -> str:
    with pytest.raises((InvalidText, InvalidReaction)) as refused:
        call(written)
    return str(refused.value)


# What is kept


SUBSET_AS_WRITTEN = """\
**bold** and *italic* and ~~strike~~ with `code`, hi @zoe
> quoted
> > twice

- one
  - two
1. first

```python
# nothing is a heading here
a = [1, 2]
```
[our place](https://example.org/a_(b)?c=1&d=2#e) or https://example.org or [us](mailto:a@b.org)
I <3 you, 1 < 2, a <- b, a <= b & c > d; AT&T; ---> look"""


AS_TYPED = (
    SUBSET_AS_WRITTEN,
    "2*3*4 and snake_case_name and __init__",
    "# 1 choice",
    r"\# 1 choice \*",
    "<b>bold</b> &lt;b> &amp; <script>alert(1)</script>",
    "[x](javascript:alert(1)) ![x](https://e.org/i.png) <https://e.org>",
    "[https://bank.example](https://evil.example)",
    "a\n---\n| a | b |\n|---|---|",
    "~~~\n<b>\n~~~",
    "Two blanks at the end  \nand\ttabs\n\n\n\n\nand five line breaks",
    "1. one\n2. two   \n   indented",
    "¯\\_(ツ)_/¯ <3 :-) ->",
)


@pytest.mark.parametrize("written", AS_TYPED)
def test_what_is_typed_is_stored(written: str) -> None:
    assert text.clean(written) == written
    if "\n" not in written and len(written) <= text.MAX_SUBJECT:
        assert text.subject(written) == written


@pytest.mark.parametrize(
    "written",
    [
        "मुझे हिन्दी में क्षेत्र लिखना है, क़लम",
        "ที่นี่ น้ำ กิ๊ฟต์",
        "Tiếng Việt: Nguyễn, đường, ngữ",
        "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
        "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ",
        "می‌خواهم",
        "ශ්‍රී ලංකා",
        "မြန်မာဘာသာ ကြွေး",
        "བོད་སྐད་ བརྒྱུད",
        "한국어 日本語　がぎ 中文",
        "👩🏽‍❤️‍💋‍👨🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇦🇹 1️⃣ 🏳️‍🌈",
        "שלום\u200f (abc)\u200e!",
    ],
)
def test_every_script_survives(written: str) -> None:
    assert text.clean(written) == unicodedata.normalize("NFC", written)


def test_what_was_decomposed_is_composed() -> None:
    assert text.clean("Zoe\u0308, tie\u0302\u0301ng") == "Zoë, tiếng"


# What is removed


def test_a_text_that_shows_nothing_is_refused() -> None:
    for blank in ("", " \n\t ", "\u200b\u200e", "\u3164", "\u2800\u2800", "\u0301", "\U0001d159"):
        assert refusal(text.clean, blank) == "The text cannot be sent: it must not be empty."


def test_eight_thousand_characters_fit_and_one_more_does_not() -> None:
    assert text.clean("x" * 8_000 + "\r\n") == "x" * 8_000
    assert refusal(text.clean, "x" * 8_001).endswith("at most 8,000 characters.")
    assert refusal(text.clean, "\u200b" * 100_000).endswith("at most 8,000 characters.")


def test_characters_are_counted_as_they_are_typed() -> None:
    assert len(text.clean("e\u0301" * 4_000)) == 4_000
    assert refusal(text.clean, "e\u0301" * 4_001).endswith("at most 8,000 characters.")
    assert len(text.clean("\u0958" * 2_000)) == 4_000
    assert refusal(text.clean, "\U0001d160" * 8_000).endswith("at most 8,000 characters.")


def test_nuls_and_lone_surrogates_are_refused() -> None:
    assert "NUL" in refusal(text.clean, "a\0b")
    assert "surrogate" in refusal(text.clean, "a\ud83db")
    assert "surrogate" in refusal(text.clean, "\udc00")
    assert "NUL" in refusal(text.subject, "a\0b")


def test_other_control_characters_are_dropped() -> None:
    assert text.clean("a\x07b\x1b[31mc\x7fd\x9be\tf\x0bg") == "ab[31mcde\tfg"


def test_lines_end_in_one_way() -> None:
    assert text.clean("a \r\nb\rc\u2028d\x85e  \n") == "a \nb\nc\nd\ne"


def test_direction_overrides_do_not_leak_into_other_texts() -> None:
    for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        assert text.clean(f"photo{c}gpj.exe") == "photogpj.exe"


def test_hidden_characters_are_removed() -> None:
    assert text.clean("p\u200ba\u2060y\u00ad\u200cp\ufeffa\u200dl") == "paypal"
    assert text.clean("a\u200e\u200e\u200f\u200fb") == "a\u200eb"
    assert text.clean("hi\U000e0041\U000e0042") == "hi"
    assert text.clean("\U0001f3f4" + "\U000e0041" * 500).count("\U000e0041") == 7


def test_zalgo_is_cut_to_a_few_marks() -> None:
    cleaned = text.clean("".join(c + "\u0335\u0321\u0489\u0308\u035c" * 20 for c in "he comes"))
    assert len(cleaned) <= len("he comes") * (1 + MAX_ACCENTS + 2)
    assert text.clean("x" + "\u0330\u200d" * 50).count("\u0330") == MAX_ACCENTS


@pytest.mark.parametrize("mark", ["\u0301", "\u05b0", "\u302e", "\U0001d165", "\u0488", "\u093e"])
def test_no_mark_of_any_class_makes_a_tower(mark: str) -> None:
    most = {"\u093e": MAX_STACK, "\u0301": MAX_ACCENTS}.get(mark, MAX_MARKS)
    assert text.clean("x" + mark * 7_000).count(mark) <= most


# Rendering


ALPHABET = (
    *"<>[]()!\\`*_~#-=|:+.&;\"'/ \t\n\n1aéx",
    *("](", "![", "[x]", "]:", "[x]: ", "```", "~~~", "    ", "\n\n", "> ", "- ", "1. ", "``"),
    *("<script>", "</script", "<!--", "-->", "<img src=x onerror=y>", "<a\n", "<![CDATA[", "<?"),
    *("javascript:y", "JAVASCRIPT:", "data:text/html,", "vbscript:", "file:///", "&#106;", "&lt;"),
    *("https://e.org", "http://", "mailto:a@b.org", "HTTPS://", "//e.org", "&colon;", "&NewLine;"),
    *("\u200b", "\u202e", "\u200d", "\x01", "\r", "\u0338", "\u1fef", "\u2028", "👍", "@bob"),
    *("# ", "---", "===", "|-|", "| a |", "a\n", "onclick=x", '"t"', "`<b>`", "<x:y>", "<a@b.c>"),
)
HOSTILE = st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join)


@settings(max_examples=500, deadline=None)
@given(HOSTILE)
@example("a ` b\nc ` <script> ` d")
@example("[a\n](javascript:x)[b]: javascript:x\n[x](https://e.org`) `<b>`")
def test_a_renderer_set_up_as_documented_shows_nothing_foreign(written: str) -> None:
    assert RenderedPage(SAFE.render(written)).foreign == []


@pytest.mark.parametrize(
    "bad",
    [
        "<script>x</script>",
        "<b onclick=x>",
        "[x](data:text/html,x)",
        "<!-- x -->",
        "![x](https://e.org/i.png)",
        "[x]\n\n[x]: javascript:x",
    ],
)
def test_another_renderer_would_show_something_foreign(bad: str) -> None:
    assert RenderedPage(UNSAFE.render(bad)).foreign
    assert RenderedPage(SAFE.render(bad)).foreign == []


@settings(max_examples=1_000, deadline=None)
@given(st.one_of(HOSTILE, st.text(max_size=60)))
def test_cleaning_twice_changes_nothing(written: str) -> None:
    try:
        once = text.clean(written)
    except InvalidText:
        return
    assert text.clean(once) == once
    assert unicodedata.is_normalized("NFC", once)


WRITTEN = (
    *("Hello", "Maya, ", "are you free", " ", "  ", "\n", "\n\n", "\n\n\n", "\n\n\n\n", ". "),
    *("a", "I'm", "at 10:30", "1. ", "(so)", "- ", "*", "_", "#", "=", "|", "~~~", "+", "@bob"),
    *("---", "&amp;", "https://e.org", "!", "?", "\t", "\x7f", "\x1c", "\r", "x" * 8_000),
)
PROSE = st.lists(st.sampled_from(WRITTEN), max_size=12).map("".join)


@settings(max_examples=500, deadline=None)
@given(st.one_of(PROSE, PROSE, HOSTILE, st.text(max_size=40)))
@example("Hello\n")
@example("Hello \nMaya")
@example("Hello\n---")
@example("Hello\n\n\n\nMaya")
def test_texts_on_the_fast_path_are_not_changed_by_cleaning(written: str) -> None:
    assert outcome(text.clean, written) == outcome(text._made_clean, written, text.MAX_TEXT)


def outcome(call: Callable[..., str], *arguments: object) -> tuple[bool, str]:
    try:
        return True, call(*arguments)
    except InvalidText as refused:
        return False, str(refused)


def test_plain_characters_stay_as_they_are_beside_any_others() -> None:
    composed = {
        chr(int(parts[1], 16))
        for code in range(0x110000)
        if len(parts := unicodedata.decomposition(chr(code)).split()) == 2 and parts[0][0] != "<"
    }
    jamo = set(map(chr, range(0x1160, 0x1200)))
    plain = [c for c in map(chr, range(0x110000)) if text._PLAIN.fullmatch(c)]
    assert {*"aé€ж字カ한😀\u00a0"} <= {*plain}
    for c in plain:
        assert character_classes(c) == "x" or (c.isspace() and character_classes(c) == "z"), ascii(
            c
        )
        assert unicodedata.is_normalized("NFC", c), ascii(c)
        assert not unicodedata.combining(c), ascii(c)
    assert (composed | jamo).isdisjoint(plain)


@pytest.mark.parametrize("blank", [" ", "\n", "\u00a0", "\u3000"])
def test_blanks_at_the_ends_are_not_plain(blank: str) -> None:
    assert text.is_plain(f"é{blank}é")
    assert not text.is_plain(f"{blank}é")
    assert not text.is_plain(f"é{blank}")


def test_most_texts_take_the_fast_path() -> None:
    assert text.is_plain("Hello Maya, are you free on Friday? I'd love to *work* with you!")
    assert text.is_plain("Two lines (or three):\n\nhttps://example.org/a_(b)?c=1&d=2#e, 100%")
    assert text.is_plain("# Hello\n- `Maya`")
    assert not text.is_plain("Hello Maya ")
    assert not text.is_plain("Hello\tMaya")


@pytest.mark.parametrize(
    "unit",
    [
        *("[", "](", "[x](", "[x](a:", "![](https://a", "[[](https://a)", "<", "<https://a", "\\"),
        *("`", "` `` ", "```\n", "- ", "> ", "- * ", "* - ", " ", "\t\n", "1. ", "-", "|-", "#"),
        *("a\u0300", "\u0323\u0300", "\u0f71\u0f74", "\u200d\u0300", "@a", "(", "((", "&", "]:"),
        *("[a](b:c)", "](a(", "[](x:y)", "https://a(", "\u200e", "👍\u200d"),
    ],
)
def test_time_grows_with_length_and_not_with_its_square(unit: str) -> None:
    def seconds(length: int) -> float:
        written = "x" + (unit * length)[: length - 2] + "x"
        best = float("inf")
        for _ in range(7):
            begun = time.thread_time()
            text.mentioned(text.clean(written))
            best = min(best, time.thread_time() - begun)
        return best

    assert seconds(8_000) < 8 * 4 * seconds(1_000)  # the square would be 64 times


# Mentions


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("@zoe, (@Bob) and @zoe. @b_1.c!", ("zoe", "bob", "b_1.c")),
        ("mail zoe@example.org or a.b+@c, @zoe@example.org", ()),
        ("`@zoe` ``a ` @zoe`` @bob", ("bob",)),
        ("```\n@zoe\n\n@eve\n```\n@bob", ("bob",)),
        ("a ` b\n\n@bob ` c", ("bob",)),
        ("https://example.org/@zoe?q=@eve [@bob](https://e.org/@eve)", ("bob",)),
        ("@1st @a @_x @@bob @" + "x" * 31, ()),
        ("**@zoe** *@bob*", ("zoe", "bob")),
        ("@zoé é@bob", ()),
    ],
)
def test_mentions_are_usernames_in_prose(written: str, names: tuple[str, ...]) -> None:
    assert text.mentioned(written) == names


def test_at_most_twenty_are_mentioned() -> None:
    assert text.mentioned(" ".join(f"@user{i}" for i in range(30))) == tuple(
        f"user{i}" for i in range(20)
    )


# Reactions, ids, subjects


@pytest.mark.parametrize(
    "reaction",
    [
        "👍",
        "👍🏽",
        "❤️",
        "❤",
        "👩🏽‍❤️‍💋‍👨🏽",
        "🏳️‍🌈",
        "🇦🇹",
        "1️⃣",
        "#⃣",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "🏴‍☠️",
        "‼️",
        "\u2139\ufe0f",
        "→",
        "🎉🎉",
        "🫨",
        "™️",
    ],
)
def test_an_emoji_is_a_reaction(reaction: str) -> None:
    assert text.emoji(f" {reaction} ") == reaction


@pytest.mark.parametrize(
    "reaction",
    [
        *(
            "",
            " ",
            "a",
            "ok",
            "1",
            "10",
            "<",
            "<b>",
            "👍a",
            "👍 👍",
            "+1",
            ":)",
            "é",
            "中",
            "\u2800",
        ),
        *("\u200d", "\ufe0f", "\u202e", "👍\u202e", "\0", "\ud83d", "🇦", "👍\u200d", "e\u20e3"),
        *("👍" * 17, "🏴\U000e0067", "👍" + "\u0301" * 3, "$", "\n", "🏽", "\ufffd"),
    ],
)
def test_words_and_lookalikes_are_no_reactions(reaction: str) -> None:
    assert refusal(text.emoji, reaction).startswith("The reaction is not valid: ")


def test_a_client_id_is_short_and_plain() -> None:
    assert text.client_id("A-z.0_9:" * 8) == "A-z.0_9:" * 8
    for bad in ("", "a" * 65, "a b", "a\n", "é", "a#b", "\ud83d"):
        refusal(text.client_id, bad)


def test_a_subject_is_one_clean_line() -> None:
    assert text.subject("  Shoot in **Vienna**\u202e \r\n") == "Shoot in **Vienna**"
    assert text.subject("<b>") == "<b>"
    assert text.subject(" \u200b\n") is None
    assert text.subject("x" * 140) == "x" * 140
    assert "140" in refusal(text.subject, "x" * 141)
    assert "one line" in refusal(text.subject, "a\nb")
    refusal(text.subject, "x" * 1_000_000)
