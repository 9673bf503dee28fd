// The nudge before sending: the server checks the text while the user types, so that its verdict is
// known by the time they send.
//
// Careful: it must never block sending. Without an answer in time the message goes; the server checks it
// again anyway.
import type { Client, Preview } from "../client";

const CHECK_DELAY_MS = 600;
const TIMEOUT_MS = 1500;
const MIN_LENGTH = 6;
const MAX_CACHED = 20;
/** Possible contact details, links or payment words: worth waiting for the server's verdict. */
const SUSPICIOUS =
  /\d{3}|@|:\/\/|\b\w+\.(?:com|net|org|me|io|app)\b|telegram|whats\s*app|signal|insta|paypal|venmo|iban|e-?mail|phone|cash|transfer/i;

export class Nudge {
  readonly #client: Client;
  #where: { threadId: string } | { userIds: readonly string[] };
  readonly #known = new Map<string, Preview>();
  readonly #pending = new Map<string, Promise<Preview | null>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** For a thread; for a new conversation, call `setRecipients`. */
  constructor(client: Client, threadId?: string) {
    this.#client = client;
    this.#where = threadId === undefined ? { userIds: [] } : { threadId };
  }

  /** Sets the recipients: the verdict depends on whether they know the user. */
  setRecipients(userIds: readonly string[]): void {
    this.#where = { userIds };
    this.#known.clear();
    this.#pending.clear();
  }

  /** Call it with every keystroke; checks the text after a pause. */
  watch(body: string): void {
    clearTimeout(this.#timer);
    const text = body.trim();
    if (text.length < MIN_LENGTH || this.#known.has(text)) return;
    this.#timer = setTimeout(() => void this.#preview(text), CHECK_DELAY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Call it before sending. Null: no objection. */
  async check(body: string): Promise<Preview | null> {
    clearTimeout(this.#timer);
    const text = body.trim();
    const known = this.#known.get(text);
    if (known) return objection(known);
    if (!this.#pending.has(text) && !SUSPICIOUS.test(text)) return null;
    const timeout = new Promise<null>((done) => setTimeout(() => done(null), TIMEOUT_MS));
    return objection(await Promise.race([this.#preview(text), timeout]));
  }

  #preview(text: string): Promise<Preview | null> {
    const before = this.#pending.get(text);
    if (before) return before;
    const where = this.#where;
    const request = this.#client.preview(text, where).then(
      (preview) => {
        if (where !== this.#where) return null;
        if (this.#known.size >= MAX_CACHED) this.#known.clear();
        this.#known.set(text, preview);
        return preview;
      },
      () => null,
    );
    this.#pending.set(text, request);
    void request.finally(() => {
      if (this.#pending.get(text) === request) this.#pending.delete(text);
    });
    return request;
  }
}

function objection(preview: Preview | null): Preview | null {
  return preview === null || preview.verdict === "fine" ? null : preview;
}
