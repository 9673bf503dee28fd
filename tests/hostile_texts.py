"""Generates hostile texts: repeats and mixtures of marks, markup, compatibility forms, words,
numbers and addresses, up to the maximum length and beyond.

web/tests/hostile.ts does the same for the web app's parser.
"""

import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

LONGEST = 8_000
_MANY = 40


def _every(of: range, keep: str) -> list[str]:
    return [c for c in map(chr, of) if unicodedata.category(c) == keep]


_ALL = range(0x300, 0x1E900)
MARKS = [
    c for kind in ("Mn", "Mc", "Me") for c in _every(_ALL, kind)[:: 1 if kind == "Me" else _MANY]
] + ["\u0301", "\u0315", "\u0316", "\u0345", "\u302e", "\U0001d165", "\u0488", "\u05b0", "\u0f71"]
"""Of every category, and those that normalisation reorders."""
EXPANDING = [
    c
    for c in map(chr, (*range(0xA0, 0xD800), *range(0xF900, 0x10000), *range(0x1D15E, 0x1F270)))
    if len(unicodedata.normalize("NFKD", c)) >= 4
] + ["\ufdfa", "\ufb2c", "\u1e9e", "\u0390", "\u0130", "\ufb03", "\u3316", "\ud55c", "\U0001d160"]
HIDDEN = ["\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2066", "\ufeff", "\u3164", "\u2800"]
HIDDEN += ["\x01", "\x85", "\u2028", "\r", "\u00ad", "\U000e0041", "\U0001f3f4", "\u115f"]
MARKUP = [*"*_~`[]()!<>\\#-+=|:.@&\"'/ \t\n"]
MARKUP += ["**", "```", "](", "[x](", "](https://e.org)", "\n> ", "\n- ", "\n```\n", "![", "]:"]
MARKUP += ["<b>", "&lt;", "` ", "`` "]
LETTERS = [*"aeLQ0159$€%,;?éßñ字한عשяअက😀", "👍🏽", "\U0001d54f", "\uff10", "\u0663"]
_LINKS = "https://|http://a.b|www.|.com|a.b|e.org |dot com | . |//|://|mailto:|@bob |a@b.|a@b.org "
_LINKS += "|@gmail| at |(at)|[dot]|t.me/|bit.ly/"
_NUMBERS = "+43 660 |123|1 2 3 |+|00|(0)|555-|AT61 |de89 3704 |0x1f|eins |six six |o|l|1a|4 |$5000 "
_NUMBERS += "|0|+1|(555) "
_WORDS = "whatsapp |w.h.a.t.s|t e l e g r a m |telegram|paypal me |send |money |win |you have won "
_WORDS += "|gift card |pay|cash |kill |you |nude |click here |wh4ts|guaranteed income |earn "
_WORDS += "|per week |follow me |код |телеграм |i know where "
WORDS = [*_LINKS.split("|"), *_NUMBERS.split("|"), *_WORDS.split("|")]
PIECES = [*MARKS, *EXPANDING, *HIDDEN, *MARKUP, *LETTERS, *WORDS]


def repeats() -> Iterator[str]:
    """Every piece alone, after a letter, and between others, at the maximum length."""
    for piece in PIECES:
        often = LONGEST // len(piece) + 1
        yield (piece * often)[:LONGEST]
        yield ("a" + piece * often)[:LONGEST]
        yield ((piece + "a ") * often)[:LONGEST]
    for piece, other in pairwise(MARKS):
        yield "a" + piece * 3_900 + other * 3_900
    for often in (3_900, 16_000):
        yield "a" + "\u302e" * often + "\U0001d165" * often
    yield "a" + "\u0315" * 40_000 + "\u0316" * 40_000
    yield "a " + "`" * 1_000 + "x" * 1_000
    for unit in ("x", "字", "\u0301", "\u200b", "\u3164", " \u0301", "\ufdfa", "\x01"):
        yield unit * 20_000
        yield unit * 500_000


@st.composite
def hostile_texts(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        unit = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4)))
        length = draw(st.sampled_from([1, 20, 300, 2_000, 5_000, LONGEST]))
        parts.append((unit * (length // len(unit) + 1))[:length])
    most = draw(st.sampled_from([LONGEST, LONGEST, LONGEST, 2 * LONGEST, 10 * LONGEST]))
    return "".join(parts)[:most]
