"""Serves the OpenAPI document as JSON and as YAML. Each is rendered once, not per request.

Litestar accepts a whole response where it asks a plugin for bytes; ours has an ETag.
"""

from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]
from litestar import MediaType, Request
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin

from greenroom.api.cached_document import CachedDocument, document
from greenroom.api.openapi.document import described

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class OpenApiJson(JsonRenderPlugin):
    def __init__(self) -> None:
        super().__init__(path=["/", "/openapi.json"], media_type=MediaType.JSON)
        self._rendered: CachedDocument | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._rendered is None:
            body = super().render(request, described(openapi_schema, request.app))
            self._rendered = document(body, self.media_type)
        return self._rendered.answer(request)  # type: ignore[return-value]


class OpenApiYaml(YamlRenderPlugin):
    """Careful: the pure Python YAML writer takes five times as long and blocks the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._rendered: CachedDocument | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._rendered is None:
            plain = msgspec.to_builtins(described(openapi_schema, request.app))
            body = yaml.dump(plain, default_flow_style=False, Dumper=_DUMPER)
            self._rendered = document(body.encode(), self.media_type)
        return self._rendered.answer(request)  # type: ignore[return-value]
