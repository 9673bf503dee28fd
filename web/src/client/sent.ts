// A tab's view of the outbox: what the hub has, what it was given and has not said yet, and what a
// moderator looks at. It also keeps it in the browser, which the hub cannot.
//
// What one would get wrong: what is held is in no history, so that after a reload its author would
// not find it. It is kept and sent once more under its name, and the server says what became of it.
import { KeptMessages, type Storage } from "./kept";
import type {
  HeldMessage,
  Message,
  ModerationNotice,
  Outgoing,
  Rejection,
  SendOptions,
} from "./types";
import { Made } from "./value";
import type { Kept } from "./wire";

/** Of a message whose answer has not come: what tells it apart from others in the history. */
export type MaybeSent = Pick<Kept, "body" | "afterSeq" | "writtenAt">;

export class Sent {
  readonly list: Made<readonly Outgoing[]>;
  #kept: KeptMessages | null = null;
  #entries: Kept[] = [];
  /** Given to the hub, and not yet seen among what it has. */
  #given = new Map<string, Kept>();
  #held = new Map<string, Kept>();
  /** Of those, what another device has written: this one does not send it again. */
  #foreign = new Set<string>();
  #rejected = new Map<string, [Kept, Rejection]>();
  /** Decided while a list was on its way that still has them. */
  #decided = new Set<string>();
  #writtenMs = 0;

  constructor(private readonly changed: () => void) {
    this.list = new Made<readonly Outgoing[]>(() => [
      ...this.#all().map(shown),
      ...[...this.#held.values()].map((kept) => ({ ...shown(kept), state: "held" as const })),
      ...[...this.#rejected.values()].map(([kept, rejection]) => ({
        ...shown(kept),
        state: "rejected" as const,
        rejection,
      })),
    ]);
  }

  /** From what the browser kept of this user; everything that the hub has to know of. */
  begin(storage: Storage | null, prefix: string): Kept[] {
    this.#kept ??= new KeptMessages(storage, prefix);
    for (const one of this.#kept.load()) {
      if (!this.#given.has(one.clientMessageId)) this.#given.set(one.clientMessageId, one);
    }
    this.#touch();
    return [...this.#given.values()];
  }

  write(threadId: string, body: string, options: SendOptions, afterSeq: number | null): Kept {
    // No two in one moment: their order is that of their times.
    this.#writtenMs = Math.max(Date.now(), this.#writtenMs + 1);
    const kept: Kept = {
      clientMessageId: crypto.randomUUID(),
      threadId,
      body,
      replyToMessageId: options.replyTo ?? null,
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
      writtenAt: new Date(this.#writtenMs).toISOString(),
      afterSeq,
      tried: false,
      state: "waiting",
      problem: null,
    };
    this.#given.set(kept.clientMessageId, kept);
    this.#kept?.put(kept);
    this.#touch();
    return kept;
  }

  /** What the hub has, which is what the browser keeps. Returns what has been refused just now. */
  known(outbox: Kept[]): Kept[] {
    const before = new Map(this.#entries.map((one) => [one.clientMessageId, one.state]));
    this.#entries = outbox;
    for (const one of outbox) this.#given.delete(one.clientMessageId);
    this.#keep();
    this.#touch();
    const wasThere = (one: Kept): boolean => (before.get(one.clientMessageId) ?? "refused") !== "refused";
    return outbox.filter((one) => one.state === "refused" && wasThere(one));
  }

  settled(kept: Kept, isHeld: boolean, rejection: Rejection | null): void {
    this.#given.delete(kept.clientMessageId);
    if (rejection !== null) return this.#reject(kept, rejection);
    if (isHeld) this.#held.set(kept.clientMessageId, kept);
    else this.#held.delete(kept.clientMessageId);
    this.#keep();
  }

  /** What a moderator has decided about a message that was held. */
  decided(notice: ModerationNotice): void {
    if (notice.clientMessageId !== null) this.#decided.add(notice.clientMessageId);
    const kept = this.#held.get(notice.clientMessageId ?? "");
    if (kept === undefined) return;
    if (notice.kind !== "released") {
      return this.#reject(kept, { reason: notice.reason, warned: notice.kind === "warned" });
    }
    this.#held.delete(kept.clientMessageId);
    this.#keep();
    this.#touch();
  }

  /** All that is held, also where it was written on another device. What is held no longer, and was
   * decided while this device was away, goes. */
  heldElsewhere(held: readonly HeldMessage[]): void {
    // An edit or a name that is held is no message: the old text stays where it is.
    const messages = held.filter(isMessage);
    const listed = new Set(messages.map((one) => one.clientMessageId));
    for (const id of this.#foreign) if (!listed.has(id)) this.#held.delete(id);
    const known = new Set([...this.#all(), ...this.#held.values()].map((one) => one.clientMessageId));
    for (const one of messages) {
      if (known.has(one.clientMessageId) || this.#decided.has(one.clientMessageId)) continue;
      const { clientMessageId, threadId, body, replyToMessageId, heldAt } = one;
      const kept: Kept = {
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
      this.#held.set(clientMessageId, kept);
      this.#foreign.add(clientMessageId);
    }
    this.#keep();
    this.#touch();
  }

  #reject(kept: Kept, rejection: Rejection): void {
    this.#held.delete(kept.clientMessageId);
    this.#rejected.set(kept.clientMessageId, [kept, rejection]);
    this.#keep();
    this.#touch();
  }

  /** A moderator has let it go. */
  released(message: Message): void {
    for (const [id, held] of this.#held) {
      if (held.threadId === message.threadId && held.body === message.body) {
        this.#held.delete(id);
        this.#keep();
        return this.#touch();
      }
    }
  }

  find(clientMessageId: string): Outgoing | null {
    return this.list.get().find((one) => one.clientMessageId === clientMessageId) ?? null;
  }

  dismiss(clientMessageId: string): void {
    const wasRejected = this.#rejected.delete(clientMessageId);
    if (!this.#held.delete(clientMessageId) && !wasRejected) return;
    this.#keep();
    this.#touch();
  }

  /** What may have arrived without our being told. */
  maybe(threadId: string): MaybeSent[] {
    return this.#all().filter((one) => one.threadId === threadId && one.tried);
  }

  forget(): void {
    this.#kept?.clear();
  }

  #keep(): void {
    const decided = [...this.#held.values(), ...[...this.#rejected.values()].map(([kept]) => kept)];
    const own = decided.filter((kept) => !this.#foreign.has(kept.clientMessageId));
    this.#kept?.putAll([...this.#all(), ...own]);
  }

  #all(): Kept[] {
    const known = new Set(this.#entries.map((one) => one.clientMessageId));
    const given = [...this.#given.values()].filter((one) => !known.has(one.clientMessageId));
    return [...this.#entries, ...given];
  }

  #touch(): void {
    this.list.touch();
    this.changed();
  }
}

export function shown(kept: Kept): Outgoing {
  const { clientMessageId, threadId, body, replyToMessageId, writtenAt, state, problem } = kept;
  const own = { clientMessageId, threadId, body, replyToMessageId, writtenAt };
  return { ...own, state, problem, rejection: null };
}

function isMessage(one: HeldMessage): one is HeldMessage & { clientMessageId: string } {
  return one.kind === "message" && one.clientMessageId !== null;
}
