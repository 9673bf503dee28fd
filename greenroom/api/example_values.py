"""Values that the examples of several contexts share."""

from datetime import UTC, datetime

from msgspec.structs import replace

from greenroom.api.messaging.attachment_shapes import Attachment
from greenroom.api.messaging.shapes import (
    Message,
    Mine,
    Participant,
    ParticipantSummary,
    Thread,
    ThreadRow,
)
from greenroom.bookings.models import DepositState, LegStatus
from greenroom.bookings.money import Money
from greenroom.bookings.project_snapshot import ProjectSnapshot
from greenroom.files.models import Media, Scan
from greenroom.ids import FileId, MessageId, ThreadId, UserId
from greenroom.messaging.models import (
    Folder,
    Kind,
    MessageKind,
    Role,
    ServiceRole,
    Status,
)

JONAS = UserId("usr_01k75pf200e1k6cdq0v2xq7f3m")
MAYA = UserId("usr_01k75pf2018h3y5m9s4w6tz0ab")
THREAD = ThreadId("thr_01k75q8h3c9m2n4p6r8t0v2x4z")
FILE = FileId("fil_01k75q8h4g8j0m2p4r6t8v0x2y")
PICTURE_THUMBHASH = "1QcSHQRnh493V4dIh4eXh1h4kJUI"
MESSAGE = MessageId("msg_01k75q8j5d7f9h1k3m5p7r9t1w")
OPENED = "2025-10-09T09:00:00.000Z"
SAID = "2025-10-09T09:12:07.123Z"
LATER = "2025-10-09T09:15:00.000Z"
BODY = "**14 and 15 May**, half days. Does that suit you?"
MINE = Mine(Folder.BOOKINGS, 1, 3, False, None, False, False, False, False)
ROW = ThreadRow(
    thread_id=THREAD,
    kind=Kind.BOOKING,
    status=Status.AWAITING_REPLY,
    subject="Editorial in May",
    opened_by_user_id=JONAS,
    created_at=OPENED,
    booking_id="bkg_editorial",
    leg_id="leg_lisbon",
    lbg_id=None,
    city="Lisbon",
    safe_mode_required=False,
    picture=None,
    project_snapshot=ProjectSnapshot(
        title="Portraits in Lisbon",
        status=LegStatus.CONFIRMED,
        starts_at=datetime(2026, 5, 12, 8, 0, tzinfo=UTC),
        ends_at=datetime(2026, 5, 12, 16, 0, tzinfo=UTC),
        time_zone="Europe/Lisbon",
        legs=1,
        total=Money(48_000, "EUR"),
        deposit=DepositState.SCHEDULED,
    ),
    panel_versions={"shotlist": 2},
    awaiting_user_ids=[MAYA],
    last_seq=4,
    last_message_at=SAID,
    last_author_user_id=JONAS,
    preview=BODY,
    preview_event=None,
    requests=[],
    mine=MINE,
    metadata={},
    participants=[
        ParticipantSummary(JONAS, Role.BUYER, ServiceRole.PHOTOGRAPHER),
        ParticipantSummary(MAYA, Role.SELLER, ServiceRole.MODEL),
    ],
)
SEEN = Thread(
    **{name: getattr(ROW, name) for name in ROW.__struct_fields__ if name != "participants"},
    participants=[
        Participant(JONAS, Role.BUYER, ServiceRole.PHOTOGRAPHER, 4, 4, SAID),
        Participant(MAYA, Role.SELLER, ServiceRole.MODEL, 3, 4, OPENED),
    ],
)
SENT = Message(
    message_id=MESSAGE,
    thread_id=THREAD,
    seq=4,
    kind=MessageKind.TEXT,
    author_user_id=JONAS,
    created_at=SAID,
    body=BODY,
    mentions=(),
    reply_to_message_id=None,
    event=None,
    about=(),
    reactions={},
    band=0,
    edited_at=None,
    deleted_at=None,
    deleted_by_user_id=None,
    policy_hints=(),
    version=1,
)
ATTACHMENT = Attachment(
    kind="preview",
    file_id=FILE,
    manifest_id=None,
    name="roof-04.jpg",
    mime="image/jpeg",
    size=3_481_220,
    media=Media.PICTURE,
    w=4000,
    h=3000,
    thumbhash=PICTURE_THUMBHASH,
    duration_ms=0,
    waveform="",
    pages=0,
    alt="Maya on a roof in the evening sun",
    band=0,
    rated=True,
    scan=Scan.CLEAN,
    sha256="",
    url="",
)
PICTURE = replace(SENT, kind=MessageKind.ASSET, body="The first edits", attachments=(ATTACHMENT,))
READ = replace(SENT, seen_by=(MAYA,))
WORDS = "Payments outside Greenroom are not allowed."
