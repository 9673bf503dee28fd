"""Texts are plain English: the API's reasons say what must be, without internal words; documents
and docstrings have no roundabout phrases."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import greenroom
from greenroom.api.problem_table import HTTP_PROBLEMS
from greenroom.app import REGISTRY
from greenroom.errors import Problem
from scripts.generate_docs import ROOT as REPOSITORY
from scripts.reference_pages import every_problem

ROOT = Path(greenroom.__file__).parent
NOT_ANSWERS = ("demo", "cost")
"""Folders whose texts the API never returns."""

INTERNAL = re.compile(
    r"\bframes?\b(?!-)|\bwhoever\b|\(burst\)|\bnot your place\b|\bnothing to see\b|\bone would\b"
    r"|\bwhat was made of\b|\bdoorman\b|\bherald\b|\bshelf\b|\bfar seat\b|\bKeyError\b",
    re.IGNORECASE,
)
ROUNDABOUT = re.compile(
    r"\b(whoever|one\s+would|what\s+was\s+made\s+of|of\s+which)\b", re.IGNORECASE
)
FOLDERS = [REPOSITORY / name for name in ("docs", "greenroom", "tests", "bench", "scripts")]
"""Folders with documents and code."""

STATES_A_RULE = re.compile(
    r"(?!.*\b(must|can|cannot|needs?)\b)"
    r"(it (is|has|begins|ends|takes|names)|an? ([\w`]+ ){1,4}?(is|has|begins|ends|takes|names)) ",
)
"""After "is not valid:" such a clause would say the opposite: it needs "must"."""


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """All strings in the file except docstrings, with `…` for placeholders."""
    tree = ast.parse(path.read_text())
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in bare or id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(map(_shown, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Also those of fields and constants."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Expr(ast.Constant(str(text))):
                yield node.lineno, text


def _roundabout(path: Path) -> Iterator[str]:
    """Where a document, or a docstring of a module, has such a phrase."""
    text = path.read_text()
    if not ROUNDABOUT.search(text):
        return
    for line, part in _docstrings(path) if path.suffix == ".py" else [(1, text)]:
        for found in ROUNDABOUT.finditer(part):
            at = line + part.count("\n", 0, found.start())
            yield f"{path.relative_to(REPOSITORY)}:{at}: {found.group()}"


def _shown(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def _reasons() -> list[tuple[str, str]]:
    """Strings that are clauses: they begin with a small letter and have several words."""
    return [
        (f"{path.relative_to(ROOT)}:{line}", text)
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in NOT_ANSWERS
        for line, text in _texts(path)
        if re.match(r"[a-z…`]", text) and text.count(" ") >= 2
    ]


REASONS = _reasons()


def test_the_reasons_are_found() -> None:
    texts = {text for _, text in REASONS}
    assert {"you cannot report yourself", "a note must have at most … characters"} <= texts
    assert "it must not contain a user or a password" in texts


def test_no_reason_says_the_opposite_of_what_is_meant() -> None:
    assert [(at, text) for at, text in REASONS if STATES_A_RULE.match(text)] == []


def test_no_reason_has_internal_words() -> None:
    assert [(at, text) for at, text in REASONS if INTERNAL.search(text)] == []


@pytest.mark.parametrize("text", ["it is one line", "it has no user", "a suspension has `until`"])
def test_a_rule_stated_as_a_fact_is_found(text: str) -> None:
    assert STATES_A_RULE.match(text)


@pytest.mark.parametrize("problem", every_problem(), ids=lambda problem: problem.code)
def test_an_answer_has_no_internal_words(problem: type[Problem]) -> None:
    document = REGISTRY.problems.document_of(REGISTRY.problems.example_of(problem))
    for text in (
        inspect.cleandoc(problem.__doc__ or ""),
        document["title"],
        document.get("detail", ""),
    ):
        assert not INTERNAL.search(text), text
        assert not STATES_A_RULE.match(text.partition(": ")[2]), text


@pytest.mark.parametrize("code", [code for code, _ in HTTP_PROBLEMS.values()])
def test_a_refusal_of_the_protocol_has_no_internal_words(code: str) -> None:
    assert not INTERNAL.search(REGISTRY.problems.title_of(code))


def _documents_and_modules() -> list[Path]:
    below = [path for folder in FOLDERS for path in folder.rglob("*.*")]
    found = [path for path in (*REPOSITORY.glob("*.md"), *below) if path.suffix in (".md", ".py")]
    return sorted(path for path in found if path != Path(__file__).resolve())


def test_no_document_or_docstring_has_roundabout_phrases() -> None:
    paths = _documents_and_modules()
    names = {str(path.relative_to(REPOSITORY)) for path in paths}
    assert {"README.md", "CHANGELOG.md", "docs/performance.md", "greenroom/app.py"} <= names
    assert [found for path in paths for found in _roundabout(path)] == []


@pytest.mark.parametrize(
    "text",
    ["Whoever asks.", "What one\n    would expect.", "Ten, of which two.", "What was made of it."],
)
def test_a_roundabout_phrase_is_found(text: str) -> None:
    assert ROUNDABOUT.search(text)
