// The thread list of a folder: loads pages as the user scrolls, and updates live from the store.
//
// The store remembers how far the folder's first page went, so that a list opened again shows at once,
// also offline.
import { isProblem, type Rest } from "./rest";
import * as inboxRules from "./inboxRules";
import type { ClientStore, StoreListener } from "./store";
import type { Folder, Problem, ThreadList, ThreadListState } from "./types";
import { ComputedValue, sameItems } from "./observable";

const PAGE = 30;
const MAX_PAGES_RELOADED = 10;

export class FolderList implements ThreadList, StoreListener {
  readonly state: ComputedValue<ThreadListState>;
  #next: string | null = null;
  #floor: string | null = null;
  #loaded = false;
  /** Loaded by this list itself, not taken over from an earlier one. */
  #hasLoadedOnce = false;
  #pages = 0;
  #loading = false;
  #problem: Problem | null = null;
  #generation = 0;
  #unsubscribe: () => void;
  #last: ThreadListState | null = null;

  constructor(
    private readonly rest: Rest,
    private readonly store: ClientStore,
    private readonly folder: Folder,
    private readonly onClose: (list: FolderList) => void,
  ) {
    this.state = new ComputedValue(() => this.#compute());
    this.#unsubscribe = store.subscribe(this);
    const first = store.firstPages.get(folder);
    if (first === undefined) return;
    this.#next = first.next;
    this.#floor = first.floor;
    this.#loaded = true;
  }

  /** Reloads from the top, as many pages as before. The current rows stay until then. */
  async refresh(): Promise<void> {
    const pages = Math.min(this.#pages, MAX_PAGES_RELOADED);
    const seen = new Set<string>();
    const generation = this.#generation + 1;
    await this.#loadPage(null, seen);
    while (this.#pages < pages && this.#next !== null && this.#problem === null) {
      if (this.#generation !== generation + this.#pages - 1) return;
      await this.#loadPage(this.#next, seen);
    }
    // Rows that were in no page have moved or gone while events were missed.
    for (const thread of this.state.get().threads) {
      if (!seen.has(thread.threadId)) void this.store.load(thread.threadId);
    }
  }

  async more(): Promise<void> {
    if (this.#loading) return;
    if (!this.#hasLoadedOnce) return this.refresh();
    if (this.#next === null) return;
    await this.#loadPage(this.#next);
  }

  retryIfUnreached(): void {
    if (this.#problem?.code !== "unreachable") return;
    void (this.#hasLoadedOnce ? this.more() : this.refresh());
  }

  async #loadPage(cursor: string | null, seen?: Set<string>): Promise<void> {
    const generation = ++this.#generation;
    this.#loading = true;
    this.state.invalidate();
    try {
      const query = { folder: this.folder, limit: PAGE, cursor };
      const page = await this.rest.request("get", "/v1/inbox", { query });
      if (generation !== this.#generation) return;
      this.store.putPage(page.threads, page.counts);
      for (const thread of page.threads) seen?.add(thread.threadId);
      const ranks = page.threads.map(inboxRules.sortKey);
      const lowest = ranks.reduce((low, rank) => (rank < low ? rank : low), ranks[0] ?? "");
      this.#pages = cursor === null ? 1 : this.#pages + 1;
      this.#next = page.next;
      this.#floor = page.next === null ? "" : lowest;
      this.#loaded = this.#hasLoadedOnce = true;
      this.#problem = null;
      if (cursor === null) {
        this.store.firstPages.set(this.folder, { next: this.#next, floor: this.#floor });
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      if (!isProblem(error)) throw error;
      this.#problem = error;
    } finally {
      if (generation === this.#generation) {
        this.#loading = false;
        this.state.invalidate();
      }
    }
  }

  changed(): void {
    this.state.invalidate();
  }

  onMessageAdded(): void {}

  onMessageChanged(): void {}

  missed(): void {}

  gone(): void {
    this.state.invalidate();
  }

  close(): void {
    this.#generation++;
    this.#unsubscribe();
    this.onClose(this);
  }

  #compute(): ThreadListState {
    const threads = this.#floor === null ? [] : this.store.ranked(this.folder, this.#floor);
    const last = this.#last;
    this.#last = {
      threads: last !== null && sameItems(last.threads, threads) ? last.threads : threads,
      hasMore: this.#next !== null,
      loaded: this.#loaded,
      loading: this.#loading,
      problem: this.#problem,
    };
    return this.#last;
  }
}
