// The client of one user in one tab: it puts the parts together, and is what a screen calls.
//
// What one would get wrong: what is loaded before the socket listens may miss what happens in
// between. So it waits a moment for the socket; and where it did not wait long enough, the hub says
// `fresh` once it listens, and everything on screen is loaded again.
import { type Desk, OpenThread } from "./conversation";
import type { Storage } from "./kept";
import { FolderList } from "./list";
import { Mirror } from "./mirror";
import { TheModeration } from "./moderation";
import { TheNotices } from "./notices";
import { isProblem, own, Refusal, Rest } from "./rest";
import * as rules from "./rules";
import { type MaybeSent, Sent, shown } from "./sent";
import { type HubPort, lockOfTab, reachHub, type TabLock } from "./shared";
import type { Ack } from "./socket";
import { claimsOf, Tokens } from "./tokens";
import type {
  Client,
  ClientOptions,
  Connection,
  Folder,
  Message,
  Notice,
  Outgoing,
  ProblemDocument,
  SendOptions,
} from "./types";
import { UseCases } from "./usecases";
import { Value } from "./value";
import type { Answered, Asked, ToHub, ToTab } from "./wire";

const FIRST_WAIT_MS = 400;
const BOOT_AGAIN_MS = 3000;

/** What a browser has, for where there is none. */
export interface Platform {
  storage?: Storage;
  WebSocket?: typeof WebSocket;
}

export function createClient(options: ClientOptions, platform: Platform = {}): Client {
  return new TheClient(options, platform);
}

class TheClient extends UseCases implements Client, Desk {
  readonly connection = new Value<Connection>({ state: "connecting", retryAt: null, problem: null });
  readonly rest: Rest;
  readonly mirror: Mirror;
  readonly moderation: TheModeration;
  readonly #told: TheNotices;
  #tokens: Tokens;
  #api: string;
  #port: HubPort | null = null;
  #sent = new Sent(() => this.#outboxChanged());
  #lock: TabLock | null = null;
  #lists = new Set<FolderList>();
  #open = new Set<OpenThread>();
  #asked = new Map<number, (answer: Answered) => void>();
  #waiting: (() => void)[] = [];
  #reads = new Map<string, number>();
  #reading = new Set<string>();
  #notices = new Set<(notice: Notice) => void>();
  #number = 0;
  #started = false;
  #over = false;
  #bootTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly options: ClientOptions,
    private readonly platform: Platform,
  ) {
    super();
    this.#api = options.api ?? globalThis.location.origin;
    this.#tokens = new Tokens(options.token);
    this.rest = new Rest(this.#api, this.#tokens);
    this.mirror = new Mirror(this.rest, (thread) =>
      this.drafts.changed(thread.threadId, thread.mine.hasDraft),
    );
    this.moderation = new TheModeration(this.rest, this.mirror);
    this.#told = new TheNotices(
      this.rest,
      (notice) => this.#sent.decided(notice),
      (held) => this.#sent.heldElsewhere(held),
    );
    this.#watchPage(true);
    void this.#boot();
  }

  get outbox(): Sent["list"] {
    return this.#sent.list;
  }

  get notices(): TheNotices["list"] {
    return this.#told.list;
  }

  get contact(): string | null {
    return this.#told.contact;
  }

  acknowledge(noticeId: string): Promise<void> {
    return this.#told.acknowledge(noticeId);
  }

  get counts(): Mirror["counts"] {
    return this.mirror.counts;
  }

  get people(): Mirror["people"] {
    return this.mirror.people;
  }

  need(userIds: Iterable<string>): void {
    this.mirror.need(userIds);
  }

  // Coming and going.

  async #boot(): Promise<void> {
    try {
      const token = await this.#tokens.get();
      this.mirror.me = claimsOf(token).sub ?? (await this.rest.ask("get", "/v1/me", {})).userId;
      this.#lock ??= await lockOfTab();
      if (this.#over) return this.#lock?.release();
      this.#reach(this.mirror.me);
      const live = new Promise<void>((done) => this.#waiting.push(done));
      await Promise.race([live, new Promise((done) => setTimeout(done, FIRST_WAIT_MS))]);
      if (this.#over) return;
      this.#started = true;
      void this.#loadMe();
      this.mirror.refreshPeople(); // none yet, unless the page was put aside and is back
      void this.#told.load();
      if (this.#lists.size === 0) this.mirror.recount(); // with a list they come by themselves
      for (const list of this.#lists) void list.refresh();
      for (const conversation of this.#open) void conversation.begin(this.#places.get(conversation));
    } catch (error) {
      if (!this.#over) this.#notYet(error);
    }
  }

  readonly #places = new WeakMap<OpenThread, string>();

  #notYet(error: unknown): void {
    const isAway = isProblem(error) && (error.status === 0 || error.status >= 500);
    const state = isAway ? "offline" : "refused";
    const problem = isProblem(error) ? (error.fields as unknown as ProblemDocument) : noToken(error);
    this.connection.set({ state, retryAt: isAway ? Date.now() + BOOT_AGAIN_MS : null, problem });
    if (isAway) this.#bootTimer = setTimeout(() => void this.#boot(), BOOT_AGAIN_MS);
  }

  #reach(userId: string): void {
    if (this.#port !== null) return;
    const { storage = pageStorage(), WebSocket: Socket } = this.platform;
    const shared = this.options.shared ?? true;
    const where = { api: this.#api, userId, shared };
    this.#port = reachHub(Socket === undefined ? where : { ...where, Socket });
    this.#port.listen((message) => this.#take(message));
    const kept = this.#sent.begin(storage, `greenroom.outbox ${this.#api} ${userId} `);
    this.#post({ type: "hello", api: this.#api, lock: this.#lock?.name ?? null, kept });
    this.focus();
  }

  async #loadMe(): Promise<void> {
    try {
      this.itsMe(await this.rest.ask("get", "/v1/me", {}));
    } catch (error) {
      if (isProblem(error) && error.status === 403) this.#notYet(error);
    }
  }

  retryNow(): void {
    if (this.#port === null) void this.#boot();
    this.#post({ type: "wake" });
  }

  close({ forget = false } = {}): void {
    if (this.#over) return;
    this.#over = true;
    this.drafts.flushAll();
    if (this.#bootTimer !== null) clearTimeout(this.#bootTimer);
    this.#watchPage(false);
    for (const list of [...this.#lists]) list.close();
    for (const conversation of [...this.#open]) conversation.close();
    if (forget) this.#sent.forget();
    this.#post({ type: "bye" });
    this.#lock?.release();
    this.connection.set({ state: "closed", retryAt: null, problem: null });
  }

  #watchPage(on: boolean): void {
    if (typeof document === "undefined") return;
    const change = on ? "addEventListener" : "removeEventListener";
    document[change]("visibilitychange", this.#looked);
    globalThis[change]("online", this.#wake);
    globalThis[change]("offline", this.#wake);
    globalThis[change]("pagehide", this.#left);
    globalThis[change]("pageshow", this.#back as EventListener);
  }

  #looked = (): void => {
    this.focus();
    if (document.hidden) return this.drafts.flushAll();
    this.#post({ type: "wake" });
    if (this.#started) void this.#told.loadHeld();
  };

  /** The network has come or gone, says the browser, which knows of Wi-Fi and not of the server. */
  #wake = (): void => this.#post({ type: "wake" });

  #left = (): void => {
    this.drafts.flushAll();
    this.#post({ type: "bye" });
  };

  /** The page was put aside whole, and is shown again: the hub has forgotten it. */
  #back = (event: PageTransitionEvent): void => {
    if (!event.persisted || this.#port === null) return;
    this.#port = null;
    void this.#boot();
  };

  #post(message: ToHub): void {
    this.#port?.post(message);
  }

  // What the hub says.

  #take(message: ToTab): void {
    switch (message.type) {
      case "welcome":
        this.#known(message.outbox);
        return this.#connected(message.connection);
      case "connection":
        return this.#connected(message.connection);
      case "told":
        return this.#heard(message.frame);
      case "synced":
        this.#told.told(message.changes.notices ?? []);
        this.#told.drop(message.changes.acknowledgedNoticeIds ?? []);
        return this.mirror.synced(message.changes);
      case "resumed":
        return this.mirror.refreshPeople();
      case "fresh":
        return this.#fresh();
      case "answer":
        this.#asked.get(message.n)?.(message.answer);
        this.#asked.delete(message.n);
        return;
      case "outbox":
        return this.#known(message.outbox);
      case "settled":
        return this.#settled(message);
      case "token?":
        void this.#giveToken(message.n, message.stale);
        return;
    }
  }

  #connected(connection: Connection): void {
    const before = this.connection.get().state;
    this.connection.set(connection);
    if (connection.state === "live") {
      if (before === "live") return;
      if (this.#started) void this.#told.loadHeld();
      for (const go of this.#waiting.splice(0)) go();
      for (const threadId of this.#reads.keys()) void this.#sendRead(threadId);
      for (const list of this.#lists) list.retryIfUnreached();
      for (const conversation of this.#open) conversation.retryIfUnreached();
      this.drafts.flushAll();
    } else if (before === "live") {
      for (const conversation of this.#open) conversation.alone();
    }
  }

  #heard(frame: Extract<ToTab, { type: "told" }>["frame"]): void {
    if (frame.type === "notice.created") return this.#told.told([frame.notice]);
    if (frame.type === "notice.acknowledged") return this.#told.drop([frame.noticeId]);
    if (frame.type === "typing.changed" || frame.type === "presence.changed") {
      for (const conversation of this.#open) conversation.heard(frame);
      return;
    }
    if (frame.type === "message.created" && frame.message.authorUserId === this.mirror.me) {
      this.#sent.released(frame.message);
    }
    if (frame.type === "person.updated") return this.renamed(frame.person);
    this.mirror.apply(frame);
    if (frame.type !== "message.created" || frame.message.authorUserId === this.mirror.me) return;
    const thread = this.mirror.thread(frame.threadId);
    if (thread !== null && thread.mine.unread > 0) {
      this.#notify({ type: "message", thread, message: frame.message });
    }
  }

  /** Everything on screen, unless nothing has been loaded yet. */
  #fresh(): void {
    if (!this.#started) return;
    void this.#told.load();
    this.mirror.refreshPeople();
    for (const list of this.#lists) void list.refresh();
    for (const conversation of this.#open) void conversation.refresh();
    this.mirror.recount();
  }

  async #giveToken(n: number, stale: string | null): Promise<void> {
    try {
      this.#post({ type: "token", n, token: await this.#tokens.get(stale), problem: null });
    } catch (error) {
      const problem = isProblem(error) ? (error.fields as unknown as ProblemDocument) : noToken(error);
      this.#post({ type: "token", n, token: null, problem });
    }
  }

  onNotice(run: (notice: Notice) => void): () => void {
    this.#notices.add(run);
    return () => this.#notices.delete(run);
  }

  #notify(notice: Notice): void {
    for (const run of this.#notices) run(notice);
  }

  // What is on screen.

  folder(name: Folder): FolderList {
    const list = new FolderList(this.rest, this.mirror, name, (closed) => this.#lists.delete(closed));
    this.#lists.add(list);
    if (this.#started) void list.refresh();
    return list;
  }

  open(threadId: string, at: { around?: string } = {}): OpenThread {
    const conversation = new OpenThread(this, threadId);
    this.#open.add(conversation);
    if (at.around !== undefined) this.#places.set(conversation, at.around);
    if (this.#started) void conversation.begin(at.around);
    this.focus();
    return conversation;
  }

  closed(conversation: OpenThread): void {
    this.#open.delete(conversation);
    this.focus();
  }

  focus(): void {
    const isHidden = typeof document !== "undefined" && document.hidden;
    const shownNow = isHidden ? [] : [...this.#open].filter((one) => one.isVisible);
    this.#post({ type: "focus", threadIds: [...new Set(shownNow.map((one) => one.threadId))] });
  }

  typing(threadId: string, on: boolean): void {
    this.#post({ type: "typing", threadId, on });
  }

  read(threadId: string, seq: number): void {
    const thread = this.mirror.thread(threadId);
    if (thread === null || seq <= (this.#reads.get(threadId) ?? rules.placeOf(thread))) return;
    this.#reads.set(threadId, seq);
    this.mirror.patch(threadId, (known) => rules.readUpTo(known, seq));
    void this.#sendRead(threadId);
  }

  async #sendRead(threadId: string): Promise<void> {
    if (this.#reading.has(threadId)) return;
    this.#reading.add(threadId);
    for (let seq = this.#reads.get(threadId); seq !== undefined; seq = this.#reads.get(threadId)) {
      const answer = await this.#askHub({ type: "read", threadId, seq });
      if ("lost" in answer) break; // once more on return
      if (this.#reads.get(threadId) === seq) this.#reads.delete(threadId);
    }
    this.#reading.delete(threadId);
  }

  // Writing.

  send(threadId: string, body: string, options: SendOptions = {}): Outgoing {
    const afterSeq = this.mirror.thread(threadId)?.lastSeq ?? null;
    const kept = this.#sent.write(threadId, body, options, afterSeq);
    this.#post({ type: "send", kept });
    this.drafts.drop(threadId);
    for (const one of this.#open) if (one.threadId === threadId) one.typed();
    return shown(kept);
  }

  retry(clientMessageId: string): void {
    this.#post({ type: "retry", clientMessageId });
  }

  discard(clientMessageId: string): Outgoing | null {
    const found = this.#sent.find(clientMessageId);
    this.#sent.dismiss(clientMessageId);
    this.#post({ type: "discard", clientMessageId });
    return found;
  }

  async edit(message: Message, body: string): Promise<Message | null> {
    const editedAt = new Date().toISOString();
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#change(message, { body, editedAt }, { type: "edit", ...ids, body }, () => null);
  }

  async remove(message: Message): Promise<Message> {
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#change(message, {}, { type: "delete", ...ids });
  }

  async react(message: Message, emoji: string, on: boolean): Promise<Message> {
    const others = (message.reactions[emoji] ?? []).filter((user) => user !== this.mirror.me);
    const users = on ? [...others, this.mirror.me] : others;
    const reactions = { ...message.reactions, [emoji]: users };
    if (users.length === 0) delete reactions[emoji];
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#change(message, { reactions }, { type: "react", ...ids, emoji, on });
  }

  /** As if it were done, until it is. Half a version on is newer than what there was, and older
   * than whatever the server says. */
  async #change<T = Message>(
    message: Message,
    change: Partial<Message>,
    frame: Asked,
    held: (message: Message) => Message | T = () => message,
  ): Promise<Message | T> {
    const version = (message.version + Math.floor(message.version) + 1) / 2;
    this.#showChanged({ ...message, ...change, version });
    const undo = (): void =>
      this.#showChanged({ ...message, version: (version + Math.floor(version) + 1) / 2 });
    try {
      const { message: changed, status } = await this.#request(frame);
      if (status === "held") {
        undo();
        return held(message);
      }
      if (!changed) return message;
      this.#showChanged(changed);
      return changed;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #showChanged(message: Message): void {
    for (const conversation of this.#open) conversation.changedMessage(message);
  }

  /** Asked until it is answered: everything that is asked so may be asked twice. */
  async #request(frame: Asked): Promise<Ack> {
    for (;;) {
      if (this.connection.get().state !== "live") {
        await new Promise<void>((done) => this.#waiting.push(done));
      }
      const answer = await this.#askHub(frame);
      if ("ack" in answer) return answer.ack;
      if ("problem" in answer) throw new Refusal(answer.problem);
    }
  }

  #askHub(frame: Asked): Promise<Answered> {
    const n = ++this.#number;
    return new Promise((done) => {
      this.#asked.set(n, done);
      this.#post({ type: "ask", n, frame });
    });
  }

  // The outbox.

  outgoing(threadId: string): readonly Outgoing[] {
    return this.outbox.get().filter((one) => one.threadId === threadId);
  }

  maybeSent(threadId: string): MaybeSent[] {
    return this.#sent.maybe(threadId);
  }

  #known(outbox: Extract<ToTab, { type: "outbox" }>["outbox"]): void {
    for (const refused of this.#sent.known(outbox)) {
      this.#notify({ type: "refused", threadId: refused.threadId, outgoing: shown(refused) });
    }
  }

  #settled(settled: Extract<ToTab, { type: "settled" }>): void {
    const { kept, message, hints, outbox, rejection } = settled;
    this.#sent.settled(kept, message === null, rejection);
    if (message !== null) this.mirror.sent(message);
    this.#known(outbox);
    const { threadId } = kept;
    if (rejection !== null) return;
    if (message === null) {
      this.#notify({ type: "held", threadId, outgoing: { ...shown(kept), state: "held" } });
    } else if (hints.length > 0) {
      this.#notify({ type: "hints", threadId, hints });
    }
  }

  #outboxChanged(): void {
    for (const conversation of this.#open) conversation.state.touch();
  }
}

function pageStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // forbidden
  }
}

function noToken(error: unknown): ProblemDocument {
  return own("no-token", 401, error instanceof Error ? error.message : "");
}
