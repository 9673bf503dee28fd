// An open thread: a window of its history that moves both ways, what one has written and is not
// answered yet, who is there and who is typing.
//
// What one would get wrong: one's own message can come back before its answer does, over the socket
// or from the history, and would show twice. What may have arrived is not shown until it is known.
import { isProblem, Refusal, type Rest } from "./rest";
import * as rules from "./rules";
import type { Mirror, Shown } from "./mirror";
import type { MaybeSent } from "./sent";
import type { Conversation, ConversationState, Message, Outgoing, Problem, Thread } from "./types";
import { Made, sameList } from "./value";
import { Window } from "./window";
import type { Told } from "./wire";

const PAGE = 50;
const TYPING_MS = 4000;
const MOST_FILLS = 6;
const CLOCK_DIFFERENCE_MS = 60_000;

/** What an open thread needs of the client. */
export interface Desk {
  readonly rest: Rest;
  readonly mirror: Mirror;
  outgoing(threadId: string): readonly Outgoing[];
  /** Of those, what may have arrived without our being told. */
  maybeSent(threadId: string): MaybeSent[];
  read(threadId: string, seq: number): void;
  typing(threadId: string, on: boolean): void;
  /** What is on screen has changed. */
  focus(): void;
  closed(conversation: OpenThread): void;
}

type Leases = Map<string, number>;

export class OpenThread implements Conversation, Shown {
  readonly state: Made<ConversationState>;
  isVisible = true;
  #window = new Window();
  #loading: ConversationState["loading"] = null;
  #problem: Problem | null = null;
  #unreadFromSeq: number | null = null;
  #opened = false;
  #typing: Leases = new Map();
  #present: Leases = new Map();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #typedAt = 0;
  #turn = 0;
  #filling = false;
  #gap = { of: "", asked: 0 };
  #hide: () => void;
  #last: ConversationState | null = null;

  constructor(
    private readonly desk: Desk,
    readonly threadId: string,
  ) {
    this.state = new Made(() => this.#make());
    this.#hide = desk.mirror.show(this);
  }

  // Moving.

  async begin(around?: string): Promise<void> {
    if (this.desk.mirror.thread(this.threadId) === null) await this.desk.mirror.load(this.threadId);
    else void this.desk.mirror.load(this.threadId);
    const thread = this.desk.mirror.thread(this.threadId);
    if (thread !== null && !this.#opened) this.#open(thread);
    if (around !== undefined) return this.around(around);
    if (thread !== null && thread.mine.unread > PAGE / 2 && !rules.waitsForMe(thread, this.desk.mirror.me)) {
      return this.#whole({ aroundSeq: rules.placeOf(thread) + 1 });
    }
    return this.newest();
  }

  newest(): Promise<void> {
    if (this.desk.mirror.thread(this.threadId) === null) void this.desk.mirror.load(this.threadId);
    return this.#whole({});
  }

  around(messageId: string): Promise<void> {
    return this.#whole({ around: messageId });
  }

  async before(): Promise<void> {
    const first = this.#window.first;
    if (first === undefined || !this.#window.hasBefore || this.#loading !== null) return;
    await this.#read("before", { before: first.messageId }, (page) => {
      this.#window.prepend(page.messages, page.hasBefore);
    });
  }

  async after(): Promise<void> {
    const last = this.#window.last;
    if (last === undefined) return this.newest();
    if (this.#loading !== null) return;
    await this.#read("after", { after: last.messageId }, (page) => {
      this.#window.append(page.messages, page.hasAfter);
    });
  }

  /** After something could not be told: the same place, as it is now. */
  async refresh(): Promise<void> {
    void this.desk.mirror.load(this.threadId);
    const { last, messages } = this.#window;
    if (last === undefined || !this.#window.hasAfter) return this.newest();
    const middle = messages[Math.floor(messages.length / 2)] ?? last;
    return this.around(middle.messageId);
  }

  retryIfUnreached(): void {
    if (this.#problem?.code === "unreachable") void this.begin();
  }

  #whole(query: { around?: string; aroundSeq?: number }): Promise<void> {
    return this.#read("whole", query, (page) => {
      this.#window.reset(page.messages, page.hasBefore, page.hasAfter);
    });
  }

  /** The last one to begin counts; what is answered to an earlier one is thrown away. */
  async #read(
    kind: NonNullable<ConversationState["loading"]>,
    query: { before?: string; after?: string; around?: string; aroundSeq?: number },
    take: (page: { messages: Message[]; hasBefore: boolean; hasAfter: boolean }) => void,
  ): Promise<void> {
    const turn = ++this.#turn;
    this.#loading = kind;
    this.state.touch();
    try {
      const path = { threadId: this.threadId };
      const page = await this.desk.rest.ask("get", "/v1/threads/{threadId}/messages", {
        path,
        query: { ...query, limit: PAGE },
      });
      if (turn !== this.#turn) return;
      take(page);
      this.desk.mirror.need(page.messages.flatMap((one) => [one.authorUserId, ...rules.peopleIn(one)]));
      this.#problem = null;
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!isProblem(error)) throw error;
      this.#problem = error;
    } finally {
      if (turn === this.#turn) {
        this.#loading = null;
        this.state.touch();
      }
    }
    this.#fill();
  }

  /**
   * Reads what lies between the end of the window and the newest message: what was written while a
   * page was under way, or what an accepted request no longer hides.
   */
  #fill(): void {
    if (this.#filling || !this.#isBehind()) return;
    this.#filling = true;
    setTimeout(() => {
      this.#filling = false;
      if (this.#loading === null && this.#isBehind()) void this.after();
    }, 20);
  }

  /** Asked at most a few times for the same gap: a page may hold less than `lastSeq` promises. */
  #isBehind(): boolean {
    const thread = this.desk.mirror.thread(this.threadId);
    const { last, hasAfter } = this.#window;
    if (thread === null || last === undefined || hasAfter || this.#problem !== null) return false;
    if (last.seq >= thread.lastSeq || rules.waitsForMe(thread, this.desk.mirror.me)) return false;
    const gap = `${last.seq} ${thread.lastSeq}`;
    this.#gap = this.#gap.of === gap ? { of: gap, asked: this.#gap.asked + 1 } : { of: gap, asked: 0 };
    return this.#gap.asked < MOST_FILLS;
  }

  // What is told.

  changed(threadId: string | null): void {
    if (threadId !== null && threadId !== this.threadId) return;
    const thread = this.desk.mirror.thread(this.threadId);
    if (thread !== null && !this.#opened) this.#open(thread);
    this.#fill();
    this.state.touch();
  }

  wrote(message: Message): void {
    if (message.threadId !== this.threadId) return;
    this.#typing.delete(message.authorUserId);
    if (!this.#window.put(message) && this.#loading === null) void this.after();
    this.state.touch();
  }

  changedMessage(message: Message): void {
    if (message.threadId !== this.threadId) return;
    this.#window.put(message);
    this.state.touch();
  }

  missed(threadId: string): void {
    if (threadId === this.threadId) void this.refresh();
  }

  gone(threadId: string): void {
    if (threadId !== this.threadId) return;
    this.#turn++;
    this.#loading = null;
    const type = "/problems/thread-not-found";
    this.#problem = new Refusal({ type, title: type, status: 404 });
    this.#window.reset([], false, false);
    this.state.touch();
  }

  heard(frame: Extract<Told, { type: "typing.changed" | "presence.changed" }>): void {
    if (frame.threadId !== this.threadId || frame.userId === this.desk.mirror.me) return;
    const leases = frame.type === "typing.changed" ? this.#typing : this.#present;
    const on = frame.type === "typing.changed" ? frame.on : frame.online;
    if (on) leases.set(frame.userId, frame.until === null ? Infinity : Date.parse(frame.until));
    else leases.delete(frame.userId);
    if (!on && frame.type === "presence.changed") this.#typing.delete(frame.userId);
    this.#expire();
  }

  /** Without a connection nobody knows who is there. */
  alone(): void {
    this.#typing.clear();
    this.#present.clear();
    this.state.touch();
  }

  /** Leases end by themselves, by the server's clock: a little later than ours may think. */
  #expire(): void {
    const now = Date.now() - 2000;
    let next = Infinity;
    for (const leases of [this.#typing, this.#present]) {
      for (const [user, until] of leases) {
        if (until <= now) leases.delete(user);
        else next = Math.min(next, until - now);
      }
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = next === Infinity ? null : setTimeout(() => this.#expire(), next + 50);
    this.state.touch();
  }

  // What one does.

  setVisible(visible: boolean): void {
    if (this.isVisible === visible) return;
    this.isVisible = visible;
    this.desk.focus();
  }

  read(seq: number): void {
    this.desk.read(this.threadId, seq);
  }

  typing(on: boolean): void {
    const now = Date.now();
    if (on ? now - this.#typedAt < TYPING_MS : this.#typedAt === 0) return;
    this.#typedAt = on ? now : 0;
    this.desk.typing(this.threadId, on);
  }

  /** The server ends it with the message. */
  typed(): void {
    this.#typedAt = 0;
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.typing(false);
    this.#turn++;
    this.#hide();
    this.desk.closed(this);
  }

  // What is shown.

  #open(thread: Thread): void {
    this.#opened = true;
    if (thread.mine.unread > 0) this.#unreadFromSeq = rules.placeOf(thread) + 1;
  }

  #make(): ConversationState {
    const messages = this.#shownMessages();
    const outgoing = this.desk.outgoing(this.threadId);
    const typing = [...this.#typing.keys()];
    const present = [...this.#present.keys()];
    const last = this.#last;
    this.#last = {
      thread: this.desk.mirror.thread(this.threadId),
      messages: last !== null && sameList(last.messages, messages) ? last.messages : messages,
      outgoing: last !== null && sameList(last.outgoing, outgoing) ? last.outgoing : outgoing,
      hasBefore: this.#window.hasBefore,
      hasAfter: this.#window.hasAfter,
      loading: this.#loading,
      typing: last !== null && sameList(last.typing, typing) ? last.typing : typing,
      present: last !== null && sameList(last.present, present) ? last.present : present,
      unreadFromSeq: this.#unreadFromSeq,
      problem: this.#problem,
    };
    return this.#last;
  }

  #shownMessages(): readonly Message[] {
    const maybe = this.desk.maybeSent(this.threadId);
    if (maybe.length === 0) return this.#window.messages;
    const me = this.desk.mirror.me;
    return this.#window.messages.filter((message) => {
      if (message.authorUserId !== me) return true;
      const at = maybe.findIndex(
        (one) => couldBe(one, message) && bare(one.body) === bare(message.body),
      );
      if (at >= 0) maybe.splice(at, 1);
      return at < 0;
    });
  }
}

/**
 * Whether the message is later than what was written. Sent before the thread was loaded, its place
 * is unknown, and the time has to tell, allowing for clocks that differ.
 */
function couldBe(written: MaybeSent, message: Message): boolean {
  if (written.afterSeq !== null) return message.seq > written.afterSeq;
  return Date.parse(message.createdAt) > Date.parse(written.writtenAt) - CLOCK_DIFFERENCE_MS;
}

/** The letters of a text: what the server's tidying leaves alone. */
function bare(body: string): string {
  return body.replaceAll("&lt;", "").replace(/[^\p{L}\p{N}]+/gu, "");
}
