// The client's public types: the server's schemas, and the interface `Client`.
//
// Careful: treat every value of a `Readable` as immutable. A change is a new object; what has not changed
// keeps its identity, down to the single message.
import type { On } from "./events";
import type { components } from "./openapi";

type Schemas = components["schemas"];

/** A file or a manifest in a message. */
export type Attachment = Schemas["Attachment"];
export type Block = Schemas["Block"];
export type Booking = Schemas["Booking"];
/** What bookings need from staff: disputes, stuck payments, failed deadlines, late news. */
export type DocumentSummary = Schemas["DocumentSummary"];
export type SignedDocument = Schemas["Document"];
export type BookingTrouble = Schemas["BookingTrouble"];
export type BookingLeg = Schemas["BookingLeg"];
/** What a card says: its type, and that type's fields. */
export type CardContent = CardView["content"];
/** A card with all that led to it. */
export type CardRecord = Schemas["CardWithSteps"];
export type CardResult = Schemas["CardResult"];
export type CardView = Schemas["CardView"];
export type Case = Schemas["Case"];
export type CaseFile = Schemas["CaseFile"];
export type CaseReport = Schemas["CaseReport"];
export type Counts = Schemas["Counts"];
export type Decision = Schemas["Decision"];
export type Draft = Schemas["Draft"];
/** What a proposal or an answer would do. */
export type DryRun = Schemas["DryRunResult"];
export type Edit = Schemas["Edit"];
export type Entry = Schemas["Entry"];
export type FileUpload = Schemas["FileUpload"];
export type Folder = Schemas["Folder"];
export type HeldMessage = Schemas["HeldMessage"];
export type Hint = Schemas["Hint"];
export type Kind = Schemas["Kind"];
export type Message = Schemas["Message"];
export type Mine = Schemas["Mine"];
export type ModerationNotice = Schemas["ModerationNotice"];
export type Manifest = Schemas["Manifest"];
export type NewManifest = Omit<Schemas["NewManifest"], "clientMessageId">;
export type NewNames = Schemas["NewNames"];
export type NewReport = Schemas["NewReport"];
export type NewThread = Schemas["NewThread"];
export type Opened = Schemas["Opened"];
export type OwnReport = Schemas["OwnReport"];
export type PanelChange = Schemas["PanelChange"];
export type PanelEdit = Schemas["NewPanelEdit"]["edit"];
export type PanelLine = Schemas["PanelLine"];
export type PanelObject = Schemas["PanelObject"];
export type PanelTab = Schemas["PanelTab"];
export type PanelTabName = Schemas["Tab"];
export type PanelValue = string | number | boolean;
export type Person = Schemas["Person"];
export type Picture = Schemas["Picture"];
export type Profile = Schemas["Profile"];
export type ProblemDocument = Schemas["ProblemDocument"];
export type Reason = Schemas["Reason"];
export type Role = Schemas["Role"];
/** How sensitive pictures are shown to the user: `show`, `blur` or `hide`. */
export type SafeMode = Schemas["SafeMode"];
export type Sanctions = Schemas["Sanctions"];
export type ScheduledMessage = Schemas["ScheduledMessage"];
export type Sending = Schemas["Sending"];
export type SentRequest = Schemas["SentRequest"];
export type ServiceRole = Schemas["ServiceRole"];
export type StaffMember = Schemas["StaffMember"];
export type StaffRole = Schemas["StaffRole"];
export type Storage = Schemas["Storage"];
/** One of the user's own files. */
export type StoredFile = Schemas["File"];
export type SuspendedPerson = Schemas["SuspendedPerson"];

/** A message that waits on the server for its files, or could not be sent. */
export type WaitingMessage = Schemas["WaitingMessage"];

/** An observable value. It is also a Svelte store: `$value` works. */
export interface Readable<T> {
  get(): T;
  /** Calls `run` now and with every change; returns the function that unsubscribes. */
  subscribe(run: (value: T) => void): () => void;
}

export type Scope = Schemas["Scope"];
export type Me = Schemas["Me"];

/** A thread. Receipts are there once it has been opened. */
export type Thread = Omit<Schemas["ThreadRow"], "participants"> & { participants: Participant[] };
export type Participant = Schemas["ParticipantSummary"] &
  Partial<Pick<Schemas["Participant"], "lastReadSeq" | "lastDeliveredSeq" | "lastReadAt">>;
export type GateRequest = Schemas["Request"];

/**
 * connecting   the first time, or shortly after an interruption
 * live         events arrive as they happen
 * offline      no connection for a while; `retryAt` is the time of the next try
 * refused      the token is not accepted or the account is suspended: see `problem`
 * closed       by `close()`
 */
export interface ConnectionStatus {
  state: "connecting" | "live" | "offline" | "refused" | "closed";
  retryAt: number | null;
  problem: ProblemDocument | null;
}

export interface ThreadListState {
  threads: readonly Thread[];
  /** `more()` loads more. */
  hasMore: boolean;
  /** False until the first page is there: show a skeleton. */
  loaded: boolean;
  loading: boolean;
  problem: Problem | null;
}

/** The live thread list of a folder: pinned first, then the newest. */
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
  /** The id of the message that this one replies to. */
  replyTo?: string;
  /** The ids of uploads. They need not be finished: the message is sent when the server has checked them. */
  attachments?: readonly string[];
  /** Your own JSON object of at most 4 KB. */
  metadata?: Record<string, unknown>;
}

/** A file of an outgoing message: enough to draw its place. */
export interface OutgoingAttachment {
  /** Null if it was uploaded on another device. */
  uploadId: string | null;
  /** Null until the server knows the file. */
  fileId: string | null;
  name: string;
  size: number;
  type: string;
  width: number;
  height: number;
  alt: string;
}

/** A message that the user has sent and the server has not yet accepted. */
export interface Outgoing {
  clientMessageId: string;
  threadId: string;
  body: string;
  replyToMessageId: string | null;
  attachments: readonly OutgoingAttachment[];
  writtenAt: string;
  /** waiting: sent once connected; uploading: sent once its files are uploaded and checked; refused: retry or
   * discard it; held: under review by a moderator; rejected: a moderator decided against it. */
  state: "waiting" | "sending" | "uploading" | "refused" | "held" | "rejected";
  problem: ProblemDocument | null;
  /** If rejected: the moderator's reason, and whether the user was warned. */
  rejection: Rejection | null;
}

export interface ConversationState {
  /** Null until it is loaded. */
  thread: Thread | null;
  /** A window of the history, in seq order, without gaps. */
  messages: readonly Message[];
  /** Shown below the messages if `hasAfter` is false. */
  outgoing: readonly Outgoing[];
  hasBefore: boolean;
  /** The window does not reach the newest message; `newest()` goes there. */
  hasAfter: boolean;
  loading: "before" | "after" | "whole" | null;
  /** The other users who are typing, and who have the thread on screen. */
  typing: readonly string[];
  present: readonly string[];
  /** The first message that was unread when the thread was opened: the divider goes above it. */
  unreadFromSeq: number | null;
  /** It does not exist (any more), or could not be loaded. */
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
  /** Call it when the tab is hidden or shown. */
  setVisible(visible: boolean): void;
  /** The user has seen everything up to here. Cheap to call often. */
  read(seq: number): void;
  /** Call it with every keystroke; with false when the field is empty or loses the focus. */
  typing(on: boolean): void;
  close(): void;
}

/** The verdict on a text: `fine`, `nudge` (with `hints`), `held` or `refused`. */
export type Preview = Schemas["Preview"];
/** A few messages around a reported message, or before a held one. */
export type CaseContext = Schemas["Context"];

export interface Page<T> {
  items: T[];
  /** The cursor of the next page, or null. */
  next: string | null;
}

/** Something to announce once, in a toast or a live region. */
export type Announcement =
  /** A new unread message from someone else. */
  | { type: "message"; thread: Thread; message: Message }
  /** The user's message was sent, with hints about its text. */
  | { type: "hints"; threadId: string; hints: Hint[] }
  | { type: "held"; threadId: string; outgoing: Outgoing }
  | { type: "refused"; threadId: string; outgoing: Outgoing };

/** A failed request. `type` is "/problems/…" for the server's problems, and for those that the client detects:
 * "client/unreachable", "client/not-found", "client/no-answer", "client/no-token", and of an upload
 * "client/unreadable", "client/upload-refused". */
export interface Problem extends Error, ProblemDocument {
  /** The last part of `type`: "too-many", "thread-not-found", "unreachable". */
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ClientOptions {
  /** The server's URL; by default the page's origin. */
  api?: string;
  /** Called when a token is needed, and again when it expires. Throw if the user is signed out. */
  token: () => string | Promise<string>;
  /** False: no SharedWorker, the page has its own connection. */
  shared?: boolean;
}

/** The client of one user, made by `createClient`. Its promises reject with a Problem. */
export interface Client {
  /** The server's URL. */
  readonly api: string;
  readonly me: Readable<Me | null>;
  readonly connection: Readable<ConnectionStatus>;
  readonly counts: Readable<Counts | null>;
  /** The people in loaded threads, by id; `need` loads others. */
  readonly people: Readable<ReadonlyMap<string, Person>>;
  /** All outgoing messages, in any thread. */
  readonly outbox: Readable<readonly Outgoing[]>;
  need(userIds: Iterable<string>): void;
  onAnnouncement(run: (announcement: Announcement) => void): () => void;
  /** Calls `handler` with every event of a type; returns the function that removes it. */
  on: On;
  /** Reconnects now instead of waiting for `retryAt`. */
  retryNow(): void;
  /** Waiting messages stay saved. `forget` deletes what this browser stores of the user. */
  close(options?: { forget?: boolean }): void;

  folder(name: Folder): ThreadList;
  open(threadId: string, at?: { around?: string }): Conversation;

  // Messages. `send` returns at once; the message is first in `outgoing`, then in `messages`.
  send(threadId: string, body: string, options?: SendOptions): Outgoing;
  /** Sends a refused message again. */
  retry(clientMessageId: string): void;
  /** Returns the message, so that the composer can restore the text. */
  discard(clientMessageId: string): Outgoing | null;
  /** What would happen if it were sent: in a thread, or to the people of a new one. */
  preview(body: string, where?: { threadId: string } | { userIds: readonly string[] }): Promise<Preview>;
  /** Null: the edit is under review, and until then the message stays as it was. */
  edit(message: Message, body: string): Promise<Message | null>;
  remove(message: Message): Promise<Message>;
  react(message: Message, emoji: string, on: boolean): Promise<Message>;
  edits(message: Message): Promise<Edit[]>;
  message(threadId: string, messageId: string): Promise<Message>;

  // The user's own settings of a thread.
  markRead(threadId: string): Promise<void>;
  /** Marks everything in a folder as read, by default "all". */
  markAllRead(folder?: Folder): Promise<void>;
  markUnread(threadId: string, fromSeq?: number): Promise<void>;
  pin(threadId: string, on: boolean): Promise<void>;
  mute(threadId: string, until: Date | null): Promise<void>;
  archive(threadId: string, on: boolean): Promise<void>;
  spam(threadId: string, on: boolean): Promise<void>;
  /** Moves it to the folder "hidden" until the next message. No one else is told. */
  hide(threadId: string, on: boolean): Promise<void>;
  draft(threadId: string): Promise<Draft>;
  /** The texts of drafts, by thread; `needDraft` loads one. */
  readonly draftTexts: Readable<ReadonlyMap<string, string>>;
  needDraft(threadId: string): void;
  /** Saved a moment after the last call; "" deletes it. Sending deletes it too. */
  saveDraft(threadId: string, body: string): void;

  // Requests and people.
  accept(requestId: string): Promise<void>;
  decline(requestId: string): Promise<void>;
  /** The user's requests that wait for an answer. */
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
  /** Loads it if it is not known. Null: the user is not in it, or it could not be loaded. */
  thread(threadId: string): Promise<Thread | null>;
  start(thread: NewThread, key?: string): Promise<Opened>;
  /** False: the new name is under review, and until then the old one stays. */
  rename(threadId: string, subject: string): Promise<boolean>;
  /** Blurs sensitive pictures for all members, whatever they prefer. For those who may rename it. */
  requireSafeMode(threadId: string, on: boolean): Promise<void>;
  addParticipant(threadId: string, userId: string, role?: Role): Promise<void>;
  removeParticipant(threadId: string, userId: string): Promise<void>;
  changeRole(threadId: string, userId: string, role: Role): Promise<void>;
  leave(threadId: string): Promise<void>;
  lock(threadId: string, on: boolean): Promise<void>;

  // Profile.
  renameMe(names: NewNames): Promise<Me>;

  /** The moderation notices that the user has not acknowledged, oldest first. */
  readonly notices: Readable<readonly ModerationNotice[]>;
  /** Whom to contact about a decision: an e-mail address or a URL. */
  readonly contact: string | null;
  acknowledge(noticeId: string): Promise<void>;

  readonly scheduled: ScheduledMessages;
  readonly moderation: Moderation;

  /** Action cards and bookings. Its code is loaded with the first call. */
  cards(): Promise<Cards>;

  /** Contracts and their signatures. Its code is loaded with the first call. */
  documents(): Promise<Documents>;

  /** The project panel of a thread with a booking. Its code is loaded with the first call. */
  panel(threadId: string): Promise<ProjectPanel>;

  /** Uploads, and the user's files. Its code is loaded with the first call. */
  files(): Promise<Files>;
  /** Null until `files()` has loaded it. That happens by itself if an earlier page has left uploads. */
  readonly loadedFiles: Readable<Files | null>;
  /** Pictures and download URLs of the files in messages and profiles. Loaded with the first call. */
  pictures(): Promise<Pictures>;
}

/** What a proposal may name beside its content. */
export interface CardChoices {
  /** Where the booking has several. */
  legId?: string;
  /** The buyer's, as a token of the payment provider. Never a card number. */
  paymentMethod?: string;
}

/** Contracts of booked legs, for their parties. */
export interface Documents {
  /** The current version of each, the newest first. */
  list(threadId: string): Promise<DocumentSummary[]>;
  /** With all versions. */
  read(documentId: string): Promise<SignedDocument>;
  /** Agrees with the content that has this SHA-256. Rejects with `document-replaced` if it has changed. */
  sign(documentId: string, version: number, contentSha256: string): Promise<SignedDocument>;
  pdf(documentId: string, version: number): Promise<Blob>;
}

/** Action cards and bookings. A card itself is in its message, and changes with it. */
export interface Cards {
  /** What the proposal would do. Writes nothing. */
  dryPropose(threadId: string, content: CardContent, choices?: CardChoices): Promise<DryRun>;
  /** Repeats the request if the answer is lost. The same key is the same card, for good. */
  propose(threadId: string, content: CardContent, choices?: CardChoices, key?: string): Promise<CardResult>;
  dryAnswer(
    card: CardView,
    transition: string,
    input?: Record<string, unknown> | null,
    paymentMethod?: string,
  ): Promise<DryRun>;
  /** Rejects with `card-changed` if someone was first. `card.options` says who can do what, and what it needs. */
  answer(
    card: CardView,
    transition: string,
    input?: Record<string, unknown> | null,
    paymentMethod?: string,
    key?: string,
  ): Promise<CardResult>;
  card(cardId: string): Promise<CardRecord>;
  /** The newest first. */
  list(threadId: string, cursor?: string): Promise<Page<CardView>>;
  /** As far as the user may see it. Null: nothing was proposed yet. */
  booking(threadId: string): Promise<Booking | null>;
  /** A calendar file (.ics). */
  calendar(legId: string): Promise<Blob>;
  cardPdf(cardId: string): Promise<Blob>;
  receiptsPdf(threadId: string): Promise<Blob>;

  /** For moderators. */
  trouble(): Promise<BookingTrouble>;
  /** For moderators: tries a stuck payment again, under its own key. */
  retryPayment(paymentKey: string): Promise<void>;
}

/** Someone else who has the panel on screen. */
export interface PanelPresence {
  userId: string;
  tab: PanelTabName;
  /** What they edit, if anything. */
  objectId: string | null;
  field: string | null;
}

export interface PanelState {
  /** Null until they are loaded. */
  tabs: readonly PanelTab[] | null;
  present: readonly PanelPresence[];
  /** It could not be loaded. */
  problem: Problem | null;
}

/** The project panel of a thread, kept up to date until `close()`. Each edit has an id: pass the same one to try again. */
export interface ProjectPanel {
  readonly threadId: string;
  readonly state: Readable<PanelState>;
  /** Loads all tabs again. */
  load(): Promise<void>;
  /** Rejects with `edit-clash` (see its `clash`) where the field has changed since `base`, and with
   * `panel-object-deleted`. */
  edit(tab: PanelTabName, edit: PanelEdit, clientId?: string): Promise<PanelChange>;
  history(tab: PanelTabName, cursor?: string): Promise<Page<PanelChange>>;
  /** Tells the others which tab is on screen, and what is being edited. Call it again with every change. */
  focus(tab: PanelTabName | null, objectId?: string, field?: string): void;
  close(): void;
}

/** A file that is being uploaded, or was: until a message with it is sent, or `cancel`. */
export interface Upload {
  uploadId: string;
  /** Null until the server knows the file. */
  fileId: string | null;
  threadId: string | null;
  purpose: UploadPurpose;
  name: string;
  size: number;
  type: string;
  alt: string;
  /** Of a picture or a video, if the app has measured it; otherwise 0. */
  width: number;
  height: number;
  keepOriginal: boolean;
  /** It belongs to a message in the outbox. */
  isSent: boolean;
  /**
   * preparing   reads the file for its checksum
   * uploading   sends its bytes
   * paused      by the user
   * waiting     for a connection; `retryAt` is the time of the next try
   * missing     the tab was closed and the file is too large to keep: `provide` it again
   * checking    the server has it all, and checks it
   * ready
   * failed      see `problem`
   */
  state: "preparing" | "uploading" | "paused" | "waiting" | "missing" | "checking" | "ready" | "failed";
  /** Bytes that were read (preparing) or sent. */
  done: number;
  retryAt: number | null;
  problem: ProblemDocument | null;
  /** What the server knows of it, once it is there. */
  file: StoredFile | null;
}

/**
 * message   to be attached; goes on after the tab was closed
 * picture   of a person or conversation, set by the page that uploads it; ends with that page
 */
export type UploadPurpose = "message" | "picture";

export interface NewUpload {
  /** The conversation that it is for; none for a profile. */
  threadId?: string;
  /** By default a message. */
  purpose?: UploadPurpose;
  /** By default the file's own name. */
  name?: string;
  /** A description for those who cannot see it. */
  alt?: string;
  width?: number;
  height?: number;
  /** Others may download it as it is, with its metadata, such as where a photo was taken. */
  keepOriginal?: boolean;
}

/** Uploads and the user's own files. */
export interface Files {
  /** All uploads of the user, also those of other tabs. */
  readonly uploads: Readable<readonly Upload[]>;
  /** Starts at once. It goes on after a disconnect, and for a message also after the tab was closed. */
  upload(content: Blob, options?: NewUpload): Upload;
  pause(uploadId: string): void;
  resume(uploadId: string): void;
  /** Tries again after a failure. */
  retry(uploadId: string): void;
  /** Removes the upload and its file. */
  cancel(uploadId: string): void;
  /** Gives the file again, for an upload that is `missing` it. False: it is another file. */
  provide(uploadId: string, content: Blob): Promise<boolean>;
  /** Adds the description, or the size of a picture or video, if it was not known. */
  describe(uploadId: string, about: { alt?: string; width?: number; height?: number }): void;
  /** Whether others may download it as it is. Uploads it again, also after it was refused. */
  setOriginal(uploadId: string, keepOriginal: boolean): void;
  /** The content, if this browser has it, for a preview. */
  content(uploadId: string): Blob | null;
  /** Resolves when the server has checked the file; rejects with the problem if it was refused. */
  ready(uploadId: string): Promise<StoredFile>;

  list(cursor?: string): Promise<Page<StoredFile>>;
  /** One of the user's own files. */
  file(fileId: string): Promise<StoredFile>;
  /** Refused if a message or a profile uses it: delete that. */
  remove(fileId: string): Promise<void>;
  storage(): Promise<Storage>;
  /** Asks a moderator to look again at a file that others see blurred or not at all. */
  appeal(fileId: string, note?: string): Promise<void>;
  safeMode(): Promise<SafeMode>;
  /** As it was last loaded or changed, on any device. Null until `safeMode()` was called, or a change. */
  readonly knownSafeMode: Readable<SafeMode | null>;
  setSafeMode(mode: SafeMode): Promise<void>;
  /** The user's own picture; null removes it. The file must be `ready` and have no thread. */
  setAvatar(fileId: string | null): Promise<void>;
  /** The picture of a conversation; the file must have been uploaded for it. */
  setThreadPicture(threadId: string, fileId: string | null): Promise<void>;
  /** The SHA-256 of a file, in hexadecimal. Read in pieces, and sent nowhere. */
  hash(content: Blob, options?: HashOptions): Promise<string>;
  /** Records the delivery of a file that is kept elsewhere; the conversation shows it as a message. The same key
   * records it once. */
  recordDelivery(threadId: string, delivery: NewManifest, key?: string): Promise<Manifest>;
}

export interface HashOptions {
  /** Called with the number of bytes read so far. */
  onprogress?: (bytes: number) => void;
  signal?: AbortSignal;
}

export type PictureSize = "small" | "medium" | "large";

/** How a file is shown to this user, and the URLs of its versions, which work for a minute. */
export type FileAccess = Schemas["UrlsOfFile"];

export interface ShownPicture {
  /** missing: it does not exist, or the user may not see it; failed: it could not be loaded. */
  shown: FileAccess["shown"] | "missing" | "failed";
  canReveal: boolean;
  /** An object URL; null if there is nothing to show. */
  url: string | null;
}

export interface Pictures {
  /**
   * Calls `show` with the picture when it is there, and again when it changes. Returns the function that
   * ends it. `isRevealed`: the user asked to see a blurred picture.
   */
  show(
    fileId: string,
    size: PictureSize,
    show: (picture: ShownPicture) => void,
    options?: { isRevealed?: boolean },
  ): () => void;
  /** The URLs of a file's versions. Null if it does not exist or the user may not see it. */
  access(
    fileId: string,
    /** `isDownload`: a browser saves the file instead of showing it. */
    options?: { isRevealed?: boolean; isDownload?: boolean },
  ): Promise<FileAccess | null>;
}

export interface ScheduledState {
  /** All of them, in any thread, the next first; with those that could not be sent. */
  messages: readonly ScheduledMessage[];
  /** False until the list is there. */
  loaded: boolean;
  /** It could not be loaded. */
  problem: Problem | null;
}

/** Fields that are left out do not change. */
export interface ScheduledChange {
  body?: string;
  sendAt?: Date;
}

/** The user's messages that are sent at a time. No one else sees them. */
export interface ScheduledMessages {
  readonly state: Readable<ScheduledState>;
  /** Loads the list again. The client itself does so at the start and after a disconnect. */
  load(): Promise<void>;
  /** Repeat it with the same `key` if the answer was lost: the message is scheduled once. */
  schedule(
    threadId: string,
    body: string,
    sendAt: Date,
    options?: SendOptions,
    key?: string,
  ): Promise<ScheduledMessage>;
  /** Refused if it has changed since. One that could not be sent needs a new time. */
  change(message: ScheduledMessage, change: ScheduledChange): Promise<ScheduledMessage>;
  cancel(message: ScheduledMessage): Promise<void>;
  sendNow(message: ScheduledMessage): Promise<Sending>;
}

/** How others see a file: 0 clear, 1 blurred, 2 hidden. */
export type Band = 0 | 1 | 2;

export interface Moderation {
  queue(cursor?: string): Promise<Page<Case>>;
  case(caseId: string): Promise<Case>;
  context(caseId: string): Promise<CaseContext>;
  reports(caseId: string, cursor?: string): Promise<Page<CaseReport>>;
  /** Claims the case for fifteen minutes; needed before `decide`. */
  claim(caseId: string): Promise<Case>;
  /** Claims the case first if needed. */
  decide(
    found: Case,
    decision: Decision,
    /** `band`: how others see the file, with the decision `band` on an appeal. */
    options?: { reason?: string; note?: string; until?: Date; band?: Band },
  ): Promise<Entry>;
  /** The URLs of a file of a case: of its blurred version, or of all with `reveal`, which the audit log keeps. */
  fileUrls(caseId: string, fileId: string, reveal: boolean): Promise<FileAccess>;
  /** How others see a file of a case, which stays open. Claims the case first if needed. */
  setBand(found: Case, fileId: string, band: Band, reason?: string): Promise<CaseFile>;
  suspended(cursor?: string): Promise<Page<SuspendedPerson>>;
  reinstate(userId: string, options?: { reason?: string; note?: string }): Promise<Entry>;
  /** For admins. */
  grant(userId: string, role: StaffRole): Promise<StaffMember>;
  revoke(userId: string): Promise<StaffMember>;
  sanctions(userId: string): Promise<Sanctions>;
  /** All decisions, or those about a case or a person. Newest first. */
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
