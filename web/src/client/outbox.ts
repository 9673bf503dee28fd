// The outbox: sends messages until the server has answered. Each has a permanent `clientMessageId`, so
// that it can be sent again and is stored once.
//
// Careful: the order. Each thread has one message in flight; the next goes when it is answered. A refused
// message waits for its author; after a server error or a rate limit it is retried.
import type { Hint, Message, ProblemDocument, Rejection } from "./types";
import type { AckOf, QueuedMessage, Reply, RequestFrame } from "./protocol";

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

/** How a message was answered. */
export interface Settled {
  queued: QueuedMessage;
  message: Message | null;
  /** The server sends it when its files are checked. With a problem: it could not. */
  isWaiting: boolean;
  hints: Hint[];
  outbox: QueuedMessage[];
  rejection: Rejection | null;
}

export interface OutboxListener {
  changed(outbox: QueuedMessage[]): void;
  settled(settled: Settled): void;
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

  /** Messages with this file can be sent, unless other files are missing. */
  announced(uploadId: string, fileId: string): void {
    for (const queued of this.#with(uploadId)) {
      const attachments = queued.attachments?.map((one) =>
        one.uploadId === uploadId ? { ...one, fileId } : one,
      );
      if (attachments !== undefined) this.#put({ ...queued, attachments });
    }
    this.flush();
  }

  uploadFailed(uploadId: string, problem: ProblemDocument): void {
    for (const queued of this.#with(uploadId)) this.#refuse(queued, problem);
  }

  /** The messages that wait for this upload. */
  #with(uploadId: string): QueuedMessage[] {
    return this.list().filter(
      ({ state, attachments = [] }) =>
        state === "waiting" &&
        attachments.some((one) => one.uploadId === uploadId && one.fileId === null),
    );
  }

  /** Sends the first waiting message of each thread that has none in flight. One whose files the server
   * does not know yet does not hold up the others. */
  flush(): void {
    if (!this.sender.isLive) return;
    for (const queued of this.#entries.values()) {
      const isReady = queued.state === "waiting" && hasAllFiles(queued);
      if (isReady && !this.#busy.has(queued.threadId)) void this.#send(queued);
    }
  }

  async #send(queued: QueuedMessage): Promise<void> {
    const { threadId, clientMessageId, body, replyToMessageId, metadata, attachments } = queued;
    this.#busy.add(threadId);
    this.#put({ ...queued, state: "sending", tried: true, problem: null });
    const reply = await this.sender.request({
      type: "send",
      threadId,
      clientMessageId,
      body,
      replyToMessageId,
      ...(metadata === undefined ? {} : { metadata }),
      ...(attachments === undefined
        ? {}
        : { attachments: attachments.map(({ fileId, alt }) => ({ fileId: fileId ?? "", alt })) }),
    });
    this.#busy.delete(threadId);
    const now = this.#entries.get(clientMessageId);
    if (now !== undefined) this.#handleReply(now, reply);
  }

  #handleReply(queued: QueuedMessage, reply: Reply<SendFrame>): void {
    if ("ack" in reply) {
      this.#failures = 0;
      this.#settle(queued, reply.ack);
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

  #settle(queued: QueuedMessage, ack: AckOf<SendFrame>): void {
    const { message, hints, status, reason, warned } = ack;
    this.#entries.delete(queued.clientMessageId);
    if (status === "canceled") return this.listener.changed(this.list());
    const problem = status === "failed" ? notSent(reason ?? "") : null;
    this.listener.settled({
      queued: { ...queued, problem },
      message: message ?? null,
      isWaiting: status === "waiting" || status === "failed",
      hints: hints ?? [],
      outbox: this.list(),
      rejection: status === "rejected" ? { reason: reason ?? null, warned: warned === true } : null,
    });
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

/** It waited for its files, and could not be sent. */
function notSent(detail: string): ProblemDocument {
  return { type: "/problems/file-expired", title: detail, status: 422, detail };
}

function hasAllFiles({ attachments = [] }: QueuedMessage): boolean {
  return attachments.every((one) => one.fileId !== null);
}

/** Server errors, and rate limits that end soon. */
function isTemporary(problem: ProblemDocument): boolean {
  if (problem.status === TOO_MANY_REQUESTS) return retryAfterSeconds(problem) <= MAX_WAIT_SECONDS;
  return problem.status >= SERVER_ERROR;
}

function retryAfterSeconds(problem: ProblemDocument): number {
  return Number((problem as { retryAfterS?: number }).retryAfterS ?? 0);
}
