"""The OpenAPI document as a page that can be read, beside it at /schema/docs.

Written from the document itself, so that it shows what is there and nothing else.
"""

from collections.abc import Iterator
from html import escape
from typing import Any

import msgspec
from litestar import MediaType, Request, get
from litestar.exceptions import NotFoundException
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.params import FromPath
from litestar.response import Redirect

from greenroom.api.errors import ANSWERS, OF_THE_PROTOCOL, title_of
from greenroom.api.pages import page


class ReferencePage(OpenAPIRenderPlugin):
    def __init__(self) -> None:
        super().__init__(path="/docs", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return reference(openapi_schema).encode()


def reference(schema: dict[str, Any]) -> str:
    operations = "\n".join(
        _operation(method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    )
    body = (
        f"<h1>{escape(schema['info']['title'])}</h1>\n"
        "<p class='quiet'>The same, for programs: <a href='/schema'>OpenAPI 3.1</a>, "
        "<a href='/schema/openapi.yaml'>as YAML</a>. The socket: "
        "<a href='/schema/asyncapi.json'>AsyncAPI 3.0</a>.</p>\n"
        f"<h2>Operations</h2>\n{operations}\n"
        f"<h2>Problems</h2>\n<p>Every refusal is <code>application/problem+json</code> (RFC 9457) "
        "with one of these as its <code>type</code>.</p>\n"
        f"<table>\n{''.join(_problems())}</table>"
    )
    return page(f"{schema['info']['title']}: the API", body)


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = "".join(_parameter(parameter) for parameter in operation.get("parameters", ()))
    answers = "".join(
        f"<tr><th>{escape(status)}</th><td>{escape(answer.get('description') or '')}</td></tr>\n"
        for status, answer in operation.get("responses", {}).items()
    )
    described = operation.get("description")
    needs_token = " <small>needs a token</small>" if operation.get("security") else ""
    return (
        f"<article id='{escape(operation.get('operationId', ''))}'>\n"
        f"<h3><code>{escape(method.upper())} {escape(path)}</code>{needs_token}</h3>\n"
        f"<p>{escape(operation.get('summary') or '')}</p>\n"
        + (f"<p class='quiet'>{escape(described)}</p>\n" if described else "")
        + f"<table>\n{rows}{answers}</table>\n{''.join(_examples(operation))}</article>"
    )


def _examples(operation: dict[str, Any]) -> Iterator[str]:
    """Of the request, and of every answer that is no refusal."""
    yield from _shown("Send", operation.get("requestBody", {}))
    for status, answer in operation.get("responses", {}).items():
        if status.startswith("2"):
            yield from _shown(f"Get {status}", answer)


def _shown(title: str, part: dict[str, Any]) -> Iterator[str]:
    for media in part.get("content", {}).values():
        for example in media.get("examples", {}).values():
            text = msgspec.json.format(msgspec.json.encode(example["value"]), indent=2).decode()
            yield (
                f"<details><summary>{escape(title)}</summary>"
                f"<pre><code>{escape(text)}</code></pre></details>\n"
            )


def _parameter(parameter: dict[str, Any]) -> str:
    required = ", required" if parameter.get("required") else ""
    about = parameter.get("description") or ""
    return (
        f"<tr><th><code>{escape(parameter['name'])}</code></th>"
        f"<td>in {escape(parameter['in'])}{required}. {escape(about)}</td></tr>\n"
    )


@get("/problems/{code:str}", include_in_schema=False, sync_to_thread=False)
def problem_page(code: FromPath[str]) -> Redirect:
    """A problem's `type` leads to its row."""
    if code not in _known_problems():
        raise NotFoundException
    return Redirect(f"/schema/docs#{code}")


def _known_problems() -> dict[str, int]:
    ours = {problem.code: answer.status for problem, answer in ANSWERS.items()}
    told = {code: status for code, status in ours.items() if status != 500}
    of_the_protocol = {code: status for status, (code, _) in OF_THE_PROTOCOL.items()}
    return told | of_the_protocol


def _problems() -> Iterator[str]:
    for code, status in sorted(_known_problems().items()):
        yield (
            f"<tr id='{escape(code)}'><td><code>/problems/{escape(code)}</code></td>"
            f"<td>{escape(title_of(code))}</td><td>{status}</td></tr>\n"
        )
