// Documents: read, sign, download. Loaded with the first call of `client.documents()`.
import { retryUnreachable, type Rest } from "./rest";
import type { ClientStore } from "./store";
import type { Documents, DocumentSummary, SignedDocument } from "./types";

export class DocumentsClient implements Documents {
  constructor(
    private readonly rest: Rest,
    private readonly store: ClientStore,
  ) {}

  async list(threadId: string): Promise<DocumentSummary[]> {
    const input = { path: { threadId } };
    return (await this.rest.request("get", "/v1/threads/{threadId}/documents", input)).documents;
  }

  async read(documentId: string): Promise<SignedDocument> {
    const found = await this.rest.request("get", "/v1/documents/{documentId}", { path: { documentId } });
    this.store.people.need(found.partyUserIds);
    return found;
  }

  /** Repeats the request if the answer is lost: a signature is given once. */
  async sign(documentId: string, version: number, contentSha256: string): Promise<SignedDocument> {
    const input = { path: { documentId }, body: { version, contentSha256, consent: true } };
    return retryUnreachable(() => this.rest.request("post", "/v1/documents/{documentId}/signatures", input));
  }

  pdf(documentId: string, version: number): Promise<Blob> {
    return this.rest.download(`/v1/documents/${encodeURIComponent(documentId)}/versions/${version}.pdf`);
  }
}
