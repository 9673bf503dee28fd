// A tab's view of the outbox: what the hub has, what it was given and has not said yet, and what a
// moderator looks at. It also keeps it in the browser, which the hub cannot.
//
// What one would get wrong: what is held is in no history, so that after a reload its author would
// not find it. It is kept and sent once more under its name, and the server says what became of it.
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

/** Of a message whose answer has not come: what tells it apart from others in the history. */
export type UnconfirmedMessage = Pick<QueuedMessage, "body" | "afterSeq" | "writtenAt">;

export class OutboxView {
  readonly list: ComputedValue<readonly Outgoing[]>;
  #storage: OutboxStorage | null = null;
  #entries: QueuedMessage[] = [];
  /** Given to the hub, and not yet seen among what it has. */
  #unconfirmed = new Map<string, QueuedMessage>();
  #held = new Map<string, QueuedMessage>();
  /** Of those, what another device has written: this one does not send it again. */
  #fromOtherDevices = new Set<string>();
  #rejected = new Map<string, [QueuedMessage, Rejection]>();
  /** Decided while a list was on its way that still has them. */
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

  /** From what the browser kept of this user; everything that the hub has to know of. */
  load(storage: Storage | null, prefix: string): QueuedMessage[] {
    this.#storage ??= new OutboxStorage(storage, prefix);
    for (const one of this.#storage.load()) {
      if (!this.#unconfirmed.has(one.clientMessageId)) this.#unconfirmed.set(one.clientMessageId, one);
    }
    this.#notify();
    return [...this.#unconfirmed.values()];
  }

  write(threadId: string, body: string, options: SendOptions, afterSeq: number | null): QueuedMessage {
    // No two in one moment: their order is that of their times.
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

  /** What the hub has, which is what the browser keeps. Returns what has been refused just now. */
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

  /** What a moderator has decided about a message that was held. */
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

  /** All that is held, also where it was written on another device. What is held no longer, and was
   * decided while this device was away, goes. */
  setHeld(held: readonly HeldMessage[]): void {
    // An edit or a name that is held is no message: the old text stays where it is.
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

  /** A moderator has let it go. */
  released(message: Message): void {
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

  /** What may have arrived without our being told. */
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
