"""The OpenAPI document of an app, with a description, format and length for every property."""

from copy import deepcopy
from typing import Any

from litestar import Litestar

from greenroom.api.openapi.properties import PARAMETERS, Property, property_of
from greenroom.api.openapi.requests import add_checks


def document_of(app: Litestar) -> dict[str, Any]:
    return described(app.openapi_schema.to_schema(), app)


def described(document: dict[str, Any], app: Litestar) -> dict[str, Any]:
    """The same document; every property and parameter says what it means and what is checked."""
    result = deepcopy(document)
    add_checks(result, app)
    for name, schema in result["components"]["schemas"].items():
        for key, value in schema.get("properties", {}).items():
            known = property_of(name, key)
            if known is not None:
                schema["properties"][key] = _with(value, known)
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                _describe_parameter(parameter)
    return result


def _describe_parameter(parameter: dict[str, Any]) -> None:
    known = PARAMETERS.get(parameter["name"])
    if known is not None and not parameter.get("description"):
        parameter["description"] = known


def _with(schema: dict[str, Any], known: Property) -> dict[str, Any]:
    result = {"description": known.description} | schema
    string = _string_in(result)
    if string is not None and known.format is not None:
        string.setdefault("format", known.format)
    if string is not None and known.max_length is not None and "enum" not in string:
        string.setdefault("maxLength", known.max_length)
    if string is not None and known.min_length is not None:
        string.setdefault("minLength", known.min_length)
    return result


def _string_in(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema itself, or the string among its alternatives (`string` or `null`)."""
    choices = [schema, *schema.get("oneOf", ()), *schema.get("anyOf", ())]
    return next((one for one in choices if one.get("type") == "string"), None)
