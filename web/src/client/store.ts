// The store of a tab: threads and unread counts. Applies events and responses in any order.
//
// Careful: a response may be older than an event that came while it was on its way. An outdated response
// is not used; the thread is loaded again.
import type { EventOf, On, OnReset, OnSync } from "./events";
import { isProblem, type Rest } from "./rest";
import * as inboxRules from "./inboxRules";
import type { InboxChanges } from "./socket";
import type { Counts, Folder, Message, Thread } from "./types";
import { Value } from "./observable";
import type { PeopleCache } from "./people";

const LOAD_DELAY_MS = 60;
const COUNT_DELAY_MS = 400;
const PREVIEW_LENGTH = 140;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A list or an open thread that shows data of the store. */
export interface StoreListener {
  /** This thread has changed; null means any thread. */
  changed(threadId: string | null): void;
  onMessageAdded(message: Message): void;
  onMessageChanged(message: Message): void;
  missed(threadId: string): void;
  gone(threadId: string): void;
  /** Loads what it shows again, after events were lost. */
  refresh(): Promise<void>;
}

export class ClientStore {
  readonly counts = new Value<Counts | null>(null);
  /** Where the first page of each folder ended when it was last loaded. */
  readonly firstPages = new Map<Folder, { next: string | null; floor: string }>();
  me = "";
  /** A message was added, by an event, by sync or by the reply to a request. */
  onMessage: (message: Message) => void = () => undefined;
  #threads = new Map<string, Thread>();
  #listeners = new Set<StoreListener>();
  #loading = new Map<string, { again: boolean; done: Promise<void> }>();
  #counting: ReturnType<typeof setTimeout> | null = null;

  #muteEnds: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly rest: Rest,
    readonly people: PeopleCache,
    /** A thread was loaded from the server. */
    private readonly onRead: (thread: Thread, before: Thread | null) => void = () => undefined,
  ) {}

  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  thread(threadId: string): Thread | null {
    return this.#threads.get(threadId) ?? null;
  }

  /** The known threads of a folder down to a sort key, the highest first. */
  ranked(folder: Folder, floor: string): Thread[] {
    return [...this.#threads.values()]
      .filter((thread) => inboxRules.isInFolder(folder, thread) && inboxRules.sortKey(thread) >= floor)
      .sort((a, b) => (inboxRules.sortKey(a) < inboxRules.sortKey(b) ? 1 : -1));
  }

  /** Adds a page of threads. Outdated rows do not replace newer ones. */
  putPage(threads: Thread[], counts: Counts | null): void {
    for (const thread of threads) {
      const known = this.thread(thread.threadId);
      if (known !== null && known.lastSeq > thread.lastSeq) this.load(thread.threadId);
      else this.#put(withReceipts(thread, known), false);
      this.onRead(thread, known);
    }
    if (counts !== null) this.counts.set(counts);
    this.#notifyChanged(null);
  }

  put(thread: Thread): void {
    const known = this.thread(thread.threadId);
    this.#put(withReceipts(thread, known), true);
    this.onRead(thread, known);
    if (known === null) this.recount();
    this.#notifyChanged(thread.threadId);
    // Until a request is accepted only its first messages are shown; now there may be more.
    if (inboxRules.isAccepted(known, thread, this.me)) for (const listener of this.#listeners) listener.missed(thread.threadId);
  }

  patch(threadId: string, change: (thread: Thread) => Thread): void {
    const known = this.thread(threadId);
    if (known === null) return;
    const after = change(known);
    if (after === known) return;
    this.#put(after, true);
    this.#notifyChanged(threadId);
  }

  drop(threadId: string): void {
    const known = this.thread(threadId);
    this.#threads.delete(threadId);
    this.#updateCounts(known, null);
    for (const listener of this.#listeners) listener.gone(threadId);
    this.#notifyChanged(threadId);
  }

  /** The thread that a request belongs to. */
  threadOfRequest(requestId: string): string | null {
    for (const thread of this.#threads.values()) {
      if (thread.requests.some((one) => one.requestId === requestId)) return thread.threadId;
    }
    return null;
  }

  /** Loads the thread again after a moment, once for several changes. */
  load(threadId: string): Promise<void> {
    const running = this.#loading.get(threadId);
    if (running !== undefined) {
      running.again = true;
      return running.done;
    }
    const loading = { again: false, done: Promise.resolve() };
    this.#loading.set(threadId, loading);
    loading.done = this.#load(threadId, loading).finally(() => this.#loading.delete(threadId));
    return loading.done;
  }

  async #load(threadId: string, loading: { again: boolean }): Promise<void> {
    await new Promise((done) => setTimeout(done, LOAD_DELAY_MS));
    for (let tries = 0; tries < 5; tries++) {
      loading.again = false;
      try {
        const path = { threadId };
        const found = await this.rest.request("get", "/v1/threads/{threadId}", { path });
        const known = this.thread(threadId);
        if (known === null || found.lastSeq >= known.lastSeq) this.put(found);
        else loading.again = true;
      } catch (error) {
        if (isProblem(error) && error.status === 404) this.drop(threadId);
      }
      if (!loading.again) return;
    }
  }

  // Events.

  registerEvents(on: On, onSync: OnSync, onReset: OnReset): void {
    onSync("inbox", (changes) => this.#sync(changes));
    onReset("inbox", () => this.#reload());
    on("message.created", ({ message, status, awaitingUserIds }) =>
      this.#addMessage(message, status, awaitingUserIds),
    );
    on("message.edited", (event) => this.#changeMessage(event));
    on("message.deleted", (event) => this.#changeMessage(event));
    on("reaction.changed", (event) => this.#changeMessage(event));
    on("receipt.moved", ({ threadId, userId, lastReadSeq, lastDeliveredSeq }) =>
      this.#moveReceipt(threadId, userId, lastReadSeq, lastDeliveredSeq),
    );
    on("inbox.changed", ({ threadId, gone }) =>
      gone === true ? this.drop(threadId) : void this.load(threadId),
    );
    on("thread.updated", ({ threadId }) => void this.load(threadId));
    on("request.changed", ({ threadId }) => void this.load(threadId));
  }

  #changeMessage(event: EventOf<"message.edited" | "message.deleted" | "reaction.changed">): void {
    const { threadId, message } = event;
    for (const listener of this.#listeners) listener.onMessageChanged(message);
    if (this.thread(threadId)?.lastSeq === message.seq) void this.load(threadId);
  }

  #sync(changes: InboxChanges): void {
    for (const { thread, messages, truncated } of changes.threads) {
      this.put(thread);
      for (const message of messages) this.#notifyAdded(message);
      if (truncated) for (const listener of this.#listeners) listener.missed(thread.threadId);
    }
    for (const threadId of changes.gone) this.drop(threadId);
  }

  #reload(): void {
    for (const listener of this.#listeners) void listener.refresh();
    this.recount();
  }

  /** The user's own message, from the reply. */
  addOwnMessage(message: Message): void {
    const known = this.thread(message.threadId);
    this.#notifyAdded(message);
    if (known === null || message.seq <= known.lastSeq) return;
    this.#withNewMessage(known, message, known.status, null);
  }

  #addMessage(message: Message, status: Thread["status"], awaiting: string[]): void {
    this.#notifyAdded(message);
    const known = this.thread(message.threadId);
    // Only the server knows how much of a pending request is shown, and what else a system message
    // changed: the subject, the participants, the read position.
    if (known === null || inboxRules.hasRequestForMe(known, this.me) || message.kind === "system") {
      void this.load(message.threadId);
    } else if (message.seq > known.lastSeq + 1) {
      void this.load(message.threadId); // this user cannot see some in between: the server counts
    } else if (message.seq > known.lastSeq) {
      this.#withNewMessage(known, message, status, awaiting);
    }
  }

  #withNewMessage(known: Thread, message: Message, status: Thread["status"], awaiting: string[] | null): void {
    const position = message.authorUserId === this.me ? message.seq : inboxRules.readPosition(known);
    const muted = inboxRules.isMuted(known);
    const after: Thread = {
      ...known,
      status,
      awaitingUserIds: awaiting ?? known.awaitingUserIds.filter((user) => user !== this.me),
      lastSeq: message.seq,
      lastMessageAt: message.createdAt,
      lastAuthorUserId: message.authorUserId,
      preview: previewOf(message),
      previewEvent: message.kind === "system" ? message.event : null,
      participants: withReceipt(known.participants, message.authorUserId, message.seq, message.seq),
      mine: {
        ...known.mine,
        unread: Math.max(0, message.seq - position),
        lastReadSeq: Math.max(known.mine.lastReadSeq, position),
        archived: known.mine.archived && muted,
        hidden: false,
      },
    };
    after.mine.folder = inboxRules.folderOf(after, this.me);
    this.#put(after, true);
    this.#notifyChanged(message.threadId);
  }

  #moveReceipt(threadId: string, userId: string, readSeq: number, deliveredSeq: number): void {
    const known = this.thread(threadId);
    if (known === null) return;
    if (userId === this.me && inboxRules.readPosition(known) < known.mine.lastReadSeq) {
      void this.load(threadId); // was marked as unread: only the server knows the position
      return;
    }
    this.patch(threadId, (thread) => {
      const participants = withReceipt(thread.participants, userId, readSeq, deliveredSeq);
      const moved = userId === this.me ? inboxRules.readUpTo(thread, readSeq) : thread;
      return participants === thread.participants ? moved : { ...moved, participants };
    });
  }

  #notifyAdded(message: Message): void {
    this.people.need([message.authorUserId, ...inboxRules.usersInEvent(message)]);
    for (const listener of this.#listeners) listener.onMessageAdded(message);
    this.onMessage(message);
  }

  #put(received: Thread, counts: boolean): void {
    const before = this.thread(received.threadId);
    const thread = sortParticipants(keepReadPosition(received, before));
    this.#watchMute(thread);
    this.#threads.set(thread.threadId, thread);
    this.people.need(thread.participants.map((one) => one.userId));
    if (counts && before !== null) this.#updateCounts(before, thread);
  }

  #updateCounts(before: Thread | null, after: Thread | null): void {
    const counts = this.counts.get();
    if (counts !== null) this.counts.set(inboxRules.updateCounts(counts, before, after));
  }

  #notifyChanged(threadId: string | null): void {
    for (const listener of this.#listeners) listener.changed(threadId);
  }

  /** Loads the counts when they cannot be computed here. */
  recount(): void {
    this.#counting ??= setTimeout(() => {
      this.#counting = null;
      this.rest.request("get", "/v1/inbox/counts", {}).then(
        (counts) => this.counts.set(counts),
        () => {},
      );
    }, COUNT_DELAY_MS);
  }

  /** Counts again when the next mute ends: there is no event for it. */
  #watchMute(thread: Thread): void {
    const until = Date.parse(thread.mine.mutedUntil ?? "") - Date.now();
    if (!(until > 0 && until < MAX_TIMER_MS)) return;
    if (this.#muteEnds !== null) clearTimeout(this.#muteEnds);
    const ends = [...this.#threads.values(), thread]
      .map((one) => Date.parse(one.mine.mutedUntil ?? "") - Date.now())
      .filter((left) => left > 0);
    this.#muteEnds = setTimeout(() => this.#muteEnded(), Math.min(...ends) + 50);
  }

  #muteEnded(): void {
    this.#muteEnds = null;
    for (const thread of this.#threads.values()) {
      const { mine } = thread;
      if (mine.mutedUntil === null || inboxRules.isMuted(thread)) this.#watchMute(thread);
      else this.#threads.set(thread.threadId, { ...thread, mine: { ...mine, mutedUntil: null } });
    }
    this.recount();
    this.#notifyChanged(null);
  }
}

/** The read position never goes back: a response that says so is outdated. */
function keepReadPosition(thread: Thread, known: Thread | null): Thread {
  const withReceipt = known?.mine.lastReadSeq ?? 0;
  return thread.mine.lastReadSeq < withReceipt ? inboxRules.readUpTo(thread, withReceipt) : thread;
}

/** Sorts participants by id: lists, threads and events may each have another order. */
function sortParticipants(thread: Thread): Thread {
  const { participants } = thread;
  const isSorted = participants.every(
    (one, at) => at === 0 || (participants[at - 1]?.userId ?? "") < one.userId,
  );
  if (isSorted) return thread;
  const sorted = [...participants].sort((a, b) => (a.userId < b.userId ? -1 : 1));
  return { ...thread, participants: sorted };
}

/** Rows of a list have no receipts: keep the known ones. */
function withReceipts(thread: Thread, known: Thread | null): Thread {
  if (known === null || thread.participants[0]?.lastReadSeq !== undefined) return thread;
  const receipts = new Map(known.participants.map((one) => [one.userId, one]));
  const participants = thread.participants.map((one) => ({ ...receipts.get(one.userId), ...one }));
  return { ...thread, participants };
}

/** How it begins, or the name of its first file. */
function previewOf({ body, attachments = [] }: Message): string {
  if (body !== "") return body.replace(/\s+/g, " ").slice(0, PREVIEW_LENGTH);
  const others = attachments.length > 1 ? ` +${attachments.length - 1}` : "";
  return (attachments[0]?.name ?? "") + others;
}

function withReceipt(
  participants: Thread["participants"],
  userId: string,
  readSeq: number,
  deliveredSeq: number,
): Thread["participants"] {
  const at = participants.findIndex((one) => one.userId === userId);
  const one = participants[at];
  if (one?.lastReadSeq === undefined) return participants;
  const lastReadSeq = Math.max(one.lastReadSeq, readSeq);
  const lastDeliveredSeq = Math.max(one.lastDeliveredSeq ?? 0, deliveredSeq, readSeq);
  if (lastReadSeq === one.lastReadSeq && lastDeliveredSeq === one.lastDeliveredSeq) return participants;
  return participants.with(at, { ...one, lastReadSeq, lastDeliveredSeq });
}
