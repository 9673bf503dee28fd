// One socket that comes back by itself: who we are in the first frame, numbered requests, a ping
// now and then, and after a break everything that was missed.
//
// What one would get wrong: a connection that is dead looks like one where nothing happens. So it is
// asked every 30 seconds, and one that does not answer in 10 is given up; sooner where somebody waits
// for an answer. And a cursor is only where to resume from once everything before it has been handed on.
import { own, Refusal } from "./rest";
import type { Ack, Changes, ClientFrame, ServerFrame } from "./socket";
import type { Connection, ProblemDocument } from "./types";
import type { Answered, Asked, Told } from "./wire";

const PING_MS = 30_000;
const PATIENCE_MS = 10_000;
const REPLAY_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const MOST_HAVE = 1000;
const NO_TOKEN = 4401;
const EXPIRED = 4403;
/** This user has opened more sockets than the server allows; the oldest is closed. */
const TOO_MANY_SOCKETS = 4429;

export interface Listener {
  connection(connection: Connection): void;
  told(frame: Told): void;
  synced(changes: Changes): void;
  /** Everything that was missed has been told, except changes of people's names. */
  resumed(): void;
  /** Nothing brings what was before: the first time, or after too long. */
  fresh(): void;
  /** Everything that was missed has been told, and requests are taken. */
  live(): void;
  /** A token; another one than `stale`. */
  token(stale: string | null): Promise<string>;
}

type Timer = ReturnType<typeof setTimeout>;
type Waiting = (answer: Answered) => void;

export class Link {
  #socket: WebSocket | null = null;
  #connection: Connection = { state: "connecting", retryAt: null, problem: null };
  #token: string | null = null;
  #stale: string | null = null;
  #cursor: string | null = null;
  #have = new Map<string, number>();
  #number = 0;
  #asked = new Map<number, Waiting>();
  #attempt = 0;
  #pause: number | null = null;
  #problem: ProblemDocument | null = null;
  #timers = new Set<Timer>();
  #retry: Timer | null = null;
  #next: Timer | null = null;
  #resuming = false;
  #resumeAgain = false;
  #over = true;
  #turn = 0;

  constructor(
    private readonly api: string,
    private readonly listener: Listener,
    private readonly Socket: typeof WebSocket = WebSocket,
  ) {}

  get connection(): Connection {
    return this.#connection;
  }

  get isLive(): boolean {
    return this.#connection.state === "live";
  }

  start(): void {
    if (!this.#over) return;
    this.#over = false;
    void this.#connect();
  }

  stop(): void {
    this.#over = true;
    this.#turn++;
    this.#drop();
    this.#say({ state: "closed", retryAt: null, problem: null });
  }

  /** Somebody looks, or the network is back: whatever waits is tried now. */
  wake(): void {
    if (this.#over) return;
    if (this.isLive) this.#ping(PATIENCE_MS / 2);
    else if (this.#retry !== null) this.#again();
  }

  /** Answered once, or lost: then nobody knows whether it was done. */
  ask(frame: Asked): Promise<Answered> {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== socket.OPEN) {
      return Promise.resolve({ lost: true });
    }
    const id = ++this.#number;
    return new Promise((done) => {
      const late = isOwn(frame) ? null : this.#later(PATIENCE_MS, () => this.wake());
      this.#asked.set(id, (answer) => {
        if (late !== null) this.#cancel(late);
        done(answer);
      });
      socket.send(JSON.stringify({ ...frame, id }));
    });
  }

  /** Not answered; where there is no connection it is not said at all. */
  tell(frame: Extract<ClientFrame, { type: "focus" | "typing" }>): void {
    if (this.isLive) this.#socket?.send(JSON.stringify(frame));
  }

  async #connect(): Promise<void> {
    const turn = ++this.#turn;
    this.#retry = null;
    this.#problem = null;
    this.#pause = null;
    if (this.#connection.state === "closed") {
      this.#say({ state: "connecting", retryAt: null, problem: null });
    }
    try {
      this.#token = await this.listener.token(this.#stale);
    } catch (error) {
      if (turn === this.#turn) this.#noToken(error);
      return;
    }
    if (turn !== this.#turn) return;
    const socket = new this.Socket(`${this.api.replace(/^http/, "ws")}/v1/socket`);
    this.#socket = socket;
    const late = this.#later(PATIENCE_MS, () => this.#broken(turn, 0));
    socket.onopen = () => void this.#begin(turn, late);
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (turn === this.#turn && typeof event.data === "string") {
        this.#take(JSON.parse(event.data) as ServerFrame);
      }
    };
    // Not everywhere is a connection that never came about also closed.
    socket.onerror = () => this.#broken(turn, 0);
    socket.onclose = (event) => this.#broken(turn, event.code);
  }

  /** `late` is what happens unless the server answers: it closes on whom it does not let in. */
  async #begin(turn: number, late: Timer): Promise<void> {
    const hello = await this.ask({ type: "auth", token: this.#token ?? "" });
    if (turn !== this.#turn || !("ack" in hello)) return;
    this.#cancel(late);
    this.#stale = null;
    this.#attempt = 0;
    if (this.#cursor === null) {
      this.#startOver(hello.ack);
    } else {
      const stuck = this.#later(REPLAY_MS, () => this.#broken(turn, 0));
      if (!(await this.#resume(turn))) return;
      this.#cancel(stuck);
    }
    this.#say({ state: "live", retryAt: null, problem: null });
    this.#pingLater();
    this.listener.live();
  }

  #startOver(ack: Ack): void {
    this.#cursor = ack.cursor ?? null;
    this.#have.clear();
    this.listener.fresh();
  }

  /** True once what was missed has been told. */
  async #resume(turn: number): Promise<boolean> {
    if (this.#resuming) {
      this.#resumeAgain = true;
      return false;
    }
    this.#resuming = true;
    const have = Object.fromEntries(this.#have);
    const answer = await this.ask({ type: "resume", cursor: this.#cursor ?? "", have });
    this.#resuming = false;
    if (turn !== this.#turn || "lost" in answer) return false;
    if ("problem" in answer) {
      // A cursor of another server, or of another time: there is nothing to resume from.
      if (answer.problem.status >= 500) this.#broken(turn, 0);
      else this.#forget(turn);
      return false;
    }
    if (answer.ack.reset === true) this.#startOver(answer.ack);
    else this.#moved(answer.ack);
    if (this.#resumeAgain) {
      this.#resumeAgain = false;
      return this.#resume(turn);
    }
    this.listener.resumed();
    return true;
  }

  #forget(turn: number): void {
    this.#cursor = null;
    this.#pause = 0;
    this.#broken(turn, 0);
  }

  #ping(patience: number): void {
    const turn = this.#turn;
    const late = this.#later(patience, () => this.#broken(turn, 0));
    void this.ask({ type: "ping" }).then((answer) => {
      this.#cancel(late);
      if (turn !== this.#turn || !("ack" in answer)) return;
      this.#moved(answer.ack);
      this.#pingLater();
    });
  }

  #pingLater(): void {
    if (this.#next !== null) this.#cancel(this.#next);
    this.#next = this.#later(PING_MS, () => this.#ping(PATIENCE_MS));
  }

  #moved(ack: Ack): void {
    if (ack.cursor) this.#cursor = ack.cursor;
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case "ack":
        return this.#answer(frame.id, { ack: frame });
      case "problem":
        this.#problem = frame.problem;
        if (typeof frame.id === "number") this.#answer(frame.id, { problem: frame.problem });
        return;
      case "synced":
        this.#count(frame.changes);
        return this.listener.synced(frame.changes);
      case "resync":
        void this.#resume(this.#turn);
        return;
      case "token.expiring":
        void this.#renew(this.#turn);
        return;
      case "closing":
        this.#pause = frame.reconnectAfterMs;
        return;
      case "message.created":
        this.#saw(frame.threadId, frame.message.seq);
        return this.listener.told(frame);
      case "message.edited":
      case "message.deleted":
      case "reaction.changed":
      case "receipt.moved":
      case "typing.changed":
      case "presence.changed":
      case "thread.updated":
      case "inbox.changed":
      case "request.changed":
      case "person.updated":
      case "notice.created":
      case "notice.acknowledged":
        return this.listener.told(frame);
      default:
        return; // of a later version: passed over
    }
  }

  #answer(id: number, answer: Answered): void {
    const waiting = this.#asked.get(id);
    this.#asked.delete(id);
    waiting?.(answer);
  }

  async #renew(turn: number): Promise<void> {
    try {
      const token = await this.listener.token(this.#token);
      if (turn !== this.#turn) return;
      const answer = await this.ask({ type: "auth", token });
      if ("ack" in answer) this.#token = token;
    } catch {
      // The server closes the socket when the token ends, and then it is told.
    }
  }

  /** Up to where nothing is missing of a thread, so that it need not be told again. */
  #count(changes: Changes): void {
    for (const { thread, truncated } of changes.threads) {
      this.#have.delete(thread.threadId);
      if (!truncated) this.#have.set(thread.threadId, thread.lastSeq);
    }
    for (const [first] of this.#have) {
      if (this.#have.size <= MOST_HAVE) break;
      this.#have.delete(first);
    }
  }

  #saw(threadId: string, seq: number): void {
    if (this.#have.get(threadId) === seq - 1) this.#have.set(threadId, seq);
  }

  #broken(turn: number, code: number): void {
    if (turn !== this.#turn) return;
    this.#turn++;
    this.#drop();
    if (this.#over) return;
    if (code === NO_TOKEN || code === EXPIRED) {
      const twice = this.#stale !== null;
      this.#stale = this.#token;
      if (twice || this.#problem?.type.endsWith("/account-suspended") === true) {
        return this.#refused(this.#problem);
      }
      this.#pause = 0;
    }
    if (code === TOO_MANY_SOCKETS) {
      // Reconnecting would close another of the user's windows.
      return this.#say({ state: "refused", retryAt: null, problem: this.#problem });
    }
    const spread = 0.5 + Math.random();
    const wait = Math.min(FIRST_PAUSE_MS * 2 ** this.#attempt, LONGEST_PAUSE_MS) * spread;
    this.#attempt++;
    this.#waits(this.#pause ?? wait);
  }

  #waits(pause: number): void {
    const state = this.#attempt > 1 || pause > 3000 ? "offline" : "connecting";
    this.#say({ state, retryAt: Date.now() + pause, problem: null });
    this.#retry = setTimeout(() => this.#again(), pause);
  }

  #again(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    void this.#connect();
  }

  #noToken(error: unknown): void {
    if (error instanceof Refusal && (error.status === 0 || error.status >= 500)) {
      this.#broken(this.#turn, 0);
    } else if (error instanceof Refusal) {
      this.#refused(error.fields as unknown as ProblemDocument);
    } else {
      this.#refused(own("no-token", 401, error instanceof Error ? error.message : ""));
    }
  }

  /** Until somebody wakes it: what is refused stays so without them. */
  #refused(problem: ProblemDocument | null): void {
    this.#say({ state: "refused", retryAt: null, problem });
    this.#retry = setTimeout(() => this.#again(), LONGEST_PAUSE_MS * 2);
  }

  #drop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#resuming = this.#resumeAgain = false;
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
      socket.close();
    }
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const lost of asked) lost({ lost: true });
  }

  #say(connection: Connection): void {
    this.#connection = connection;
    this.listener.connection(connection);
  }

  #later(ms: number, run: () => void): Timer {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #cancel(timer: Timer): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}

/** What the link asks for itself, and waits for in its own way. */
function isOwn(frame: Asked): boolean {
  return frame.type === "auth" || frame.type === "resume" || frame.type === "ping";
}
