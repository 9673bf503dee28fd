// The words of the client: what the server gives, as its documents say, and what the client makes
// of it. Only types: whoever builds a screen reads this file and index.ts.
//
// What one would get wrong: every value that comes out of a `Readable` is frozen in spirit. A change
// is a new object, and what has not changed keeps its identity, down to the single message.
import type { components } from "./openapi";

type Schemas = components["schemas"];

export type Block = Schemas["Block"];
export type Case = Schemas["Case"];
export type CaseReport = Schemas["CaseReport"];
export type Counts = Schemas["Counts"];
export type Decision = Schemas["Decision"];
export type Draft = Schemas["Draft"];
export type Edit = Schemas["Edit"];
export type Entry = Schemas["Entry"];
export type Folder = Schemas["Folder"];
export type HeldMessage = Schemas["HeldMessage"];
export type Hint = Schemas["Hint"];
export type Kind = Schemas["Kind"];
export type Message = Schemas["Message"];
export type Mine = Schemas["Mine"];
export type ModerationNotice = Schemas["ModerationNotice"];
export type NewNames = Schemas["NewNames"];
export type NewReport = Schemas["NewReport"];
export type NewThread = Schemas["NewThread"];
export type Opened = Schemas["Opened"];
export type OwnReport = Schemas["OwnReport"];
export type Person = Schemas["Person"];
export type Profile = Schemas["Profile"];
export type ProblemDocument = Schemas["ProblemDocument"];
export type Reason = Schemas["Reason"];
export type Role = Schemas["Role"];
export type SentRequest = Schemas["SentRequest"];
export type ServiceRole = Schemas["ServiceRole"];
export type StaffMember = Schemas["StaffMember"];
export type StaffRole = Schemas["StaffRole"];
export type Standing = Schemas["Standing"];
export type SuspendedPerson = Schemas["SuspendedPerson"];

/** A value that changes. It is also a Svelte store: `$value` works. */
export interface Readable<T> {
  get(): T;
  /** Calls at once, and with every change; returns what ends it. */
  subscribe(run: (value: T) => void): () => void;
}

export type Scope = Schemas["Scope"];
export type Me = Schemas["Me"];

/** A thread, from a list or whole: receipts are there once it has been opened. */
export type Thread = Omit<Schemas["ThreadRow"], "participants"> & { participants: Participant[] };
export type Participant = Schemas["Seat"] &
  Partial<Pick<Schemas["Participant"], "lastReadSeq" | "lastDeliveredSeq" | "lastReadAt">>;
export type GateRequest = Schemas["Request"];

/**
 * connecting   for the first time, or shortly after a break
 * live         what others do is told as it happens
 * offline      no connection for a while; `retryAt` says when it is tried next
 * refused      the token is not accepted, or the account is suspended: `problem` says why
 * closed       by `close()`
 */
export interface ConnectionStatus {
  state: "connecting" | "live" | "offline" | "refused" | "closed";
  retryAt: number | null;
  problem: ProblemDocument | null;
}

export interface ThreadListState {
  threads: readonly Thread[];
  /** There are more below: `more()`. */
  hasMore: boolean;
  /** Before the first page there is nothing to show but a skeleton. */
  loaded: boolean;
  loading: boolean;
  problem: Problem | null;
}

/** A folder on screen. Pins first, then the newest; live. */
export interface ThreadList {
  readonly state: Readable<ThreadListState>;
  more(): Promise<void>;
  close(): void;
}

export interface Rejection {
  reason: string | null;
  warned: boolean;
}

export interface SendOptions {
  /** The id of the message that this one answers. */
  replyTo?: string;
  /** Your own JSON object of at most 4 KB. */
  metadata?: Record<string, unknown>;
}

/** What one has sent and the server has not yet answered, or has refused. */
export interface Outgoing {
  clientMessageId: string;
  threadId: string;
  body: string;
  replyToMessageId: string | null;
  writtenAt: string;
  /** waiting: there is no connection, it goes by itself; refused: edit it or throw it away;
   * held: a moderator looks at it first; rejected: a moderator decided against it. */
  state: "waiting" | "sending" | "refused" | "held" | "rejected";
  problem: ProblemDocument | null;
  /** Of a rejected one: what the moderator says, and whether it came with a warning. */
  rejection: Rejection | null;
}

export interface ConversationState {
  /** null until it is loaded. */
  thread: Thread | null;
  /** A window of the history, in seq order, without a gap. */
  messages: readonly Message[];
  /** Below the messages, where `hasAfter` is false. */
  outgoing: readonly Outgoing[];
  hasBefore: boolean;
  /** The window does not reach the newest: there is a way to `newest()`. */
  hasAfter: boolean;
  loading: "before" | "after" | "whole" | null;
  /** Who is typing and who has it on screen, without oneself. */
  typing: readonly string[];
  present: readonly string[];
  /** The first message that was unread when it was opened: where the divider stands. Stays. */
  unreadFromSeq: number | null;
  /** It is not there (any more), or could not be loaded. */
  problem: Problem | null;
}

/** An open thread. It counts as on screen (presence, typing) until `close()` or `setVisible(false)`. */
export interface Conversation {
  readonly threadId: string;
  readonly state: Readable<ConversationState>;
  before(): Promise<void>;
  after(): Promise<void>;
  newest(): Promise<void>;
  around(messageId: string): Promise<void>;
  /** The tab is hidden, or shown again. */
  setVisible(visible: boolean): void;
  /** Everything up to here has been seen. Cheap to call often. */
  read(seq: number): void;
  /** Call with every keystroke; false when the field is empty or left. */
  typing(on: boolean): void;
  close(): void;
}

/** `fine`, `nudge` (with kind words in `hints`) or `refused`. */
export type Preview = Schemas["Preview"];
/** A few messages around what is reported, or before what is held. */
export type CaseContext = Schemas["Context"];

export interface Page<T> {
  items: T[];
  /** For the next page, or null at the end. */
  next: string | null;
}

/** What is told once, for a toast or a live region; state is elsewhere. */
export type Announcement =
  /** Somebody else has written, and it is unread. */
  | { type: "message"; thread: Thread; message: Message }
  /** A message of one's own has gone out, with a kind word about it. */
  | { type: "hints"; threadId: string; hints: Hint[] }
  | { type: "held"; threadId: string; outgoing: Outgoing }
  | { type: "refused"; threadId: string; outgoing: Outgoing };

/** A refusal. `type` is "/problems/…" with the server's words, or without any where the client has found it by itself:
 * "client/unreachable", "client/not-found", "client/no-answer", "client/no-token". */
export interface Problem extends Error, ProblemDocument {
  /** The last part of `type`: "too-many", "thread-not-found", "unreachable". */
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ClientOptions {
  /** Where the server is; the page's own origin unless given. */
  api?: string;
  /** Called when a token is needed, and again when it expires. To throw is to be signed out. */
  token: () => string | Promise<string>;
  /** false: no SharedWorker, the page has a connection of its own. */
  shared?: boolean;
}

/** The client of one user. Made by `createClient`. Methods reject with a Problem. */
export interface Client {
  readonly me: Readable<Me | null>;
  readonly connection: Readable<ConnectionStatus>;
  readonly counts: Readable<Counts | null>;
  /** Whoever takes part in what was loaded, by id; `need` asks for others. */
  readonly people: Readable<ReadonlyMap<string, Person>>;
  /** Everything that waits, or was refused, in any thread. */
  readonly outbox: Readable<readonly Outgoing[]>;
  need(userIds: Iterable<string>): void;
  onAnnouncement(run: (notice: Announcement) => void): () => void;
  /** A try at once, rather than when it is due. */
  retryNow(): void;
  /** What waits is kept. `forget` also throws away what this browser keeps of the user. */
  close(options?: { forget?: boolean }): void;

  folder(name: Folder): ThreadList;
  open(threadId: string, at?: { around?: string }): Conversation;

  // Writing. `send` returns at once; the message is among `outgoing`, and in time among `messages`.
  send(threadId: string, body: string, options?: SendOptions): Outgoing;
  /** A refused message, once more as it is. */
  retry(clientMessageId: string): void;
  /** Returns what it said, for the composer. */
  discard(clientMessageId: string): Outgoing | null;
  /** What sending it would come to: in a conversation, or to the people who would be in a new one. */
  preview(body: string, where?: { threadId: string } | { userIds: readonly string[] }): Promise<Preview>;
  /** Null: a moderator looks at it first, and until then the message stays as it was. */
  edit(message: Message, body: string): Promise<Message | null>;
  remove(message: Message): Promise<Message>;
  react(message: Message, emoji: string, on: boolean): Promise<Message>;
  edits(message: Message): Promise<Edit[]>;
  message(threadId: string, messageId: string): Promise<Message>;

  // One's own side of a thread.
  markRead(threadId: string): Promise<void>;
  /** Everything in a folder; "all" unless one is named. */
  markAllRead(folder?: Folder): Promise<void>;
  markUnread(threadId: string, fromSeq?: number): Promise<void>;
  pin(threadId: string, on: boolean): Promise<void>;
  mute(threadId: string, until: Date | null): Promise<void>;
  archive(threadId: string, on: boolean): Promise<void>;
  spam(threadId: string, on: boolean): Promise<void>;
  /** Out of every folder but "hidden" until the next message; nobody else is told. */
  hide(threadId: string, on: boolean): Promise<void>;
  draft(threadId: string): Promise<Draft>;
  /** The texts of drafts, by thread; `needDraft` asks for one. */
  readonly draftTexts: Readable<ReadonlyMap<string, string>>;
  needDraft(threadId: string): void;
  /** Kept a moment after the last call; "" throws it away. Sending throws it away by itself. */
  saveDraft(threadId: string, body: string): void;

  // Requests and people.
  accept(requestId: string): Promise<void>;
  decline(requestId: string): Promise<void>;
  /** One's own requests that wait for an answer. */
  sentRequests(cursor?: string): Promise<Page<SentRequest>>;
  withdraw(requestId: string): Promise<void>;
  declineAndBlock(requestId: string): Promise<void>;
  findPeople(name: string, cursor?: string): Promise<Page<Person>>;
  person(userId: string): Promise<Profile>;
  block(userId: string, threadId?: string): Promise<void>;
  unblock(userId: string): Promise<void>;
  blocks(cursor?: string): Promise<Page<Block>>;
  report(report: NewReport): Promise<void>;
  reports(cursor?: string): Promise<Page<OwnReport>>;

  // Threads.
  start(thread: NewThread, key?: string): Promise<Opened>;
  /** False: a moderator looks at it first, and until then the name stays as it was. */
  rename(threadId: string, subject: string): Promise<boolean>;
  addParticipant(threadId: string, userId: string, role?: Role): Promise<void>;
  removeParticipant(threadId: string, userId: string): Promise<void>;
  changeRole(threadId: string, userId: string, role: Role): Promise<void>;
  leave(threadId: string): Promise<void>;
  lock(threadId: string, on: boolean): Promise<void>;

  // Oneself.
  renameMe(names: NewNames): Promise<Me>;

  /** What moderation has told the user and they have not acknowledged, oldest first. */
  readonly notices: Readable<readonly ModerationNotice[]>;
  /** Where to turn to about a decision: an e-mail address or a URL. */
  readonly contact: string | null;
  acknowledge(noticeId: string): Promise<void>;

  readonly moderation: Moderation;
}

export interface Moderation {
  queue(cursor?: string): Promise<Page<Case>>;
  case(caseId: string): Promise<Case>;
  context(caseId: string): Promise<CaseContext>;
  reports(caseId: string, cursor?: string): Promise<Page<CaseReport>>;
  /** Yours for fifteen minutes; needed before `decide`. */
  claim(caseId: string): Promise<Case>;
  /** Claims it first where need be. */
  decide(
    found: Case,
    decision: Decision,
    options?: { reason?: string; note?: string; until?: Date },
  ): Promise<Entry>;
  suspended(cursor?: string): Promise<Page<SuspendedPerson>>;
  reinstate(userId: string, options?: { reason?: string; note?: string }): Promise<Entry>;
  /** For admins. */
  grant(userId: string, role: StaffRole): Promise<StaffMember>;
  revoke(userId: string): Promise<StaffMember>;
  standing(userId: string): Promise<Standing>;
  /** What was decided: about everybody, a case, or a person. Newest first. */
  auditLog(of?: { caseId: string } | { userId: string }, cursor?: string): Promise<Page<Entry>>;
}

/** A sample person of `greenroom demo`. */
export interface SamplePerson {
  username: string;
  userId: string;
  displayName: string;
  part: string;
  sees: string;
  scopes: Scope[];
}

export interface SignedIn {
  token: string;
  expiresAt: string;
  userId: string;
  username: string;
  displayName: string;
  scopes: Scope[];
}
