// What the tabs of one user share: the connection and the outbox. It lives in a SharedWorker, or in
// the page where there is none, and does not know which.
//
// What one would get wrong: a tab can go without a word. It holds a lock for as long as it lives,
// and the hub waits for that lock: to get it is to know that the tab has gone, and with it what it
// had on screen.
import { Link, type Listener } from "./link";
import { Outbox } from "./outbox";
import { Refusal } from "./rest";
import type { Changes } from "./socket";
import type { Connection, ProblemDocument } from "./types";
import type { Kept, Port, Told, ToHub, ToTab } from "./wire";

const TOKEN_MS = 8000;
const GATHER_MS = 150;
const MOST_ON_SCREEN = 20;

type TabPort = Port<ToTab, ToHub>;

interface Tab {
  port: TabPort;
  focus: string[];
  heardAt: number;
  greeted: boolean;
}

interface Parts {
  Socket?: typeof WebSocket;
  locks?: LockManager | undefined;
}

export class Hub implements Listener {
  #tabs = new Set<Tab>();
  #link: Link | null = null;
  #outbox: Outbox | null = null;
  #tokens = new Map<number, (answer: Extract<ToHub, { type: "token" }>) => void>();
  #number = 0;
  #delivered = new Map<string, number>();
  #gathering: ReturnType<typeof setTimeout> | null = null;
  #focus = "";
  #userId: string;

  constructor(
    userId: string,
    private readonly parts: Parts = {},
  ) {
    this.#userId = userId;
  }

  attach(port: TabPort): void {
    const tab: Tab = { port, focus: [], heardAt: Date.now(), greeted: false };
    this.#tabs.add(tab);
    port.listen((message) => this.#take(tab, message));
  }

  // The tabs' side.

  #take(tab: Tab, message: ToHub): void {
    tab.heardAt = Date.now();
    switch (message.type) {
      case "hello":
        return this.#greet(tab, message);
      case "focus":
        tab.focus = message.threadIds;
        return this.#show();
      case "typing":
        return this.#link?.tell({ type: "typing", threadId: message.threadId, on: message.on });
      case "ask":
        void this.#link?.ask(message.frame).then((answer) => {
          tab.port.post({ type: "answer", n: message.n, answer });
        });
        return;
      case "send":
        return this.#outbox?.add(message.kept);
      case "retry":
        return this.#outbox?.retry(message.clientMessageId);
      case "discard":
        return this.#outbox?.discard(message.clientMessageId);
      case "token":
        return this.#tokens.get(message.n)?.(message);
      case "wake":
        return this.#link?.wake();
      case "bye":
        return this.#forget(tab);
    }
  }

  #greet(tab: Tab, hello: Extract<ToHub, { type: "hello" }>): void {
    this.#link ??= new Link(hello.api, this, this.parts.Socket);
    this.#outbox ??= new Outbox(this.#link, {
      changed: (outbox) => this.#all({ type: "outbox", outbox }),
      settled: (kept, message, hints, outbox, rejection) =>
        this.#all({ type: "settled", kept, message, hints, outbox, rejection }),
    });
    tab.greeted = true;
    for (const kept of hello.kept) this.#outbox.add(kept);
    this.#link.start();
    const outbox: Kept[] = this.#outbox.list();
    tab.port.post({ type: "welcome", connection: this.#link.connection, outbox });
    if (hello.lock !== null && this.parts.locks !== undefined) {
      void this.parts.locks.request(hello.lock, () => this.#forget(tab));
    }
  }

  #forget(tab: Tab): void {
    if (!this.#tabs.delete(tab)) return;
    tab.port.close();
    if (this.#tabs.size > 0) return this.#show();
    this.#link?.stop();
  }

  #show(): void {
    const threadIds = [...new Set([...this.#tabs].flatMap((tab) => tab.focus))];
    const shown = threadIds.slice(0, MOST_ON_SCREEN);
    if (shown.join() === this.#focus) return;
    this.#focus = shown.join();
    this.#link?.tell({ type: "focus", threadIds: shown });
  }

  #all(message: ToTab): void {
    for (const tab of this.#tabs) if (tab.greeted) tab.port.post(message);
  }

  // The link's side.

  connection(connection: Connection): void {
    this.#all({ type: "connection", connection });
  }

  told(frame: Told): void {
    if (frame.type === "message.created" && frame.message.authorUserId !== this.#userId) {
      this.#arrived(frame.threadId, frame.message.seq);
    }
    this.#all({ type: "told", frame });
  }

  synced(changes: Changes): void {
    for (const { thread, messages } of changes.threads) {
      const last = messages.findLast((message) => message.authorUserId !== this.#userId);
      if (last !== undefined) this.#arrived(thread.threadId, last.seq);
    }
    this.#all({ type: "synced", changes });
  }

  resumed(): void {
    this.#all({ type: "resumed" });
  }

  fresh(): void {
    this.#all({ type: "fresh" });
  }

  live(): void {
    this.#focus = "";
    this.#show();
    this.#outbox?.flush();
  }

  /** From the tab that was heard last, or else from any other. */
  async token(stale: string | null): Promise<string> {
    let problem: ProblemDocument | null = null;
    for (const tab of [...this.#tabs].sort((a, b) => b.heardAt - a.heardAt)) {
      const answer = await this.#tokenOf(tab, stale);
      if (answer?.token) return answer.token;
      problem = answer?.problem ?? problem;
    }
    throw problem === null ? new Error("no tab gave a token") : new Refusal(problem);
  }

  #tokenOf(tab: Tab, stale: string | null): Promise<Extract<ToHub, { type: "token" }> | null> {
    const n = ++this.#number;
    return new Promise((done) => {
      const late = setTimeout(() => settle(null), TOKEN_MS);
      const settle = (answer: Extract<ToHub, { type: "token" }> | null): void => {
        clearTimeout(late);
        this.#tokens.delete(n);
        done(answer);
      };
      this.#tokens.set(n, settle);
      tab.port.post({ type: "token?", n, stale });
    });
  }

  /** Others see that it has arrived: told once for a few, and once for all the tabs. */
  #arrived(threadId: string, seq: number): void {
    this.#delivered.set(threadId, Math.max(seq, this.#delivered.get(threadId) ?? 0));
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      for (const [thread, last] of this.#delivered) {
        void this.#link?.ask({ type: "delivered", threadId: thread, seq: last });
      }
      this.#delivered.clear();
    }, GATHER_MS);
  }
}
