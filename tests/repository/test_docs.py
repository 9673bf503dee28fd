"""The docs match the code: generated parts are current, named commands exist, links work."""

import re
from pathlib import Path

import pytest

from greenroom.app import REGISTRY
from greenroom.settings import every_setting
from scripts import generate_docs

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("greenroom/**/*.md")])
VARIABLES = [one.variable for one in every_setting(REGISTRY.settings)]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
"""Also matches images."""


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", generate_docs.NAMES)
def test_what_is_generated_is_what_the_code_says(name: str) -> None:
    assert (ROOT / name).read_text() == generate_docs.generated(name), "run `make docs`"


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_setting_is_documented(variable: str) -> None:
    line = re.search(
        rf"^\| `{variable}` \|.*\| (.+) \|$",
        (ROOT / "docs/reference/settings.md").read_text(),
        re.MULTILINE,
    )
    assert line
    assert line.group(1).endswith(".")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_have_a_target(page: Path) -> None:
    for link in _LINK.findall(page.read_text()):
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        file = (page.parent / target) if target else page
        assert file.exists(), link
        if anchor:
            assert anchor in _anchors(file), link


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_the_commands_that_are_named_exist(page: Path) -> None:
    text = page.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE)) <= targets
    named = set(re.findall(r"GREENROOM_[A-Z_]+[A-Z]", text))
    assert {name for name in named if not name.startswith("GREENROOM_TEST")} <= set(VARIABLES)


def test_the_two_commands_are_the_first_thing_in_the_readme() -> None:
    first_block = re.search(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert first_block
    assert [line.split("#")[0].strip() for line in first_block.group(1).splitlines()] == [
        "make run",
        "make test",
    ]
