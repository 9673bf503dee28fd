"""Topics as NATS knows them, and what nodes say of themselves.

    greenroom.user.usr_01h…     a topic; what a subject may not contain is %-escaped
    greenroom.$lost             what this node has published may not have reached you
    greenroom.$here             this node is there
    greenroom.$gone             this node goes, and has said all that it had to say

No topic can be one of the latter: its `$` would be escaped.
"""

import re
from urllib.parse import quote, unquote

from greenroom.realtime.bus import Topic

LOST = "greenroom.$lost"
HERE = "greenroom.$here"
GONE = "greenroom.$gone"
_PREFIX = "greenroom."
_LONGEST = 1000
"""A server cuts off whoever sends it a line of more than 4 KB; ids are far from it."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]|^\.|\.$|(?<=\.)\.")


def subject_of(topic: Topic) -> str:
    return _PREFIX + (topic if _PLAIN.fullmatch(topic) else _UNFIT.sub(_escaped, topic))


def topic_of(subject: str) -> Topic:
    name = subject[len(_PREFIX) :]
    return Topic(unquote(name, errors="surrogatepass") if "%" in name else name)


def fits(subject: str) -> bool:
    return len(_PREFIX) < len(subject) <= _LONGEST


def _escaped(unfit: re.Match[str]) -> str:
    return "%2E" if unfit[0] == "." else quote(unfit[0], safe="", errors="surrogatepass")
