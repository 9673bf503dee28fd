"""A message that is stored and read again is the same."""

from hypothesis import given, strategies as st

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import items
from greenroom.messaging.models import Edit, Message, MessageKind
from greenroom.store.sqlite.codec import pack, unpack

USERS = [UserId(f"usr_{name}") for name in ("ana", "ben", "cleo")]
NAMES = st.lists(st.sampled_from(USERS), min_size=1, max_size=3, unique=True).map(
    lambda some: tuple(sorted(some))
)
TIMES = st.integers(1, 2**45)
EDITS = st.lists(st.builds(Edit, st.text(max_size=5), TIMES), max_size=2).map(tuple)
TAGS = st.lists(st.sampled_from(["spam", "contact"]), max_size=2, unique=True).map(tuple)

said = st.builds(
    Message,
    thread=st.just(ThreadId("thr_1")),
    id=st.just(MessageId("msg_1")),
    seq=st.integers(1, 10**6),
    ms=TIMES,
    kind=st.sampled_from([MessageKind.TEXT, MessageKind.ASSET, MessageKind.CARD]),
    author=st.sampled_from(USERS),
    body=st.text(max_size=20),
    mentions=NAMES | st.just(()),
    reply_to=st.none() | st.just(MessageId("msg_0")),
    reactions=st.dictionaries(st.sampled_from("👍🎉"), NAMES),
    band=st.integers(0, 2),
    policy_tags=TAGS,
    policy_hints=TAGS,
    moderation=st.sampled_from(["clean", "flagged"]),
    spam_score=st.sampled_from(["0", "0.5"]),
)
changed = st.builds(
    Message,
    thread=st.just(ThreadId("thr_1")),
    id=st.just(MessageId("msg_1")),
    seq=st.just(1),
    ms=TIMES,
    kind=st.just(MessageKind.TEXT),
    author=st.sampled_from(USERS),
    body=st.text(max_size=5),
    edits=EDITS,
    edited_ms=st.none() | TIMES,
    deleted_ms=TIMES,
    deleted_by=st.sampled_from(USERS),
    version=st.integers(2, 9),
)
happened = st.builds(
    Message,
    thread=st.just(ThreadId("thr_1")),
    id=st.just(MessageId("msg_1")),
    seq=st.just(1),
    ms=TIMES,
    kind=st.just(MessageKind.SYSTEM),
    author=st.sampled_from(USERS),
    event=st.sampled_from(["participant.added", "thread.renamed"]),
    about=NAMES | st.just(()),
)


@given(said | changed | happened)
def test_a_stored_message_is_read_back_unchanged(message: Message) -> None:
    assert items.message_of(unpack(pack(items.message_item(message)))) == message
