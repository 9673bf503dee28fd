// A WebSocket that reconnects by itself: authenticates, numbers requests, pings, and resumes after an
// interruption.
//
// Careful: a dead connection looks like a quiet one. So it pings every 30 seconds and gives up after 10
// without an answer; sooner if a request is waiting. And the cursor moves only after everything before
// it has been passed on.
import { clientProblem, ProblemError } from "./rest";
import type { Changes, ClientFrame, ServerEvent, ServerFrame } from "./socket";
import type { ConnectionStatus, ProblemDocument } from "./types";
import type { Notification, Reply, RequestFrame } from "./protocol";

const PING_MS = 30_000;
const REPLY_TIMEOUT_MS = 10_000;
const RESUME_TIMEOUT_MS = 60_000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
const MAX_TRACKED_THREADS = 1000;
const CLOSE_INVALID_TOKEN = 4401;
const CLOSE_TOKEN_EXPIRED = 4403;
/** The user has more sockets than the server allows; it closes the oldest. */
const CLOSE_TOO_MANY_SOCKETS = 4429;

export interface ConnectionListener {
  onStatus(status: ConnectionStatus): void;
  onEvent(event: ServerEvent): void;
  onSync(changes: Changes): void;
  /** All missed events have been delivered, except changed display names. */
  onResumed(): void;
  /** Earlier events of these sources are not delivered, after too long a break. Null means all sources:
   * the first connection, or a cursor that the server refused. */
  onReset(sources: string[] | null): void;
  /** All missed events have been delivered, and requests are accepted. */
  onLive(): void;
  /** Returns a token other than `stale`. */
  getToken(stale: string | null): Promise<string>;
}

type Timer = ReturnType<typeof setTimeout>;
type ResolveReply = (answer: Reply) => void;

export class SocketConnection {
  #socket: WebSocket | null = null;
  #status: ConnectionStatus = { state: "connecting", retryAt: null, problem: null };
  #token: string | null = null;
  #stale: string | null = null;
  #cursor: string | null = null;
  #lastSeqs = new Map<string, number>();
  #lastId = 0;
  #pending = new Map<number, ResolveReply>();
  #attempt = 0;
  #retryAfterMs: number | null = null;
  #problem: ProblemDocument | null = null;
  #timers = new Set<Timer>();
  #retryTimer: Timer | null = null;
  #pingTimer: Timer | null = null;
  #resuming = false;
  #resumeAgain = false;
  #isStopped = true;
  #generation = 0;

  constructor(
    private readonly api: string,
    private readonly listener: ConnectionListener,
    private readonly Socket: typeof WebSocket = WebSocket,
  ) {}

  get status(): ConnectionStatus {
    return this.#status;
  }

  get isLive(): boolean {
    return this.#status.state === "live";
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    void this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#generation++;
    this.#closeSocket();
    this.#setStatus({ state: "closed", retryAt: null, problem: null });
  }

  /** The tab is visible or the network is back: checks the connection, or reconnects at once. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.isLive) this.#ping(REPLY_TIMEOUT_MS / 2);
    else if (this.#retryTimer !== null) this.#reconnect();
  }

  /** Resolves with the reply, or with `lost`: then it is unknown whether the server has done it. */
  request<F extends RequestFrame>(frame: F): Promise<Reply<F>> {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== socket.OPEN) {
      return Promise.resolve({ lost: true });
    }
    const id = ++this.#lastId;
    return new Promise((done) => {
      const timeout = isInternal(frame) ? null : this.#setTimer(REPLY_TIMEOUT_MS, () => this.wake());
      this.#pending.set(id, (answer) => {
        if (timeout !== null) this.#clearTimer(timeout);
        done(answer as Reply<F>);
      });
      socket.send(JSON.stringify({ ...frame, id }));
    });
  }

  /** Sends a frame that has no reply; does nothing without a connection. */
  send(frame: Notification | Extract<ClientFrame, { type: "focus" }>): void {
    if (this.isLive) this.#socket?.send(JSON.stringify(frame));
  }

  async #connect(): Promise<void> {
    const generation = ++this.#generation;
    this.#retryTimer = null;
    this.#problem = null;
    this.#retryAfterMs = null;
    if (this.#status.state === "closed") {
      this.#setStatus({ state: "connecting", retryAt: null, problem: null });
    }
    try {
      this.#token = await this.listener.getToken(this.#stale);
    } catch (error) {
      if (generation === this.#generation) this.#tokenFailed(error);
      return;
    }
    if (generation !== this.#generation) return;
    const socket = new this.Socket(`${this.api.replace(/^http/, "ws")}/v1/socket`);
    this.#socket = socket;
    const timeout = this.#setTimer(REPLY_TIMEOUT_MS, () => this.#disconnected(generation, 0));
    socket.onopen = () => void this.#authenticate(generation, timeout);
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (generation === this.#generation && typeof event.data === "string") {
        this.#receive(JSON.parse(event.data) as ServerFrame);
      }
    };
    // Some platforms do not fire `close` for a connection that never opened.
    socket.onerror = () => this.#disconnected(generation, 0);
    socket.onclose = (event) => this.#disconnected(generation, event.code);
  }

  /** `timeout` reconnects unless the server replies: on a bad token it just closes. */
  async #authenticate(generation: number, timeout: Timer): Promise<void> {
    const hello = await this.request({ type: "auth", token: this.#token ?? "" });
    if (generation !== this.#generation || !("ack" in hello)) return;
    this.#clearTimer(timeout);
    this.#stale = null;
    this.#attempt = 0;
    if (this.#cursor === null) {
      this.#saveCursor(hello.ack);
      this.#reset(null);
    } else {
      const timeout = this.#setTimer(RESUME_TIMEOUT_MS, () => this.#disconnected(generation, 0));
      if (!(await this.#resume(generation))) return;
      this.#clearTimer(timeout);
    }
    this.#setStatus({ state: "live", retryAt: null, problem: null });
    this.#pingLater();
    this.listener.onLive();
  }

  #reset(sources: string[] | null): void {
    if (sources === null || sources.includes("inbox")) this.#lastSeqs.clear();
    this.listener.onReset(sources);
  }

  /** True once the missed events have been delivered. */
  async #resume(generation: number): Promise<boolean> {
    if (this.#resuming) {
      this.#resumeAgain = true;
      return false;
    }
    this.#resuming = true;
    const have = Object.fromEntries(this.#lastSeqs);
    const answer = await this.request({ type: "resume", cursor: this.#cursor ?? "", have });
    this.#resuming = false;
    if (generation !== this.#generation || "lost" in answer) return false;
    if ("problem" in answer) {
      // The cursor is unknown to this server: there is nothing to resume from.
      if (answer.problem.status >= 500) this.#disconnected(generation, 0);
      else this.#forgetCursor(generation);
      return false;
    }
    this.#saveCursor(answer.ack);
    const { reset = [] } = answer.ack;
    if (reset.length > 0) this.#reset(reset);
    if (this.#resumeAgain) {
      this.#resumeAgain = false;
      return this.#resume(generation);
    }
    this.listener.onResumed();
    return true;
  }

  #forgetCursor(generation: number): void {
    this.#cursor = null;
    this.#retryAfterMs = 0;
    this.#disconnected(generation, 0);
  }

  #ping(timeoutMs: number): void {
    const generation = this.#generation;
    const timeout = this.#setTimer(timeoutMs, () => this.#disconnected(generation, 0));
    void this.request({ type: "ping" }).then((answer) => {
      this.#clearTimer(timeout);
      if (generation !== this.#generation || !("ack" in answer)) return;
      this.#saveCursor(answer.ack);
      this.#pingLater();
    });
  }

  #pingLater(): void {
    if (this.#pingTimer !== null) this.#clearTimer(this.#pingTimer);
    this.#pingTimer = this.#setTimer(PING_MS, () => this.#ping(REPLY_TIMEOUT_MS));
  }

  #saveCursor(ack: { cursor?: string | null }): void {
    if (ack.cursor) this.#cursor = ack.cursor;
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case "ack":
        return this.#resolve(frame.id, { ack: frame });
      case "problem":
        this.#problem = frame.problem;
        if (typeof frame.id === "number") this.#resolve(frame.id, { problem: frame.problem });
        return;
      case "synced":
        this.#trackSeqs(frame.changes);
        return this.listener.onSync(frame.changes);
      case "resync":
        void this.#resume(this.#generation);
        return;
      case "token.expiring":
        void this.#renewToken(this.#generation);
        return;
      case "closing":
        this.#retryAfterMs = frame.reconnectAfterMs;
        return;
      case "message.created":
        this.#trackSeq(frame.threadId, frame.message.seq);
        return this.listener.onEvent(frame);
      default:
        return this.listener.onEvent(frame);
    }
  }

  #resolve(id: number, answer: Reply): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(answer);
  }

  async #renewToken(generation: number): Promise<void> {
    try {
      const token = await this.listener.getToken(this.#token);
      if (generation !== this.#generation) return;
      const answer = await this.request({ type: "auth", token });
      if ("ack" in answer) this.#token = token;
    } catch {
      // The server closes the socket when the token expires, and the status says so.
    }
  }

  /** Remembers up to which seq a thread is complete, so that `resume` does not repeat it. */
  #trackSeqs(changes: Changes): void {
    for (const { thread, truncated } of changes.inbox?.threads ?? []) {
      this.#lastSeqs.delete(thread.threadId);
      if (!truncated) this.#lastSeqs.set(thread.threadId, thread.lastSeq);
    }
    for (const [first] of this.#lastSeqs) {
      if (this.#lastSeqs.size <= MAX_TRACKED_THREADS) break;
      this.#lastSeqs.delete(first);
    }
  }

  #trackSeq(threadId: string, seq: number): void {
    if (this.#lastSeqs.get(threadId) === seq - 1) this.#lastSeqs.set(threadId, seq);
  }

  #disconnected(generation: number, code: number): void {
    if (generation !== this.#generation) return;
    this.#generation++;
    this.#closeSocket();
    if (this.#isStopped) return;
    if (code === CLOSE_INVALID_TOKEN || code === CLOSE_TOKEN_EXPIRED) {
      const isSecondTime = this.#stale !== null;
      this.#stale = this.#token;
      if (isSecondTime || this.#problem?.type.endsWith("/account-suspended") === true) {
        return this.#refuse(this.#problem);
      }
      this.#retryAfterMs = 0;
    }
    if (code === CLOSE_TOO_MANY_SOCKETS) {
      // Reconnecting would disconnect another window of the user.
      return this.#setStatus({ state: "refused", retryAt: null, problem: this.#problem });
    }
    const jitter = 0.5 + Math.random();
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#attempt, MAX_RETRY_MS) * jitter;
    this.#attempt++;
    this.#scheduleRetry(this.#retryAfterMs ?? wait);
  }

  #scheduleRetry(delayMs: number): void {
    const state = this.#attempt > 1 || delayMs > 3000 ? "offline" : "connecting";
    this.#setStatus({ state, retryAt: Date.now() + delayMs, problem: null });
    this.#retryTimer = setTimeout(() => this.#reconnect(), delayMs);
  }

  #reconnect(): void {
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    void this.#connect();
  }

  #tokenFailed(error: unknown): void {
    if (error instanceof ProblemError && (error.status === 0 || error.status >= 500)) {
      this.#disconnected(this.#generation, 0);
    } else if (error instanceof ProblemError) {
      this.#refuse(error.fields as unknown as ProblemDocument);
    } else {
      this.#refuse(clientProblem("no-token", 401, error instanceof Error ? error.message : ""));
    }
  }

  /** Retries rarely: it stays refused unless the user does something. */
  #refuse(problem: ProblemDocument | null): void {
    this.#setStatus({ state: "refused", retryAt: null, problem });
    this.#retryTimer = setTimeout(() => this.#reconnect(), MAX_RETRY_MS * 2);
  }

  #closeSocket(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
    this.#resuming = this.#resumeAgain = false;
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
      socket.close();
    }
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const resolve of pending) resolve({ lost: true });
  }

  #setStatus(status: ConnectionStatus): void {
    this.#status = status;
    this.listener.onStatus(status);
  }

  #setTimer(ms: number, run: () => void): Timer {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #clearTimer(timer: Timer): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}

/** Requests of the connection itself, which have their own timeouts. */
function isInternal(frame: RequestFrame): boolean {
  return frame.type === "auth" || frame.type === "resume" || frame.type === "ping";
}
