"""Edits a tab of the project panel: adds, changes, moves or deletes an object.

One transaction writes the tab under its version, the log entry, the claim, and the head of the
thread with the tab's new version. Where another node was first, the rules decide again on the tab
as it is then.
"""

from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.files.access import load
from greenroom.files.models import FileState, Media
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import rules as thread_rules, text
from greenroom.messaging.access import ThreadView
from greenroom.messaging.attachment_ops import MESSAGE
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PanelUpdated
from greenroom.messaging.models import Thread
from greenroom.messaging.moderate import check_panel_text
from greenroom.messaging.panel import fields, items, rules
from greenroom.messaging.panel.access import check_panel, thread_with_panel
from greenroom.messaging.panel.claims import EditRequest, claim_op, first_answer
from greenroom.messaging.panel.models import Add, Edit, Edited, ObjectKind, TabState
from greenroom.messaging.panel.problems import NotAPictureHere
from greenroom.messaging.panel.sizes import fitted
from greenroom.messaging.panel.tabs import edited_tab
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import PANEL_EDITS
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.send_checks import check_is_open
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Op, Put
from greenroom.store.expressions import Condition, F
from greenroom.store.problems import ConditionFailed, Conflict, OutcomeUnknown

_TRIES = 12
"""When other nodes write at the same time."""


async def edit_tab(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    tab_name: str,
    client_id: str,
    edit: Edit,
) -> Edited:
    """A repeat with the same client id gets the first answer."""
    tab = fields.editable_tab(tab_name)
    text.client_id(client_id)
    fields.check_lengths(edit)
    view = await thread_with_panel(messaging, actor, thread_id, keep=True)
    await messaging.safety.limits.spend(actor.user, PANEL_EDITS)
    cleaned = fields.cleaned(tab, edit)
    request = EditRequest(
        thread=thread_id, tab=tab, by=actor.user, client_id=client_id, edit=cleaned
    )
    try:
        await _check(messaging, actor, view, cleaned)
        async with messaging.editing_tabs.hold((thread_id, tab)):
            return await _write(messaging, request)
    except Problem as problem:
        first = await first_answer(messaging, request)
        if first is None:
            raise
        if isinstance(problem, OutcomeUnknown):  # it was written, and nobody was told
            await _publish(messaging, request, first)
        return first


async def _check(messaging: Messaging, actor: Actor, view: ThreadView, edit: Edit) -> None:
    check_is_open(view.thread, actor.user, messaging.clock.now_ms())
    written = "\n".join(fields.texts_of(edit))
    if written:
        await check_panel_text(messaging, actor, view.thread, written)
    if isinstance(edit, Add) and edit.kind is ObjectKind.PICTURE:
        await _check_picture(messaging, view, FileId(str(edit.fields["fileId"])))


async def _check_picture(messaging: Messaging, view: ThreadView, file_id: FileId) -> None:
    """One of a message that the editor may see. Who may see its bytes is asked again later."""
    file = await load(messaging.files, file_id)
    use = None if file is None else file.use
    if (
        file is None
        or use is None
        or file.state is not FileState.READY
        or file.media is not Media.PICTURE
        or (use.kind, use.target) != (MESSAGE, view.thread.id)
        or use.is_waiting
        or not thread_rules.shows(view.thread, view.mine.user, use.position)
    ):
        raise NotAPictureHere


async def _write(messaging: Messaging, request: EditRequest) -> Edited:
    for _ in range(_TRIES):
        before = await edited_tab(messaging, request.thread, request.tab)
        now_ms = messaging.clock.now_ms()
        done = rules.applied(before, request.edit, request.by, now_ms)
        if done.state is before:  # nothing to change, or done before
            return await first_answer(messaging, request) or Edited(done.entry)
        done = replace(done, state=fitted(before, done.state))
        try:
            await _write_once(messaging, request, before, done, now_ms)
        except ConditionFailed:
            if (first := await first_answer(messaging, request)) is not None:
                return first
            continue
        return Edited(done.entry)
    raise Conflict


async def _write_once(
    messaging: Messaging, request: EditRequest, before: TabState, done: rules.Applied, now_ms: int
) -> None:
    tab, version = request.tab, done.state.version
    content = items.content(done.state)
    tab_item = items.tab_item(request.thread, tab, version, content, now_ms)
    ops: tuple[Op, ...] = (
        Put(MESSAGING, tab_item, under_version(before.version)),
        Put(MESSAGING, items.log_item(request.thread, done.entry), F("pk").absent()),
        claim_op(request, done.entry),
    )

    def plan(head: Thread, _: int) -> PlannedWrite:
        check_is_open(head, request.by, now_ms)
        check_panel(head, request.by)
        after = replace(head, panel={**head.panel, tab.value: version})
        return PlannedWrite(after, ops, (PanelUpdated(tab, version, done.entry),))

    await update_thread(messaging, request.thread, plan)


def under_version(version: int) -> Condition:
    return F("version").equals(version) if version else F("pk").absent()


async def _publish(messaging: Messaging, request: EditRequest, answer: Edited) -> None:
    head = await messaging.thread_cache.read(request.thread)
    if head is not None:
        version = answer.entry.made.version
        messaging.publish(head, PanelUpdated(request.tab, version, answer.entry))
