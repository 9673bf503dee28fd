"""Describes the fields of settings and of the policy in words: what a value takes and means."""

from typing import Any

from msgspec import inspect


def kind_of(annotation: Any) -> str:
    """What a value takes."""
    return _in_words(_type_of(annotation))


def element_of(annotation: Any) -> str:
    """What each element of a list takes."""
    kind = _type_of(annotation)
    assert isinstance(kind, inspect.VarTupleType)
    return _in_words(_bare(kind.item_type))


def description_of(annotation: Any) -> str:
    """What a value means: the description in its `Meta`."""
    kind = inspect.type_info(annotation)
    extra = kind.extra_json_schema if isinstance(kind, inspect.Metadata) else None
    return str((extra or {}).get("description", ""))


def _in_words(kind: inspect.Type) -> str:
    match kind:
        case inspect.StructType(fields=fields):
            written = ", ".join(f"{field.name} = …" for field in fields)
            parts = (f"`{field.name}` is {_in_words(_bare(field.type))}" for field in fields)
            return f"`{{ {written} }}`; {', '.join(parts)}"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case inspect.FloatType(ge=low, le=high):
            return f"a number from {low} to {high}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.CustomType():
            return "a path"
        case inspect.VarTupleType(item_type=item, max_length=int(most)):
            return f"a list of at most {most} values, each {_in_words(_bare(item))}"
        case inspect.VarTupleType(item_type=item):
            return f"a list of values, each {_in_words(_bare(item))}"
        case inspect.StrType(min_length=int(least), max_length=int(most)):
            return f"text of {least} to {most} characters"
        case inspect.StrType(max_length=int(most)):
            return f"text of at most {most} characters"
        case _:
            return "text"


def _type_of(annotation: Any) -> inspect.Type:
    return _bare(inspect.type_info(annotation))


def _bare(kind: inspect.Type) -> inspect.Type:
    """Without its description."""
    return kind.type if isinstance(kind, inspect.Metadata) else kind
