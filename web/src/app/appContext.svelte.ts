// What every component of a signed-in person needs, in one context: the client and what it knows,
// the place, the keys, the toasts.
//
// What one would get wrong: `name` asks for whom it does not know yet, and says so in a moment; a
// component that shows a name only calls it, and is told when there is one.
import { createContext } from "svelte";
import { fromStore } from "svelte/store";
import type { Client, ConnectionStatus, Counts, Me, Outgoing, Person, Thread } from "../client";
import { list, t } from "../strings";
import type { Keys } from "./keys";
import type { Prefs } from "./prefs.svelte";
import type { Router } from "./router.svelte";
import { Toasts } from "./toasts.svelte";

/** The author of what the marketplace's own systems do. */
export const SYSTEM = "usr_system";

type Leave = (options: { forget: boolean }) => void;

/** Whose card is open, and from which conversation. */
export interface OpenPerson {
  userId: string;
  thread: (() => Thread | null) | undefined;
}

interface Current<T> {
  readonly current: T;
}

export class AppContext {
  readonly client: Client;
  readonly router: Router;
  readonly prefs: Prefs;
  readonly keys: Keys;
  readonly toasts = new Toasts();
  /** On somebody else's page: no account, no settings, no moderation. */
  readonly embedded: boolean;
  /** Asked whether to go although something has not been sent. */
  isConfirmingSignOut = $state(false);
  card = $state.raw<OpenPerson | null>(null);
  /** What the browser says of the network; whether the server answers is `connection`. */
  isOnline = $state(typeof navigator === "undefined" || navigator.onLine);
  readonly #leave: Leave;
  /** The next thread is opened by a key, and the keys are to go on: the composer leaves the focus alone. */
  openedByKeyboard = false;
  /** When a kind word was last read and set aside: what comes back with the message is the same one. */
  nudgedAt = 0;

  readonly #me: Current<Me | null>;
  readonly #people: Current<ReadonlyMap<string, Person>>;
  readonly #counts: Current<Counts | null>;
  readonly #connection: Current<ConnectionStatus>;
  readonly #outbox: Current<readonly Outgoing[]>;
  readonly #drafts: Current<ReadonlyMap<string, string>>;

  constructor(parts: {
    client: Client;
    router: Router;
    prefs: Prefs;
    keys: Keys;
    embedded: boolean;
    leave: Leave;
  }) {
    this.client = parts.client;
    this.router = parts.router;
    this.prefs = parts.prefs;
    this.keys = parts.keys;
    this.embedded = parts.embedded;
    this.#leave = parts.leave;
    this.#me = fromStore(parts.client.me);
    this.#people = fromStore(parts.client.people);
    this.#counts = fromStore(parts.client.counts);
    this.#connection = fromStore(parts.client.connection);
    this.#outbox = fromStore(parts.client.outbox);
    this.#drafts = fromStore(parts.client.draftTexts);
  }

  get me(): Me | null {
    return this.#me.current;
  }

  get myId(): string {
    return this.#me.current?.userId ?? "";
  }

  get counts(): Counts | null {
    return this.#counts.current;
  }

  get connection(): ConnectionStatus {
    return this.#connection.current;
  }

  get outbox(): readonly Outgoing[] {
    return this.#outbox.current;
  }

  /** What would be lost: a held message is the server's already. */
  get unsent(): number {
    return this.outbox.filter((one) => one.state !== "held" && one.state !== "rejected").length;
  }

  /** Takes what this browser keeps of somebody with it, so it asks first where that is a message. */
  signOut = (): void => {
    if (this.unsent > 0) this.isConfirmingSignOut = true;
    else this.#leave({ forget: true });
  };

  signOutAnyway = (): void => {
    for (const one of this.outbox) this.client.discard(one.clientMessageId);
    this.#leave({ forget: true });
  };

  /** The session has ended by itself: whoever comes back finds what they wrote. */
  signInAgain = (): void => this.#leave({ forget: false });

  get isAdmin(): boolean {
    return !this.embedded && (this.me?.scopes.includes("admin") ?? false);
  }

  get isModerator(): boolean {
    return !this.embedded && (this.me?.scopes.some((one) => one === "moderator" || one === "admin") ?? false);
  }

  /** The text of a draft, asked for where it is not known yet. */
  draft(thread: Thread): string | undefined {
    const text = this.#drafts.current.get(thread.threadId);
    if (text === undefined && thread.mine.hasDraft) this.client.needDraft(thread.threadId);
    return text;
  }

  openPerson = (userId: string, thread?: () => Thread | null): void => {
    this.card = { userId, thread };
  };

  person(userId: string): Person | undefined {
    const found = this.#people.current.get(userId);
    if (found === undefined) this.client.need([userId]);
    return found;
  }

  name(userId: string): string {
    if (userId === SYSTEM) return t("app.system");
    if (userId === this.myId) return this.me?.displayName ?? t("app.you");
    return this.person(userId)?.displayName ?? t("app.somebody");
  }

  /** The others of a thread. */
  others(thread: Pick<Thread, "participants">): string[] {
    return thread.participants.map((one) => one.userId).filter((id) => id !== this.myId);
  }

  isGroup(thread: Pick<Thread, "participants" | "kind">): boolean {
    return thread.participants.length > 2;
  }

  /** What a thread is called in a list: the other one, or what the group is about. */
  title(thread: Thread): string {
    const others = this.others(thread);
    if (others.length === 1 && others[0] !== undefined) return this.name(others[0]);
    if (thread.subject) return thread.subject;
    if (others.length === 0) return t("app.you");
    return list(others.slice(0, 3).map((id) => this.name(id)));
  }
}

export const [appContext, provideAppContext] = createContext<AppContext>();
