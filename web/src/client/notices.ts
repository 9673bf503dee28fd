// The user's moderation notices: loaded at the start, updated by events, shown until acknowledged.
import type { On, OnReset, OnSync } from "./events";
import type { Rest } from "./rest";
import type { HeldMessage, ModerationNotice } from "./types";
import { Value } from "./observable";

/** At most this many pages of twenty. */
const HELD_PAGES = 5;

export class ModerationNotices {
  readonly list = new Value<readonly ModerationNotice[]>([]);
  /** Whom to contact about a decision. */
  contact: string | null = null;

  constructor(
    private readonly rest: Rest,
    private readonly onDecided: (notice: ModerationNotice) => void,
    private readonly onHeld: (messages: HeldMessage[]) => void,
  ) {}

  registerEvents(on: On, onSync: OnSync, onReset: OnReset): void {
    onSync("notices", ({ created, acknowledged }) => {
      this.add(created);
      this.remove(acknowledged);
    });
    onReset("notices", () => void this.load());
    on("notice.created", ({ notice }) => this.add([notice]));
    on("notice.acknowledged", ({ noticeId }) => this.remove([noticeId]));
  }

  async load(): Promise<void> {
    try {
      const before = this.list.get();
      const answer = await this.rest.request("get", "/v1/me/notices", {});
      this.contact = answer.contact;
      this.add(answer.notices);
      const listed = new Set(answer.notices.map((one) => one.noticeId));
      const gone = before.filter((one) => !listed.has(one.noticeId));
      if (answer.next === null) this.remove(gone.map((one) => one.noticeId));
    } catch {
      // Not connected: loaded again after reconnecting.
    }
    await this.loadHeld(); // after the notices: what they decided is no longer held
  }

  /** Messages under review, from all of the user's devices. There is no event for them. */
  async loadHeld(): Promise<void> {
    const held: HeldMessage[] = [];
    try {
      for (let cursor: string | null = null, page = 0; page < HELD_PAGES; page++) {
        const query: { cursor: string | null } = { cursor };
        const found = await this.rest.request("get", "/v1/me/held", { query });
        held.push(...found.held);
        if ((cursor = found.next) === null) break;
      }
      this.onHeld(held);
    } catch {
      // Not connected: loaded again after reconnecting.
    }
  }

  add(notices: readonly ModerationNotice[]): void {
    const known = new Set(this.list.get().map((one) => one.noticeId));
    const added = notices.filter((one) => !known.has(one.noticeId));
    if (added.length === 0) return;
    for (const one of added) this.onDecided(one);
    // A released message appears in the thread: no notice needed.
    for (const one of added) if (one.kind === "released") void this.acknowledge(one.noticeId);
    const shown = added.filter((one) => one.kind !== "released");
    const all = [...this.list.get(), ...shown];
    this.list.set(all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)));
  }

  /** They were acknowledged, on this device or another one. */
  remove(noticeIds: readonly string[]): void {
    const left = this.list.get().filter((one) => !noticeIds.includes(one.noticeId));
    if (left.length < this.list.get().length) this.list.set(left);
  }

  async acknowledge(noticeId: string): Promise<void> {
    this.remove([noticeId]);
    const path = { noticeId };
    await this.rest.request("post", "/v1/me/notices/{noticeId}/acknowledge", { path }).catch(() => {});
  }
}
