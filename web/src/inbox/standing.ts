// How a thread stands for the one who looks at it: what may be written, what waits, who has read
// what. Pure.
//
// What one would get wrong: the server decides; this only spares somebody from writing what it would
// refuse. So where it is not sure, the field stays open.
import type { GateRequest, Message, Role, Thread } from "../client";
import { t } from "../strings";

const STAFF = new Set(["support", "admin"]);
const STAFF_KINDS = new Set(["dispute", "support", "system"]);
const PENDING_MESSAGES = 3;

/** The request that waits for me. */
export function askedOfMe(thread: Thread, myId: string): GateRequest | null {
  return (
    thread.requests.find((one) => one.targetUserId === myId && one.status === "pending") ?? null
  );
}

/** The request of mine that somebody has not answered. */
export function askedByMe(thread: Thread, myId: string): GateRequest | null {
  return thread.requests.find((one) => one.senderUserId === myId) ?? null;
}

/** My pending request, where nobody else has accepted yet: only then are messages limited. */
export function limitedBy(thread: Thread, myId: string): GateRequest | null {
  const pending = thread.requests.filter(
    (one) => one.senderUserId === myId && one.status === "pending",
  );
  const targets = new Set(pending.map((one) => one.targetUserId));
  const others = thread.participants.filter((one) => one.userId !== myId);
  return others.every((one) => targets.has(one.userId)) ? (pending[0] ?? null) : null;
}

/** A request is accepted or declined, not archived. */
export function mayArchive(thread: Thread, myId: string): boolean {
  return askedOfMe(thread, myId) === null;
}

/** Why nothing can be written here, or null. */
export function closedBecause(thread: Thread, myId: string): string | null {
  const me = thread.participants.find((one) => one.userId === myId);
  if (thread.kind === "system") return t("compose.system");
  if (thread.status === "locked" && !STAFF.has(me?.role ?? "")) return t("compose.locked");
  if (askedOfMe(thread, myId)) return t("compose.accept");
  const others = thread.participants.filter((one) => one.userId !== myId);
  if (others.length === 0) return t("compose.closed");
  const mine = askedByMe(thread, myId);
  if (mine && others.length === 1) {
    if (mine.status === "expired") return t("request.expired");
    if (mine.status === "withdrawn") return t("request.withdrawn");
    if (thread.lastSeq >= PENDING_MESSAGES) return t("compose.pending");
  }
  return null;
}

/** Who may add and remove people and name the thread: docs/reference/roles.md. */
export function mayManage(thread: Thread, myId: string): boolean {
  const role = thread.participants.find((one) => one.userId === myId)?.role;
  if (thread.kind === "direct" || role === undefined) return false;
  if (STAFF.has(role)) return true;
  return !STAFF_KINDS.has(thread.kind) && (thread.openedByUserId === myId || role === "host");
}

/** Others can be removed from groups; from a conversation of two one can only leave. */
export function mayRemove(thread: Thread, myId: string, userId: string): boolean {
  const theirs = roleOf(thread, userId);
  if (userId === myId || theirs === undefined || thread.participants.length <= 2) return false;
  const mine = roleOf(thread, myId) ?? "";
  if (STAFF.has(theirs)) return mine === "admin" && mayManage(thread, myId);
  if (thread.openedByUserId === userId) return STAFF.has(mine);
  return mayManage(thread, myId);
}

const PARTIES = ["buyer", "seller", "host", "member"] as const satisfies readonly Role[];
const ROLES_MEAN_MONEY = new Set(["inquiry", "invite", "booking"]);

/** The roles that I may give somebody in this thread; none where I may not. */
export function rolesFor(thread: Thread, myId: string, userId: string): readonly Role[] {
  const mine = roleOf(thread, myId) ?? "";
  if (!mayManage(thread, myId) || STAFF.has(roleOf(thread, userId) ?? "admin")) return [];
  return ROLES_MEAN_MONEY.has(thread.kind) && !STAFF.has(mine) ? [] : PARTIES;
}

function roleOf(thread: Thread, userId: string): Role | undefined {
  return thread.participants.find((one) => one.userId === userId)?.role;
}

export type Receipt = { is: "sent" | "delivered" } | { is: "read"; by: string[] };

/** When people joined, as far as the loaded messages tell. */
export interface Joins {
  /** The seq of the last event that added a person. */
  seqs: ReadonlyMap<string, number>;
  /** The loaded messages reach the newest one: nobody joined later. */
  complete: boolean;
}

export function joinsIn(messages: readonly Message[], hasAfter: boolean): Joins {
  const added = messages.filter((one) => one.event === "participant.added");
  const seqs = new Map(added.flatMap((one) => one.about.map((userId) => [userId, one.seq])));
  return { seqs, complete: !hasAfter };
}

/**
 * Who has seen a message: those whom the server names, and those who have read on since. A read
 * position alone is not enough: it also lies behind messages from before its owner joined.
 */
export function receiptOf(message: Message, thread: Thread, myId: string, joins: Joins): Receipt {
  const others = thread.participants.filter((one) => one.userId !== myId);
  const reached = others.filter((one) => hasReached(message, one.userId, joins));
  const by = reached
    .filter((one) => isSeenBy(message, one.userId) || (one.lastReadSeq ?? 0) >= message.seq)
    .map((one) => one.userId);
  if (by.length > 0) return { is: "read", by };
  const arrived = reached.some((one) => (one.lastDeliveredSeq ?? 0) >= message.seq);
  return { is: arrived ? "delivered" : "sent" };
}

function isSeenBy(message: Message, userId: string): boolean {
  return message.seenBy?.includes(userId) ?? false;
}

function hasReached(message: Message, userId: string, joins: Joins): boolean {
  if (isSeenBy(message, userId)) return true;
  if (message.seenBy !== undefined && !joins.complete) return false;
  return (joins.seqs.get(userId) ?? 0) < message.seq;
}
