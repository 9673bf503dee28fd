// A tab's view of the outbox: the hub's messages, those the hub has not confirmed yet, those that wait for
// their files on the server, and those under review. It also saves them in the browser, which a worker cannot.
//
// Careful: a held or waiting message is not in the history, so its author would lose sight of it after a
// reload. It stays saved and is sent again under its id, and the server replies with its current state.
import type { On } from "./events";
import { OutboxStorage, type Storage } from "./storage";
import type {
  HeldMessage,
  Message,
  ModerationNotice,
  Outgoing,
  OutgoingAttachment,
  Rejection,
  SendOptions,
  WaitingMessage,
} from "./types";
import { ComputedValue } from "./observable";
import type { QueuedMessage } from "./protocol";
import type { Settled } from "./outbox";

/** A message without a reply: what is needed to recognise it in the history. */
export type UnconfirmedMessage = Pick<QueuedMessage, "body" | "afterSeq" | "writtenAt" | "attachments">;

export class OutboxView {
  readonly list: ComputedValue<readonly Outgoing[]>;
  #storage: OutboxStorage | null = null;
  #entries: QueuedMessage[] = [];
  /** Sent to the hub, and not yet in its outbox. */
  #unconfirmed = new Map<string, QueuedMessage>();
  #held = new Map<string, QueuedMessage>();
  /** The server sends them when their files are checked. With a problem: it could not. */
  #waiting = new Map<string, QueuedMessage>();
  /** Held messages from other devices: this one does not send them again. */
  #fromOtherDevices = new Set<string>();
  #rejected = new Map<string, [QueuedMessage, Rejection]>();
  /** Already decided: a list of held messages that is still loading may contain them. */
  #decidedIds = new Set<string>();
  #lastWrittenMs = 0;

  constructor(private readonly onChange: () => void) {
    this.list = new ComputedValue<readonly Outgoing[]>(() => [
      ...this.#all().map(toOutgoing),
      ...[...this.#waiting.values()].map((queued) => ({
        ...toOutgoing(queued),
        state: queued.problem === null ? ("uploading" as const) : ("refused" as const),
      })),
      ...[...this.#held.values()].map((queued) => ({ ...toOutgoing(queued), state: "held" as const })),
      ...[...this.#rejected.values()].map(([queued, rejection]) => ({
        ...toOutgoing(queued),
        state: "rejected" as const,
        rejection,
      })),
    ]);
  }

  /** Loads the saved messages; returns those that the hub has to know. */
  load(storage: Storage | null, prefix: string): QueuedMessage[] {
    this.#storage ??= new OutboxStorage(storage, prefix);
    for (const one of this.#storage.load()) {
      if (!this.#unconfirmed.has(one.clientMessageId)) this.#unconfirmed.set(one.clientMessageId, one);
    }
    this.#notify();
    return [...this.#unconfirmed.values()];
  }

  write(
    threadId: string,
    body: string,
    options: SendOptions,
    afterSeq: number | null,
    attachments: OutgoingAttachment[],
  ): QueuedMessage {
    // Unique times, because they give the order.
    this.#lastWrittenMs = Math.max(Date.now(), this.#lastWrittenMs + 1);
    const queued: QueuedMessage = {
      clientMessageId: crypto.randomUUID(),
      threadId,
      body,
      replyToMessageId: options.replyTo ?? null,
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
      ...(attachments.length === 0 ? {} : { attachments }),
      writtenAt: new Date(this.#lastWrittenMs).toISOString(),
      afterSeq,
      tried: false,
      state: "waiting",
      problem: null,
    };
    this.#unconfirmed.set(queued.clientMessageId, queued);
    this.#storage?.put(queued);
    this.#notify();
    return queued;
  }

  /** Takes over the hub's outbox and saves it. Returns the newly refused messages. */
  setOutbox(outbox: QueuedMessage[]): QueuedMessage[] {
    const before = new Map(this.#entries.map((one) => [one.clientMessageId, one.state]));
    this.#entries = outbox;
    for (const one of outbox) this.#unconfirmed.delete(one.clientMessageId);
    this.#persist();
    this.#notify();
    const wasWaiting = (one: QueuedMessage): boolean => (before.get(one.clientMessageId) ?? "refused") !== "refused";
    return outbox.filter((one) => one.state === "refused" && wasWaiting(one));
  }

  settled({ queued, message, isWaiting, rejection }: Settled): void {
    const { clientMessageId } = queued;
    this.#unconfirmed.delete(clientMessageId);
    this.#waiting.delete(clientMessageId);
    if (rejection !== null) return this.#reject(queued, rejection);
    if (isWaiting) this.#waiting.set(clientMessageId, queued);
    else if (message === null) this.#held.set(clientMessageId, queued);
    else this.#held.delete(clientMessageId);
    this.#persist();
  }

  /** Sets the messages that wait for their files on the server, including those from other devices. */
  setWaiting(all: readonly WaitingMessage[]): void {
    const listed = new Set(all.map((one) => one.clientMessageId));
    for (const id of this.#waiting.keys()) if (!listed.has(id)) this.#waiting.delete(id);
    for (const one of all) this.#putWaiting(one);
    this.#persist();
    this.#notify();
  }

  /** A message began to wait, or its waiting has ended. */
  applyWaiting(waiting: WaitingMessage): void {
    if (waiting.status === "waiting" || waiting.status === "failed") this.#putWaiting(waiting);
    else this.#waiting.delete(waiting.clientMessageId);
    this.#persist();
    this.#notify();
  }

  #putWaiting(waiting: WaitingMessage): void {
    const { clientMessageId: id, threadId, body, replyToMessageId, createdAt, attachments, problem } = waiting;
    if (this.#all().some((one) => one.clientMessageId === id)) return; // the reply is on its way
    if (!this.#waiting.has(id)) this.#fromOtherDevices.add(id);
    const known = this.#waiting.get(id) ?? {
      clientMessageId: id,
      threadId,
      body,
      replyToMessageId,
      attachments: attachments.map(toOutgoingAttachment),
      writtenAt: createdAt,
      afterSeq: null,
      tried: true,
      state: "sending" as const,
    };
    const why = problem === null ? null : { ...problem, title: problem.detail, status: 422 };
    this.#waiting.set(id, { ...known, problem: why });
  }

  /** A moderator has decided about a held message. */
  applyNotice(notice: ModerationNotice): void {
    if (notice.clientMessageId !== null) this.#decidedIds.add(notice.clientMessageId);
    const queued = this.#held.get(notice.clientMessageId ?? "");
    if (queued === undefined) return;
    if (notice.kind !== "released") {
      return this.#reject(queued, { reason: notice.reason, warned: notice.kind === "warned" });
    }
    this.#held.delete(queued.clientMessageId);
    this.#persist();
    this.#notify();
  }

  /** Sets the held messages, including those from other devices. Messages that were decided while this
   * device was away are removed. */
  setHeld(held: readonly HeldMessage[]): void {
    // A held edit or name is not a message: the old text stays.
    const messages = held.filter(isMessage);
    const listed = new Set(messages.map((one) => one.clientMessageId));
    for (const id of this.#fromOtherDevices) if (!listed.has(id)) this.#held.delete(id);
    const setOutbox = new Set([...this.#all(), ...this.#held.values()].map((one) => one.clientMessageId));
    for (const one of messages) {
      if (setOutbox.has(one.clientMessageId) || this.#decidedIds.has(one.clientMessageId)) continue;
      const { clientMessageId, threadId, body, replyToMessageId, heldAt, attachments } = one;
      const queued: QueuedMessage = {
        clientMessageId,
        threadId,
        body,
        replyToMessageId,
        ...(attachments.length === 0 ? {} : { attachments: attachments.map(toOutgoingAttachment) }),
        writtenAt: heldAt,
        afterSeq: null,
        tried: true,
        state: "sending",
        problem: null,
      };
      this.#held.set(clientMessageId, queued);
      this.#fromOtherDevices.add(clientMessageId);
    }
    this.#persist();
    this.#notify();
  }

  #reject(queued: QueuedMessage, rejection: Rejection): void {
    this.#held.delete(queued.clientMessageId);
    this.#rejected.set(queued.clientMessageId, [queued, rejection]);
    this.#persist();
    this.#notify();
  }

  registerEvents(on: On, myId: () => string): void {
    on("message.created", ({ message }) => {
      if (message.authorUserId === myId()) this.#released(message);
    });
  }

  /** A moderator has released it. Where several have the same text, the notice says which one. */
  #released(message: Message): void {
    const [found, another] = [...this.#held.values()].filter((one) => isSame(one, message));
    if (found === undefined || another !== undefined) return;
    this.#held.delete(found.clientMessageId);
    this.#persist();
    this.#notify();
  }

  /** A message of the user is in the history: it no longer waits for its files. Returns those files. */
  delivered(message: Message): readonly OutgoingAttachment[] {
    const waiting = [...this.#waiting.values()].find((one) => hasSameFiles(one, message));
    if (waiting === undefined) return [];
    this.#waiting.delete(waiting.clientMessageId);
    this.#persist();
    this.#notify();
    return waiting.attachments ?? [];
  }

  find(clientMessageId: string): Outgoing | null {
    return this.list.get().find((one) => one.clientMessageId === clientMessageId) ?? null;
  }

  dismiss(clientMessageId: string): void {
    const maps = [this.#rejected, this.#waiting, this.#held];
    if (!maps.map((map) => map.delete(clientMessageId)).includes(true)) return;
    this.#persist();
    this.#notify();
  }

  isWaiting(clientMessageId: string): boolean {
    return this.#waiting.has(clientMessageId);
  }

  /** Removes it, to be sent again as another message. */
  takeWaiting(clientMessageId: string): QueuedMessage | null {
    const found = this.#waiting.get(clientMessageId) ?? null;
    this.dismiss(clientMessageId);
    return found;
  }

  /** Messages that may have arrived, although no reply came. */
  tried(threadId: string): UnconfirmedMessage[] {
    const all = [...this.#all(), ...this.#waiting.values()];
    return all.filter((one) => one.threadId === threadId && one.tried);
  }

  clear(): void {
    this.#storage?.clear();
  }

  #persist(): void {
    const rejected = [...this.#rejected.values()].map(([queued]) => queued);
    const answered = [...this.#held.values(), ...this.#waiting.values(), ...rejected];
    const own = answered.filter((queued) => !this.#fromOtherDevices.has(queued.clientMessageId));
    this.#storage?.putAll([...this.#all(), ...own]);
  }

  #all(): QueuedMessage[] {
    const setOutbox = new Set(this.#entries.map((one) => one.clientMessageId));
    const unconfirmed = [...this.#unconfirmed.values()].filter((one) => !setOutbox.has(one.clientMessageId));
    return [...this.#entries, ...unconfirmed];
  }

  #notify(): void {
    this.list.invalidate();
    this.onChange();
  }
}

export function toOutgoing(queued: QueuedMessage): Outgoing {
  const { clientMessageId, threadId, body, replyToMessageId, writtenAt, problem } = queued;
  const { attachments = [] } = queued;
  const isUploading = queued.state === "waiting" && attachments.some((one) => one.fileId === null);
  const state = isUploading ? "uploading" : queued.state;
  const own = { clientMessageId, threadId, body, replyToMessageId, attachments, writtenAt };
  return { ...own, state, problem, rejection: null };
}

/** A file belongs to one message. */
export function hasSameFiles({ attachments = [] }: Pick<QueuedMessage, "attachments">, message: Message): boolean {
  const first = attachments[0]?.fileId ?? null;
  return first !== null && (message.attachments ?? []).some((one) => one.fileId === first);
}

function isSame(held: QueuedMessage, message: Message): boolean {
  if ((held.attachments ?? []).length > 0) return hasSameFiles(held, message);
  const isText = (message.attachments ?? []).length === 0;
  return isText && held.threadId === message.threadId && held.body === message.body;
}

/** Of another device: all that is known is the file and its description. */
function toOutgoingAttachment({ fileId, alt = "" }: WaitingMessage["attachments"][number]): OutgoingAttachment {
  return { uploadId: null, fileId, name: "", size: 0, type: "", width: 0, height: 0, alt };
}

function isMessage(one: HeldMessage): one is HeldMessage & { clientMessageId: string } {
  return one.kind === "message" && one.clientMessageId !== null;
}
