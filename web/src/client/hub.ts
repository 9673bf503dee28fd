// The hub: the connection and the outbox that all tabs of one user share. It runs in a SharedWorker, or
// in the page if there is none.
//
// Careful: a tab can disappear without saying so. Each tab holds a Web Lock while it lives, and the hub
// waits for that lock: when it gets it, the tab is gone, and so are its visible threads.
import { SocketConnection, type ConnectionListener } from "./connection";
import { Outbox } from "./outbox";
import { ProblemError } from "./rest";
import type { Changes, ServerEvent } from "./socket";
import type { ConnectionStatus, ProblemDocument } from "./types";
import type { Port, QueuedMessage, ToHub, ToTab } from "./protocol";

const TOKEN_TIMEOUT_MS = 8000;
const DELIVERED_DELAY_MS = 150;
const MAX_FOCUSED = 20;

type TabPort = Port<ToTab, ToHub>;

interface Tab {
  port: TabPort;
  focus: string[];
  lastActiveAt: number;
  isReady: boolean;
}

interface HubPlatform {
  Socket?: typeof WebSocket;
  locks?: LockManager | undefined;
}

export class Hub implements ConnectionListener {
  #tabs = new Set<Tab>();
  #connection: SocketConnection | null = null;
  #outbox: Outbox | null = null;
  #tokenRequests = new Map<number, (answer: Extract<ToHub, { type: "token" }>) => void>();
  #lastId = 0;
  #delivered = new Map<string, number>();
  #deliveredTimer: ReturnType<typeof setTimeout> | null = null;
  #focus = "";
  #userId: string;

  constructor(
    userId: string,
    private readonly platform: HubPlatform = {},
  ) {
    this.#userId = userId;
  }

  attach(port: TabPort): void {
    const tab: Tab = { port, focus: [], lastActiveAt: Date.now(), isReady: false };
    this.#tabs.add(tab);
    port.listen((message) => this.#receive(tab, message));
  }

  // Messages from tabs.

  #receive(tab: Tab, message: ToHub): void {
    tab.lastActiveAt = Date.now();
    switch (message.type) {
      case "hello":
        return this.#addTab(tab, message);
      case "focus":
        tab.focus = message.threadIds;
        return this.#sendFocus();
      case "notify":
        return this.#connection?.send(message.frame);
      case "request":
        void this.#connection?.request(message.frame).then((reply) => {
          tab.port.post({ type: "reply", n: message.n, reply });
        });
        return;
      case "send":
        return this.#outbox?.add(message.queued);
      case "retry":
        return this.#outbox?.retry(message.clientMessageId);
      case "discard":
        return this.#outbox?.discard(message.clientMessageId);
      case "announced":
        return this.#outbox?.announced(message.uploadId, message.fileId);
      case "uploadFailed":
        return this.#outbox?.uploadFailed(message.uploadId, message.problem);
      case "token":
        return this.#tokenRequests.get(message.n)?.(message);
      case "wake":
        return this.#connection?.wake();
      case "bye":
        return this.#removeTab(tab);
    }
  }

  #addTab(tab: Tab, hello: Extract<ToHub, { type: "hello" }>): void {
    this.#connection ??= new SocketConnection(hello.api, this, this.platform.Socket);
    this.#outbox ??= new Outbox(this.#connection, {
      changed: (outbox) => this.#broadcast({ type: "outbox", outbox }),
      settled: (settled) => this.#broadcast({ type: "settled", ...settled }),
    });
    tab.isReady = true;
    for (const queued of hello.queued) this.#outbox.add(queued);
    this.#connection.start();
    const outbox: QueuedMessage[] = this.#outbox.list();
    tab.port.post({ type: "welcome", status: this.#connection.status, outbox });
    if (hello.lock !== null && this.platform.locks !== undefined) {
      void this.platform.locks.request(hello.lock, () => this.#removeTab(tab));
    }
  }

  #removeTab(tab: Tab): void {
    if (!this.#tabs.delete(tab)) return;
    tab.port.close();
    if (this.#tabs.size > 0) return this.#sendFocus();
    this.#connection?.stop();
  }

  #sendFocus(): void {
    const threadIds = [...new Set([...this.#tabs].flatMap((tab) => tab.focus))];
    const shown = threadIds.slice(0, MAX_FOCUSED);
    if (shown.join() === this.#focus) return;
    this.#focus = shown.join();
    this.#connection?.send({ type: "focus", threadIds: shown });
  }

  #broadcast(message: ToTab): void {
    for (const tab of this.#tabs) if (tab.isReady) tab.port.post(message);
  }

  // The connection's callbacks.

  onStatus(status: ConnectionStatus): void {
    this.#broadcast({ type: "status", status });
  }

  onEvent(event: ServerEvent): void {
    if (event.type === "message.created" && event.message.authorUserId !== this.#userId) {
      this.#markDelivered(event.threadId, event.message.seq);
    }
    this.#broadcast({ type: "event", event });
  }

  onSync(changes: Changes): void {
    for (const { thread, messages } of changes.inbox?.threads ?? []) {
      const last = messages.findLast((message) => message.authorUserId !== this.#userId);
      if (last !== undefined) this.#markDelivered(thread.threadId, last.seq);
    }
    this.#broadcast({ type: "synced", changes });
  }

  onResumed(): void {
    this.#broadcast({ type: "resumed" });
  }

  onReset(sources: string[] | null): void {
    this.#broadcast({ type: "reset", sources });
  }

  onLive(): void {
    this.#focus = "";
    this.#sendFocus();
    this.#outbox?.flush();
  }

  /** Asks the most recently active tab for a token, then the others. */
  async getToken(stale: string | null): Promise<string> {
    let problem: ProblemDocument | null = null;
    for (const tab of [...this.#tabs].sort((a, b) => b.lastActiveAt - a.lastActiveAt)) {
      const answer = await this.#requestToken(tab, stale);
      if (answer?.token) return answer.token;
      problem = answer?.problem ?? problem;
    }
    throw problem === null ? new Error("no tab gave a token") : new ProblemError(problem);
  }

  #requestToken(tab: Tab, stale: string | null): Promise<Extract<ToHub, { type: "token" }> | null> {
    const n = ++this.#lastId;
    return new Promise((done) => {
      const timeout = setTimeout(() => settle(null), TOKEN_TIMEOUT_MS);
      const settle = (answer: Extract<ToHub, { type: "token" }> | null): void => {
        clearTimeout(timeout);
        this.#tokenRequests.delete(n);
        done(answer);
      };
      this.#tokenRequests.set(n, settle);
      tab.port.post({ type: "tokenRequest", n, stale });
    });
  }

  /** Reports messages as delivered: several at a time, and once for all tabs. */
  #markDelivered(threadId: string, seq: number): void {
    this.#delivered.set(threadId, Math.max(seq, this.#delivered.get(threadId) ?? 0));
    this.#deliveredTimer ??= setTimeout(() => {
      this.#deliveredTimer = null;
      for (const [thread, last] of this.#delivered) {
        void this.#connection?.request({ type: "delivered", threadId: thread, seq: last });
      }
      this.#delivered.clear();
    }, DELIVERED_DELAY_MS);
  }
}
