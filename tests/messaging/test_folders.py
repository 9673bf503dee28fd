"""The folder rules match the guide's table: each row of it, in order."""

import re
from pathlib import Path

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging.models import (
    Folder,
    Gate,
    GateStatus,
    Kind,
    Member,
    MemberSummary,
    Role,
    Status,
    Thread,
)
from greenroom.messaging.rules import folder_of

_GUIDE = Path(__file__).parents[2] / "docs/guides/messaging.md"
_ANA, _BEN = UserId("usr_ana"), UserId("usr_ben")


def _thread(kind: Kind, *, gated: bool, awaits: bool, bound: bool) -> Thread:
    gate = Gate(
        id=RequestId("rqt_1"), sender=_BEN, status=GateStatus.PENDING, expires_ms=9, after_seq=0
    )
    return Thread(
        id=ThreadId("thr_1"),
        kind=kind,
        status=Status.OPEN,
        opened_by=_BEN,
        created_ms=1,
        members={_ANA: MemberSummary(role=Role.MEMBER), _BEN: MemberSummary(role=Role.MEMBER)},
        gates={_ANA: gate} if gated else {},
        awaiting=(_ANA,) if awaits else (),
        leg_id="leg_1" if bound else None,
        last_seq=2,
        last_ms=2,
    )


def test_the_first_row_that_applies_is_the_folder() -> None:
    section = _GUIDE.read_text().partition("## Folders")[2].partition("\n## ")[0]
    order = [Folder(name) for name in re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)]
    assert set(order) == set(Folder) - {Folder.ALL}
    flags = ["hidden", "spam", "archived", "gated", "awaits"]
    for kind in Kind:
        for bound in (False, True):
            for bits in range(2 ** len(flags)):
                on = {flag for place, flag in enumerate(flags) if bits >> place & 1}
                mine = Member(
                    thread=ThreadId("thr_1"),
                    user=_ANA,
                    role=Role.MEMBER,
                    spam="spam" in on,
                    archived_seq=2 if "archived" in on else None,
                    hidden_seq=2 if "hidden" in on else None,
                )
                gated, awaits = "gated" in on, "awaits" in on
                thread = _thread(kind, gated=gated, awaits=awaits, bound=bound)
                applies = {
                    Folder.HIDDEN: "hidden" in on,
                    Folder.SPAM: "spam" in on,
                    Folder.ARCHIVED: "archived" in on,
                    Folder.REQUESTS: gated,
                    Folder.ACTION: awaits,
                    Folder.BOOKINGS: bound or kind in (Kind.BOOKING, Kind.STUDIO, Kind.DISPUTE),
                    Folder.OFFERS: kind in (Kind.INQUIRY, Kind.INVITE),
                    Folder.OTHER: True,
                }
                expected = next(folder for folder in order if applies[folder])
                assert folder_of(thread, mine, 5) is expected
