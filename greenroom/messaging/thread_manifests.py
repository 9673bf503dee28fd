"""Reads the manifests of a thread, for its members.

A member sees the whole chain, since one with gaps could not be verified. Of what was recorded while
they were not there they see only what everybody may see: this goes by the message that shows it,
since clocks disagree. Before they accept, they see none.
"""

from msgspec import Struct

from greenroom.files.manifest_hash import PublicManifest, public_manifest
from greenroom.files.manifests import manifests_of_thread
from greenroom.files.models import Manifest
from greenroom.ids import ThreadId
from greenroom.messaging import access, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Actor


class ThreadManifests(Struct, frozen=True):
    manifests: tuple[Manifest | PublicManifest, ...]
    next: str | None


async def thread_manifests(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    *,
    limit: int = 50,
    cursor: str | None = None,
) -> ThreadManifests:
    view = await access.thread(messaging, actor, thread_id)
    if not rules.has_accepted(view.thread, actor.user):
        raise ThreadNotFound
    page = await manifests_of_thread(messaging.files, thread_id, limit=limit, cursor=cursor)
    shown = tuple(
        one if rules.reached(view.thread, actor.user, seq) else public_manifest(one)
        for one, seq in zip(page.manifests, page.seqs, strict=True)
    )
    return ThreadManifests(shown, page.next)
