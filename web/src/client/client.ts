// The client of one user in one tab: connects the parts, and implements the interface `Client`.
//
// Careful: data loaded before the socket is live may miss events. So the first load waits a moment
// for the socket; if that was not long enough, the hub sends `reset` for everything once it is live, and
// everything on screen is loaded again.
import { type ConversationHost, OpenThread } from "./conversation";
import { EventRegistry, type On } from "./events";
import type { Storage } from "./storage";
import { FilesLoader } from "./files/loader";
import { FolderList } from "./folderList";
import { ClientStore } from "./store";
import { lazily } from "./lazily";
import { ModerationNotices } from "./notices";
import { PeopleCache } from "./people";
import { isProblem, clientProblem, ProblemError, Rest } from "./rest";
import { ScheduledMessagesClient } from "./scheduled";
import { WaitingMessagesClient } from "./waiting";
import * as inboxRules from "./inboxRules";
import { type UnconfirmedMessage, OutboxView, toOutgoing } from "./outboxView";
import { type HubPort, acquireTabLock, connectToHub, type TabLock } from "./hubPort";
import { claimsOf, Tokens } from "./tokens";
import type {
  Cards,
  Client,
  ClientOptions,
  ConnectionStatus,
  Documents,
  Folder,
  Message,
  Moderation,
  Announcement,
  Files,
  Outgoing,
  OutgoingAttachment,
  Pictures,
  ProblemDocument,
  ProjectPanel,
  Sending,
  SendOptions,
} from "./types";
import { UseCases } from "./usecases";
import { Value } from "./observable";
import type { AckOf, Notification, Reply, RequestFrame, ToHub, ToTab } from "./protocol";

const FIRST_CONNECT_MS = 400;
const START_RETRY_MS = 3000;

/** Replacements for browser APIs, for tests and Node. */
export interface Platform {
  storage?: Storage;
  WebSocket?: typeof WebSocket;
}

export function createClient(options: ClientOptions, platform: Platform = {}): Client {
  return new UserClient(options, platform);
}

class UserClient extends UseCases implements Client, ConversationHost {
  readonly connection = new Value<ConnectionStatus>({ state: "connecting", retryAt: null, problem: null });
  readonly events = new EventRegistry();
  readonly on: On = this.events.on;
  readonly rest: Rest;
  readonly store: ClientStore;
  readonly moderation: Moderation;
  readonly scheduled: ScheduledMessagesClient;
  readonly #files: FilesLoader;
  readonly #waiting: WaitingMessagesClient;
  readonly #notices: ModerationNotices;
  #tokens: Tokens;
  #api: string;
  #port: HubPort | null = null;
  #outbox = new OutboxView(() => this.#outboxChanged());
  #lock: TabLock | null = null;
  #folderLists = new Set<FolderList>();
  #openThreads = new Set<OpenThread>();
  #pending = new Map<number, (answer: Reply) => void>();
  #untilLive: (() => void)[] = [];
  #readSeqs = new Map<string, number>();
  #sendingReads = new Set<string>();
  #announcementListeners = new Set<(notice: Announcement) => void>();
  #lastId = 0;
  #started = false;
  #isClosed = false;
  #knowUser: (userId: string) => void = () => undefined;
  #startTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly options: ClientOptions,
    private readonly platform: Platform,
  ) {
    super();
    this.#api = options.api ?? globalThis.location.origin;
    this.#tokens = new Tokens(options.token);
    this.rest = new Rest(this.#api, this.#tokens);
    const people = new PeopleCache(this.rest, (picture) => this.#files.pictureSeen(picture));
    this.store = new ClientStore(this.rest, people, (thread, before) => {
      this.drafts.changed(thread.threadId, thread.mine.hasDraft);
      if (thread.picture !== null) this.#files.pictureSeen(thread.picture);
      const hasOtherRule = before !== null && before.safeModeRequired !== thread.safeModeRequired;
      if (hasOtherRule || inboxRules.isAccepted(before, thread, this.store.me)) this.#files.allChanged();
    });
    this.moderation = lazily(async () => {
      const { ModerationClient } = await import("./moderation");
      return new ModerationClient(this.rest, this.store);
    });
    this.#notices = new ModerationNotices(
      this.rest,
      (notice) => this.#outbox.applyNotice(notice),
      (held) => this.#outbox.setHeld(held),
    );
    this.scheduled = new ScheduledMessagesClient(
      this.rest,
      (threadId, sending) => this.#scheduledSent(threadId, sending),
      () => void this.#notices.loadHeld(),
    );
    this.#waiting = new WaitingMessagesClient(this.rest, this.#outbox, () => void this.#notices.loadHeld());
    this.#files = new FilesLoader({
      rest: this.rest,
      userId: new Promise((done) => (this.#knowUser = done)),
      storage: this.#storage,
      announced: (uploadId, fileId) => this.#post({ type: "announced", uploadId, fileId }),
      uploadFailed: (uploadId, problem) => this.#post({ type: "uploadFailed", uploadId, problem }),
    });
    this.#registerEvents();
    this.#watchPage(true);
    void this.#start();
  }

  get #storage(): Storage | null {
    return this.platform.storage ?? pageStorage();
  }

  get outbox(): OutboxView["list"] {
    return this.#outbox.list;
  }

  get notices(): ModerationNotices["list"] {
    return this.#notices.list;
  }

  get contact(): string | null {
    return this.#notices.contact;
  }

  files(): Promise<Files> {
    return this.#files.files();
  }

  get api(): string {
    return this.#api;
  }

  get loadedFiles(): FilesLoader["loaded"] {
    return this.#files.loaded;
  }

  pictures(): Promise<Pictures> {
    return this.#files.pictures();
  }

  async cards(): Promise<Cards> {
    const { CardsClient } = await import("./cards");
    return new CardsClient(this.rest, this.store);
  }

  async documents(): Promise<Documents> {
    const { DocumentsClient } = await import("./documents");
    return new DocumentsClient(this.rest, this.store);
  }

  async panel(threadId: string): Promise<ProjectPanel> {
    const { ProjectPanelClient } = await import("./panel");
    const notify = (frame: Notification): void => this.#post({ type: "notify", frame });
    return new ProjectPanelClient(threadId, this.rest, this.store, this.on, notify);
  }

  acknowledge(noticeId: string): Promise<void> {
    return this.#notices.acknowledge(noticeId);
  }

  get counts(): ClientStore["counts"] {
    return this.store.counts;
  }

  get people(): PeopleCache["list"] {
    return this.store.people.list;
  }

  need(userIds: Iterable<string>): void {
    this.store.people.need(userIds);
  }

  // Start and close.

  async #start(): Promise<void> {
    try {
      const token = await this.#tokens.get();
      this.store.me = claimsOf(token).sub ?? (await this.rest.request("get", "/v1/me", {})).userId;
      this.#lock ??= await acquireTabLock();
      if (this.#isClosed) return this.#lock?.release();
      this.#connectHub(this.store.me);
      const live = new Promise<void>((done) => this.#untilLive.push(done));
      await Promise.race([live, new Promise((done) => setTimeout(done, FIRST_CONNECT_MS))]);
      if (this.#isClosed) return;
      this.#started = true;
      void this.#loadMe();
      this.store.people.refresh(); // only when the page comes back from the back/forward cache
      void this.#notices.load();
      void this.scheduled.load();
      void this.#waiting.load();
      if (this.#folderLists.size === 0) this.store.recount(); // a list loads the counts too
      for (const list of this.#folderLists) void list.refresh();
      for (const conversation of this.#openThreads) void conversation.start(this.#startAt.get(conversation));
    } catch (error) {
      if (!this.#isClosed) this.#startFailed(error);
    }
  }

  readonly #startAt = new WeakMap<OpenThread, string>();

  #startFailed(error: unknown): void {
    const isUnreachable = isProblem(error) && (error.status === 0 || error.status >= 500);
    const state = isUnreachable ? "offline" : "refused";
    const problem = isProblem(error) ? (error.fields as unknown as ProblemDocument) : noTokenProblem(error);
    this.connection.set({ state, retryAt: isUnreachable ? Date.now() + START_RETRY_MS : null, problem });
    if (isUnreachable) this.#startTimer = setTimeout(() => void this.#start(), START_RETRY_MS);
  }

  #connectHub(userId: string): void {
    if (this.#port !== null) return;
    const { WebSocket: Socket } = this.platform;
    const shared = this.options.shared ?? true;
    const where = { api: this.#api, userId, shared };
    this.#port = connectToHub(Socket === undefined ? where : { ...where, Socket });
    this.#port.listen((message) => this.#receive(message));
    const queued = this.#outbox.load(this.#storage, `greenroom.outbox ${this.#api} ${userId} `);
    this.#post({ type: "hello", api: this.#api, lock: this.#lock?.name ?? null, queued });
    this.focus();
    this.#knowUser(userId);
    this.#files.start(userId);
  }

  async #loadMe(): Promise<void> {
    try {
      this.setMe(await this.rest.request("get", "/v1/me", {}));
    } catch (error) {
      if (isProblem(error) && error.status === 403) this.#startFailed(error);
    }
  }

  retryNow(): void {
    if (this.#port === null) void this.#start();
    this.#post({ type: "wake" });
  }

  close({ forget = false } = {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.drafts.flushAll();
    if (this.#startTimer !== null) clearTimeout(this.#startTimer);
    this.#watchPage(false);
    for (const list of [...this.#folderLists]) list.close();
    for (const conversation of [...this.#openThreads]) conversation.close();
    if (forget) this.#outbox.clear();
    void this.#files.close({ forget });
    this.#post({ type: "bye" });
    this.#lock?.release();
    this.connection.set({ state: "closed", retryAt: null, problem: null });
  }

  #watchPage(on: boolean): void {
    if (typeof document === "undefined") return;
    const toggle = on ? "addEventListener" : "removeEventListener";
    document[toggle]("visibilitychange", this.#onVisibility);
    globalThis[toggle]("online", this.#wake);
    globalThis[toggle]("offline", this.#wake);
    globalThis[toggle]("pagehide", this.#onPageHide);
    globalThis[toggle]("pageshow", this.#onPageShow as EventListener);
  }

  #onVisibility = (): void => {
    this.focus();
    if (document.hidden) return this.drafts.flushAll();
    this.#post({ type: "wake" });
    if (this.#started) void this.#notices.loadHeld();
  };

  /** The browser's network status changed. It knows about Wi-Fi, not about the server. */
  #wake = (): void => {
    this.#post({ type: "wake" });
    this.#files.wake();
  };

  #onPageHide = (): void => {
    this.drafts.flushAll();
    this.#post({ type: "bye" });
  };

  /** The page comes back from the back/forward cache: the hub has dropped it. */
  #onPageShow = (event: PageTransitionEvent): void => {
    if (!event.persisted || this.#port === null) return;
    this.#port = null;
    void this.#start();
  };

  #post(message: ToHub): void {
    this.#port?.post(message);
  }

  // Messages from the hub.

  #receive(message: ToTab): void {
    switch (message.type) {
      case "welcome":
        this.#setOutbox(message.outbox);
        return this.#onStatus(message.status);
      case "status":
        return this.#onStatus(message.status);
      case "event":
        return this.events.dispatch(message.event);
      case "synced":
        return this.events.dispatchChanges(message.changes);
      case "resumed":
        return this.store.people.refresh();
      case "reset":
        return this.#reset(message.sources);
      case "reply":
        this.#pending.get(message.n)?.(message.reply);
        this.#pending.delete(message.n);
        return;
      case "outbox":
        return this.#setOutbox(message.outbox);
      case "settled":
        return this.#settled(message);
      case "tokenRequest":
        void this.#sendToken(message.n, message.stale);
        return;
    }
  }

  #onStatus(connection: ConnectionStatus): void {
    const before = this.connection.get().state;
    this.connection.set(connection);
    if (connection.state === "live") {
      if (before === "live") return;
      if (this.#started) {
        void this.#notices.loadHeld();
        void this.scheduled.loadIfMissing();
      }
      for (const go of this.#untilLive.splice(0)) go();
      for (const threadId of this.#readSeqs.keys()) void this.#sendRead(threadId);
      for (const list of this.#folderLists) list.retryIfUnreached();
      for (const conversation of this.#openThreads) conversation.retryIfUnreached();
      this.drafts.flushAll();
      this.#files.wake();
    } else if (before === "live") {
      for (const conversation of this.#openThreads) conversation.clearPresence();
    }
  }

  /** Each feature registers its own handlers. Those of one event run in this order. */
  #registerEvents(): void {
    this.#outbox.registerEvents(this.on, () => this.store.me);
    const { onSync, onReset } = this.events;
    this.#notices.registerEvents(this.on, onSync, onReset);
    this.scheduled.registerEvents(this.on, onSync, onReset);
    this.#waiting.registerEvents(this.on, onSync, onReset);
    this.#files.registerEvents(this.on, onSync, onReset);
    this.store.registerEvents(this.on, onSync, onReset);
    this.store.people.registerEvents(this.on);
    this.on("person.updated", ({ person }) => this.onPersonUpdated(person));
    this.on("message.created", ({ threadId, message }) => this.#announceMessage(threadId, message));
    this.store.onMessage = (message) => this.#delivered(message);
  }

  /** By an event, sync or a reply: the uploads of this message are done. */
  #delivered(message: Message): void {
    if (message.authorUserId !== this.store.me) return;
    this.#knowOthers(message.threadId);
    if (message.attachments === undefined) return;
    this.#files.detach(this.#outbox.delivered(message), { isSent: true });
  }

  /** The user has written: the others' pictures that were not rated are no longer blurred. */
  #knowOthers(threadId: string): void {
    const open = [...this.#openThreads].filter((one) => one.threadId === threadId);
    const attachments = open.flatMap((one) => one.state.get().messages).flatMap((one) => one.attachments ?? []);
    const unrated = attachments.filter((one) => !one.rated && one.band === 0);
    this.#files.unblur(unrated.flatMap(({ fileId }) => fileId ?? []));
  }

  #announceMessage(threadId: string, message: Message): void {
    if (message.authorUserId === this.store.me) return;
    const thread = this.store.thread(threadId);
    if (thread !== null && thread.mine.unread > 0) this.#announce({ type: "message", thread, message });
  }

  /** Reloads what is on screen of these sources, or everything, unless nothing has been loaded yet. */
  #reset(sources: readonly string[] | null): void {
    if (!this.#started) return;
    this.events.dispatchReset(sources);
    if (sources === null) this.store.people.refresh(); // people have no source; a resume ends with `resumed`
  }

  async #sendToken(n: number, stale: string | null): Promise<void> {
    try {
      this.#post({ type: "token", n, token: await this.#tokens.get(stale), problem: null });
    } catch (error) {
      const problem = isProblem(error) ? (error.fields as unknown as ProblemDocument) : noTokenProblem(error);
      this.#post({ type: "token", n, token: null, problem });
    }
  }

  onAnnouncement(run: (notice: Announcement) => void): () => void {
    this.#announcementListeners.add(run);
    return () => this.#announcementListeners.delete(run);
  }

  #announce(notice: Announcement): void {
    for (const run of this.#announcementListeners) run(notice);
  }

  // Open lists and threads.

  folder(name: Folder): FolderList {
    const list = new FolderList(this.rest, this.store, name, (closed) => this.#folderLists.delete(closed));
    this.#folderLists.add(list);
    if (this.#started) void list.refresh();
    return list;
  }

  open(threadId: string, at: { around?: string } = {}): OpenThread {
    const conversation = new OpenThread(this, threadId);
    this.#openThreads.add(conversation);
    if (at.around !== undefined) this.#startAt.set(conversation, at.around);
    if (this.#started) void conversation.start(at.around);
    this.focus();
    return conversation;
  }

  closed(conversation: OpenThread): void {
    this.#openThreads.delete(conversation);
    this.focus();
  }

  focus(): void {
    const isHidden = typeof document !== "undefined" && document.hidden;
    const shownNow = isHidden ? [] : [...this.#openThreads].filter((one) => one.isVisible);
    this.#post({ type: "focus", threadIds: [...new Set(shownNow.map((one) => one.threadId))] });
  }

  typing(threadId: string, on: boolean): void {
    this.#post({ type: "notify", frame: { type: "typing", threadId, on } });
  }

  read(threadId: string, seq: number): void {
    const thread = this.store.thread(threadId);
    if (thread === null || seq <= (this.#readSeqs.get(threadId) ?? inboxRules.readPosition(thread))) return;
    this.#readSeqs.set(threadId, seq);
    this.store.patch(threadId, (known) => inboxRules.readUpTo(known, seq));
    void this.#sendRead(threadId);
  }

  async #sendRead(threadId: string): Promise<void> {
    if (this.#sendingReads.has(threadId)) return;
    this.#sendingReads.add(threadId);
    for (let seq = this.#readSeqs.get(threadId); seq !== undefined; seq = this.#readSeqs.get(threadId)) {
      const answer = await this.#requestHub({ type: "read", threadId, seq });
      if ("lost" in answer) break; // sent again after reconnecting
      if (this.#readSeqs.get(threadId) === seq) this.#readSeqs.delete(threadId);
    }
    this.#sendingReads.delete(threadId);
  }

  // Writing.

  send(threadId: string, body: string, options: SendOptions = {}): Outgoing {
    return this.#send(threadId, body, options, this.#files.attach(options.attachments ?? []));
  }

  #send(
    threadId: string,
    body: string,
    options: SendOptions,
    attachments: OutgoingAttachment[],
  ): Outgoing {
    const afterSeq = this.store.thread(threadId)?.lastSeq ?? null;
    const queued = this.#outbox.write(threadId, body, options, afterSeq, attachments);
    this.#post({ type: "send", queued });
    this.drafts.drop(threadId);
    for (const one of this.#openThreads) if (one.threadId === threadId) one.sent();
    return toOutgoing(queued);
  }

  retry(clientMessageId: string): void {
    const { attachments } = this.#outbox.find(clientMessageId) ?? { attachments: [] };
    this.#files.retry(attachments);
    if (this.#outbox.isWaiting(clientMessageId)) void this.#sendAgain(clientMessageId);
    else this.#post({ type: "retry", clientMessageId });
  }

  /** The server has given up on it: it is sent again as another message. */
  async #sendAgain(clientMessageId: string): Promise<void> {
    const failed = this.#outbox.takeWaiting(clientMessageId);
    if (failed === null) return;
    const { threadId, body, replyToMessageId, metadata, attachments = [] } = failed;
    await this.#waiting.cancel(threadId, clientMessageId);
    const options = {
      ...(replyToMessageId === null ? {} : { replyTo: replyToMessageId }),
      ...(metadata === undefined ? {} : { metadata }),
    };
    this.#send(threadId, body, options, this.#files.current(attachments));
  }

  discard(clientMessageId: string): Outgoing | null {
    const found = this.#outbox.find(clientMessageId);
    const isWaiting = this.#outbox.isWaiting(clientMessageId);
    this.#outbox.dismiss(clientMessageId);
    if (isWaiting && found !== null) void this.#waiting.cancel(found.threadId, clientMessageId);
    this.#post({ type: "discard", clientMessageId });
    this.#files.detach(found?.attachments ?? [], { isSent: false });
    return found;
  }

  async edit(message: Message, body: string): Promise<Message | null> {
    const editedAt = new Date().toISOString();
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#changeMessage(message, { body, editedAt }, { type: "edit", ...ids, body }, () => null);
  }

  async remove(message: Message): Promise<Message> {
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#changeMessage(message, {}, { type: "delete", ...ids });
  }

  async react(message: Message, emoji: string, on: boolean): Promise<Message> {
    const others = (message.reactions[emoji] ?? []).filter((user) => user !== this.store.me);
    const users = on ? [...others, this.store.me] : others;
    const reactions = { ...message.reactions, [emoji]: users };
    if (users.length === 0) delete reactions[emoji];
    const ids = { threadId: message.threadId, messageId: message.messageId };
    return this.#changeMessage(message, { reactions }, { type: "react", ...ids, emoji, on });
  }

  /** Shows the change at once and undoes it if the server refuses. The version in between is newer than
   * the known one and older than any that the server sends. */
  async #changeMessage<T = Message>(
    message: Message,
    change: Partial<Message>,
    frame: Extract<RequestFrame, { type: "edit" | "delete" | "react" }>,
    held: (message: Message) => Message | T = () => message,
  ): Promise<Message | T> {
    const version = (message.version + Math.floor(message.version) + 1) / 2;
    this.#showChanged({ ...message, ...change, version });
    const undo = (): void =>
      this.#showChanged({ ...message, version: (version + Math.floor(version) + 1) / 2 });
    try {
      const ack = await this.#request(frame);
      if ("status" in ack && ack.status === "held") {
        undo();
        return held(message);
      }
      if (!ack.message) return message;
      this.#showChanged(ack.message);
      return ack.message;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #showChanged(message: Message): void {
    for (const conversation of this.#openThreads) conversation.onMessageChanged(message);
  }

  /** Repeats the request until it is answered: only for requests that are idempotent. */
  async #request<F extends RequestFrame>(frame: F): Promise<AckOf<F>> {
    for (;;) {
      if (this.connection.get().state !== "live") {
        await new Promise<void>((done) => this.#untilLive.push(done));
      }
      const answer = await this.#requestHub(frame);
      if ("ack" in answer) return answer.ack;
      if ("problem" in answer) throw new ProblemError(answer.problem);
    }
  }

  #requestHub<F extends RequestFrame>(frame: F): Promise<Reply<F>> {
    const n = ++this.#lastId;
    return new Promise((done) => {
      this.#pending.set(n, (reply) => done(reply as Reply<F>));
      this.#post({ type: "request", n, frame });
    });
  }

  #scheduledSent(threadId: string, { message, hints }: Sending): void {
    if (message === null) return;
    this.store.addOwnMessage(message);
    if (hints.length > 0) this.#announce({ type: "hints", threadId, hints });
  }

  // The outbox.

  outgoing(threadId: string): readonly Outgoing[] {
    return this.outbox.get().filter((one) => one.threadId === threadId);
  }

  unconfirmed(threadId: string): UnconfirmedMessage[] {
    return this.#outbox.tried(threadId);
  }

  #setOutbox(outbox: Extract<ToTab, { type: "outbox" }>["outbox"]): void {
    for (const refused of this.#outbox.setOutbox(outbox)) {
      this.#announce({ type: "refused", threadId: refused.threadId, outgoing: toOutgoing(refused) });
    }
  }

  #settled(settled: Extract<ToTab, { type: "settled" }>): void {
    const { queued, message, hints, outbox, rejection, isWaiting } = settled;
    this.#outbox.settled(settled);
    if (message !== null) this.store.addOwnMessage(message);
    this.#setOutbox(outbox);
    const { threadId, attachments = [] } = queued;
    if (message !== null) this.#files.detach(attachments, { isSent: true });
    if (rejection !== null || isWaiting) return;
    if (message === null) {
      this.#announce({ type: "held", threadId, outgoing: { ...toOutgoing(queued), state: "held" } });
    } else if (hints.length > 0) {
      this.#announce({ type: "hints", threadId, hints });
    }
  }

  #outboxChanged(): void {
    for (const conversation of this.#openThreads) conversation.state.invalidate();
  }
}

function pageStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // blocked by the browser
  }
}

function noTokenProblem(error: unknown): ProblemDocument {
  return clientProblem("no-token", 401, error instanceof Error ? error.message : "");
}
