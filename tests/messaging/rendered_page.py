"""Parses rendered messages as a browser would, and finds tags, attributes and schemes outside the
subset.
"""

from html.parser import HTMLParser

from markdown_it import MarkdownIt

PLAIN = ("p", "br", "strong", "em", "s", "pre", "blockquote", "ul", "li")
SUBSET: dict[str, set[str]] = {tag: set() for tag in PLAIN}
SUBSET |= {"a": {"href"}, "code": {"class"}, "ol": {"start"}}
SCHEMES = ("https://", "http://", "mailto:")

SAFE = MarkdownIt("js-default", {"html": False}).disable(
    ["image", "heading", "lheading", "hr", "table", "reference", "entity", "autolink"]
)
"""The rules of docs/reference/markup.md: no HTML, only the subset, only these schemes."""
SAFE.validateLink = lambda url: url.lower().startswith(SCHEMES)  # type: ignore[method-assign]
UNSAFE = MarkdownIt("js-default", {"html": True})
UNSAFE.validateLink = lambda url: True  # type: ignore[method-assign]


class RenderedPage(HTMLParser):
    """A parsed page; `foreign` lists what is outside the subset."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in SUBSET or {name for name, _ in attrs} - SUBSET[tag]:
            self.foreign.append(f"{tag} {attrs}")
        for name, value in attrs:
            if name == "href" and not (value or "").lower().startswith(SCHEMES):
                self.foreign.append(f"a link to {value}")

    def handle_comment(self, data: str) -> None:
        self.foreign.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.foreign.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.foreign.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.foreign.append(f"declaration {data}")
