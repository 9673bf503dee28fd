// The moderation API: the queue, the details of a case, decisions, staff roles.
import type { ClientStore } from "./store";
import type { Rest } from "./rest";
import type {
  Band,
  Case,
  CaseContext,
  CaseFile,
  CaseReport,
  Decision,
  Entry,
  FileAccess,
  Moderation,
  Page,
  Sanctions,
  StaffMember,
  StaffRole,
  SuspendedPerson,
} from "./types";

export class ModerationClient implements Moderation {
  constructor(
    private readonly rest: Rest,
    private readonly store: ClientStore,
  ) {}

  async queue(cursor: string | null = null): Promise<Page<Case>> {
    const query = { cursor };
    const { cases, next } = await this.rest.request("get", "/v1/moderation/queue", { query });
    this.store.people.need(cases.flatMap((one) => one.aboutUserId ?? []));
    return { items: cases, next };
  }

  case(caseId: string): Promise<Case> {
    return this.rest.request("get", "/v1/moderation/cases/{caseId}", { path: { caseId } });
  }

  async context(caseId: string): Promise<CaseContext> {
    const path = { caseId };
    const found = await this.rest.request("get", "/v1/moderation/cases/{caseId}/context", { path });
    this.store.people.need((found.thread?.participants ?? []).map((one) => one.userId));
    this.store.people.need(found.messages.map((one) => one.authorUserId));
    return found;
  }

  async reports(caseId: string, cursor: string | null = null): Promise<Page<CaseReport>> {
    const input = { path: { caseId }, query: { cursor } };
    const found = await this.rest.request("get", "/v1/moderation/cases/{caseId}/reports", input);
    this.store.people.need(found.reports.map((one) => one.reporterUserId));
    return { items: found.reports, next: found.next };
  }

  claim(caseId: string): Promise<Case> {
    return this.rest.request("post", "/v1/moderation/cases/{caseId}/claim", { path: { caseId } });
  }

  async decide(
    found: Case,
    decision: Decision,
    options: { reason?: string; note?: string; until?: Date; band?: Band } = {},
  ): Promise<Entry> {
    const isMine = found.claimedByUserId === this.store.me;
    const { version } = isMine ? found : await this.claim(found.caseId);
    const body = {
      decision,
      version,
      reason: options.reason ?? "",
      note: options.note ?? "",
      ...(options.until === undefined ? {} : { until: options.until.toISOString() }),
      ...(options.band === undefined ? {} : { band: options.band }),
      ...(decision === "suspend" && options.until === undefined ? { forGood: true } : {}),
    };
    const path = { caseId: found.caseId };
    return this.rest.request("post", "/v1/moderation/cases/{caseId}/decide", { path, body });
  }

  async fileUrls(caseId: string, fileId: string, reveal: boolean): Promise<FileAccess> {
    const input = { path: { fileId }, body: { caseId, reveal } };
    const found = await this.rest.request("post", "/v1/moderation/files/{fileId}/urls", input);
    const file = "files" in found ? found.files[0] : found;
    if (file === undefined) throw new Error("there is no such file");
    const absolute = (url: string): string => (url.startsWith("/") ? this.rest.api + url : url);
    const urls = Object.entries(file.urls).map(([variant, url]) => [variant, absolute(url)]);
    return { ...file, urls: Object.fromEntries(urls) as FileAccess["urls"] };
  }

  async setBand(found: Case, fileId: string, band: Band, reason = ""): Promise<CaseFile> {
    const { caseId } = found;
    if (found.claimedByUserId !== this.store.me) await this.claim(caseId);
    const input = { path: { fileId }, body: { caseId, band, reason } };
    return this.rest.request("put", "/v1/moderation/files/{fileId}/band", input);
  }

  async suspended(cursor: string | null = null): Promise<Page<SuspendedPerson>> {
    const query = { cursor };
    const { people, next } = await this.rest.request("get", "/v1/moderation/suspended", { query });
    this.store.people.need(people.map((one) => one.userId));
    return { items: people, next };
  }

  reinstate(
    userId: string,
    { reason = "", note = "" }: { reason?: string; note?: string } = {},
  ): Promise<Entry> {
    const input = { path: { userId }, body: { reason, note } };
    return this.rest.request("post", "/v1/moderation/people/{userId}/reinstate", input);
  }

  grant(userId: string, role: StaffRole): Promise<StaffMember> {
    return this.rest.request("put", "/v1/staff/{userId}", { path: { userId }, body: { role, note: "" } });
  }

  revoke(userId: string): Promise<StaffMember> {
    return this.rest.request("delete", "/v1/staff/{userId}", { path: { userId } });
  }

  sanctions(userId: string): Promise<Sanctions> {
    return this.rest.request("get", "/v1/moderation/people/{userId}/sanctions", { path: { userId } });
  }

  async auditLog(
    of: { caseId: string } | { userId: string } | null = null,
    cursor: string | null = null,
  ): Promise<Page<Entry>> {
    const { entries, next } = await this.#auditLog(of, cursor);
    this.store.people.need(entries.flatMap((one) => [one.decidedByUserId, one.aboutUserId ?? []].flat()));
    return { items: entries, next };
  }

  #auditLog(
    of: { caseId: string } | { userId: string } | null,
    cursor: string | null,
  ): Promise<{ entries: Entry[]; next: string | null }> {
    const query = { cursor };
    if (of === null) return this.rest.request("get", "/v1/moderation/audit-log", { query });
    if ("caseId" in of) {
      return this.rest.request("get", "/v1/moderation/cases/{caseId}/audit-log", { path: of, query });
    }
    return this.rest.request("get", "/v1/moderation/people/{userId}/audit-log", { path: of, query });
  }
}
