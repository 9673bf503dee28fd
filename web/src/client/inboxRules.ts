// The inbox rules that the store applies between two server responses: folder, order, unread. Pure
// functions; greenroom/messaging/rules.py is the original.
//
// Careful: unread is never counted up or down. It is what follows the read position, which comes from
// the server.
import type { Counts, Folder, Message, Thread } from "./types";

const BOOKINGS = new Set(["booking", "studio", "dispute"]);
const OFFERS = new Set(["inquiry", "invite"]);
/** The folders that are not part of `all` or the badge. */
const OUTSIDE_ALL = new Set<Folder>(["archived", "spam", "hidden"]);

/** The seq of the last message that counts as read. */
export function readPosition(thread: Thread): number {
  return thread.lastSeq - thread.mine.unread;
}

/** Moves the read position forward, never back. */
export function readUpTo(thread: Thread, seq: number): Thread {
  const place = Math.max(readPosition(thread), Math.min(seq, thread.lastSeq));
  const lastReadSeq = Math.max(thread.mine.lastReadSeq, seq);
  if (place === readPosition(thread) && lastReadSeq === thread.mine.lastReadSeq) return thread;
  return { ...thread, mine: { ...thread.mine, unread: thread.lastSeq - place, lastReadSeq } };
}

export function isMuted(thread: Thread, now = Date.now()): boolean {
  return thread.mine.mutedUntil !== null && Date.parse(thread.mine.mutedUntil) > now;
}

/** The users that a system message is about; `about` also holds names, roles and states. */
export function usersInEvent(message: Message): readonly string[] {
  if (message.event === "role.changed") return message.about.slice(0, 1);
  return message.event?.startsWith("participant.") === true ? message.about : [];
}

/** Whether a request waits for this user's answer. */
export function hasRequestForMe(thread: Thread, me: string): boolean {
  return thread.requests.some((request) => request.targetUserId === me);
}

/** Whether the user has accepted the thread's request meanwhile. */
export function isAccepted(before: Thread | null, after: Thread, me: string): boolean {
  return before !== null && hasRequestForMe(before, me) && !hasRequestForMe(after, me);
}

/** The folder that the thread belongs to. */
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

/** Lists are sorted by it, the highest first. */
export function sortKey(thread: Thread): string {
  const at = thread.lastMessageAt ?? thread.createdAt;
  return `${thread.mine.pinned ? "pinned#" : ""}${at}#${thread.threadId}`;
}

/** The counts after a thread was added, changed or removed. Muted threads are not counted. */
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
