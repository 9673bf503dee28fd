// The user's messages that wait for their files on the server: loaded at the start, kept up to date by events
// and sync. The outbox shows them.
import type { On, OnReset, OnSync } from "./events";
import { isProblem, retryUnreachable, type Rest } from "./rest";
import type { WaitingMessage } from "./types";

export interface WaitingListener {
  setWaiting(all: readonly WaitingMessage[]): void;
  applyWaiting(waiting: WaitingMessage): void;
}

export class WaitingMessagesClient {
  constructor(
    private readonly rest: Rest,
    private readonly outbox: WaitingListener,
    /** One is under review by a moderator now: there is no event for that. */
    private readonly onHeld: () => void,
  ) {}

  registerEvents(on: On, onSync: OnSync, onReset: OnReset): void {
    onSync("waiting", ({ waitingMessages }) => this.outbox.setWaiting(waitingMessages));
    onReset("waiting", () => void this.load());
    on("waiting_message.changed", ({ waitingMessage }) => {
      this.outbox.applyWaiting(waitingMessage);
      if (waitingMessage.status === "held") this.onHeld();
    });
  }

  async load(): Promise<void> {
    try {
      const { waitingMessages } = await this.rest.request("get", "/v1/waiting-messages", {});
      this.outbox.setWaiting(waitingMessages);
    } catch {
      // Not connected: loaded again after reconnecting.
    }
  }

  /** Its files can be used again. Does nothing if it was sent meanwhile: it is one of the messages then. */
  async cancel(threadId: string, clientMessageId: string): Promise<void> {
    const path = { threadId, clientMessageId };
    const url = "/v1/threads/{threadId}/waiting-messages/{clientMessageId}";
    await retryUnreachable(() => this.rest.request("delete", url, { path })).catch((error: unknown) => {
      if (!isProblem(error)) throw error;
    });
  }
}
