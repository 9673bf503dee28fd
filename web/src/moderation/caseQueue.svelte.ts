// The moderation queue: the open cases, the current one, and decisions.
//
// Careful: a decision closes related cases of the same person, and another moderator may have been
// faster, so the queue is loaded again after every decision. A case can be decided only once all of its
// details are loaded.
import {
  isProblem,
  type Band,
  type Case,
  type CaseContext,
  type CaseReport,
  type Client,
  type Decision,
  type Entry,
  type Problem,
  type Sanctions,
} from "../client";

export interface CaseDetails {
  context: CaseContext;
  reports: CaseReport[];
  sanctions: Sanctions | null;
}

export class CaseQueue {
  cases = $state.raw<readonly Case[] | null>(null);
  next = $state.raw<string | null>(null);
  at = $state.raw<string | null>(null);
  details = $state.raw<CaseDetails | null>(null);
  forbidden = $state(false);
  busy = $state(false);
  problem = $state.raw<Problem | null>(null);
  #pages = 1;
  #generation = 0;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  get current(): Case | null {
    return this.cases?.find((one) => one.caseId === this.at) ?? null;
  }

  get ready(): boolean {
    return this.current !== null && this.details !== null && !this.busy;
  }

  /** Loads as many pages as are shown. */
  async load(): Promise<void> {
    const generation = ++this.#generation;
    try {
      let page = await this.#client.moderation.queue();
      const items = [...page.items];
      for (let n = 1; n < this.#pages && page.next !== null; n++) {
        page = await this.#client.moderation.queue(page.next);
        items.push(...page.items);
      }
      if (generation !== this.#generation) return;
      this.cases = items;
      this.next = page.next;
      this.problem = null;
    } catch (error) {
      if (!isProblem(error)) throw error;
      if (generation !== this.#generation) return;
      this.forbidden = error.status === 403;
      this.problem = error;
    }
  }

  /** Loads new cases. The current case stays open; if another moderator has decided it, none is open,
   * because the next key press would be meant for the old one. */
  async refresh(): Promise<void> {
    if (this.busy || this.forbidden) return;
    await this.load();
    if (this.at !== null && this.current === null && !this.busy) await this.open(null);
  }

  async more(): Promise<void> {
    if (this.next === null) return;
    this.#pages += 1;
    await this.load();
  }

  step(by: 1 | -1): void {
    const all = this.cases ?? [];
    const now = all.findIndex((one) => one.caseId === this.at);
    const to = all[now === -1 ? 0 : Math.max(0, Math.min(all.length - 1, now + by))];
    if (to) void this.open(to.caseId);
  }

  async open(caseId: string | null): Promise<void> {
    this.at = caseId;
    this.details = null;
    const found = this.current;
    if (!found) return;
    const { moderation } = this.#client;
    const nothing: CaseContext = { thread: null, messages: [], position: null };
    const [context, reports, sanctions] = await Promise.all([
      moderation.context(found.caseId).catch(() => nothing),
      found.reports > 0
        ? moderation.reports(found.caseId).then(
            (page) => page.items,
            () => [],
          )
        : [],
      found.aboutUserId === null ? null : moderation.sanctions(found.aboutUserId).catch(() => null),
    ]);
    if (this.at === caseId) this.details = { context, reports, sanctions };
  }

  /** Opens the next case, so that the moderator can go on by keyboard. */
  async decide(decision: Decision, reason: string, until?: Date, band?: Band): Promise<Entry | null> {
    const found = this.current;
    if (!found || !this.ready || !found.decisions.includes(decision)) return null;
    this.busy = true;
    try {
      const all = this.cases ?? [];
      const place = all.indexOf(found);
      const entry = await this.#client.moderation.decide(
        found,
        decision,
        {
          reason,
          ...(until === undefined ? {} : { until }),
          ...(band === undefined ? {} : { band }),
        },
      );
      await this.load();
      const rest = (this.cases ?? []).filter((one) => one.caseId !== found.caseId);
      this.cases = rest;
      await this.open((rest[place] ?? rest[rest.length - 1])?.caseId ?? null);
      return entry;
    } finally {
      this.busy = false;
    }
  }
}
