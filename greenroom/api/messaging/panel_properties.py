"""Descriptions and lengths of the properties of the project panel."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.messaging.panel.fields import MAX_PANEL_TEXT
from greenroom.messaging.panel.order_keys import MAX_KEY
from greenroom.messaging.text import CLIENT_ID

PANEL_PROPERTIES: Mapping[str, Property] = {
    "panelVersions": described(
        "The version of each tab of the project panel that has one; null where the conversation "
        "has no panel. A tab whose version differs from the one that you have has changed."
    ),
    "projectSnapshot": described(
        "The summary of the booking: its next leg, or the last one; null where nothing is booked."
    ),
    "ProjectSnapshot.title": text_property("Of the leg that is next, or was last.", 120),
    "ProjectSnapshot.status": described(
        "Of that leg: `confirmed`, `completed`, `cancelled` or `disputed`."
    ),
    "ProjectSnapshot.legs": described("How many legs the conversation is about."),
    "ProjectSnapshot.total": described(
        "What was agreed, without the service fee; of several legs only their prices."
    ),
    "ProjectSnapshot.deposit": described("What has become of the deposit of that leg, if any."),
    "tab": described(
        "The tab: `brief`, `moodboard`, `shotlist`, `files`, `docs`, `expenses` or `actions`."
    ),
    "tabs": described("The tabs, in their order."),
    "Panel.tabs": described("The tabs, in their order."),
    "PanelTab.version": described("Counts the changes of the tab."),
    "PanelChange.version": described("The version of the tab that the edit made."),
    "PanelUpdated.version": described("The version of the tab after the change."),
    "PanelField.version": described("The `base` of the next edit of this field."),
    "editable": described("Whether people edit it; otherwise it follows from other records."),
    "objects": described("What the tab holds, in order."),
    "objectId": id_property("The object's id, unique in its tab."),
    "PanelObject.kind": described("`section`, `picture`, `note` or `shot`."),
    "AddObject.kind": described(
        "What to add: a `section` of the brief, a `picture` or `note` of "
        "the moodboard, or a `shot` of the shot list."
    ),
    "order": text_property(
        "Objects are sorted by it, as text. May be a little longer than shown.", MAX_KEY
    ),
    "placedVersion": described("The `base` of the next `move` of this object."),
    "PanelObject.fields": described(
        "Its fields, by name: `title`, `text`, `notes`, `caption`, `count`, `done`, `fileId`. One "
        "that nobody has set is left out."
    ),
    "AddObject.fields": text_property("The fields of a new object.", MAX_PANEL_TEXT),
    "value": text_property("A text, a number, or true or false.", MAX_PANEL_TEXT),
    "setByUserId": id_property("Who set it."),
    "setAt": time_property("When it was set."),
    "lines": described("The lines of a tab that nobody edits."),
    "lineId": id_property("The id of the document, expense, card or file."),
    "PanelLine.title": text_property("What it is.", 300),
    "PanelLine.state": text_property("Where it stands, such as `accepted`.", 64),
    "amount": described("The amount, in minor units of the currency; null if it has none."),
    "currency": text_property("The currency, as in ISO 4217; empty if it has none.", 3),
    "byUserId": id_property("Who did it."),
    "PanelLine.at": time_property("When it last changed."),
    "PanelChange.at": time_property("When the edit was made."),
    "leftOut": described("How many further lines there are."),
    "action": described("What the edit does: `add`, `set`, `move` or `remove`."),
    "before": text_property(
        "The fields that the edit changed, as they were; all of an object that it deleted.",
        MAX_PANEL_TEXT,
    ),
    "object": described("The object as the edit left it; null where it was deleted."),
    "reordered": described("Whether all objects got a new `order`: load the tab again."),
    "changes": described("The edits, the latest first."),
    "change": described("The edit."),
    "edit": described("The edit."),
    "clientId": id_property(
        "The client's own id of the edit. The same id is the same edit.", CLIENT_ID
    ),
    "field": id_property("The name of the field."),
    "base": described(
        "The version of the field, or for `move` `placedVersion`, that the editor "
        "saw; 0 for a field that was not set."
    ),
    "after": id_property(
        "The object after which to put it. Null: at the beginning. Left out: at the end."
    ),
}
