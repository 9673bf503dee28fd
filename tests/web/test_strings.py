"""The interface texts: none unused, none missing, and plain English."""

import re
from pathlib import Path

import pytest

from greenroom.messaging.models import BUILT_IN_EVENTS

SOURCES = Path(__file__).parents[2] / "web/src"
ENGLISH = sorted((SOURCES / "strings").glob("en*.ts"))
"""The first load's texts, and those of features that are loaded later: `en.<feature>.ts`."""

_KEY = re.compile(r'^  (?:"([^"]+)"|(\w+)): ?(.*?)(?=^  (?:"|\w+:)|^\} as const)', re.M | re.S)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')

UNPLAIN = (
    r"\bwhoever\b",
    r"\bwhomever\b",
    r"\bwhom\b",
    r"\bsomebody\b",
    r"\bnobody\b",
    r"\beverybody\b",
    r"\bof which\b",
    r"\bwhat one\b",
    r"\bone's\b",
    r"\bis being looked at\b",
    r"\bmade of\b",
    r"\bcannot be\b",
    r"\bcould not be\b",
    r"\bdid not work\b",
    r"\bjust now\b",
    r"\bthrows? (it|them) away\b",
    r"\btaken? away\b",
    r"\bin vain\b",
    r"\bfrom \w+ (letters|characters) on\b",
    r"\bthere is nothing\b",
    r"\bhas run out\b",
    r"\bgone through\b",
    r"\bread along\b",
    r"\bleads away\b",
    r"\bcan not\b",
    r"\byours\b",
    r" …",
    r"\.\.\.",
    r"!\s*$",
)
"""Stiff phrases that must not be on screen."""


def _strings() -> dict[str, list[str]]:
    return {key: texts for path in ENGLISH for key, texts in _strings_in(path).items()}


def _strings_in(path: Path) -> dict[str, list[str]]:
    body = re.split(r"export const en\w* = \{\n", path.read_text())[1].partition("} as const;")[0]
    found = {}
    for quoted, bare, text in _KEY.findall(body + "} as const;"):
        found[quoted or bare] = _TEXT.findall(text)
    return found


def _sources() -> list[Path]:
    files = [*SOURCES.rglob("*.svelte"), *SOURCES.rglob("*.ts")]
    return [path for path in files if path not in ENGLISH]


def _code() -> str:
    return "\n".join(path.read_text() for path in _sources())


def test_every_string_is_used() -> None:
    code = _code()
    named = set(re.findall(r'["`]([\w.-]+)["`]', code))
    made = [
        re.compile(re.sub(r"\\\$\\\{.*?\\\}", r"[\\w.-]+", re.escape(template)))
        for template in set(re.findall(r"`([\w.]+\.\$\{[^`]*\}[\w.]*)`", code))
    ]
    made += [re.compile(rf"{prefix}\.\w+") for prefix in set(re.findall(r'\btx\(\s*"(\w+)"', code))]
    strings = _strings()
    assert len(strings) > 200, "the file was read"
    unused = [
        key
        for key in strings
        if key not in named and not any(pattern.fullmatch(key) for pattern in made)
    ]
    assert unused == []


@pytest.mark.parametrize("strings", ENGLISH[:-1], ids=lambda path: str(path.name))
def test_texts_that_load_later_are_imported_where_they_are_used(strings: Path) -> None:
    assert strings.name != "en.ts"
    prefixes = "|".join({key.partition(".")[0] for key in _strings_in(strings)})
    assert prefixes
    uses = re.compile(rf'\b(?:t|tx|plainString)\(\s*[^()"`]*["`](?:{prefixes})[."]')
    users = [path for path in _sources() if uses.search(path.read_text())]
    assert users
    missing = [path.name for path in users if f'strings/{strings.stem}";' not in path.read_text()]
    assert missing == []


def test_every_event_of_the_server_has_a_sentence_in_the_list() -> None:
    """The log shows it too, where it has no longer one."""
    assert sorted(BUILT_IN_EVENTS)
    keys = _strings().keys()
    assert [event for event in sorted(BUILT_IN_EVENTS) if f"row.event.{event}" not in keys] == []


def test_every_event_of_a_card_has_a_sentence_in_the_log() -> None:
    cards = [event.removeprefix("card.") for event in BUILT_IN_EVENTS if event.startswith("card.")]
    assert cards
    keys = _strings().keys()
    assert [event for event in sorted(cards) if f"card.event.{event}" not in keys] == []


def test_every_string_has_text() -> None:
    for key, texts in _strings().items():
        assert texts, key
        for text in texts:
            assert text.strip() == text != "", key


@pytest.mark.parametrize("pattern", UNPLAIN)
def test_every_string_is_plain(pattern: str) -> None:
    stiff = [
        f"{key}: {text}"
        for key, texts in _strings().items()
        for text in texts
        if re.search(pattern, re.sub(r"\{\w+\}", "", text), re.I)
    ]
    assert stiff == []


def test_no_text_is_written_into_a_component() -> None:
    """All text comes from the strings, so that it can be translated."""
    wrong = []
    for path in SOURCES.rglob("*.svelte"):
        markup = re.sub(
            r"<script.*?</script>|<!--.*?-->|<style.*?</style>", "", path.read_text(), flags=re.S
        )
        markup = _without_code(markup)
        for text in re.findall(r">([^<>]*)<", markup):
            if re.search(r"[A-Za-z]{2,}", re.sub(r"&\w+;", "", text)):
                wrong.append(f"{path.name}: {text.strip()[:60]}")
        for name, text in re.findall(
            r'\b(aria-label|title|placeholder|alt)="([^"]*[A-Za-z]{2,}[^"]*)"', markup
        ):
            wrong.append(f"{path.name}: {name}={text}")
    assert wrong == []


def _without_code(markup: str) -> str:
    """Removes everything in braces. Arrows (=>) are not tags."""
    out, depth = [], 0
    for letter in markup.replace("=>", "  "):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
        elif depth == 0:
            out.append(letter)
    return "".join(out)


def test_every_problem_with_a_text_exists() -> None:
    known = (SOURCES.parents[1] / "docs/reference/problems.md").read_text()
    named = [key.removeprefix("problem.") for key in _strings() if key.startswith("problem.")]
    assert named
    assert [code for code in named if f"`/problems/{code}`" not in known] == []
