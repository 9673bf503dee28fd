"""The base class of all refusals.

A refusal is a `Problem` subclass. Its name gives its code, its annotations its fields, and its
docstring, filled with those fields, the message that a person reads. It knows no HTTP:
`api/errors.py` maps it to a status. An outcome that a use case expects is a value, not a Problem. A
bug is neither, and crashes.
"""

import dataclasses
import inspect
import re
from typing import Annotated, Any, ClassVar, TypeAlias, dataclass_transform

MOST_CHARACTERS = 1000
"""Longest text field in a Problem, so that responses and log lines stay short."""
MAX_DETAIL = 2000
"""Longest message, in characters."""
MAX_CODE = 40
Clause: TypeAlias = Annotated[str, "clause"]
"""A field that is part of the message's sentence. A response has it in the message only, not as a
member of its own."""
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass_transform(eq_default=False)
class Problem(Exception):
    """The request was refused."""

    code: ClassVar[str] = "problem"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = _BETWEEN_WORDS.sub("-", cls.__name__).lower()
        assert len(cls.code) <= MAX_CODE, cls.code
        dataclasses.dataclass(eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        for name, value in self.fields.items():
            if isinstance(value, str) and len(value) > MOST_CHARACTERS:
                setattr(self, name, quoted(value, MOST_CHARACTERS))

    @property
    def fields(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    @property
    def data(self) -> dict[str, Any]:
        """The fields meant for programs."""
        return {name: value for name, value in self.fields.items() if name in self.data_names()}

    @classmethod
    def data_names(cls) -> tuple[str, ...]:
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return tuple(field.name for field in fields if field.type != Clause)

    def __str__(self) -> str:
        template = inspect.cleandoc(type(self).__doc__ or "").replace("\n", " ")
        words = {name: _in_words(value) for name, value in self.fields.items()}
        return quoted(template.format_map(words), MAX_DETAIL)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class Unavailable(Exception):
    """A program or server outside does not work at the moment. What needed it is tried again, and
    the log has its message without a traceback."""


def _in_words(value: Any) -> Any:
    is_list = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    return ", ".join(value) if is_list else value


def quoted(text: str, most: int = 60) -> str:
    """The text, cut to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
