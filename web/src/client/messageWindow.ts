// A window of a thread's history: contiguous, in seq order, and bounded. Messages that drop out at one
// end are loaded again when the user scrolls back.
import type { Message } from "./types";

const MAX_MESSAGES = 400;

export class MessageWindow {
  messages: readonly Message[] = [];
  hasBefore = false;
  hasAfter = false;

  get first(): Message | undefined {
    return this.messages[0];
  }

  get last(): Message | undefined {
    return this.messages.at(-1);
  }

  reset(messages: readonly Message[], hasBefore: boolean, hasAfter: boolean): void {
    this.messages = messages;
    this.hasBefore = hasBefore;
    this.hasAfter = hasAfter;
  }

  prepend(messages: readonly Message[], hasBefore: boolean): void {
    const first = this.first?.seq ?? Infinity;
    const all = [...messages.filter((one) => one.seq < first), ...this.messages];
    this.hasBefore = hasBefore;
    this.messages = all.slice(0, MAX_MESSAGES);
    if (all.length > MAX_MESSAGES) this.hasAfter = true;
  }

  append(messages: readonly Message[], hasAfter: boolean): void {
    const last = this.last?.seq ?? 0;
    const all = [...this.messages, ...messages.filter((one) => one.seq > last)];
    this.hasAfter = hasAfter;
    this.messages = all.slice(-MAX_MESSAGES);
    if (all.length > MAX_MESSAGES) this.hasBefore = true;
  }

  /**
   * Adds or updates one message. Returns false if that would leave a gap, which has to be loaded first.
   * An older version changes nothing.
   */
  put(message: Message): boolean {
    const at = this.messages.findIndex((one) => one.messageId === message.messageId);
    const known = this.messages[at];
    if (known !== undefined) {
      // Events have no `seenBy`: keep the known one.
      const { seenBy = known.seenBy } = message;
      const changed = seenBy === undefined ? message : { ...message, seenBy };
      if (message.version > known.version) this.messages = this.messages.with(at, changed);
      return true;
    }
    const last = this.last?.seq ?? 0;
    if (this.hasAfter || message.seq <= last) return true;
    if (message.seq > last + 1) return false;
    this.append([message], false);
    return true;
  }
}
