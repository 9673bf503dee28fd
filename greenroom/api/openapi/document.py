"""The OpenAPI document of an app, with a description, format and length for every property."""

from copy import deepcopy
from typing import Any

from litestar import Litestar

from greenroom.api.openapi.limits import limited, with_widths
from greenroom.api.openapi.requests import add_checks
from greenroom.api.openapi.tuples import with_item_types
from greenroom.api.registry import Registry


def document_of(app: Litestar) -> dict[str, Any]:
    return described(app.openapi_schema.to_schema(), app)


def described(document: dict[str, Any], app: Litestar) -> dict[str, Any]:
    """A copy in which every property and parameter has its description and limits."""
    registry: Registry = app.state.registry
    result = deepcopy(document)
    with_item_types(result["components"]["schemas"])
    add_checks(result, app)
    for name, schema in result["components"]["schemas"].items():
        for key, value in schema.get("properties", {}).items():
            known = registry.property_of(name, key)
            if known is not None:
                shown = {"description": known.description} | value
                schema["properties"][key] = limited(shown, known)
        with_widths(schema)
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                _describe_parameter(registry, parameter)
                with_widths(parameter)
    return result


def _describe_parameter(registry: Registry, parameter: dict[str, Any]) -> None:
    known = registry.parameters.get(parameter["name"])
    if known is not None and not parameter.get("description"):
        parameter["description"] = known
