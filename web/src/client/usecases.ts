// The use cases that are one REST call each: threads, thread settings, requests, people, profile.
// Where it is safe they change the store at once, and undo it if the server refuses.
import { Drafts } from "./drafts";
import type { ClientStore } from "./store";
import { retryUnreachable, type Rest } from "./rest";
import * as inboxRules from "./inboxRules";
import type {
  Block,
  Draft,
  Edit,
  Folder,
  Me,
  Message,
  NewNames,
  NewReport,
  NewThread,
  Opened,
  OwnReport,
  Page,
  Person,
  Preview,
  Profile,
  Role,
  SentRequest,
  Thread,
} from "./types";
import { Value } from "./observable";

type Mine = Thread["mine"];

export abstract class UseCases {
  readonly me = new Value<Me | null>(null);
  abstract readonly rest: Rest;
  abstract readonly store: ClientStore;
  protected readonly drafts = new Drafts(
    () => this.rest,
    () => this.store,
  );

  // Threads.

  async thread(threadId: string): Promise<Thread | null> {
    if (this.store.thread(threadId) === null) await this.store.load(threadId);
    return this.store.thread(threadId);
  }

  /** Retries with the same key, so that the thread is created once. */
  async start(thread: NewThread, key: string = crypto.randomUUID()): Promise<Opened> {
    const headers = { "Idempotency-Key": key };
    const opened = await retryUnreachable(() =>
      this.rest.request("post", "/v1/threads", { body: thread, headers }),
    );
    this.store.put(opened.thread);
    return opened;
  }

  async rename(threadId: string, subject: string): Promise<boolean> {
    const input = { path: { threadId }, body: { subject } };
    const renamed = await this.rest.request("patch", "/v1/threads/{threadId}", input);
    if (!("threadId" in renamed)) return false;
    this.store.put(renamed);
    return true;
  }

  /** Blurs sensitive pictures for all members, whatever they prefer. */
  async requireSafeMode(threadId: string, on: boolean): Promise<void> {
    const input = { path: { threadId }, body: { safeModeRequired: on } };
    const changed = await this.rest.request("patch", "/v1/threads/{threadId}", input);
    if ("threadId" in changed) this.store.put(changed);
  }

  async addParticipant(threadId: string, userId: string, role: Role = "member"): Promise<void> {
    const input = { path: { threadId }, body: { userId, role } };
    this.store.put(await this.rest.request("post", "/v1/threads/{threadId}/participants", input));
  }

  async removeParticipant(threadId: string, userId: string): Promise<void> {
    const path = { threadId, userId };
    await this.rest.request("delete", "/v1/threads/{threadId}/participants/{userId}", { path });
    if (userId === this.store.me) this.store.drop(threadId);
    else await this.store.load(threadId);
  }

  async changeRole(threadId: string, userId: string, role: Role): Promise<void> {
    const input = { path: { threadId, userId }, body: { role } };
    const url = "/v1/threads/{threadId}/participants/{userId}";
    this.store.put(await this.rest.request("patch", url, input));
  }

  leave(threadId: string): Promise<void> {
    return this.removeParticipant(threadId, this.store.me);
  }

  async lock(threadId: string, on: boolean): Promise<void> {
    const path = { threadId };
    if (on) await this.rest.request("post", "/v1/threads/{threadId}/lock", { path });
    else await this.rest.request("post", "/v1/threads/{threadId}/unlock", { path });
    if (this.store.thread(threadId) !== null) await this.store.load(threadId);
  }

  // The user's own settings of a thread.

  async markRead(threadId: string): Promise<void> {
    const seq = this.store.thread(threadId)?.lastSeq ?? 0;
    const input = { path: { threadId }, body: { seq } };
    this.#setMine(threadId, await this.rest.request("put", "/v1/threads/{threadId}/read", input));
  }

  async markAllRead(folder: Folder = "all"): Promise<void> {
    for (let more = true; more; ) {
      const done = await this.rest.request("post", "/v1/inbox/read", { body: { folder } });
      this.store.counts.set(done.counts);
      more = done.more && done.marked > 0;
    }
  }

  async markUnread(threadId: string, fromSeq?: number): Promise<void> {
    const body = fromSeq === undefined ? {} : { seq: fromSeq };
    const input = { path: { threadId }, body };
    this.#setMine(threadId, await this.rest.request("put", "/v1/threads/{threadId}/unread", input));
  }

  pin(threadId: string, on: boolean): Promise<void> {
    return this.#changeMine(threadId, { pinned: on }, (mine) => ({ ...mine, pinned: on }));
  }

  mute(threadId: string, until: Date | null): Promise<void> {
    const mutedUntil = until?.toISOString() ?? null;
    return this.#changeMine(threadId, { mutedUntil }, (mine) => ({ ...mine, mutedUntil }));
  }

  archive(threadId: string, on: boolean): Promise<void> {
    return this.#changeMine(threadId, { archived: on }, (mine) => ({ ...mine, archived: on }));
  }

  spam(threadId: string, on: boolean): Promise<void> {
    return this.#changeMine(threadId, { spam: on }, (mine) => ({ ...mine, spam: on }));
  }

  hide(threadId: string, on: boolean): Promise<void> {
    return this.#changeMine(threadId, { hidden: on }, (mine) => ({ ...mine, hidden: on }));
  }

  async #changeMine(
    threadId: string,
    body: {
      pinned?: boolean;
      mutedUntil?: string | null;
      archived?: boolean;
      spam?: boolean;
      hidden?: boolean;
    },
    change: (mine: Mine) => Mine,
  ): Promise<void> {
    const before = this.store.thread(threadId);
    this.store.patch(threadId, (thread) => {
      const after = { ...thread, mine: change(thread.mine) };
      after.mine.folder = inboxRules.folderOf(after, this.store.me);
      return after;
    });
    try {
      const input = { path: { threadId }, body };
      this.#setMine(threadId, await this.rest.request("patch", "/v1/threads/{threadId}/mine", input));
    } catch (error) {
      if (before !== null) this.#setMine(threadId, before.mine);
      throw error;
    }
  }

  #setMine(threadId: string, mine: Mine): void {
    this.store.patch(threadId, (thread) => ({ ...thread, mine }));
  }

  // Drafts.

  draft(threadId: string): Promise<Draft> {
    return this.drafts.read(threadId);
  }

  saveDraft(threadId: string, body: string): void {
    this.drafts.save(threadId, body);
  }

  get draftTexts(): Drafts["texts"] {
    return this.drafts.texts;
  }

  needDraft(threadId: string): void {
    this.drafts.need(threadId);
  }

  // Requests and people.

  async accept(requestId: string): Promise<void> {
    const path = { requestId };
    this.store.put(await this.rest.request("post", "/v1/requests/{requestId}/accept", { path }));
  }

  async sentRequests(cursor: string | null = null): Promise<Page<SentRequest>> {
    const { requests, next } = await this.rest.request("get", "/v1/requests/sent", { query: { cursor } });
    this.store.people.need(requests.map((one) => one.targetUserId));
    return { items: requests, next };
  }

  async withdraw(requestId: string): Promise<void> {
    const threadId = this.store.threadOfRequest(requestId);
    await this.rest.request("delete", "/v1/requests/{requestId}", { path: { requestId } });
    if (threadId !== null) await this.store.load(threadId);
  }

  async decline(requestId: string): Promise<void> {
    await this.rest.request("post", "/v1/requests/{requestId}/decline", { path: { requestId } });
    this.#requestClosed(requestId);
  }

  async declineAndBlock(requestId: string): Promise<void> {
    await this.rest.request("post", "/v1/requests/{requestId}/block", { path: { requestId } });
    this.#requestClosed(requestId);
  }

  #requestClosed(requestId: string): void {
    const threadId = this.store.threadOfRequest(requestId);
    if (threadId !== null) this.store.drop(threadId);
  }

  async findPeople(name: string, cursor?: string): Promise<Page<Person>> {
    const query = { name, ...(cursor === undefined ? {} : { cursor }) };
    const { people, next } = await this.rest.request("get", "/v1/people", { query });
    this.store.people.add(people);
    return { items: people, next };
  }

  async person(userId: string): Promise<Profile> {
    const profile = await this.rest.request("get", "/v1/people/{userId}", { path: { userId } });
    this.store.people.add([profile]);
    return profile;
  }

  async block(userId: string, threadId?: string): Promise<void> {
    const query = threadId === undefined ? {} : { threadId };
    await this.rest.request("put", "/v1/blocks/{userId}", { path: { userId }, query });
    if (threadId !== undefined) await this.store.load(threadId);
  }

  async unblock(userId: string): Promise<void> {
    await this.rest.request("delete", "/v1/blocks/{userId}", { path: { userId } });
  }

  async blocks(cursor: string | null = null): Promise<Page<Block>> {
    const { blocks, next } = await this.rest.request("get", "/v1/blocks", { query: { cursor } });
    this.store.people.need(blocks.map((one) => one.userId));
    return { items: blocks, next };
  }

  async report(report: NewReport): Promise<void> {
    await this.rest.request("post", "/v1/reports", { body: report });
  }

  async reports(cursor: string | null = null): Promise<Page<OwnReport>> {
    const { reports, next } = await this.rest.request("get", "/v1/reports", { query: { cursor } });
    return { items: reports, next };
  }

  // Messages and profile.

  preview(
    body: string,
    where: { threadId: string } | { userIds: readonly string[] } = { userIds: [] },
  ): Promise<Preview> {
    if ("threadId" in where) return this.rest.request("post", "/v1/preview", { body: { body, ...where } });
    const participants = where.userIds.map((userId) => ({ userId }));
    const given = participants.length === 0 ? { body } : { body, participants };
    return this.rest.request("post", "/v1/preview", { body: given });
  }

  async edits(message: Message): Promise<Edit[]> {
    const path = { threadId: message.threadId, messageId: message.messageId };
    const url = "/v1/threads/{threadId}/messages/{messageId}/edits";
    return (await this.rest.request("get", url, { path })).edits;
  }

  message(threadId: string, messageId: string): Promise<Message> {
    const path = { threadId, messageId };
    return this.rest.request("get", "/v1/threads/{threadId}/messages/{messageId}", { path });
  }

  async renameMe(names: NewNames): Promise<Me> {
    return this.setMe(await this.rest.request("patch", "/v1/me", { body: names }));
  }

  /** Someone was renamed: updates the profile if it is the user. */
  protected onPersonUpdated(person: Person): void {
    const me = this.me.get();
    if (me?.userId === person.userId && person.version >= me.version) this.me.set({ ...me, ...person });
  }

  protected setMe(me: Me): Me {
    this.store.people.add([me]);
    const known = this.store.people.list.get().get(me.userId);
    this.me.set(known !== undefined && known.version > me.version ? { ...me, ...known } : me);
    return me;
  }
}
