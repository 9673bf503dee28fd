"""The tests that docs/reliability.md names exist."""

import re

from scripts.generate_docs import ROOT

PAGE = (ROOT / "docs/reliability.md").read_text()


def test_every_file_of_tests_that_is_named_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/]+(?:\.py|/))`", PAGE))
    assert len(named) > 30
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_test_that_is_named_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    code = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"def (test_\w+)", code))
    assert len(named) > 20
    assert sorted(named - there) == []


def test_every_test_file_that_is_named_without_its_folder_is_there() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", PAGE))
    there = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert sorted(named - there) == []
