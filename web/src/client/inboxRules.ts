// The server's rules that a mirror needs between two answers: where a thread stands in the inbox,
// and what is unread. Pure functions; greenroom/messaging/rules.py is their original.
//
// What one would get wrong: unread is never counted up and down. It is what lies after one's place,
// and the place follows from what the server said last.
import type { Counts, Folder, Message, Thread } from "./types";

const BOOKINGS = new Set(["booking", "studio", "dispute"]);
const OFFERS = new Set(["inquiry", "invite"]);
/** The folders that are no part of `all`, nor of the badge. */
const OUTSIDE_ALL = new Set<Folder>(["archived", "spam", "hidden"]);

/** The last message that one has read, or is taken to have. */
export function readPosition(thread: Thread): number {
  return thread.lastSeq - thread.mine.unread;
}

/** With the place moved on, never back. */
export function readUpTo(thread: Thread, seq: number): Thread {
  const place = Math.max(readPosition(thread), Math.min(seq, thread.lastSeq));
  const lastReadSeq = Math.max(thread.mine.lastReadSeq, seq);
  if (place === readPosition(thread) && lastReadSeq === thread.mine.lastReadSeq) return thread;
  return { ...thread, mine: { ...thread.mine, unread: thread.lastSeq - place, lastReadSeq } };
}

export function isMuted(thread: Thread, now = Date.now()): boolean {
  return thread.mine.mutedUntil !== null && Date.parse(thread.mine.mutedUntil) > now;
}

/** The people that an event is about; `about` also holds names, roles and states. */
export function usersInEvent(message: Message): readonly string[] {
  if (message.event === "role.changed") return message.about.slice(0, 1);
  return message.event?.startsWith("participant.") === true ? message.about : [];
}

/** Whether somebody's first message waits for this user's answer. */
export function hasRequestForMe(thread: Thread, me: string): boolean {
  return thread.requests.some((request) => request.targetUserId === me);
}

/** Where it belongs, from what it says of itself. */
export function folderOf(thread: Thread, me: string): Folder {
  if (thread.mine.hidden) return "hidden";
  if (thread.mine.spam) return "spam";
  if (thread.mine.archived) return "archived";
  if (hasRequestForMe(thread, me)) return "requests";
  if (thread.awaitingUserIds.includes(me)) return "action";
  const booked = thread.bookingId ?? thread.legId ?? thread.lbgId;
  if (BOOKINGS.has(thread.kind) || booked !== null) return "bookings";
  return OFFERS.has(thread.kind) ? "offers" : "other";
}

export function isInFolder(folder: Folder, thread: Thread): boolean {
  const stands = thread.mine.folder;
  return folder === "all" ? !OUTSIDE_ALL.has(stands) : stands === folder;
}

/** Lists are shown from the highest down. */
export function sortKey(thread: Thread): string {
  const at = thread.lastMessageAt ?? thread.createdAt;
  return `${thread.mine.pinned ? "pinned#" : ""}${at}#${thread.threadId}`;
}

/** The counts after a thread has changed, or come, or gone. Muted threads count nowhere. */
export function updateCounts(counts: Counts, before: Thread | null, after: Thread | null): Counts {
  if (weight(before) === weight(after)) return counts;
  const unread = { ...counts.unread };
  for (const [thread, sign] of [[before, -1], [after, 1]] as const) {
    if (thread === null || isMuted(thread)) continue;
    const { folder } = thread.mine;
    const by = sign * thread.mine.unread;
    unread[folder] = Math.max(0, (unread[folder] ?? 0) + by);
    if (isInFolder("all", thread)) unread["all"] = Math.max(0, (unread["all"] ?? 0) + by);
  }
  return { ...counts, unread, badge: unread["all"] ?? 0 };
}

function weight(thread: Thread | null): string {
  if (thread === null || thread.mine.unread === 0 || isMuted(thread)) return "";
  return `${thread.mine.folder} ${thread.mine.unread}`;
}
