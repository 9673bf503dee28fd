// What one has written until it is answered. Each message has a name of its own for good, so that
// it can be sent as often as it takes and is there once.
//
// What one would get wrong: the order. In a thread one message is under way at a time; the next
// goes when it is answered, whatever the answer. What is refused steps aside and waits for its
// author; what the server could not do, or not so soon, is tried again by itself.
import type { Hint, Message, ProblemDocument, Rejection } from "./types";
import type { Answered, Asked, Kept } from "./wire";

const AGAIN_MS = 2000;
const LATEST_MS = 30_000;
const OVERLOADED = 500;
const TOO_MANY = 429;
const PATIENCE_SECONDS = 60;

export interface Courier {
  readonly isLive: boolean;
  ask(frame: Asked): Promise<Answered>;
}

export interface Watcher {
  changed(outbox: Kept[]): void;
  settled(
    kept: Kept,
    message: Message | null,
    hints: Hint[],
    outbox: Kept[],
    rejection: Rejection | null,
  ): void;
}

export class Outbox {
  #entries = new Map<string, Kept>();
  #busy = new Set<string>();
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly courier: Courier,
    private readonly watcher: Watcher,
  ) {}

  list(): Kept[] {
    return [...this.#entries.values()];
  }

  /** As often as one likes: what is there already stays as it is. */
  add(kept: Kept): void {
    if (this.#entries.has(kept.clientMessageId)) return;
    // What was under way when the last tab went is unknown: it is sent once more.
    const state = kept.state === "sending" ? "waiting" : kept.state;
    this.#entries.set(kept.clientMessageId, { ...kept, state });
    this.watcher.changed(this.list());
    this.flush();
  }

  retry(clientMessageId: string): void {
    const kept = this.#entries.get(clientMessageId);
    if (kept?.state !== "refused") return;
    this.#put({ ...kept, state: "waiting", problem: null });
    this.flush();
  }

  /** What is under way cannot be called back. */
  discard(clientMessageId: string): void {
    if (this.#entries.get(clientMessageId)?.state === "sending") return;
    if (this.#entries.delete(clientMessageId)) this.watcher.changed(this.list());
  }

  /** The first that waits in each thread, unless one of the thread is under way. */
  flush(): void {
    if (!this.courier.isLive) return;
    for (const kept of this.#entries.values()) {
      if (kept.state === "waiting" && !this.#busy.has(kept.threadId)) void this.#send(kept);
    }
  }

  async #send(kept: Kept): Promise<void> {
    const { threadId, clientMessageId, body, replyToMessageId, metadata } = kept;
    this.#busy.add(threadId);
    this.#put({ ...kept, state: "sending", tried: true, problem: null });
    const answer = await this.courier.ask({
      type: "send",
      threadId,
      clientMessageId,
      body,
      replyToMessageId,
      ...(metadata === undefined ? {} : { metadata }),
    });
    this.#busy.delete(threadId);
    const now = this.#entries.get(clientMessageId);
    if (now !== undefined) this.#answered(now, answer);
  }

  #answered(kept: Kept, answer: Answered): void {
    if ("ack" in answer) {
      this.#failures = 0;
      this.#entries.delete(kept.clientMessageId);
      const { message, hints, status, reason, warned } = answer.ack;
      const rejection =
        status === "rejected" ? { reason: reason ?? null, warned: warned === true } : null;
      this.watcher.settled(kept, message ?? null, hints ?? [], this.list(), rejection);
    } else if ("lost" in answer) {
      this.#put({ ...kept, state: "waiting" });
      return; // goes with the next connection
    } else if (isForNow(answer.problem)) {
      this.#put({ ...kept, state: "waiting", problem: answer.problem });
      this.#later(answer.problem);
      return;
    } else {
      this.#refused(kept, answer.problem);
    }
    this.flush();
  }

  #refused(kept: Kept, problem: ProblemDocument): void {
    this.#put({ ...kept, state: "refused", tried: false, problem });
  }

  #later(problem: ProblemDocument): void {
    if (this.#timer !== null) return;
    const backoff = Math.min(AGAIN_MS * 2 ** this.#failures++, LATEST_MS) * (0.5 + Math.random());
    const wait = secondsTold(problem) * 1000 || backoff;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, wait);
  }

  #put(kept: Kept): void {
    this.#entries.set(kept.clientMessageId, kept);
    this.watcher.changed(this.list());
  }
}

/** The server has too much to do, or somebody came back with much to say. */
function isForNow(problem: ProblemDocument): boolean {
  if (problem.status === TOO_MANY) return secondsTold(problem) <= PATIENCE_SECONDS;
  return problem.status >= OVERLOADED;
}

function secondsTold(problem: ProblemDocument): number {
  return Number((problem as { retryAfterS?: number }).retryAfterS ?? 0);
}
