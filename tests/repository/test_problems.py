"""Every Problem has an HTTP response, a message, and a line in the reference."""

import inspect
import string

import pytest

from greenroom.app import REGISTRY
from greenroom.errors import Problem
from scripts.reference_pages import every_problem, problems_page

PROBLEMS = every_problem()


def test_problems_are_found() -> None:
    assert len(PROBLEMS) > 20


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.code)
def test_a_problem_has_an_answer_and_is_documented(problem: type[Problem]) -> None:
    assert problem in REGISTRY.problems.responses
    assert f"`/problems/{problem.code}`" in problems_page()


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.code)
def test_a_problem_has_a_message_of_its_own_that_its_fields_fill(problem: type[Problem]) -> None:
    assert problem.__doc__ != Problem.__doc__
    message = inspect.cleandoc(problem.__doc__ or "")
    assert message.endswith(".")
    names = {name for _, name, _, _ in string.Formatter().parse(message) if name}
    fields = set(inspect.signature(problem).parameters)
    assert {name.partition("[")[0] for name in names} <= fields


def test_codes_are_unique() -> None:
    codes = [problem.code for problem in PROBLEMS]
    assert len(codes) == len(set(codes))


def test_internal_failures_are_never_explained_to_clients() -> None:
    for kind, answer in REGISTRY.problems.responses.items():
        if answer.status >= 500:
            assert not (answer.exposed and kind.__annotations__), (
                f"{kind.__name__} tells its fields"
            )


def test_a_problem_to_retry_says_when() -> None:
    assert all(
        a.retry_after for a in REGISTRY.problems.responses.values() if a.status in (429, 503)
    )
