/** The texts of the details next to a conversation: loaded with the components that import this file. */
import { addStrings } from ".";

export const enDetails = {
  "panel.label": "Details",
  "panel.people": "People",
  "panel.project": "Project",
  "panel.views": "What to show",
  "panel.settings": "This conversation",
  "panel.close": "Close details",
  "panel.folder": "Folder",
  "panel.city": "City",
  "panel.since": "Started",
  "panel.safe": "Blur sensitive pictures",
  "panel.safeHint": "For everyone here, whatever they chose in Settings.",
  "panel.safeOn": "Sensitive pictures are blurred for everyone here.",
  "panel.here": "online",
} as const;

addStrings(enDetails);
