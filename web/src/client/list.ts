// A folder on screen: pages from the server down to where somebody has scrolled, and above that
// whatever the mirror knows, live.
//
// What one would get wrong: who goes to another folder and back has seen this one a moment ago. How
// far its first page went is remembered, so that it is there at once, also without a connection.
import { isProblem, type Rest } from "./rest";
import * as rules from "./rules";
import type { Mirror, Shown } from "./mirror";
import type { Folder, Problem, ThreadList, ThreadListState } from "./types";
import { Made, sameList } from "./value";

const PAGE = 30;
const MOST_PAGES_AGAIN = 10;

export class FolderList implements ThreadList, Shown {
  readonly state: Made<ThreadListState>;
  #next: string | null = null;
  #floor: string | null = null;
  #loaded = false;
  /** By this list itself, and not by one before it. */
  #reached = false;
  #pages = 0;
  #loading = false;
  #problem: Problem | null = null;
  #turn = 0;
  #hide: () => void;
  #last: ThreadListState | null = null;

  constructor(
    private readonly rest: Rest,
    private readonly mirror: Mirror,
    private readonly folder: Folder,
    private readonly onClose: (list: FolderList) => void,
  ) {
    this.state = new Made(() => this.#make());
    this.#hide = mirror.show(this);
    const first = mirror.firstPages.get(folder);
    if (first === undefined) return;
    this.#next = first.next;
    this.#floor = first.floor;
    this.#loaded = true;
  }

  /** From the top, as far down as it was read. What is shown stays until there is something else. */
  async refresh(): Promise<void> {
    const pages = Math.min(this.#pages, MOST_PAGES_AGAIN);
    const seen = new Set<string>();
    const turn = this.#turn + 1;
    await this.#read(null, seen);
    while (this.#pages < pages && this.#next !== null && this.#problem === null) {
      if (this.#turn !== turn + this.#pages - 1) return;
      await this.#read(this.#next, seen);
    }
    // What is shown and was in no page has moved, or gone, while nobody told us.
    for (const thread of this.state.get().threads) {
      if (!seen.has(thread.threadId)) void this.mirror.load(thread.threadId);
    }
  }

  async more(): Promise<void> {
    if (this.#loading) return;
    if (!this.#reached) return this.refresh();
    if (this.#next === null) return;
    await this.#read(this.#next);
  }

  retryIfUnreached(): void {
    if (this.#problem?.code !== "unreachable") return;
    void (this.#reached ? this.more() : this.refresh());
  }

  async #read(cursor: string | null, seen?: Set<string>): Promise<void> {
    const turn = ++this.#turn;
    this.#loading = true;
    this.state.touch();
    try {
      const query = { folder: this.folder, limit: PAGE, cursor };
      const page = await this.rest.ask("get", "/v1/inbox", { query });
      if (turn !== this.#turn) return;
      this.mirror.putPage(page.threads, page.counts);
      for (const thread of page.threads) seen?.add(thread.threadId);
      const ranks = page.threads.map(rules.rankOf);
      const lowest = ranks.reduce((low, rank) => (rank < low ? rank : low), ranks[0] ?? "");
      this.#pages = cursor === null ? 1 : this.#pages + 1;
      this.#next = page.next;
      this.#floor = page.next === null ? "" : lowest;
      this.#loaded = this.#reached = true;
      this.#problem = null;
      if (cursor === null) {
        this.mirror.firstPages.set(this.folder, { next: this.#next, floor: this.#floor });
      }
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!isProblem(error)) throw error;
      this.#problem = error;
    } finally {
      if (turn === this.#turn) {
        this.#loading = false;
        this.state.touch();
      }
    }
  }

  changed(): void {
    this.state.touch();
  }

  wrote(): void {}

  changedMessage(): void {}

  missed(): void {}

  gone(): void {
    this.state.touch();
  }

  close(): void {
    this.#turn++;
    this.#hide();
    this.onClose(this);
  }

  #make(): ThreadListState {
    const threads = this.#floor === null ? [] : this.mirror.ranked(this.folder, this.#floor);
    const last = this.#last;
    this.#last = {
      threads: last !== null && sameList(last.threads, threads) ? last.threads : threads,
      hasMore: this.#next !== null,
      loaded: this.#loaded,
      loading: this.#loading,
      problem: this.#problem,
    };
    return this.#last;
  }
}
