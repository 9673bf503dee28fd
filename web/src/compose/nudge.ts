// The kind word before something goes out: the server looks at what is written while one writes, and
// what it said is known by the time one sends.
//
// What one would get wrong: it must never stand in the way. No answer in a moment, or no connection, and
// the message goes; the server looks at it again then anyway.
import type { Client, Preview } from "../client";

const PAUSE_MS = 600;
const PATIENCE_MS = 1500;
const SHORT = 6;
const MANY = 20;
/** What may well be an address, a number, a link or a word about paying elsewhere: worth waiting for. */
const CLUE =
  /\d{3}|@|:\/\/|\b\w+\.(?:com|net|org|me|io|app)\b|telegram|whats\s*app|signal|insta|paypal|venmo|iban|e-?mail|phone|cash|transfer/i;

export class Nudge {
  readonly #client: Client;
  #where: { threadId: string } | { userIds: readonly string[] };
  readonly #known = new Map<string, Preview>();
  readonly #asked = new Map<string, Promise<Preview | null>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** In a conversation; without one, see `to`. */
  constructor(client: Client, threadId?: string) {
    this.#client = client;
    this.#where = threadId === undefined ? { userIds: [] } : { threadId };
  }

  /** Who would read it: what may be said depends on whom one knows. */
  to(userIds: readonly string[]): void {
    this.#where = { userIds };
    this.#known.clear();
    this.#asked.clear();
  }

  /** With every keystroke; looks once there is a pause. */
  watch(body: string): void {
    clearTimeout(this.#timer);
    const text = body.trim();
    if (text.length < SHORT || this.#known.has(text)) return;
    this.#timer = setTimeout(() => void this.#ask(text), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Before sending. Null: nothing to say. */
  async before(body: string): Promise<Preview | null> {
    clearTimeout(this.#timer);
    const text = body.trim();
    const known = this.#known.get(text);
    if (known) return said(known);
    if (!this.#asked.has(text) && !CLUE.test(text)) return null;
    const patience = new Promise<null>((done) => setTimeout(() => done(null), PATIENCE_MS));
    return said(await Promise.race([this.#ask(text), patience]));
  }

  #ask(text: string): Promise<Preview | null> {
    const before = this.#asked.get(text);
    if (before) return before;
    const where = this.#where;
    const asking = this.#client.preview(text, where).then(
      (preview) => {
        if (where !== this.#where) return null;
        if (this.#known.size >= MANY) this.#known.clear();
        this.#known.set(text, preview);
        return preview;
      },
      () => null,
    );
    this.#asked.set(text, asking);
    void asking.finally(() => {
      if (this.#asked.get(text) === asking) this.#asked.delete(text);
    });
    return asking;
  }
}

function said(preview: Preview | null): Preview | null {
  return preview === null || preview.verdict === "fine" ? null : preview;
}
