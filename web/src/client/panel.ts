// The project panel of one thread: its tabs, kept up to date by events and sync, and edits.
//
// Careful: an event that does not follow the version that is here means that others were missed. Then the tab is
// loaded again.
import type { EventOf, On } from "./events";
import { Value } from "./observable";
import type { Notification } from "./protocol";
import { isProblem, retryUnreachable, type Rest } from "./rest";
import type { ClientStore, StoreListener } from "./store";
import type {
  Page,
  PanelChange,
  PanelEdit,
  PanelPresence,
  PanelState,
  PanelTab,
  PanelTabName,
  ProjectPanel,
} from "./types";

/** The problems of an edit that is based on what is no longer there. */
const OUTDATED = new Set(["edit-clash", "panel-object-deleted", "panel-object-not-found"]);
/** What the server keeps of a focus is forgotten after 15 seconds. */
const FOCUS_AGAIN_MS = 8000;

export class ProjectPanelClient implements ProjectPanel, StoreListener {
  readonly state = new Value<PanelState>({ tabs: null, present: [], problem: null });
  readonly #present = new Map<string, { presence: PanelPresence; timer: ReturnType<typeof setTimeout> }>();
  readonly #reading = new Map<PanelTabName, Promise<void>>();
  readonly #ends: (() => void)[];
  #focus: Extract<Notification, { type: "focus_panel" }> | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    readonly threadId: string,
    private readonly rest: Rest,
    private readonly store: ClientStore,
    on: On,
    private readonly notify: (frame: Notification) => void,
  ) {
    this.#ends = [
      store.subscribe(this),
      on("panel.updated", (event) => this.#updated(event)),
      on("panel.focused", (event) => this.#focused(event)),
    ];
    void this.load();
  }

  async load(): Promise<void> {
    try {
      const path = { threadId: this.threadId };
      const { tabs } = await this.rest.request("get", "/v1/threads/{threadId}/panel", { path });
      const known = this.state.get().tabs;
      this.#set({ tabs: tabs.map((tab) => newer(tab, known)), problem: null });
      this.changed(this.threadId);
    } catch (error) {
      if (isProblem(error)) this.#set({ problem: error });
    }
  }

  async edit(
    tab: PanelTabName,
    edit: PanelEdit,
    clientId: string = crypto.randomUUID(),
  ): Promise<PanelChange> {
    const input = { path: { threadId: this.threadId, tab }, body: { clientId, edit } };
    try {
      const change = await retryUnreachable(() =>
        this.rest.request("post", "/v1/threads/{threadId}/panel/{tab}/edits", input),
      );
      this.#apply(tab, change.version, change);
      return change;
    } catch (error) {
      if (isProblem(error) && OUTDATED.has(error.code)) void this.#read(tab);
      throw error;
    }
  }

  async history(tab: PanelTabName, cursor?: string): Promise<Page<PanelChange>> {
    const query = cursor === undefined ? {} : { query: { cursor } };
    const input = { path: { threadId: this.threadId, tab }, ...query };
    const page = await this.rest.request("get", "/v1/threads/{threadId}/panel/{tab}/history", input);
    return { items: page.changes, next: page.next };
  }

  focus(tab: PanelTabName | null, objectId?: string, field?: string): void {
    const { threadId } = this;
    const where = {
      ...(tab === null ? {} : { tab }),
      ...(objectId === undefined ? {} : { objectId }),
      ...(field === undefined ? {} : { field }),
    };
    this.#focus = { type: "focus_panel", threadId, ...where };
    this.notify(this.#focus);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = tab === null ? null : setInterval(() => this.#focusAgain(), FOCUS_AGAIN_MS);
  }

  #focusAgain(): void {
    const isHidden = typeof document !== "undefined" && document.hidden;
    if (this.#focus !== null && !isHidden) this.notify(this.#focus);
  }

  close(): void {
    if (this.#timer !== null) this.focus(null);
    for (const end of this.#ends) end();
    for (const { timer } of this.#present.values()) clearTimeout(timer);
  }

  // Called by the store.

  /** By sync, and after a reset: the thread says which tabs have changed. */
  changed(threadId: string | null): void {
    if (threadId !== null && threadId !== this.threadId) return;
    const versions = this.store.thread(this.threadId)?.panelVersions ?? {};
    for (const tab of this.state.get().tabs ?? []) {
      if ((versions[tab.tab] ?? 0) > tab.version) void this.#read(tab.tab);
    }
  }

  onMessageAdded(): void {}
  onMessageChanged(): void {}
  missed(): void {}
  gone(): void {}

  /** Events were lost. */
  refresh(): Promise<void> {
    return this.load();
  }

  // Changes of others.

  #updated({ threadId, tab, version, change }: EventOf<"panel.updated">): void {
    if (threadId === this.threadId) this.#apply(tab, version, change ?? null);
  }

  #apply(name: PanelTabName, version: number, change: PanelChange | null): void {
    const tab = this.#tab(name);
    if (tab === undefined || version <= tab.version) return;
    if (change === null || change.reordered || version !== tab.version + 1) return void this.#read(name);
    const others = tab.objects.filter((one) => one.objectId !== change.objectId);
    const objects = change.object === null ? others : [...others, change.object].sort(byOrder);
    this.#put({ ...tab, version, objects });
  }

  async #read(tab: PanelTabName): Promise<void> {
    const reading = this.#reading.get(tab) ?? this.#readOnce(tab).finally(() => this.#reading.delete(tab));
    this.#reading.set(tab, reading);
    await reading;
  }

  async #readOnce(tab: PanelTabName): Promise<void> {
    try {
      const path = { threadId: this.threadId, tab };
      this.#put(await this.rest.request("get", "/v1/threads/{threadId}/panel/{tab}", { path }));
    } catch (error) {
      if (isProblem(error)) this.#set({ problem: error });
    }
  }

  #tab(name: PanelTabName): PanelTab | undefined {
    return this.state.get().tabs?.find((one) => one.tab === name);
  }

  #put(tab: PanelTab): void {
    const known = this.state.get().tabs ?? [];
    this.#set({ tabs: known.map((one) => (one.tab === tab.tab ? newer(tab, [one]) : one)), problem: null });
  }

  #focused({ threadId, userId, tab, objectId, field, until }: EventOf<"panel.focused">): void {
    if (threadId !== this.threadId || userId === this.store.me) return;
    clearTimeout(this.#present.get(userId)?.timer);
    this.#present.delete(userId);
    if (tab != null && until != null) {
      const presence = { userId, tab, objectId: objectId ?? null, field: field ?? null };
      const forget = (): void => {
        this.#present.delete(userId);
        this.#showPresent();
      };
      this.#present.set(userId, { presence, timer: setTimeout(forget, 2 * FOCUS_AGAIN_MS) });
    }
    this.#showPresent();
  }

  #showPresent(): void {
    this.#set({ present: [...this.#present.values()].map(({ presence }) => presence) });
  }

  #set(change: Partial<PanelState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }
}

function newer(tab: PanelTab, known: readonly PanelTab[] | null): PanelTab {
  const here = known?.find((one) => one.tab === tab.tab);
  return here !== undefined && here.version >= tab.version ? here : tab;
}

function byOrder(a: { order: string }, b: { order: string }): number {
  return a.order < b.order ? -1 : 1;
}
