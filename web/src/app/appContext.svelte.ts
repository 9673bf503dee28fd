// The Svelte context of a signed-in user: the client and its state, router, keyboard shortcuts, toasts.
//
// `name` and `person` load people who are not known yet; the component re-renders when they arrive.
import { createContext } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { fromStore } from "svelte/store";
import type {
  Client,
  ConnectionStatus,
  Counts,
  Files,
  Me,
  Outgoing,
  Person,
  ScheduledState,
  Thread,
} from "../client";
import { list, t } from "../strings";
import type { Keys } from "./keys";
import type { Prefs } from "./prefs.svelte";
import type { Router } from "./router.svelte";
import { Toasts } from "./toasts.svelte";

/** The author of automatic messages. */
export const SYSTEM = "usr_system";

/** What a payment is for. `amount` is null if only the server knows it. */
export interface PaymentRequest {
  threadId: string;
  amount: { minor: number; currency: string } | null;
}

/** Lets the user choose how to pay; resolves to a token of the payment provider, or null if they cancel. */
export type ChoosePaymentMethod = (request: PaymentRequest) => Promise<string | null>;

type Leave = (options: { forget: boolean }) => void;

/** Whose profile card is open, and from which conversation. */
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
  /** How buyers pay: the demo's sandbox, a function of the site that embeds the inbox, or no way. */
  payments: "sandbox" | ChoosePaymentMethod | null = null;
  readonly toasts = new Toasts();
  /** Embedded in another site: no account, no settings, no moderation. */
  readonly embedded: boolean;
  /** The dialog “Sign out?” is open, because some messages are unsent. */
  isConfirmingSignOut = $state(false);
  card = $state.raw<OpenPerson | null>(null);
  /** Whether the browser has a network; whether the server answers is in `connection`. */
  isOnline = $state(typeof navigator === "undefined" || navigator.onLine);
  readonly #leave: Leave;
  /** The thread was opened by a shortcut: the composer does not take the focus, so that the next shortcut works. */
  openedByKeyboard = false;
  /** When the user last chose “Send anyway”: the hint that comes back with the message is the same and is not shown. */
  nudgedAt = 0;

  readonly #me: Current<Me | null>;
  readonly #people: Current<ReadonlyMap<string, Person>>;
  readonly #counts: Current<Counts | null>;
  readonly #connection: Current<ConnectionStatus>;
  readonly #outbox: Current<readonly Outgoing[]>;
  readonly #drafts: Current<ReadonlyMap<string, string>>;
  readonly #scheduled: Current<ScheduledState>;
  readonly #files: Current<Files | null>;

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
    this.#scheduled = fromStore(parts.client.scheduled.state);
    this.#files = fromStore(parts.client.loadedFiles);
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

  get scheduled(): ScheduledState {
    return this.#scheduled.current;
  }

  /** Null until something was uploaded, or an earlier page has left uploads. */
  get files(): Files | null {
    return this.#files.current;
  }

  /** How many messages signing out would lose. A held message is already on the server. */
  get unsent(): number {
    return this.outbox.filter((one) => one.state !== "held" && one.state !== "rejected").length;
  }

  /** Deletes what this browser stores of the user, so it asks first if messages are unsent. */
  signOut = (): void => {
    if (this.unsent > 0) this.isConfirmingSignOut = true;
    else this.#leave({ forget: true });
  };

  signOutAnyway = (): void => {
    for (const one of this.outbox) this.client.discard(one.clientMessageId);
    this.#leave({ forget: true });
  };

  /** The session has expired: unsent messages stay in the browser until the user signs in again. */
  signInAgain = (): void => this.#leave({ forget: false });

  get isAdmin(): boolean {
    return !this.embedded && (this.me?.scopes.includes("admin") ?? false);
  }

  get isModerator(): boolean {
    return !this.embedded && (this.me?.scopes.some((one) => one === "moderator" || one === "admin") ?? false);
  }

  /** The text of a draft; loads it if it is not known yet. */
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
    return this.person(userId)?.displayName ?? t("app.someone");
  }

  readonly #pictures = new SvelteMap<string, string | null>();
  readonly #askedPictures = new Set<string>();

  /** The picture of a person or a conversation, once it is loaded. They stay: they are small, and shown often. */
  pictureUrl(fileId: string): string | null {
    if (!this.#askedPictures.has(fileId)) {
      this.#askedPictures.add(fileId);
      this.client.pictures().then(
        (pictures) => pictures.show(fileId, "small", ({ shown, url }) => {
          this.#pictures.set(fileId, shown === "clear" ? url : null);
        }),
        () => this.#askedPictures.delete(fileId),
      );
    }
    return this.#pictures.get(fileId) ?? null;
  }

  avatarUrl(userId: string): string | null {
    const person = userId === this.myId ? this.me : this.#people.current.get(userId);
    return person?.avatar ? this.pictureUrl(person.avatar.fileId) : null;
  }

  /** The ids of the other participants. */
  others(thread: Pick<Thread, "participants">): string[] {
    return thread.participants.map((one) => one.userId).filter((id) => id !== this.myId);
  }

  isGroup(thread: Pick<Thread, "participants" | "kind">): boolean {
    return thread.participants.length > 2;
  }

  /** A thread's title in the list: the other person's name, or the group's subject. */
  title(thread: Thread): string {
    const others = this.others(thread);
    if (others.length === 1 && others[0] !== undefined) return this.name(others[0]);
    if (thread.subject) return thread.subject;
    if (others.length === 0) return t("app.you");
    return list(others.slice(0, 3).map((id) => this.name(id)));
  }
}

export const [appContext, provideAppContext] = createContext<AppContext>();

/** Null before the user has signed in. */
export function appContextIfSignedIn(): AppContext | null {
  try {
    return appContext();
  } catch {
    return null;
  }
}
