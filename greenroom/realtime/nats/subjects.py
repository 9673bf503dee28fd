"""NATS subjects of topics and of the nodes' own messages.

    greenroom.user.usr_01h…     a topic; characters that a subject cannot contain are %-escaped
    greenroom.$lost             messages from this node may have been lost
    greenroom.$here             heartbeat
    greenroom.$gone             this node is leaving and has sent everything

A topic cannot collide with the last three: its `$` is escaped.
"""

import re
from urllib.parse import quote, unquote

from greenroom.realtime.bus import Topic

LOST = "greenroom.$lost"
HERE = "greenroom.$here"
GONE = "greenroom.$gone"
_PREFIX = "greenroom."
_LONGEST = 1000
"""A server disconnects a client that sends a line of more than 4 KB. Ids are far shorter."""
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
