"""What a browser makes of a message, and what of it is foreign: the judge of test_text.

Several renderers, for nobody knows which one a client has; each as trusting as can be.
"""

from html.parser import HTMLParser

from markdown_it import MarkdownIt

from greenroom.messaging import text

PLAIN = ("p", "br", "strong", "em", "s", "pre", "blockquote", "ul", "li")
SUBSET: dict[str, set[str]] = {tag: set() for tag in PLAIN}
SUBSET |= {"a": {"href"}, "code": {"class"}, "ol": {"start"}}
RENDERERS = (
    MarkdownIt("commonmark", {"html": True}),
    MarkdownIt("js-default", {"html": True}),  # tables and strike, too
)
CODELESS = MarkdownIt("js-default", {"html": True}).disable(["code", "fence", "backticks"])
"""Knows no code, and so stands for all who see its end elsewhere."""
for renderer in (*RENDERERS, CODELESS):
    renderer.validateLink = lambda url: True  # type: ignore[method-assign]
HARMLESS = ("h1 []", "h2 []", "h3 []", "h4 []", "h5 []", "h6 []", "hr []", "t")
"""What a fence may hold, for whoever sees no fence: headings, rules, tables."""


class Page(HTMLParser):
    """What a browser would make of a page, and what of it is foreign."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in SUBSET or {name for name, _ in attrs} - SUBSET[tag]:
            self.foreign.append(f"{tag} {attrs}")
        for name, value in attrs:
            if name == "href":
                self.links.append(value or "")
                if not (value or "").lower().startswith(("https://", "http://", "mailto:")):
                    self.foreign.append(f"a link to {value}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.foreign.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.foreign.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.foreign.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.foreign.append(f"declaration {data}")


def shown(written: str) -> Page:
    return Page(RENDERERS[1].render(text.clean(written)))


def foreign(written: str) -> list[str]:
    body = text.clean(written)
    found = [thing for renderer in RENDERERS for thing in Page(renderer.render(body)).foreign]
    codeless = Page(CODELESS.render(body)).foreign
    return found + [thing for thing in codeless if not thing.startswith(HARMLESS)]
