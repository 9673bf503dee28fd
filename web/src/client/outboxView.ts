// A tab's view of the outbox: the hub's messages, those the hub has not confirmed yet, and those under
// review. It also saves them in the browser, which a worker cannot.
//
// Careful: a held message is not in the history, so its author would lose sight of it after a reload. It
// stays saved and is sent again under its id, and the server replies with its current state.
import type { On } from "./events";
import { OutboxStorage, type Storage } from "./storage";
import type {
  HeldMessage,
  Message,
  ModerationNotice,
  Outgoing,
  Rejection,
  SendOptions,
} from "./types";
import { ComputedValue } from "./observable";
import type { QueuedMessage } from "./protocol";

/** A message without a reply: what is needed to recognise it in the history. */
export type UnconfirmedMessage = Pick<QueuedMessage, "body" | "afterSeq" | "writtenAt">;

export class OutboxView {
  readonly list: ComputedValue<readonly Outgoing[]>;
  #storage: OutboxStorage | null = null;
  #entries: QueuedMessage[] = [];
  /** Sent to the hub, and not yet in its outbox. */
  #unconfirmed = new Map<string, QueuedMessage>();
  #held = new Map<string, QueuedMessage>();
  /** Held messages from other devices: this one does not send them again. */
  #fromOtherDevices = new Set<string>();
  #rejected = new Map<string, [QueuedMessage, Rejection]>();
  /** Already decided: a list of held messages that is still loading may contain them. */
  #decidedIds = new Set<string>();
  #lastWrittenMs = 0;

  constructor(private readonly onChange: () => void) {
    this.list = new ComputedValue<readonly Outgoing[]>(() => [
      ...this.#all().map(toOutgoing),
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

  write(threadId: string, body: string, options: SendOptions, afterSeq: number | null): QueuedMessage {
    // Unique times, because they give the order.
    this.#lastWrittenMs = Math.max(Date.now(), this.#lastWrittenMs + 1);
    const queued: QueuedMessage = {
      clientMessageId: crypto.randomUUID(),
      threadId,
      body,
      replyToMessageId: options.replyTo ?? null,
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
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

  settled(queued: QueuedMessage, isHeld: boolean, rejection: Rejection | null): void {
    this.#unconfirmed.delete(queued.clientMessageId);
    if (rejection !== null) return this.#reject(queued, rejection);
    if (isHeld) this.#held.set(queued.clientMessageId, queued);
    else this.#held.delete(queued.clientMessageId);
    this.#persist();
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
      const { clientMessageId, threadId, body, replyToMessageId, heldAt } = one;
      const queued: QueuedMessage = {
        clientMessageId,
        threadId,
        body,
        replyToMessageId,
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

  /** A moderator has released it. */
  #released(message: Message): void {
    for (const [id, held] of this.#held) {
      if (held.threadId === message.threadId && held.body === message.body) {
        this.#held.delete(id);
        this.#persist();
        return this.#notify();
      }
    }
  }

  find(clientMessageId: string): Outgoing | null {
    return this.list.get().find((one) => one.clientMessageId === clientMessageId) ?? null;
  }

  dismiss(clientMessageId: string): void {
    const wasRejected = this.#rejected.delete(clientMessageId);
    if (!this.#held.delete(clientMessageId) && !wasRejected) return;
    this.#persist();
    this.#notify();
  }

  /** Messages that may have arrived, although no reply came. */
  tried(threadId: string): UnconfirmedMessage[] {
    return this.#all().filter((one) => one.threadId === threadId && one.tried);
  }

  clear(): void {
    this.#storage?.clear();
  }

  #persist(): void {
    const applyNotice = [...this.#held.values(), ...[...this.#rejected.values()].map(([queued]) => queued)];
    const own = applyNotice.filter((queued) => !this.#fromOtherDevices.has(queued.clientMessageId));
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
  const { clientMessageId, threadId, body, replyToMessageId, writtenAt, state, problem } = queued;
  const own = { clientMessageId, threadId, body, replyToMessageId, writtenAt };
  return { ...own, state, problem, rejection: null };
}

function isMessage(one: HeldMessage): one is HeldMessage & { clientMessageId: string } {
  return one.kind === "message" && one.clientMessageId !== null;
}
