"""Examples of the requests and responses of the project panel."""

from collections.abc import Mapping

from greenroom.api.example_values import JONAS, LATER, MAYA, SAID, THREAD
from greenroom.api.messaging.panel_shapes import (
    AddObject,
    NewPanelEdit,
    Panel,
    PanelChange,
    PanelField,
    PanelHistory,
    PanelLine,
    PanelObject,
    PanelTab,
    SetField,
)
from greenroom.api.route_docs import OperationExample
from greenroom.messaging.panel.models import ObjectKind, Tab

NEW_SHOT = AddObject(ObjectKind.SHOT, {"title": "The yellow tram"})
NEW_TITLE = SetField("shot-1", "title", "The yellow tram, uphill", 1)
_SHOT = PanelObject(
    object_id="shot-1",
    kind=ObjectKind.SHOT,
    order="V",
    placed_version=1,
    fields={
        "title": PanelField("The yellow tram, uphill", 2, MAYA, LATER),
        "count": PanelField(3, 1, JONAS, SAID),
    },
)
CHANGE = PanelChange(
    tab=Tab.SHOTLIST,
    version=2,
    action="set",
    object_id="shot-1",
    by_user_id=MAYA,
    at=LATER,
    before={"title": "The yellow tram"},
    object=_SHOT,
    reordered=False,
)
_TAB = PanelTab(Tab.SHOTLIST, 2, True, [_SHOT], [], 0)
_LINE = PanelLine("crd_overtime", "Two more hours", "proposed", 24_000, "EUR", JONAS, SAID)
_ACTIONS = PanelTab(Tab.ACTIONS, 1, False, [], [_LINE], 0)

PANEL_EXAMPLES: Mapping[str, OperationExample] = {
    "getPanel": OperationExample({200: Panel(THREAD, [_TAB, _ACTIONS])}),
    "getPanelTab": OperationExample({200: _TAB}),
    "editPanelTab": OperationExample({200: CHANGE, 201: CHANGE}, NewPanelEdit("e-2", NEW_TITLE)),
    "getPanelTabHistory": OperationExample({200: PanelHistory([CHANGE], None)}),
}
