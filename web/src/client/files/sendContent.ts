// Sends what the server does not have yet of a file. With tus the bytes go in order to one URL; in parts, each to
// its own, several at a time.
import { problemFrom } from "../rest";
import type { FileUpload } from "../types";
import type { SendBody } from "./transport";

/** Sent in one request with tus: a proxy may limit the size of a request. */
const TUS_BYTES = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 3;

/** Where to send the bytes, as the server says. */
export type Destination = NonNullable<FileUpload["upload"]>;

export interface SendRequests {
  /** Makes a URL of the server absolute. */
  absolute(url: string): string;
  readonly send: SendBody;
}

export interface Sending {
  readonly requests: SendRequests;
  readonly content: Blob;
  /** Asks the server again what is missing. */
  missing(): Promise<Destination | null>;
  onprogress(bytes: number): void;
  /** So many are on the server. */
  onarrived(bytes: number): void;
  readonly signal: AbortSignal;
}

export function sendContent(to: Destination, sending: Sending): Promise<void> {
  return to.protocol === "tus" ? sendInOrder(to, sending) : sendParts(to, sending);
}

async function sendInOrder(to: Destination, sending: Sending): Promise<void> {
  const { requests, content, onprogress, signal } = sending;
  for (let offset = to.offset; offset < content.size; ) {
    onprogress(offset);
    const start = offset;
    const answer = await requests.send(
      {
        method: "PATCH",
        url: requests.absolute(to.url ?? ""),
        headers: {
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": String(offset),
          "Content-Type": "application/offset+octet-stream",
        },
        body: content.slice(offset, offset + TUS_BYTES),
      },
      (sent) => onprogress(start + sent),
      signal,
    );
    check(answer);
    offset = Number(answer.header("Upload-Offset") ?? start + TUS_BYTES);
    sending.onarrived(offset);
  }
  onprogress(content.size);
}

/** Several parts at a time. Each answer has the first hundred that are missing. */
async function sendParts(to: Destination, sending: Sending): Promise<void> {
  for (let now: Destination | null = to; now !== null && now.parts.length > 0; ) {
    await sendSomeParts(now, sending);
    const isLast = now.offset + now.parts.reduce((sum, part) => sum + part.size, 0) >= sending.content.size;
    if (isLast) return;
    now = await sending.missing();
  }
}

async function sendSomeParts(to: Destination, sending: Sending): Promise<void> {
  const { requests, content, onprogress, signal } = sending;
  const waiting = [...to.parts];
  let arrived = to.offset;
  const sent = new Map<number, number>();
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const report = (): void => onprogress(to.offset + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const { number, offset, size, method, url, headers } = part;
      const body = content.slice(offset, offset + size);
      const request = { method, url: requests.absolute(url), headers, body };
      const onpart = (bytes: number): void => {
        sent.set(number, Math.min(bytes, size));
        report();
      };
      check(await requests.send(request, onpart, either));
      onpart(size);
      arrived += size;
      sending.onarrived(arrived);
    }
  };
  report();
  try {
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
  } catch (error) {
    stop.abort();
    throw error;
  }
}

function check({ status, text }: { status: number; text: string }): void {
  if (status >= 200 && status < 300) return;
  let found: unknown = null;
  try {
    found = JSON.parse(text);
  } catch {
    // Not JSON: from the bucket, or from a proxy.
  }
  throw problemFrom(found, status);
}
