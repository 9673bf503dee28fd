/** The texts of new conversations and of choosing people: loaded with the components that import this file. */
import { addStrings } from ".";

export const enNewConversation = {
  "new.title": "New conversation",
  "new.to": "To",
  "new.find": "Search by name or @username",
  "new.findHint": "Type at least two letters",
  "new.results": "People",
  "new.searching": "Searching…",
  "new.noResults": "No one found. Check the spelling.",
  "new.remove": "Remove {name}",
  "new.kind": "What's it about?",
  "new.kind.inquiry": "Inquiry",
  "new.kind.inquiryText": "Ask about a shoot, a date or a price.",
  "new.kind.invite": "Invitation",
  "new.kind.inviteText": "Invite someone to a project.",
  "new.kind.direct": "Direct message",
  "new.kind.directText": "Talk one to one.",
  "new.kind.group": "Group",
  "new.kind.groupText": "Talk with several people.",
  "new.oneOnly": "A direct message goes to one person. Remove the others, or choose Group.",
  "new.subject": "Subject",
  "new.message": "Message",
  "new.send": "Send",
  "new.stranger": "If you haven't talked before, we'll send this as a request: text only, no links.",
} as const;

addStrings(enNewConversation);
