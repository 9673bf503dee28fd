// The user's scheduled messages: loaded at the start, kept up to date by events and sync, and the use cases.
//
// Careful: the list that a request or a sync returns may be older than an event that came while it was on
// its way. Then it is loaded again.
import type { EventOf, On, OnReset, OnSync } from "./events";
import { isProblem, retryUnreachable, type Rest } from "./rest";
import type {
  ScheduledChange,
  ScheduledMessage,
  ScheduledMessages,
  ScheduledState,
  Sending,
  SendOptions,
} from "./types";
import { Value } from "./observable";

const MAX_LOADS = 5;

export class ScheduledMessagesClient implements ScheduledMessages {
  readonly state = new Value<ScheduledState>({ messages: [], loaded: false, problem: null });
  /** Counts the changes, to notice those that came during a load. */
  #changes = 0;
  #loading: Promise<void> | null = null;

  constructor(
    private readonly rest: Rest,
    /** The user has sent one now. */
    private readonly onSent: (threadId: string, sending: Sending) => void,
    /** One is under review by a moderator: there is no event for its message. */
    private readonly onHeld: () => void,
  ) {}

  registerEvents(on: On, onSync: OnSync, onReset: OnReset): void {
    onSync("scheduled", ({ scheduledMessages }) => this.#sync(scheduledMessages));
    onReset("scheduled", () => this.#reload());
    on("scheduled_message.changed", (event) => this.#changed(event));
  }

  /** A load that is on its way may miss the changes that were lost: it loads once more. */
  #reload(): void {
    this.#changes += 1;
    void this.load();
  }

  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Loads the list if that has not worked yet. */
  async loadIfMissing(): Promise<void> {
    if (!this.state.get().loaded) await this.load();
  }

  async #load(): Promise<void> {
    for (let tries = 0; tries < MAX_LOADS; tries++) {
      const before = this.#changes;
      try {
        const { scheduledMessages } = await this.rest.request("get", "/v1/scheduled-messages", {});
        if (before !== this.#changes && tries < MAX_LOADS - 1) continue;
        this.#set(scheduledMessages);
      } catch (error) {
        if (isProblem(error)) this.state.set({ ...this.state.get(), problem: error });
      }
      return;
    }
  }

  async schedule(
    threadId: string,
    body: string,
    sendAt: Date,
    { replyTo, metadata }: SendOptions = {},
    key: string = crypto.randomUUID(),
  ): Promise<ScheduledMessage> {
    const input = {
      path: { threadId },
      body: {
        body,
        sendAt: sendAt.toISOString(),
        ...(replyTo === undefined ? {} : { replyToMessageId: replyTo }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      headers: { "Idempotency-Key": key },
    };
    const made = await retryUnreachable(() =>
      this.rest.request("post", "/v1/threads/{threadId}/scheduled-messages", input),
    );
    this.#put(made);
    return made;
  }

  async change(message: ScheduledMessage, { body, sendAt }: ScheduledChange): Promise<ScheduledMessage> {
    const changed = await this.rest.request("patch", "/v1/scheduled-messages/{scheduledMessageId}", {
      path: { scheduledMessageId: message.scheduledMessageId },
      body: {
        ...(body === undefined ? {} : { body }),
        ...(sendAt === undefined ? {} : { sendAt: sendAt.toISOString() }),
      },
      headers: { "If-Match": `"${message.version}"` },
    });
    this.#put(changed);
    return changed;
  }

  async cancel(message: ScheduledMessage): Promise<void> {
    const path = { scheduledMessageId: message.scheduledMessageId };
    await this.#unlessGone(message, () =>
      this.rest.request("delete", "/v1/scheduled-messages/{scheduledMessageId}", { path }),
    );
    this.#remove(message.scheduledMessageId);
  }

  async sendNow(message: ScheduledMessage): Promise<Sending> {
    const path = { scheduledMessageId: message.scheduledMessageId };
    const sending = await this.#unlessGone(message, () =>
      this.rest.request("post", "/v1/scheduled-messages/{scheduledMessageId}/send", { path }),
    );
    this.#remove(message.scheduledMessageId);
    this.onSent(message.threadId, sending);
    if (sending.status === "held") this.onHeld();
    return sending;
  }

  /** It was sent or canceled meanwhile: removes it from the list too. */
  async #unlessGone<T>(message: ScheduledMessage, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const isGone = isProblem(error) && error.code === "scheduled-message-not-found";
      if (isGone) this.#remove(message.scheduledMessageId);
      throw error;
    }
  }

  #changed({ scheduledMessage }: EventOf<"scheduled_message.changed">): void {
    const { status } = scheduledMessage;
    if (status === "pending" || status === "failed") return this.#put(scheduledMessage);
    this.#remove(scheduledMessage.scheduledMessageId);
    if (status === "held") this.onHeld();
  }

  /** Loads the list again where it seems older than what is known. */
  #sync(messages: readonly ScheduledMessage[]): void {
    const given = new Map(messages.map((one) => [one.scheduledMessageId, one.version]));
    const isOlder = this.state
      .get()
      .messages.some(({ scheduledMessageId: id, version }) => (given.get(id) ?? -1) < version);
    if (isOlder) void this.load();
    else this.#set(messages);
  }

  #put(message: ScheduledMessage): void {
    this.#changes += 1;
    const { messages } = this.state.get();
    const known = messages.find((one) => one.scheduledMessageId === message.scheduledMessageId);
    if (known !== undefined && known.version >= message.version) return;
    this.#show([...messages.filter((one) => one !== known), message]);
  }

  #remove(id: string): void {
    this.#changes += 1;
    const { messages } = this.state.get();
    const left = messages.filter((one) => one.scheduledMessageId !== id);
    if (left.length < messages.length) this.#show(left);
  }

  #set(messages: readonly ScheduledMessage[]): void {
    const known = new Map(this.state.get().messages.map((one) => [one.scheduledMessageId, one]));
    const kept = messages.map((one) => {
      const before = known.get(one.scheduledMessageId);
      return before?.version === one.version ? before : one;
    });
    this.state.set({ messages: kept.sort(bySendTime), loaded: true, problem: null });
  }

  #show(messages: readonly ScheduledMessage[]): void {
    this.state.set({ ...this.state.get(), messages: [...messages].sort(bySendTime) });
  }
}

function bySendTime(a: ScheduledMessage, b: ScheduledMessage): number {
  return (
    Date.parse(a.sendAt) - Date.parse(b.sendAt) ||
    (a.scheduledMessageId < b.scheduledMessageId ? -1 : 1)
  );
}
