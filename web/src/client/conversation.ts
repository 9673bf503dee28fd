// An open thread: a window of its history that moves both ways, unconfirmed messages, presence, typing.
//
// Careful: the user's own message can arrive as an event or in the history before its reply, and would
// show twice. A message that may be an unconfirmed one is hidden until the reply is there.
import { isProblem, ProblemError, type Rest } from "./rest";
import * as inboxRules from "./inboxRules";
import type { ClientStore, StoreListener } from "./store";
import { hasSameFiles, type UnconfirmedMessage } from "./outboxView";
import type { Conversation, ConversationState, Message, Outgoing, Problem, Thread } from "./types";
import { ComputedValue, sameItems } from "./observable";
import { MessageWindow } from "./messageWindow";
import type { EventOf, On } from "./events";

const PAGE = 50;
const TYPING_MS = 4000;
const MAX_FILLS = 6;
const CLOCK_DIFFERENCE_MS = 60_000;

/** What an open thread needs from the client. */
export interface ConversationHost {
  readonly rest: Rest;
  readonly store: ClientStore;
  readonly on: On;
  outgoing(threadId: string): readonly Outgoing[];
  /** Messages that may have reached the server, although no reply came. */
  unconfirmed(threadId: string): UnconfirmedMessage[];
  read(threadId: string, seq: number): void;
  typing(threadId: string, on: boolean): void;
  /** The set of visible threads has changed. */
  focus(): void;
  closed(conversation: OpenThread): void;
}

type Expiries = Map<string, number>;

export class OpenThread implements Conversation, StoreListener {
  readonly state: ComputedValue<ConversationState>;
  isVisible = true;
  #window = new MessageWindow();
  #loading: ConversationState["loading"] = null;
  #problem: Problem | null = null;
  #unreadFromSeq: number | null = null;
  #opened = false;
  #typing: Expiries = new Map();
  #present: Expiries = new Map();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #typedAt = 0;
  #generation = 0;
  #filling = false;
  #gap = { of: "", asked: 0 };
  #unsubscribe: () => void;
  #last: ConversationState | null = null;

  constructor(
    private readonly host: ConversationHost,
    readonly threadId: string,
  ) {
    this.state = new ComputedValue(() => this.#compute());
    const stops = [
      host.store.subscribe(this),
      host.on("typing.changed", (event) => this.#onPresence(event)),
      host.on("presence.changed", (event) => this.#onPresence(event)),
    ];
    this.#unsubscribe = () => stops.forEach((stop) => stop());
  }

  // Loading.

  async start(around?: string): Promise<void> {
    if (this.host.store.thread(this.threadId) === null) await this.host.store.load(this.threadId);
    else void this.host.store.load(this.threadId);
    const thread = this.host.store.thread(this.threadId);
    if (thread !== null && !this.#opened) this.#setUnreadMark(thread);
    if (around !== undefined) return this.around(around);
    if (thread !== null && thread.mine.unread > PAGE / 2 && !inboxRules.hasRequestForMe(thread, this.host.store.me)) {
      return this.#loadPage({ aroundSeq: inboxRules.readPosition(thread) + 1 });
    }
    return this.newest();
  }

  newest(): Promise<void> {
    if (this.host.store.thread(this.threadId) === null) void this.host.store.load(this.threadId);
    return this.#loadPage({});
  }

  around(messageId: string): Promise<void> {
    return this.#loadPage({ around: messageId });
  }

  async before(): Promise<void> {
    const first = this.#window.first;
    if (first === undefined || !this.#window.hasBefore || this.#loading !== null) return;
    await this.#loadMessages("before", { before: first.messageId }, (page) => {
      this.#window.prepend(page.messages, page.hasBefore);
    });
  }

  async after(): Promise<void> {
    const last = this.#window.last;
    if (last === undefined) return this.newest();
    if (this.#loading !== null) return;
    await this.#loadMessages("after", { after: last.messageId }, (page) => {
      this.#window.append(page.messages, page.hasAfter);
    });
  }

  /** Reloads the current window, after events were lost. */
  async refresh(): Promise<void> {
    void this.host.store.load(this.threadId);
    const { last, messages } = this.#window;
    if (last === undefined || !this.#window.hasAfter) return this.newest();
    const middle = messages[Math.floor(messages.length / 2)] ?? last;
    return this.around(middle.messageId);
  }

  retryIfUnreached(): void {
    if (this.#problem?.code === "unreachable") void this.start();
  }

  #loadPage(query: { around?: string; aroundSeq?: number }): Promise<void> {
    return this.#loadMessages("whole", query, (page) => {
      this.#window.reset(page.messages, page.hasBefore, page.hasAfter);
    });
  }

  /** Only the latest call counts; replies to earlier ones are dropped. */
  async #loadMessages(
    kind: NonNullable<ConversationState["loading"]>,
    query: { before?: string; after?: string; around?: string; aroundSeq?: number },
    take: (page: { messages: Message[]; hasBefore: boolean; hasAfter: boolean }) => void,
  ): Promise<void> {
    const generation = ++this.#generation;
    this.#loading = kind;
    this.state.invalidate();
    try {
      const path = { threadId: this.threadId };
      const page = await this.host.rest.request("get", "/v1/threads/{threadId}/messages", {
        path,
        query: { ...query, limit: PAGE },
      });
      if (generation !== this.#generation) return;
      take(page);
      this.host.store.people.need(page.messages.flatMap((one) => [one.authorUserId, ...inboxRules.usersInEvent(one)]));
      this.#problem = null;
    } catch (error) {
      if (generation !== this.#generation) return;
      if (!isProblem(error)) throw error;
      this.#problem = error;
    } finally {
      if (generation === this.#generation) {
        this.#loading = null;
        this.state.invalidate();
      }
    }
    this.#fillGap();
  }

  /**
   * Loads the messages between the end of the window and the newest: those sent while a page was
   * loading, or that a request hid until it was accepted.
   */
  #fillGap(): void {
    if (this.#filling || !this.#hasGap()) return;
    this.#filling = true;
    setTimeout(() => {
      this.#filling = false;
      if (this.#loading === null && this.#hasGap()) void this.after();
    }, 20);
  }

  /** Tries a few times per gap at most: a page may hold less than `lastSeq` suggests. */
  #hasGap(): boolean {
    const thread = this.host.store.thread(this.threadId);
    const { last, hasAfter } = this.#window;
    if (thread === null || last === undefined || hasAfter || this.#problem !== null) return false;
    if (last.seq >= thread.lastSeq || inboxRules.hasRequestForMe(thread, this.host.store.me)) return false;
    const gap = `${last.seq} ${thread.lastSeq}`;
    this.#gap = this.#gap.of === gap ? { of: gap, asked: this.#gap.asked + 1 } : { of: gap, asked: 0 };
    return this.#gap.asked < MAX_FILLS;
  }

  // Events.

  changed(threadId: string | null): void {
    if (threadId !== null && threadId !== this.threadId) return;
    const thread = this.host.store.thread(this.threadId);
    if (thread !== null && !this.#opened) this.#setUnreadMark(thread);
    this.#fillGap();
    this.state.invalidate();
  }

  onMessageAdded(message: Message): void {
    if (message.threadId !== this.threadId) return;
    this.#typing.delete(message.authorUserId);
    if (!this.#window.put(message) && this.#loading === null) void this.after();
    this.state.invalidate();
  }

  onMessageChanged(message: Message): void {
    if (message.threadId !== this.threadId) return;
    this.#window.put(message);
    this.state.invalidate();
  }

  missed(threadId: string): void {
    if (threadId === this.threadId) void this.refresh();
  }

  gone(threadId: string): void {
    if (threadId !== this.threadId) return;
    this.#generation++;
    this.#loading = null;
    const type = "/problems/thread-not-found";
    this.#problem = new ProblemError({ type, title: type, status: 404 });
    this.#window.reset([], false, false);
    this.state.invalidate();
  }

  #onPresence(event: EventOf<"typing.changed" | "presence.changed">): void {
    if (event.threadId !== this.threadId || event.userId === this.host.store.me) return;
    const leases = event.type === "typing.changed" ? this.#typing : this.#present;
    const on = event.type === "typing.changed" ? event.on : event.online;
    if (on) leases.set(event.userId, event.until === null ? Infinity : Date.parse(event.until));
    else leases.delete(event.userId);
    if (!on && event.type === "presence.changed") this.#typing.delete(event.userId);
    this.#expire();
  }

  /** Presence is unknown without a connection. */
  clearPresence(): void {
    this.#typing.clear();
    this.#present.clear();
    this.state.invalidate();
  }

  /** Typing and presence expire by the server's clock, which may be a little behind ours. */
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
    this.state.invalidate();
  }

  // User actions.

  setVisible(visible: boolean): void {
    if (this.isVisible === visible) return;
    this.isVisible = visible;
    this.host.focus();
  }

  read(seq: number): void {
    this.host.read(this.threadId, seq);
  }

  typing(on: boolean): void {
    const now = Date.now();
    if (on ? now - this.#typedAt < TYPING_MS : this.#typedAt === 0) return;
    this.#typedAt = on ? now : 0;
    this.host.typing(this.threadId, on);
  }

  /** The server ends typing when the message arrives. */
  sent(): void {
    this.#typedAt = 0;
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.typing(false);
    this.#generation++;
    this.#unsubscribe();
    this.host.closed(this);
  }

  // State.

  #setUnreadMark(thread: Thread): void {
    this.#opened = true;
    if (thread.mine.unread > 0) this.#unreadFromSeq = inboxRules.readPosition(thread) + 1;
  }

  #compute(): ConversationState {
    const messages = this.#shownMessages();
    const outgoing = this.host.outgoing(this.threadId);
    const typing = [...this.#typing.keys()];
    const present = [...this.#present.keys()];
    const last = this.#last;
    this.#last = {
      thread: this.host.store.thread(this.threadId),
      messages: last !== null && sameItems(last.messages, messages) ? last.messages : messages,
      outgoing: last !== null && sameItems(last.outgoing, outgoing) ? last.outgoing : outgoing,
      hasBefore: this.#window.hasBefore,
      hasAfter: this.#window.hasAfter,
      loading: this.#loading,
      typing: last !== null && sameItems(last.typing, typing) ? last.typing : typing,
      present: last !== null && sameItems(last.present, present) ? last.present : present,
      unreadFromSeq: this.#unreadFromSeq,
      problem: this.#problem,
    };
    return this.#last;
  }

  #shownMessages(): readonly Message[] {
    const unconfirmed = this.host.unconfirmed(this.threadId);
    if (unconfirmed.length === 0) return this.#window.messages;
    const me = this.host.store.me;
    return this.#window.messages.filter((message) => {
      if (message.authorUserId !== me) return true;
      const at = unconfirmed.findIndex(
        (one) => couldMatch(one, message) && isSame(one, message),
      );
      if (at >= 0) unconfirmed.splice(at, 1);
      return at < 0;
    });
  }
}

/**
 * Whether the message may be the unconfirmed one: it must be later. If the thread was not loaded when
 * it was written, the times decide, allowing for different clocks.
 */
function couldMatch(written: UnconfirmedMessage, message: Message): boolean {
  if (written.afterSeq !== null) return message.seq > written.afterSeq;
  return Date.parse(message.createdAt) > Date.parse(written.writtenAt) - CLOCK_DIFFERENCE_MS;
}

function isSame(written: UnconfirmedMessage, message: Message): boolean {
  if (written.attachments !== undefined) return hasSameFiles(written, message);
  return message.attachments === undefined && lettersOnly(written.body) === lettersOnly(message.body);
}

/** Only letters and digits: the server may normalise the rest. */
function lettersOnly(body: string): string {
  return body.replaceAll("&lt;", "").replace(/[^\p{L}\p{N}]+/gu, "");
}
