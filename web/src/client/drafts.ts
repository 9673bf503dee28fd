// Drafts: saves what is typed a moment after the last keystroke, and knows the text of each draft
// that is shown in a list.
//
// Careful: the writes for one thread are sent one after another. A save that arrived after the
// delete would bring back a draft that was already sent.
import type { ClientStore } from "./store";
import type { Rest } from "./rest";
import type { Draft } from "./types";
import { Value } from "./observable";

const SAVE_DELAY_MS = 700;
const OWN_WRITE_MS = 3000;

interface Pending {
  body: string;
  timer: ReturnType<typeof setTimeout>;
}

export class Drafts {
  /** By thread. A thread without a draft has no entry. */
  readonly texts = new Value<ReadonlyMap<string, string>>(new Map());
  #pending = new Map<string, Pending>();
  #writing = new Map<string, Promise<void>>();
  #wroteAt = new Map<string, number>();
  #reading = new Set<string>();

  constructor(
    private readonly rest: () => Rest,
    private readonly store: () => ClientStore,
  ) {}

  async read(threadId: string): Promise<Draft> {
    const pending = this.#pending.get(threadId);
    if (pending !== undefined) return { body: pending.body, savedAt: null };
    const path = { threadId };
    const found = await this.rest().request("get", "/v1/threads/{threadId}/draft", { path });
    if (!this.#pending.has(threadId)) this.#show(threadId, found.body);
    return found;
  }

  /** Asks for the text of a draft that a list shows. */
  need(threadId: string): void {
    if (this.texts.get().has(threadId) || this.#reading.has(threadId)) return;
    this.#readAgain(threadId);
  }

  /** A thread was read from the server: its draft is new, changed or gone. */
  changed(threadId: string, hasDraft: boolean): void {
    if (this.#pending.has(threadId) || this.#writing.has(threadId)) return;
    if (!hasDraft) return this.#show(threadId, "");
    const isOwn = Date.now() - (this.#wroteAt.get(threadId) ?? 0) < OWN_WRITE_MS;
    if (this.texts.get().has(threadId) && !isOwn) this.#readAgain(threadId);
  }

  save(threadId: string, body: string): void {
    clearTimeout(this.#pending.get(threadId)?.timer);
    const timer = setTimeout(() => this.flush(threadId), SAVE_DELAY_MS);
    this.#pending.set(threadId, { body, timer });
    this.#show(threadId, body);
    this.#mark(threadId, body.trim() !== "");
  }

  /** The draft was sent. */
  drop(threadId: string): void {
    const isSaved = this.store().thread(threadId)?.mine.hasDraft === true;
    if (!isSaved && !this.#pending.has(threadId) && !this.#writing.has(threadId)) return;
    this.save(threadId, "");
    this.flush(threadId);
  }

  flushAll(): void {
    for (const threadId of [...this.#pending.keys()]) this.flush(threadId);
  }

  flush(threadId: string): void {
    const pending = this.#pending.get(threadId);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(threadId);
    const before = this.#writing.get(threadId) ?? Promise.resolve();
    const writing = before.then(() => this.#write(threadId, pending));
    this.#writing.set(threadId, writing);
    void writing.finally(() => {
      if (this.#writing.get(threadId) === writing) this.#writing.delete(threadId);
    });
  }

  async #write(threadId: string, pending: Pending): Promise<void> {
    const path = { threadId };
    const { body } = pending;
    try {
      if (body.trim() === "") {
        await this.rest().request("delete", "/v1/threads/{threadId}/draft", { path });
      } else {
        await this.rest().request("put", "/v1/threads/{threadId}/draft", { path, body: { body } });
      }
      this.#wroteAt.set(threadId, Date.now());
    } catch {
      // No connection: kept here, and saved with the next keystroke or once connected again.
      if (!this.#pending.has(threadId)) this.#pending.set(threadId, pending);
    }
  }

  #readAgain(threadId: string): void {
    this.#reading.add(threadId);
    this.read(threadId)
      .catch(() => undefined)
      .finally(() => this.#reading.delete(threadId));
  }

  #show(threadId: string, body: string): void {
    const texts = this.texts.get();
    if ((texts.get(threadId) ?? "") === body) return;
    const after = new Map(texts);
    if (body.trim() === "") after.delete(threadId);
    else after.set(threadId, body);
    this.texts.set(after);
  }

  #mark(threadId: string, hasDraft: boolean): void {
    this.store().patch(threadId, (thread) =>
      thread.mine.hasDraft === hasDraft ? thread : { ...thread, mine: { ...thread.mine, hasDraft } },
    );
  }
}
