"""Serves the OpenAPI document as JSON and as YAML. Each is rendered once, not per request."""

from typing import Any

from litestar import MediaType, Request
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin

from greenroom.api.openapi.document import described


class OpenApiJson(JsonRenderPlugin):
    def __init__(self) -> None:
        super().__init__(path=["/", "/openapi.json"], media_type=MediaType.JSON)
        self._rendered: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._rendered is None:
            self._rendered = super().render(request, described(openapi_schema))
        return self._rendered


class OpenApiYaml(YamlRenderPlugin):
    def __init__(self) -> None:
        super().__init__()
        self._rendered: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._rendered is None:
            self._rendered = super().render(request, described(openapi_schema))
        return self._rendered
