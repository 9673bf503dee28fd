// What a user may do in a thread: write, manage people, archive. Pure functions.
//
// Careful: the server decides. This only saves people from writing what the server would refuse, so
// where it is not sure, it allows.
import type { GateRequest, Role, Thread } from "../client";
import { t } from "../strings";

const STAFF = new Set(["support", "admin"]);
const STAFF_KINDS = new Set(["dispute", "support", "system"]);

/** The pending request to me. */
export function requestForMe(thread: Thread, myId: string): GateRequest | null {
  return (
    thread.requests.find((one) => one.targetUserId === myId && one.status === "pending") ?? null
  );
}

/** My own request in this thread. */
export function requestByMe(thread: Thread, myId: string): GateRequest | null {
  return thread.requests.find((one) => one.senderUserId === myId) ?? null;
}

/** My request to the only other person, if it has expired. */
export function expiredRequest(thread: Thread, myId: string): GateRequest | null {
  const mine = requestByMe(thread, myId);
  return mine?.status === "expired" && thread.participants.length === 2 ? mine : null;
}

/** My pending request, if no one has accepted yet: only then are messages limited. */
export function limitingRequest(thread: Thread, myId: string): GateRequest | null {
  const pending = thread.requests.filter(
    (one) => one.senderUserId === myId && one.status === "pending",
  );
  const targets = new Set(pending.map((one) => one.targetUserId));
  const others = thread.participants.filter((one) => one.userId !== myId);
  return others.every((one) => targets.has(one.userId)) ? (pending[0] ?? null) : null;
}

/** A request is accepted or declined, not archived. */
export function canArchive(thread: Thread, myId: string): boolean {
  return requestForMe(thread, myId) === null;
}

/** Why the user cannot write here, or null. */
export function whyReadOnly(thread: Thread, myId: string): string | null {
  const me = thread.participants.find((one) => one.userId === myId);
  if (thread.kind === "system") return t("compose.system");
  if (thread.status === "locked" && !STAFF.has(me?.role ?? "")) return t("compose.locked");
  if (requestForMe(thread, myId)) return t("compose.accept");
  const others = thread.participants.filter((one) => one.userId !== myId);
  if (others.length === 0) return t("compose.closed");
  if (expiredRequest(thread, myId)) return t("request.expired");
  const mine = requestByMe(thread, myId);
  if (mine && others.length === 1) {
    if (mine.status === "withdrawn") return t("request.withdrawn");
    if (thread.lastSeq >= mine.maxMessages) return t("compose.pending");
  }
  return null;
}

/** Whether the user may add, remove and rename: docs/reference/roles.md. */
export function canManage(thread: Thread, myId: string): boolean {
  const role = thread.participants.find((one) => one.userId === myId)?.role;
  if (thread.kind === "direct" || role === undefined) return false;
  if (STAFF.has(role)) return true;
  return !STAFF_KINDS.has(thread.kind) && (thread.openedByUserId === myId || role === "host");
}

/** People can be removed from groups only; a thread of two can only be left. */
export function canRemove(thread: Thread, myId: string, userId: string): boolean {
  const theirs = roleOf(thread, userId);
  if (userId === myId || theirs === undefined || thread.participants.length <= 2) return false;
  const mine = roleOf(thread, myId) ?? "";
  if (STAFF.has(theirs)) return mine === "admin" && canManage(thread, myId);
  if (thread.openedByUserId === userId) return STAFF.has(mine);
  return canManage(thread, myId);
}

const MEMBER_ROLES = ["buyer", "seller", "host", "member"] as const satisfies readonly Role[];
const KINDS_WITH_FIXED_ROLES = new Set(["inquiry", "invite", "booking"]);

/** The roles that I may give someone in this thread. */
export function assignableRoles(thread: Thread, myId: string, userId: string): readonly Role[] {
  const mine = roleOf(thread, myId) ?? "";
  if (!canManage(thread, myId) || STAFF.has(roleOf(thread, userId) ?? "admin")) return [];
  return KINDS_WITH_FIXED_ROLES.has(thread.kind) && !STAFF.has(mine) ? [] : MEMBER_ROLES;
}

function roleOf(thread: Thread, userId: string): Role | undefined {
  return thread.participants.find((one) => one.userId === userId)?.role;
}
