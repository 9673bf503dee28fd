/** The texts of profile cards: loaded with the components that import this file. */
import { addStrings } from ".";

export const enPerson = {
  "person.joined": "Member since {when}",
  "person.role": "Role in this conversation",
  "person.roleChanged": "{name}'s role is now {role}",
  "person.message": "Message",
  "person.remove": "Remove from conversation",
  "person.removeTitle": "Remove {name}?",
  "person.removeDo": "Remove",
  "person.removeText": "They won't get new messages. You can add them again later.",
  "person.removed": "You removed {name}",
  "person.report": "Report",
  "person.block": "Block",
  "person.unblock": "Unblock",
  "person.blockText":
    "They can't message you anymore. You still see them in groups. We won't tell them.",
  "person.blockedText": "You blocked {name}. They can't message you.",
  "person.you": "This is you",
  "person.history": "Moderation history",
  "person.edit": "Edit profile",
} as const;

addStrings(enPerson);
