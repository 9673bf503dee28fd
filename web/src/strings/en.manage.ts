/** The texts of naming a conversation and adding people: loaded with the components that import this file. */
import { addStrings } from ".";

export const enManage = {
  "manage.open": "Rename or add people",
  "manage.title": "Rename or add people",
  "manage.picture": "Everyone in this conversation sees it.",
  "manage.subject": "Conversation name",
  "manage.add": "Add people",
  "manage.addText": "New people only see messages sent after they join.",
  "manage.added": "You added {names}",
  "manage.held": "The new name is under review. The old one stays until it's approved.",
} as const;

addStrings(enManage);
