// Builds the rows of the message log: days, unread divider, grouped messages, outgoing messages. Pure.
//
// Careful: a row keeps its key, because the scroll position is anchored to keys.
import type { Message, Outgoing } from "../client";
import { dayKey } from "../strings";

export interface MessageRow {
  is: "message";
  key: string;
  message: Message;
  /** The first of a group shows the name, the last the time. */
  first: boolean;
  last: boolean;
}

export type Row =
  | { is: "day"; key: string; at: string }
  | { is: "divider"; key: string }
  | { is: "event"; key: string; message: Message }
  | { is: "outgoing"; key: string; outgoing: Outgoing; first: boolean }
  | MessageRow;

const GROUP_MS = 5 * 60_000;

export function buildRows(
  messages: readonly Message[],
  outgoing: readonly Outgoing[],
  unreadFromSeq: number | null,
  myId: string,
): Row[] {
  const rows: Row[] = [];
  let day = "";
  let before: Message | null = null;
  let divided = unreadFromSeq === null;
  for (const message of messages) {
    const today = dayKey(message.createdAt);
    if (today !== day) {
      rows.push({ is: "day", key: `day ${today}`, at: message.createdAt });
      day = today;
      before = null;
    }
    if (!divided && unreadFromSeq !== null && message.seq >= unreadFromSeq) {
      divided = true;
      if (message.authorUserId !== myId) {
        rows.push({ is: "divider", key: "divider" });
        before = null;
      }
    }
    if (message.kind === "system") {
      rows.push({ is: "event", key: message.messageId, message });
      before = null;
      continue;
    }
    const first = before === null || !joins(before, message);
    const above = rows[rows.length - 1];
    if (!first && above?.is === "message") above.last = false;
    rows.push({ is: "message", key: message.messageId, message, first, last: true });
    before = message;
  }
  let mine = before?.authorUserId === myId;
  for (const one of outgoing) {
    const today = dayKey(one.writtenAt);
    if (today !== day) {
      rows.push({ is: "day", key: `day ${today}`, at: one.writtenAt });
      day = today;
      mine = false;
    }
    rows.push({ is: "outgoing", key: one.clientMessageId, outgoing: one, first: !mine });
    mine = true;
  }
  return rows;
}

function joins(before: Message, message: Message): boolean {
  const apart = Date.parse(message.createdAt) - Date.parse(before.createdAt);
  return before.authorUserId === message.authorUserId && apart < GROUP_MS;
}
