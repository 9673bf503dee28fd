"""The page at `/` if the web app is not built: links, and in a demo the sample people."""

from collections.abc import Sequence
from html import escape

from greenroom import __version__
from greenroom.api.pages import page
from greenroom.people.models import Person

_PLACES = (
    ("/schema/docs", "The API, to read"),
    ("/schema", "The API, as OpenAPI 3.1 (also <a href='/schema/openapi.yaml'>as YAML</a>)"),
    ("/schema/asyncapi.json", "The socket at <code>/v1/socket</code>, as AsyncAPI 3.0"),
    ("/healthz", "Whether the process lives"),
    ("/readyz", "Whether it can read its store"),
)


def landing(samples: Sequence[tuple[Person, str]]) -> str:
    parts = [
        "<h1>Greenroom</h1>",
        "<p class='quiet'>A conversation backend for marketplaces. "
        f"This is version {escape(__version__)}, and it is running.</p>",
        "<p>The web app is missing: it was not built. <code>make web</code> builds it, and needs "
        "Node 20 or newer. Everything else is here.</p>",
    ]
    if samples:
        cards = "\n".join(_card(person, part) for person, part in samples)
        parts.append(f"<h2>Sample people</h2>\n<ul class='cards'>\n{cards}\n</ul>")
        parts.append(
            "<p>To ask as one of them: <code>greenroom token maya --demo</code> prints a token, "
            "which goes into the header <code>Authorization: Bearer …</code>. Then "
            "<code>GET /v1/inbox</code> shows what they are talking about.</p>"
        )
    rows = "\n".join(
        f"<tr><td><a href='{place}'><code>{place}</code></a></td><td>{what}</td></tr>"
        for place, what in _PLACES
    )
    parts.append(f"<h2>Where to look</h2>\n<table>\n{rows}\n</table>")
    return page("Greenroom", "\n".join(parts))


def _card(person: Person, part: str) -> str:
    return (
        f"<li><strong>{escape(person.name)}</strong>"
        f"<span>@{escape(person.username)}</span><span>{escape(part)}</span></li>"
    )
