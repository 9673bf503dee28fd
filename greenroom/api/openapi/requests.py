"""Adds the server's checks of bodies and parameters to the OpenAPI document.

Litestar omits `additionalProperties: false` and the limits of a nullable type. Both are taken from
the types that the server decodes with.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg
from litestar.routes import HTTPRoute

_REF = "#/components/schemas/"
_LIMITS = (
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "pattern",
)
_BOUNDS = {"ge": "minimum", "le": "maximum", "min_length": "minLength", "max_length": "maxLength"}


def add_checks(document: dict[str, Any], app: Litestar) -> None:
    """Changes the document in place."""
    handlers = dict(_handlers(app))
    for operations in document["paths"].values():
        for operation in operations.values():
            handler = handlers.get(operation.get("operationId"))
            if handler is not None:
                _add_body_checks(document, operation, handler)
                _add_parameter_checks(operation, handler)


def _handlers(app: Litestar) -> Iterator[tuple[str, HTTPRouteHandler]]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                if isinstance(handler.operation_id, str):
                    yield handler.operation_id, handler


def _add_body_checks(
    document: dict[str, Any], operation: dict[str, Any], handler: HTTPRouteHandler
) -> None:
    field = handler.parsed_data_field
    if field is None or "requestBody" not in operation:
        return
    [ref], checked = msgspec.json.schema_components([field.annotation], ref_template="{name}")
    for media in operation["requestBody"]["content"].values():
        _merge(document["components"]["schemas"], media["schema"], ref, checked)


def _merge(
    schemas: Mapping[str, Any],
    shown: dict[str, Any],
    checked: Mapping[str, Any],
    named: Mapping[str, Any],
) -> None:
    """Copies the restrictions of `checked` into `shown`, also through references."""
    shown = _resolved(schemas, shown)
    checked = named[checked["$ref"]] if "$ref" in checked else checked
    if checked.get("additionalProperties") is False:
        shown["additionalProperties"] = False
    for limit in _LIMITS:
        if limit in checked:
            shown.setdefault(limit, checked[limit])
    for name, value in checked.get("properties", {}).items():
        _merge(schemas, shown["properties"][name], _not_null(value), named)
    for choice in shown.get("oneOf", ()):  # of a union, by the name of the schema
        name = choice.get("$ref", "").removeprefix(_REF)
        if {"$ref": name} in checked.get("anyOf", ()):
            _merge(schemas, choice, named[name], named)
    if isinstance(checked.get("items"), dict):
        _merge(schemas, _array_in(shown)["items"], checked["items"], named)


def _resolved(schemas: Mapping[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    """Follows a reference, also a nullable one. Otherwise returns the schema itself."""
    refs = [one["$ref"] for one in (shown, *shown.get("oneOf", ())) if "$ref" in one]
    if len(refs) != 1:
        return shown
    found: dict[str, Any] = schemas[refs[0].removeprefix(_REF)]
    return found


def _not_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


def _array_in(schema: dict[str, Any]) -> dict[str, Any]:
    choices: list[dict[str, Any]] = [schema, *schema.get("oneOf", ())]
    return next(one for one in choices if "items" in one)


def _add_parameter_checks(operation: dict[str, Any], handler: HTTPRouteHandler) -> None:
    declared = {
        definition.name or name: definition
        for name, field in handler.parsed_fn_signature.parameters.items()
        if isinstance(definition := field.kwarg_definition, ParameterKwarg)
    }
    for parameter in operation.get("parameters", ()):
        definition = declared.get(parameter["name"])
        for ours, theirs in _BOUNDS.items():
            bound = getattr(definition, ours, None)
            if bound is not None and "$ref" not in parameter["schema"]:
                parameter["schema"].setdefault(theirs, bound)
