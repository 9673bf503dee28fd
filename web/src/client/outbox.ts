// The outbox: sends messages until the server has answered. Each has a permanent `clientMessageId`, so
// that it can be sent again and is stored once.
//
// Careful: the order. Each thread has one message in flight; the next goes when it is answered. A refused
// message waits for its author; after a server error or a rate limit it is retried.
import type { Hint, Message, ProblemDocument, Rejection } from "./types";
import type { QueuedMessage, Reply, RequestFrame } from "./protocol";

const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 30_000;
const SERVER_ERROR = 500;
const TOO_MANY_REQUESTS = 429;
const MAX_WAIT_SECONDS = 60;

type SendFrame = Extract<RequestFrame, { type: "send" }>;

export interface RequestSender {
  readonly isLive: boolean;
  request<F extends RequestFrame>(frame: F): Promise<Reply<F>>;
}

export interface OutboxListener {
  changed(outbox: QueuedMessage[]): void;
  settled(
    queued: QueuedMessage,
    message: Message | null,
    hints: Hint[],
    outbox: QueuedMessage[],
    rejection: Rejection | null,
  ): void;
}

export class Outbox {
  #entries = new Map<string, QueuedMessage>();
  #busy = new Set<string>();
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly sender: RequestSender,
    private readonly listener: OutboxListener,
  ) {}

  list(): QueuedMessage[] {
    return [...this.#entries.values()];
  }

  /** Does nothing if it is already there. */
  add(queued: QueuedMessage): void {
    if (this.#entries.has(queued.clientMessageId)) return;
    // It was in flight when the last tab closed, and its outcome is unknown: send it again.
    const state = queued.state === "sending" ? "waiting" : queued.state;
    this.#entries.set(queued.clientMessageId, { ...queued, state });
    this.listener.changed(this.list());
    this.flush();
  }

  retry(clientMessageId: string): void {
    const queued = this.#entries.get(clientMessageId);
    if (queued?.state !== "refused") return;
    this.#put({ ...queued, state: "waiting", problem: null });
    this.flush();
  }

  /** A message in flight cannot be discarded. */
  discard(clientMessageId: string): void {
    if (this.#entries.get(clientMessageId)?.state === "sending") return;
    if (this.#entries.delete(clientMessageId)) this.listener.changed(this.list());
  }

  /** Sends the first waiting message of each thread that has none in flight. */
  flush(): void {
    if (!this.sender.isLive) return;
    for (const queued of this.#entries.values()) {
      if (queued.state === "waiting" && !this.#busy.has(queued.threadId)) void this.#send(queued);
    }
  }

  async #send(queued: QueuedMessage): Promise<void> {
    const { threadId, clientMessageId, body, replyToMessageId, metadata } = queued;
    this.#busy.add(threadId);
    this.#put({ ...queued, state: "sending", tried: true, problem: null });
    const reply = await this.sender.request({
      type: "send",
      threadId,
      clientMessageId,
      body,
      replyToMessageId,
      ...(metadata === undefined ? {} : { metadata }),
    });
    this.#busy.delete(threadId);
    const now = this.#entries.get(clientMessageId);
    if (now !== undefined) this.#handleReply(now, reply);
  }

  #handleReply(queued: QueuedMessage, reply: Reply<SendFrame>): void {
    if ("ack" in reply) {
      this.#failures = 0;
      this.#entries.delete(queued.clientMessageId);
      const { message, hints, status, reason, warned } = reply.ack;
      const rejection =
        status === "rejected" ? { reason: reason ?? null, warned: warned === true } : null;
      this.listener.settled(queued, message ?? null, hints ?? [], this.list(), rejection);
    } else if ("lost" in reply) {
      this.#put({ ...queued, state: "waiting" });
      return; // sent again after reconnecting
    } else if (isTemporary(reply.problem)) {
      this.#put({ ...queued, state: "waiting", problem: reply.problem });
      this.#retryLater(reply.problem);
      return;
    } else {
      this.#refuse(queued, reply.problem);
    }
    this.flush();
  }

  #refuse(queued: QueuedMessage, problem: ProblemDocument): void {
    this.#put({ ...queued, state: "refused", tried: false, problem });
  }

  #retryLater(problem: ProblemDocument): void {
    if (this.#timer !== null) return;
    const backoff = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS) * (0.5 + Math.random());
    const wait = retryAfterSeconds(problem) * 1000 || backoff;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, wait);
  }

  #put(queued: QueuedMessage): void {
    this.#entries.set(queued.clientMessageId, queued);
    this.listener.changed(this.list());
  }
}

/** Server errors, and rate limits that end soon. */
function isTemporary(problem: ProblemDocument): boolean {
  if (problem.status === TOO_MANY_REQUESTS) return retryAfterSeconds(problem) <= MAX_WAIT_SECONDS;
  return problem.status >= SERVER_ERROR;
}

function retryAfterSeconds(problem: ProblemDocument): number {
  return Number((problem as { retryAfterS?: number }).retryAfterS ?? 0);
}
