// Who has read or received a message. Pure functions.
import type { Message, Thread } from "../client";

export type Receipt = { is: "sent" | "delivered" } | { is: "read"; by: string[] };

/** When people joined, as far as the loaded messages show. */
export interface Joins {
  /** The seq of the last event that added a person. */
  seqs: ReadonlyMap<string, number>;
  /** The loaded messages include the newest: no one joined later. */
  complete: boolean;
}

export function findJoins(messages: readonly Message[], hasAfter: boolean): Joins {
  const added = messages.filter((one) => one.event === "participant.added");
  const seqs = new Map(added.flatMap((one) => one.about.map((userId) => [userId, one.seq])));
  return { seqs, complete: !hasAfter };
}

/**
 * Who has seen a message: the users in `seenBy`, and those whose read position has reached it since.
 *
 * Careful: the read position alone is not enough. It also covers messages from before a user joined.
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
