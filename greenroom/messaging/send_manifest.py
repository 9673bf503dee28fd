"""Records a deliverable that is kept elsewhere, and sends the message that shows it.

One transaction appends the manifest to the thread's chain and writes the message. Where two are
recorded at once, the second is made again on top of the first. No use case changes or deletes a
manifest: deleting its message leaves it as it is. After a removal by a moderator its name and URL
are withheld.
"""

from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.files import manifests, new_manifest
from greenroom.files.models import Manifest, NewManifest
from greenroom.files.policy import MANIFESTS
from greenroom.files.public_fetch import Reached
from greenroom.files.records import FILES
from greenroom.ids import ManifestId, ThreadId
from greenroom.messaging import access, text
from greenroom.messaging.attachments import manifest_attachment
from greenroom.messaging.claims import as_first_answered, first_answer
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.moderate import check_text
from greenroom.messaging.name_words import name_words, url_words
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.panel.files_tab import lines_with
from greenroom.messaging.panel.models import Tab
from greenroom.messaging.problems import ClientIdReused, DeliverableNeedsReview, ThreadNotFound
from greenroom.messaging.records import MESSAGING, claim_key, tab_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.write_message import write_message
from greenroom.people.actor import Actor
from greenroom.safety.judge import uncount_text
from greenroom.safety.verdict import Hold, Judged
from greenroom.store.base import Op, key_of
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Item

_TRIES = 12
"""While others record deliverables in the same thread."""


class SentManifest(Struct, frozen=True):
    manifest: Manifest
    message: Message
    again: bool = False
    """Whether it was recorded before, under the same client id."""
    reached: Reached | None = None
    """Whether the URL answers; None where it was not asked."""


async def send_manifest(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    client_id: str,
    new: NewManifest,
    caption: str = "",
) -> SentManifest:
    """For members who may send there, and not into a request."""
    key = claim_key(thread_id, actor.user, text.client_id(client_id))
    text.check_length(caption)
    outgoing = Outgoing(client_id, caption, manifest=new)
    try:
        return await _record(messaging, actor, thread_id, outgoing, new)
    except ConditionFailed as refusal:
        for failure in refusal.failed:
            if key_of(failure.op) == key and failure.item is not None:
                return await _first(messaging, thread_id, outgoing, failure.item)
        raise
    except Problem as problem:
        claim = await messaging.store.get(MESSAGING, key, consistent=True)
        if claim is None:
            raise
        first = await _first(messaging, thread_id, outgoing, claim)
        is_outsider = isinstance(problem, ThreadNotFound)
        return _as_first_answered(first, outgoing, claim) if is_outsider else first


async def _record(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    outgoing: Outgoing,
    new: NewManifest,
) -> SentManifest:
    """Spends the limit before any work is done."""
    await messaging.safety.limits.spend(actor.user, MANIFESTS)
    new_manifest.check(new)
    view = await access.thread(messaging, actor, thread_id)
    now_ms = messaging.clock.now_ms()
    check_may_send(view.thread, actor.user, outgoing.body, now_ms, has_files=True)
    clean = _with_clean_caption(outgoing)
    verdict = await _verdict(messaging, actor, view.thread, clean.body, new)
    reached = None
    try:
        if messaging.files.policy.check_manifest_urls:
            reached = await messaging.files.ask_url(new.url)
        sent, manifest = await _append(messaging, actor, view.thread, clean, new, verdict)
    except BaseException:
        if clean.body:
            uncount_text(messaging.safety, actor, clean.body)
        raise
    return SentManifest(manifest, sent.message, reached=reached)


async def _append(
    messaging: Messaging,
    actor: Actor,
    head: Thread,
    outgoing: Outgoing,
    new: NewManifest,
    verdict: Judged,
) -> tuple[Sent, Manifest]:
    for _ in range(_TRIES):
        end = await new_manifest.chain_end(messaging.files, head.id)
        manifest = new_manifest.next_manifest(messaging.files, head.id, actor.user, new, end)
        listed = await lines_with(messaging, head.id, manifest)
        try:
            sent = await write_message(
                messaging,
                actor,
                head,
                outgoing,
                verdict,
                None,
                None,
                manifest=manifest,
                listed=listed,
            )
        except ConditionFailed as refusal:
            if not all(_is_of_another(failure.op, head.id) for failure in refusal.failed):
                raise
            continue
        return sent, manifest
    raise Conflict


def _is_of_another(op: Op, thread: ThreadId) -> bool:
    """Another deliverable was recorded meanwhile: in the chain, or in the panel."""
    return op.table.name == FILES.name or key_of(op) == tab_key(thread, Tab.FILES)


def _with_clean_caption(outgoing: Outgoing) -> Outgoing:
    body = text.clean_or_empty(outgoing.body)
    typed = None if body == outgoing.body else outgoing.body
    return Outgoing(outgoing.client_id, body, typed=typed, manifest=outgoing.manifest)


async def _verdict(
    messaging: Messaging, actor: Actor, head: Thread, caption: str, new: NewManifest
) -> Judged:
    """A manifest cannot be held: its place in the chain would be open."""
    words = "\n".join((name_words([new.name]), url_words(new.url)))
    verdict = await check_text(messaging, actor, head, caption, words)
    if isinstance(verdict, Hold):
        uncount_text(messaging.safety, actor, caption)
        raise DeliverableNeedsReview
    return verdict


def _as_first_answered(first: SentManifest, outgoing: Outgoing, claim: Item) -> SentManifest:
    """Without later changes of the message, for a sender who may no longer see the thread."""
    shown = replace(first.message, attachments=(manifest_attachment(first.manifest),))
    answer = as_first_answered(Sent(shown), _with_clean_caption(outgoing), claim)
    assert isinstance(answer, Sent)
    return SentManifest(first.manifest, answer.message, again=True)


async def _first(
    messaging: Messaging, thread_id: ThreadId, outgoing: Outgoing, claim: Item
) -> SentManifest:
    """What the first try became."""
    answer = await first_answer(messaging, thread_id, outgoing, claim)
    if not isinstance(answer, Sent) or "manifestId" not in claim:
        raise ClientIdReused(outgoing.client_id)
    public = await manifests.public_manifest(messaging.files, ManifestId(str(claim["manifestId"])))
    manifest = await manifests.manifest_at(messaging.files, thread_id, public.number)
    return SentManifest(manifest, answer.message, again=True)
